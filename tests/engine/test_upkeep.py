"""When a ledger is tended by itself."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from belief_memory.engine import upkeep
from belief_memory.engine.desk import Desk
from belief_memory.engine.diary import Diary, to_rows
from belief_memory.engine.memory import system_clock
from belief_memory.engine.work import Operations, Writer
from belief_memory.model.draft import Draft
from belief_memory.model.episode import Episodes
from belief_memory.model.learning import Said
from belief_memory.store.in_memory import InMemoryLedger, InMemoryStore


class Untidy(InMemoryLedger):
    """A ledger that always wants to be tended, which takes it a moment."""

    def __init__(self) -> None:
        super().__init__(InMemoryStore(""), "alice")
        self.tended = 0

    def wants_maintenance(self) -> bool:
        return True

    async def maintain(self) -> None:
        await asyncio.sleep(0.02)
        self.tended += 1


async def tended_in(writes: int) -> int:
    ledger = Untidy()
    desk = Desk(ledger, system_clock, timedelta(0))
    writer = Writer("alice", None, ("user:universal",), "record")
    for number in range(writes):
        draft = Draft(canonical_name=f"thing {number}", content="There.")
        await desk.write(Operations(writer, lambda planner, _, d=draft: planner.remember(d), 1))
        await desk.settle()
    return ledger.tended


async def kept_in(turns: int) -> int:
    ledger = Untidy()
    diary = Diary(ledger, system_clock, Episodes())
    for number in range(turns):
        said = Said(id=str(number), role="user", text="There.", prose="There.", at=system_clock())
        await diary.keep(
            to_rows(
                [said],
                user_id="alice",
                agent_id=None,
                scopes=("user:universal",),
                session_id=None,
                now=system_clock(),
            )
        )
        await diary.settle()
    return ledger.tended


async def test_a_ledger_that_is_tended_quickly_is_tended_whenever_it_wants() -> None:
    assert await tended_in(4) == 4
    assert await kept_in(4) == 4


async def test_a_ledger_that_takes_long_to_tend_rests_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upkeep, "LONG", 0.01)
    monkeypatch.setattr(upkeep, "REST", 10_000)
    assert await tended_in(4) == 1
    assert await kept_in(4) == 1


async def test_asked_for_it_is_tended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "LONG", 0.01)
    ledger = Untidy()
    desk = Desk(ledger, system_clock, timedelta(0))
    await desk.maintain()
    await desk.maintain()
    assert ledger.tended == 2
