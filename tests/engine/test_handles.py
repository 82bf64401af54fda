"""Opening, sharing and closing handles."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from belief_memory import (
    AsyncBeliefMemory,
    BeliefMemory,
    HandleClosed,
    InvalidQuery,
    StoreError,
    StoreReadOnly,
)


def test_a_closed_memory_says_so(memory: BeliefMemory) -> None:
    alice = memory.for_user("alice")
    alice.remember("tea", "Likes tea.")
    memory.close()
    memory.close()
    for call in (
        lambda: alice.remember("tea", "Likes coffee."),
        lambda: alice.recall("tea?"),
        alice.beliefs,
        memory.users,
    ):
        with pytest.raises(HandleClosed, match="closed"):
            call()


def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    with BeliefMemory.open(tmp_path / "m") as memory:
        memory.for_user("alice").remember("tea", "Likes tea.", aliases=["cha"])
    with BeliefMemory.open(tmp_path / "m") as memory:
        alice = memory.for_user("alice")
        assert [belief.content for belief in alice.beliefs()] == ["Likes tea."]
        assert [belief.content for belief in alice.recall("cha?").relevant] == ["Likes tea."]


def test_opening_and_reading_create_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "never"
    with BeliefMemory.open(folder) as memory:
        alice = memory.for_user("alice")
        assert alice.beliefs() == []
        assert not alice.recall("anything?")
        assert memory.users() == []
    assert not folder.exists()


def test_read_only_refuses_every_write_and_changes_nothing(tmp_path: Path) -> None:
    with BeliefMemory.open(tmp_path / "m") as memory:
        memory.for_user("alice").remember("tea", "Likes tea.")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "m").rglob("*")}
    with BeliefMemory.open(tmp_path / "m", read_only=True) as memory:
        alice = memory.for_user("alice")
        for write in (
            lambda: alice.remember("tea", "Hates tea."),
            lambda: alice.retract("tea"),
            lambda: alice.load([{"canonical_name": "x", "content": "y"}]),
            lambda: alice.forget("tea"),
            memory.maintain,
        ):
            with pytest.raises(StoreReadOnly):
                write()
        assert alice.recall("tea?").relevant[0].content == "Likes tea."
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "m").rglob("*")} == before


def test_recall_leaves_the_stores_files_alone(tmp_path: Path) -> None:
    with BeliefMemory.open(tmp_path / "m") as memory:
        alice = memory.for_user("alice")
        alice.remember("tea", "Likes tea.")
        before = {p: p.stat().st_mtime_ns for p in (tmp_path / "m").rglob("*")}
        for _ in range(20):
            alice.recall("tea?").render()
            alice.beliefs()
            alice.history("tea")
        assert {p: p.stat().st_mtime_ns for p in (tmp_path / "m").rglob("*")} == before


def test_sync_and_async_views_share_one_handle(memory: BeliefMemory) -> None:
    memory.for_user("alice").remember("tea", "Likes tea.")

    async def read() -> list[str]:
        alice = memory.asynchronous.for_user("alice")
        await alice.remember("cake", "Likes cake.")
        return [belief.content for belief in await alice.beliefs()]

    assert sorted(asyncio.run(read())) == ["Likes cake.", "Likes tea."]
    assert len(memory.asynchronous.sync.for_user("alice").beliefs()) == 2


def test_async_open_can_be_awaited_or_entered(tmp_path: Path) -> None:
    async def main() -> list[str]:
        async with AsyncBeliefMemory.open(tmp_path / "m") as memory:
            await memory.for_user("alice").remember("tea", "Likes tea.")
        memory = await AsyncBeliefMemory.open(tmp_path / "m")
        try:
            return await memory.users()
        finally:
            await memory.close()

    assert asyncio.run(main()) == ["alice"]


@pytest.mark.parametrize("first", ["recall", "load", "beliefs", "export", "history"])
def test_any_verb_may_be_the_first_on_a_handle_not_connected_yet(
    tmp_path: Path, first: str
) -> None:
    async def main() -> None:
        user = AsyncBeliefMemory.open(tmp_path / "m").for_user("alice")
        calls = {
            "recall": lambda: user.recall("tea?"),
            "load": lambda: user.load([{"canonical_name": "tea", "content": "Likes tea."}]),
            "beliefs": user.beliefs,
            "export": user.export,
            "history": lambda: user.history("tea"),
        }
        await calls[first]()
        await user.remember("cake", "Likes cake.")

    asyncio.run(main())


def test_one_handle_serves_several_event_loops_at_once(memory: BeliefMemory) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        async def main() -> None:
            user = memory.asynchronous.for_user(f"user-{number % 2}")
            for turn in range(5):
                await user.remember(f"topic-{number}-{turn}", "Noted.")
                assert (await user.recall(f"topic {number} {turn}")).relevant

        try:
            asyncio.run(main())
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(memory.for_user("user-0").beliefs()) == 10


def test_blocking_verbs_work_inside_a_running_loop(memory: BeliefMemory) -> None:
    async def notebook() -> str:
        alice = memory.for_user("alice")
        alice.remember("tea", "Likes tea.")
        return alice.recall("tea?").relevant[0].content

    assert asyncio.run(notebook()) == "Likes tea."


def test_a_cancelled_write_leaves_the_memory_usable(memory: BeliefMemory) -> None:
    async def main() -> None:
        alice = memory.asynchronous.for_user("alice")
        tasks = [asyncio.create_task(alice.remember(f"t{n}", "Noted.")) for n in range(10)]
        await asyncio.sleep(0.01)
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await alice.remember("after", "Still works.")
        names = {belief.canonical_name for belief in await alice.beliefs()}
        assert names >= {"after", *(f"t{n}" for n in range(1, 10, 2))}

    asyncio.run(main())


def test_eight_threads_learning_one_new_slot_leave_one_current_value(memory: BeliefMemory) -> None:
    start = threading.Barrier(8)

    def learn(number: int) -> None:
        start.wait()
        memory.for_user("alice").remember("editor", f"Uses editor {number}.")

    threads = [threading.Thread(target=learn, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alice = memory.for_user("alice")
    assert len(alice.beliefs(slot="editor")) == 1
    assert len({belief.id for belief in alice.history("editor")}) == 8


FORK = """
    import os, sys
    from belief_memory import BeliefMemory, HandleClosed

    memory = BeliefMemory.open({uri!r})
    alice = memory.for_user("alice")
    alice.remember("tea", "Likes tea.")
    alice.recall("tea?")
    child = os.fork()
    if child == 0:
        caught = 0
        for call in (
            lambda: alice.recall("tea?"),
            lambda: alice.remember("tea", "x"),
            alice.beliefs,
            memory.users,
        ):
            try:
                call()
            except HandleClosed as error:
                caught += "fork" in str(error)
        memory.close()  # what a with block does on its way out
        os._exit(10 + caught)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), alice.recall("tea?").relevant[0].content)
"""


@pytest.mark.parametrize("store", ["memory://", "folder"])
def test_a_handle_used_after_a_fork_raises_instead_of_crashing(tmp_path: Path, store: str) -> None:
    uri = store if store == "memory://" else str(tmp_path / "m")
    script = textwrap.dedent(FORK.format(uri=uri))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split(maxsplit=1) == ["14", "Likes tea.\n"]


def test_what_is_not_there_is_not_restored(tmp_path: Path) -> None:
    with BeliefMemory.open(tmp_path / "m") as memory:
        with pytest.raises(StoreError, match="nothing to restore"):
            memory.restore(tmp_path / "mistyped")
        memory.for_user("alice").remember("tea", "Likes tea.")
        memory.backup(tmp_path / "copy")
    with BeliefMemory.open(tmp_path / "n") as memory:
        assert memory.restore(tmp_path / "copy") == 1


def test_a_context_can_be_pickled_and_copied(tmp_path: Path) -> None:
    with BeliefMemory.open(tmp_path / "m") as memory:
        alice = memory.for_user("alice")
        alice.remember("tea", "Likes tea.", metadata={"from": ["a"]})
        context = alice.recall("which tea?")
        explained = str(context.explain())
    for same in (pickle.loads(pickle.dumps(context)), copy.deepcopy(context)):
        assert same == context
        assert same.render() == context.render() != ""
        assert str(same.explain()) == explained != ""


@pytest.mark.parametrize("uri", ["", "  ", "a\0b"])
def test_a_bad_uri_is_refused(uri: str) -> None:
    with pytest.raises(InvalidQuery, match="uri"):
        BeliefMemory.open(uri)


def test_bad_options_are_refused() -> None:
    with pytest.raises(InvalidQuery, match="durability"):
        BeliefMemory.open("memory://", durability="wishful")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        BeliefMemory.open("memory://", cache=True)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="on_conflict"):
        BeliefMemory.open("memory://", on_conflict="shrug")  # type: ignore[arg-type]


def test_a_naive_clock_is_refused_when_it_is_read() -> None:
    from datetime import datetime

    with BeliefMemory.open("memory://", clock=lambda: datetime(2026, 1, 1)) as memory:
        with pytest.raises(ValueError, match="clock"):
            memory.for_user("alice").remember("tea", "Likes tea.")
        assert memory.users() == []
