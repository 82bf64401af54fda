"""Processes and threads that write one ledger at once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from belief_memory.ports import LostRace, VersionFilter
from belief_memory.store.lance import LanceStore
from belief_memory.testing.builders import Scribe, belief
from tests.store.buckets import Buckets

ROOT = Path(__file__).resolve().parents[2]


def start(what: str, name: str, rounds: int, uri: str, options: dict[str, str]) -> subprocess.Popen:
    command = [sys.executable, "-m", "tests.store.rival", what, name, str(rounds), uri]
    return subprocess.Popen(
        command + [f"{key}={value}" for key, value in options.items()],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def said(process: subprocess.Popen) -> str:
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


async def race(uri: str, options: dict[str, str], rivals: int, rounds: int) -> None:
    """Each round every rival learns the same new slot; a reader watches all along."""
    reader = start("read", "reader", 3, uri, options)
    writers = [start("write", str(n), rounds, uri, options) for n in range(rivals)]
    try:
        assert said(reader) == "ready"
        results: Counter[str] = Counter()
        for _ in range(rounds):
            assert {said(writer) for writer in writers} == {"ready"}
            for writer in writers:
                tell(writer)
            outcome = Counter(said(writer) for writer in writers)
            assert outcome["won"] == 1, outcome
            results += outcome
        assert results["won"] == rounds
        assert [writer.wait(30) for writer in writers] == [0] * rivals
        tell(reader)
        assert said(reader).startswith("read")
        assert reader.wait(30) == 0
    finally:
        for process in (reader, *writers):
            process.kill()
            process.wait()
    await check(uri, options, rounds)


async def check(uri: str, options: dict[str, str], rounds: int) -> None:
    store = LanceStore(uri, storage_options=options or None)
    await store.open()
    ledger = store.ledger("alice")
    versions = await ledger.versions(VersionFilter())
    delta = await ledger.read()
    assert delta is not None
    slots = [v for v in delta.held if v.canonical_name.startswith("slot")]
    assert len(slots) == len({v.canonical_name for v in slots}) == rounds
    for slot in slots:
        number, winner = slot.id.removeprefix("slot ").split(" of ")
        rows = [v for v in versions if v.canonical_name == f"row of {number}"]
        assert {v.member for v in rows} == {winner}, "a loser left rows"
        assert len(rows) == slot.metadata["of"], "half of a commit"
    counters = [v for v in versions if v.canonical_name == "counter"]
    assert sorted(v.rev for v in counters) == list(range(1, rounds + 1))
    assert [v.rev for v in counters if v.retired_at is None] == [rounds]
    await store.close()


async def test_four_processes_that_learn_one_slot_leave_one_current_value(tmp_path: Path) -> None:
    await race(str(tmp_path / "beliefs"), {}, rivals=4, rounds=10)


@pytest.mark.slow
async def test_many_rounds_of_processes_leave_one_current_value_each(tmp_path: Path) -> None:
    await race(str(tmp_path / "beliefs"), {}, rivals=4, rounds=80)


async def test_processes_race_on_object_storage_as_on_a_folder(buckets: Buckets) -> None:
    await race(buckets.new(), buckets.options, rivals=3, rounds=4)


@pytest.mark.slow
async def test_many_rounds_race_on_object_storage(buckets: Buckets) -> None:
    await race(buckets.new(), buckets.options, rivals=4, rounds=20)


def test_eight_threads_each_with_its_loop_lose_no_commit(tmp_path: Path) -> None:
    folder = str(tmp_path / "beliefs")
    failures: list[Exception] = []

    async def write(name: int) -> None:
        store = LanceStore(folder)
        await store.open()
        scribe = Scribe(store.ledger("alice"))
        for number in range(3):
            while True:
                await scribe.catch_up()
                try:
                    await scribe.write(belief(f"{name} {number}"))
                except LostRace:
                    continue
                break
        await store.close()

    def work(name: int) -> None:
        try:
            asyncio.run(write(name))
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []

    async def found() -> list[str]:
        store = LanceStore(folder)
        await store.open()
        versions = await store.ledger("alice").versions(VersionFilter())
        return sorted(version.canonical_name for version in versions)

    assert asyncio.run(found()) == [f"{name} {number}" for name in range(8) for number in range(3)]
