"""Rival processes: one current value each time, no acknowledged write lost, no half plan."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from belief_memory import BeliefMemory, UserMemory
from tests.store.buckets import Buckets

ROOT = Path(__file__).resolve().parents[2]


def line(rival: subprocess.Popen) -> str:
    assert rival.stdout
    return rival.stdout.readline()


def contend(uri: str, shape: str, *, processes: int, rounds: int, options: dict | None = None):
    """Run rivals in lock step; returns what each was acknowledged."""
    extra = [json.dumps(options)] if options else []
    rivals = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.engine.contender",
                uri,
                f"p{n}",
                str(rounds),
                shape,
                *extra,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for n in range(processes)
    ]
    try:
        for rival in rivals:
            assert line(rival) == "ready\n"
        for _ in range(rounds):
            for rival in rivals:
                assert rival.stdin
                rival.stdin.write("go\n")
                rival.stdin.flush()
            for rival in rivals:
                assert line(rival) == "done\n"
        found = [json.loads(line(rival)) for rival in rivals]
        assert [rival.wait(30) for rival in rivals] == [0] * processes
        return found
    finally:
        for rival in rivals:
            rival.kill()


def check(user: UserMemory, acknowledged: list[list[list[str]]], shared: list[str]) -> None:
    written = {tuple(entry) for entries in acknowledged for entry in entries}
    assert written == {(record["id"], record["content"]) for record in user.export()}
    for slot in shared:
        assert len(user.beliefs(slot=slot)) == 1, slot


@pytest.mark.parametrize("shape", ["new", "sizes"])
def test_four_processes_and_a_hundred_rounds_leave_one_current_value(
    tmp_path: Path, shape: str
) -> None:
    rounds = 100
    uri = str(tmp_path / "m")
    acknowledged = contend(uri, shape, processes=4, rounds=rounds)
    shared = [f"slot {n}" for n in range(rounds)] if shape == "new" else ["shared slot"]
    with BeliefMemory.open(uri) as memory:
        check(memory.for_user("shared"), acknowledged, shared)


@pytest.mark.parametrize("shape", ["new", "sizes"])
def test_rivals_on_an_object_store_leave_one_current_value(buckets: Buckets, shape: str) -> None:
    rounds = 10
    uri, options = buckets.new(), buckets.options
    acknowledged = contend(uri, shape, processes=3, rounds=rounds, options=options)
    shared = [f"slot {n}" for n in range(rounds)] if shape == "new" else ["shared slot"]
    with BeliefMemory.open(uri, storage_options=options) as memory:
        check(memory.for_user("shared"), acknowledged, shared)
