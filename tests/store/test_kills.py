"""A process killed at any moment leaves a whole store, with all that it acknowledged."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from belief_memory.ports import VersionFilter
from belief_memory.store.lance import LanceStore
from belief_memory.store.lance.place import is_folder
from belief_memory.testing.builders import Scribe, belief
from tests.store.victim import versions_of

ROOT = Path(__file__).resolve().parents[2]

POINTS = [
    ("write", "create:before:1"),
    ("write", "create:after:1"),
    ("write", "merge:before:1"),
    ("write", "merge:after:1"),
    ("write", "merge:after:3"),
    ("maintain", "optimize:before:1"),
    ("maintain", "optimize:after:1"),
    ("maintain", "merge:before:3"),
    ("maintain", "merge:after:3"),
    ("maintain", "delete:before:1"),
    ("maintain", "delete:after:1"),
    ("maintain", "optimize:before:2"),
    ("maintain", "optimize:after:2"),
]

ERASING = [
    *(("erase", f"create:{when}:2") for when in ("before", "after")),
    *(("erase", f"merge:{when}:{nth}") for nth in range(2, 7) for when in ("before", "after")),
    *(("erase", f"delete:{when}:1") for when in ("before", "after")),
    *(("erase", f"update:{when}:1") for when in ("before", "after")),
    *(("erase", f"optimize:{when}:1") for when in ("before", "after")),
]


class Seen:
    """What a victim had said when it died."""

    def __init__(self, output: str) -> None:
        words = [line.split() for line in output.splitlines()]
        self.acknowledged = {int(line[1]) for line in words if line[0] == "ack"}
        self.erasing = {int(line[1]) for line in words if line[0] == "erasing"}
        self.erased = {int(line[1]) for line in words if line[0] == "erased"}


def run_and_kill(folder: Path, mode: str, point: str | None = None, after: float = 30.0) -> Seen:
    command = [sys.executable, "-m", "tests.store.victim", str(folder), mode]
    process = subprocess.Popen(
        command + ([point] if point else []), cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    first = ""
    if point is None:
        first = process.stdout.readline()
        assert first == "ready\n"
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, f"the point {point} was never reached"
    return Seen(first + output)


async def check(folder: Path, seen: Seen) -> int:
    """Whole commits only, every acknowledged one, and erasures finished; the last commit."""
    store = LanceStore(str(folder))
    await store.open()
    ledger = store.ledger("alice")
    found = {version.id: version for version in await ledger.versions(VersionFilter())}
    numbers = {version.metadata["n"] for version in found.values()}
    last = max(numbers, default=0)
    assert last >= max(seen.acknowledged, default=0)
    assert last <= max(seen.acknowledged, default=0) + 1
    gone = {number for number in range(1, last + 1) if number not in numbers}
    assert gone <= seen.erasing | seen.erased
    assert seen.erased <= gone | {0}
    for number in numbers:
        versions = [found[name] for name in versions_of(number)]
        retired = {version.retired_at is not None for version in versions}
        assert retired == {number != last}, f"half of commit {number}"
    delta = await ledger.read()
    assert (set() if delta is None else {v.id for v in delta.held}) == (
        set(versions_of(last)) if last else set()
    )
    assert not [name for name in os.listdir(folder) if name.startswith(("_erasure", ".erased"))]
    await store.close()
    return last


@pytest.mark.parametrize(("mode", "point"), POINTS)
async def test_a_kill_inside_a_commit_or_maintenance_leaves_no_half(
    tmp_path: Path, mode: str, point: str
) -> None:
    await check_or_empty(tmp_path / "beliefs", run_and_kill(tmp_path / "beliefs", mode, point))
    await go_on(tmp_path / "beliefs")


async def go_on(folder: Path) -> None:
    """The store takes commits, maintenance and erasures as if nothing had happened."""
    store = LanceStore(str(folder))
    await store.open()
    scribe = Scribe(store.ledger("alice"))
    delta = await scribe.catch_up()
    before = [] if delta is None else list(delta.held)
    commit = await scribe.write(belief(id="next"), retire=before)
    await scribe.ledger.maintain()
    await scribe.erase(*(version.id for version in before))
    delta = await scribe.ledger.read()
    assert delta is not None
    assert delta.held == commit.writes
    await store.close()


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "point"), ERASING)
async def test_a_kill_inside_an_erasure_is_finished_at_the_next_open(
    tmp_path: Path, mode: str, point: str
) -> None:
    await check_or_empty(tmp_path / "beliefs", run_and_kill(tmp_path / "beliefs", mode, point))


async def check_or_empty(folder: Path, seen: Seen) -> int:
    if is_folder(folder):
        return await check(folder, seen)
    assert not seen.acknowledged
    return 0


async def test_kills_at_random_moments_of_mixed_work_lose_nothing(tmp_path: Path) -> None:
    await kill_often(tmp_path / "beliefs", rounds=4)


@pytest.mark.slow
async def test_many_kills_at_random_moments_of_mixed_work_lose_nothing(tmp_path: Path) -> None:
    await kill_often(tmp_path / "beliefs", rounds=20)


async def kill_often(folder: Path, rounds: int) -> None:
    moments = random.Random(rounds)
    everything = Seen("")
    for _ in range(rounds):
        seen = run_and_kill(folder, "mixed", after=moments.uniform(0.02, 0.6))
        everything.acknowledged |= seen.acknowledged
        everything.erasing |= seen.erasing
        everything.erased |= seen.erased
        # What was seen must stay as well, although nobody lived to hear of it.
        everything.acknowledged.add(await check_or_empty(folder, everything))
    assert max(everything.acknowledged) > 0
