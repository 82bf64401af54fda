"""Turns that are forgotten are in no file, whenever the process that forgets them dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from belief_memory import BeliefMemory, UserMemory
from belief_memory.learning import DeterministicExtractor
from belief_memory.store.lance.erasure import Eraser
from tests.engine.forgetter import SECRET
from tests.store.buckets import Buckets
from tests.store.raw import decoded

ROOT = Path(__file__).resolve().parents[2]


def opened(folder: object, **options: object) -> BeliefMemory:
    given = {"extractor": DeterministicExtractor(), "episodes": True, **options}
    return BeliefMemory.open(folder, **given)  # type: ignore[arg-type]


def tables(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.endswith(".lance"))


def filled(memory: BeliefMemory, more: int = 0) -> UserMemory:
    user = memory.for_user("alice")
    user.observe([f"I live in {SECRET}.", "The garden is wet."], session_id="s1")
    for number in range(more):
        user.observe(f"Note {number} of no interest.")
    return user


@pytest.mark.parametrize("more", [0, 70])
async def test_the_turns_of_a_forgotten_belief_are_in_no_file(tmp_path: Path, more: int) -> None:
    folder = tmp_path / "beliefs"
    with opened(folder) as memory:
        user = filled(memory, more)
        memory.maintain()
        user.observe(f"As I said, I live in {SECRET}.")
        assert SECRET in await decoded(folder), "the control: the search would find it"
        receipt = user.forget(("user", "residence"))
        assert (receipt.turns, receipt.verified) == (2, True)
        everything = await decoded(folder)
        assert SECRET not in everything
        assert "The garden is wet." in everything, "the control: the search still reads the rest"
        assert [name for name in os.listdir(folder) if "_erasure" in name] == []
        assert len(user.episodes()) == more + 1


async def test_everything_forgotten_leaves_neither_text_nor_table(tmp_path: Path) -> None:
    folder = tmp_path / "beliefs"
    with opened(folder) as memory:
        memory.for_user("bob").observe("Hello there.")
        before = tables(folder)
        user = filled(memory, 3)
        assert len(tables(folder)) == len(before) + 2
        receipt = user.forget(everything=True)
        assert (receipt.turns, receipt.verified) == (5, True)
        assert tables(folder) == before
        everything = await decoded(folder)
        assert SECRET not in everything
        assert "alice" not in everything
        assert "Hello there." in everything


async def test_turns_past_the_limit_are_in_no_file(tmp_path: Path) -> None:
    from belief_memory import Episodes

    folder = tmp_path / "beliefs"
    with opened(folder, extractor=None, episodes=Episodes(max_turns=3)) as memory:
        user = memory.for_user("alice")
        user.observe(f"I live in {SECRET}.")
        for number in range(4):
            user.observe(f"Note {number}.")
        everything = await decoded(folder)
        assert SECRET not in everything
        assert "Note 3." in everything


def test_forgotten_turns_are_in_no_object(buckets: Buckets) -> None:
    uri = buckets.new()
    with opened(uri, storage_options=buckets.options) as memory:
        user = filled(memory)
        assert any(SECRET.encode() in body for body in buckets.objects(uri).values())
        assert user.forget(("user", "residence")).turns == 1
        assert not any(SECRET.encode() in body for body in buckets.objects(uri).values())
        assert [turn.text for turn in user.episodes()] == ["The garden is wet."]
        user.forget(everything=True)
        assert buckets.objects(uri) == {}


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("step", ["_mark", "_delete", "_rewrite"])
@pytest.mark.parametrize("call", [1, 2])
async def test_forgetting_a_belief_that_was_interrupted_is_finished_at_the_next_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, call: int
) -> None:
    """The first call is the ledger's, the second the turns'."""
    folder = tmp_path / "beliefs"
    memory = opened(folder)
    user = filled(memory)
    await interrupt(monkeypatch, user, step, call, target=("user", "residence"))
    assert SECRET in await decoded(folder), "the control: it is still there"
    with opened(folder) as again:
        user = again.for_user("alice")
        assert SECRET not in await decoded(folder)
        assert user.history(("user", "residence")) == []
        assert [turn.text for turn in user.episodes()] == ["The garden is wet."]
        assert [name for name in os.listdir(folder) if "_erasure" in name] == []


@pytest.mark.parametrize("step", ["_mark", "_drop"])
@pytest.mark.parametrize("call", [1, 2])
async def test_forgetting_everything_that_was_interrupted_is_finished_at_the_next_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, call: int
) -> None:
    folder = tmp_path / "beliefs"
    memory = opened(folder)
    user = filled(memory)
    await interrupt(monkeypatch, user, step, call, everything=True)
    assert SECRET in await decoded(folder), "the control: it is still there"
    with opened(folder) as again:
        assert SECRET not in await decoded(folder)
        assert tables(folder) == []
        assert again.users() == []


async def interrupt(
    monkeypatch: pytest.MonkeyPatch, user: UserMemory, step: str, call: int, **forget: object
) -> None:
    """Forget, but stop before the so manieth call of a step of :class:`Eraser`."""
    original = getattr(Eraser, step)
    calls = 0

    async def stop(self: Eraser, *args: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Interrupted
        return await original(self, *args)

    with monkeypatch.context() as patched:
        patched.setattr(Eraser, step, stop)
        with pytest.raises(Interrupted):
            user.forget(**forget)  # type: ignore[call-overload]


POINTS = [
    *(("belief", f"create:{when}:{nth}") for nth in (1, 2) for when in ("before", "after")),
    *(("belief", f"merge:{when}:{nth}") for nth in range(1, 7) for when in ("before", "after")),
    *(("belief", f"delete:{when}:{nth}") for nth in (1, 2) for when in ("before", "after")),
    *(("belief", f"optimize:{when}:{nth}") for nth in (1, 2) for when in ("before", "after")),
    *(("everything", f"create:{when}:{nth}") for nth in (1, 2, 3) for when in ("before", "after")),
    *(("everything", f"merge:{when}:{nth}") for nth in (1, 2) for when in ("before", "after")),
]


def killed(folder: Path, what: str, point: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.forgetter", str(folder), what, point],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, f"the point {point} was never reached"
    assert "begun" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("what", "point"), POINTS)
async def test_a_kill_while_forgetting_leaves_all_or_nothing(
    tmp_path: Path, what: str, point: str
) -> None:
    """Nothing of it, or the belief is still there to be forgotten again."""
    folder = tmp_path / "beliefs"
    killed(folder, what, point)
    with opened(folder) as memory:
        user = memory.for_user("alice")
        assert [name for name in os.listdir(folder) if "_erasure" in name] == []
        if user.history(("user", "residence")):
            user.forget(("user", "residence"))
        assert SECRET not in await decoded(folder)
        kept = {turn.text for turn in user.episodes()}
        assert kept in (set(), {"The garden is wet.", "My cat is called Yuki."})
