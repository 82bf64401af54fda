"""Recalls beside a writer, from threads and from an event loop: always some committed state."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from belief_memory import AsyncBeliefMemory, BeliefMemory, Context

THREADS = 8
ROUNDS = 30
QUERY = "what about left, right, the slot and the ghost?"
NUMBER = re.compile(r"round (\d+)")


def drafts(round: int) -> list[dict[str, object]]:
    """Written in one commit, so never seen apart."""
    return [
        {"canonical_name": "left", "content": f"round {round} of left"},
        {"canonical_name": "right", "content": f"round {round} of right"},
        {"canonical_name": "slot", "content": f"round {round} of slot", "pinned": True},
    ]


def round_of(context: Context) -> int:
    """The one round that a context shows; fails where it is no committed state."""
    found = [(b.canonical_name, b.content) for b in (*context.relevant, *context.pinned)]
    shown = {name: int(NUMBER.findall(content)[0]) for name, content in found}
    assert len(found) == len(shown), f"a slot with two values: {found}"
    assert shown.keys() - {"ghost"} == {"left", "right", "slot"}, f"half a commit: {found}"
    assert len(set(shown.values())) == 1, f"two commits at once: {found}"
    assert f"round {shown['left']} of" in context.render()
    reasons = {reason.belief.canonical_name for reason in context.explain() if reason.route}
    assert reasons == shown.keys()
    return shown["left"]


def write(memory: BeliefMemory, round: int) -> None:
    user = memory.for_user("alice")
    user.remember_many(drafts(round))
    if round % 10 == 9:
        user.remember_many(
            [*drafts(round), {"canonical_name": "ghost", "content": f"round {round}"}]
        )
        user.forget("ghost")
    if round % 15 == 14:
        memory.maintain()


@pytest.fixture(params=["same handle", "another handle"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[BeliefMemory, ...]]:
    """Who reads and who writes."""
    uri = tmp_path / "m"
    with BeliefMemory.open(uri) as reader, BeliefMemory.open(uri) as other:
        writer = reader if request.param == "same handle" else other
        writer.for_user("alice").remember_many(drafts(0))
        yield reader, writer


def test_threads_beside_a_writer_see_whole_commits_in_order(
    pair: tuple[BeliefMemory, BeliefMemory],
) -> None:
    reader, writer = pair
    alice = reader.for_user("alice")
    written, acknowledged = threading.Event(), 0

    def recall_on() -> set[int]:
        seen: list[int] = []
        while not written.is_set():
            least = acknowledged
            seen.append(round_of(alice.recall(QUERY)))
            assert seen[-1] >= least, "an acknowledged write was not seen"
        seen.append(round_of(alice.recall(QUERY)))
        assert seen == sorted(seen), "time went back"
        assert seen[-1] == ROUNDS
        return set(seen)

    with ThreadPoolExecutor(THREADS) as pool:
        readers = [pool.submit(recall_on) for _ in range(THREADS)]
        try:
            for round in range(1, ROUNDS + 1):
                write(writer, round)
                acknowledged = round
        finally:
            written.set()
        seen = set().union(*(one.result(60) for one in readers))
    assert len(seen) > 3, "nobody recalled while the writer wrote"


async def test_tasks_of_an_event_loop_beside_a_writer_see_whole_commits(
    pair: tuple[BeliefMemory, BeliefMemory],
) -> None:
    reader, writer = pair
    alice = reader.asynchronous.for_user("alice")
    writing = asyncio.create_task(
        asyncio.to_thread(lambda: [write(writer, round) for round in range(1, ROUNDS + 1)])
    )

    async def recall_on() -> set[int]:
        seen: list[int] = []
        while not writing.done():
            seen.append(round_of(await alice.recall(QUERY)))
            await asyncio.sleep(0)
        assert seen == sorted(seen), "time went back"
        return set(seen)

    seen = set().union(*await asyncio.gather(*(recall_on() for _ in range(4))))
    await writing
    assert round_of(await alice.recall(QUERY)) == ROUNDS
    assert len(seen) > 3, "nobody recalled while the writer wrote"


def test_a_recall_of_the_past_stands_still_beside_a_writer(tmp_path: Path) -> None:
    with BeliefMemory.open(tmp_path / "m") as memory:
        alice = memory.for_user("alice")
        then = alice.remember_many(drafts(1))[0].belief.recorded_at
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(lambda: [write(memory, round) for round in range(2, 20)])
            rounds = {round_of(alice.recall(QUERY, as_of=then))}
            while not writing.done():
                rounds.add(round_of(alice.recall(QUERY, as_of=then)))
            writing.result()
        assert rounds == {1}


def test_two_users_that_read_each_other_along_never_wait_for_each_other(tmp_path: Path) -> None:
    with BeliefMemory.open(tmp_path / "m") as memory:
        for name in ("alice", "bob"):
            memory.for_user(name).remember("tea", f"{name} drinks it.")
        users = [
            memory.for_user("alice", also=["bob"]),
            memory.for_user("bob", also=["alice"]),
        ]

        def recall_often(number: int) -> set[int]:
            return {len(users[number % 2].recall("tea").relevant) for _ in range(400)}

        with ThreadPoolExecutor(THREADS) as pool:
            for found in [pool.submit(recall_often, number) for number in range(THREADS)]:
                assert found.result(60) == {2}


async def test_closing_beside_recalls_is_an_answer_or_a_clear_error(tmp_path: Path) -> None:
    from belief_memory import HandleClosed

    memory = AsyncBeliefMemory.open(tmp_path / "m")
    alice = memory.for_user("alice")
    await alice.remember_many(drafts(0))

    async def recall_on() -> str:
        try:
            while True:
                assert round_of(await alice.recall(QUERY)) == 0
                await asyncio.sleep(0)
        except HandleClosed as closed:
            return str(closed)

    recalling = [asyncio.create_task(recall_on()) for _ in range(4)]
    await asyncio.sleep(0.01)
    await memory.close()
    assert all("closed" in answer for answer in await asyncio.gather(*recalling))
