"""Every command does its verb, for people and with --json."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from belief_memory.cli.app import app


class Shell:
    def __init__(self, folder: Path) -> None:
        self.env = {"BELIEF_MEMORY_URI": str(folder), "BELIEF_MEMORY_USER": "alice"}

    def __call__(self, *words: str, code: int = 0, input: str | None = None) -> Result:
        done = CliRunner().invoke(app, list(words), env=self.env, input=input)
        assert done.exit_code == code, (done.output, done.exception)
        return done

    def json(self, *words: str):
        return json.loads(self(*words, "--json").stdout)


@pytest.fixture
def sh(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "m")


def test_remember_then_recall(sh: Shell) -> None:
    assert (
        "inserted"
        in sh("remember", "redis_cache", "Redis is the cache.", "--alias", "Redis").output
    )
    assert "Redis is the cache." in sh("recall", "what is Redis for?").output
    assert "R3" in sh("recall", "what is Redis for?", "--explain").output
    assert sh("recall", "nice weather").output.strip() == "(nothing recalled)"
    found = sh.json("recall", "what is Redis for?")
    assert [belief["content"] for belief in found["routes"]["relevant"]] == ["Redis is the cache."]


def test_history_and_changes(sh: Shell) -> None:
    sh("remember", "city", "Oslo", "--valid-from", "2026-01-01")
    sh("remember", "city", "Bergen", "--valid-from", "2026-02-01")
    assert [v["content"] for v in sh.json("beliefs")] == ["Bergen"]
    assert [v["content"] for v in sh.json("beliefs", "--valid-at", "2026-01-15")] == ["Oslo"]
    assert len(sh.json("history", "city")) == 3
    assert "Oslo" in sh("history", "city").output
    changes = sh.json("changes", "--since", "2020-01-01")
    assert len(changes["changes"]) == 4
    assert sh.json("changes", "--since", changes["cursor"])["changes"] == []


def test_export_then_import_is_lossless(sh: Shell, tmp_path: Path) -> None:
    sh("remember", "city", "Oslo")
    sh("remember", "city", "Bergen")
    exported = sh("export").stdout
    other = Shell(tmp_path / "other")
    (tmp_path / "records.jsonl").write_text(exported)
    assert other.json("import", str(tmp_path / "records.jsonl")) == {"loaded": 3}
    assert other("export").stdout == exported
    assert other("import", "-", input=exported).output.strip() == "loaded 0"


def test_forget_says_what_it_removed_without_the_text(sh: Shell) -> None:
    sh("remember", "city", "Oslo")
    done = sh("forget", "city")
    assert "erased 1 beliefs in 1 versions" in done.output
    assert "Oslo" not in done.output
    sh("remember", "tea", "Likes tea.")
    assert sh.json("forget", "--everything")["beliefs"] == 1
    assert sh.json("beliefs") == []


def test_the_rest(sh: Shell) -> None:
    sh("remember", "city", "Oslo")
    assert sh.json("stats")["users"] == 1
    assert "users: 1" in sh("stats").output
    assert sh.json("maintain") == {"maintained": 1}
    assert sh.json("conflicts") == []
    assert sh.json("pending") == []
    assert "(none)" in sh("conflicts").output
    assert len(sh.json("export")) == 1


def test_the_digest_of_a_day_and_of_a_week(sh: Shell) -> None:
    sh("remember", "city", "Oslo")
    today = datetime.now(UTC).date()
    assert "Oslo" in sh("digest").output
    assert "Oslo" not in sh("digest", "2020-01-01").output
    week = sh.json("digest", str(today - timedelta(days=3)), "--days", "7")
    assert "Oslo" in week["digest"]
    assert "belief-memory:" in sh("digest", "soon", code=2).stderr


def test_errors_are_one_line_and_status_2(sh: Shell, tmp_path: Path) -> None:
    for words in (
        ("remember", "x", "y", "--type", "feeling"),
        ("beliefs", "--as-of", "2026-01-01T00:00"),
        ("forget", "nowhere"),
        ("forget",),
        ("recall", "x", "--scope", "bad scope"),
    ):
        done = sh(*words, code=2)
        assert done.stderr.startswith("belief-memory: ")
        assert len(done.stderr.strip().splitlines()) == 1
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{not json}\n")
    assert "line 1: not JSON" in sh("import", str(bad), code=2).stderr


def test_the_command_is_installed() -> None:
    import subprocess
    import sys

    command = Path(sys.executable).with_name("belief-memory")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    assert "recall" in done.stdout
