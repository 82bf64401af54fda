"""The labelled cases, through the public API and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from belief_memory.cli.app import app
from belief_memory.evals.precision import Result, read_suites, run
from belief_memory.evals.summary import summarise

pytestmark = pytest.mark.data


def test_every_labelled_case_and_session_holds(data: Path) -> None:
    sizes = {}
    for suite in read_suites(data):
        results = run(suite)
        sizes[suite.name] = len(results)
        assert {r.id: r.failures for r in results if r.failures} == {}
        line = summarise(results)[-1]
        assert (line.precision, line.recall, line.drift) == (1.0, 1.0, 0.0)
    assert sizes["PrecisionMemBench"] == 77 + 12
    assert sizes["devops"] >= 104


def test_the_command_prints_and_writes_what_it_measured(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "precision.json"
    done = CliRunner().invoke(
        app, ["bench", "precision", "--data", str(data / "precisionmembench"), "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "89" in done.output
    lines = json.loads(out.read_text())["PrecisionMemBench"]["summary"]
    assert {line["kind"]: line["passed"] for line in lines} == {
        "active": 54,
        "structural": 2,
        "empty": 33,
        "all": 89,
    }


def test_a_wrong_label_is_reported(data: Path, tmp_path: Path) -> None:
    source = json.loads((data / "pack_devops" / "pack_devops.json").read_text())
    source["cases"] = source["cases"][:3]
    source["cases"][1]["expect"] = {"relevant_only": ["nowhere"]}
    source["sessions"] = []
    (tmp_path / "pack_wrong.json").write_text(json.dumps(source))
    done = CliRunner().invoke(app, ["bench", "precision", "--data", str(tmp_path), "--json"])
    assert done.exit_code == 1
    assert source["cases"][1]["id"] in done.stderr


def test_drift_is_the_share_of_what_should_not_have_surfaced() -> None:
    good = Result("a", "active", (), 1, 1, 1, 0, 1, 1.0)
    bad = Result("b", "active", ("x",), 1, 3, 1, 2, 3, 3.0)
    line = summarise([good, bad])[-1]
    assert (line.passed, line.precision, line.recall, line.drift) == (1, 0.5, 1.0, 0.5)
