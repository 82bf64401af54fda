"""One user's ledger as the engine keeps it: what is held, fresh, and the way to write it."""

from __future__ import annotations

import asyncio
import random
import threading
import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from belief_memory.errors import StoreBusy
from belief_memory.ledger.held import HeldIndex
from belief_memory.ledger.planner import Plan
from belief_memory.model.belief import Belief
from belief_memory.model.time import TICK
from belief_memory.ports import (
    Clock,
    Commit,
    Delta,
    Erased,
    Head,
    LedgerStore,
    LostRace,
    Reinforcement,
)
from belief_memory.retrieval.index import RecallIndex

R = TypeVar("R", covariant=True)

ATTEMPTS = 64
"""Races a writer may lose before it gives up; each loss means a rival has won."""

OFFLOAD = 512
"""Changes from which planning and indexing leave the loop to a worker thread."""


@dataclass(slots=True)
class State:
    """What a ledger holds at one commit, indexed for the rules and for recall."""

    head: Head | None
    token: object | None
    checked: float
    held: HeldIndex = field(default_factory=HeldIndex)
    index: RecallIndex = field(init=False)

    def __post_init__(self) -> None:
        self.index = RecallIndex(self.held)

    def add(self, version: Belief) -> None:
        self.held.add(version)
        self.index.add(version)

    def discard(self, version_id: str) -> None:
        version = self.held.discard(version_id)
        if version is not None:
            self.index.discard(version)

    def reinforce(self, change: Reinforcement) -> None:
        version = self.held.version(change.version_id)
        if version is not None:
            self.discard(change.version_id)
            self.add(version.but(reinforcement_count=change.count, last_reinforced_at=change.at))


class Work(Protocol[R]):
    """A call that writes: planned on whatever is held when its turn comes."""

    size: int
    """About how many beliefs it touches."""

    async def prepare(self, held: HeldIndex, at: datetime) -> datetime:
        """Read what the plan needs beyond what is held; returns the instant to commit at,
        ``at`` or later."""
        ...

    def plan(self, held: HeldIndex, at: datetime) -> tuple[Plan, R]:
        """What to commit, and what to answer once it is committed."""
        ...


class Desk:
    """Keeps one ledger's state fresh and serialises this process's writers of it.

    ``gate`` is held while the state changes and while a recall reads it, so that a recall
    on any thread sees one committed state. Writers of other processes are fenced by the
    store; the lock here only spares this process from racing itself.
    """

    def __init__(self, ledger: LedgerStore, clock: Clock, freshness: timedelta) -> None:
        self.ledger = ledger
        self.gate = threading.Lock()
        self.state: State | None = None
        self.used = 0
        self._clock = clock
        self._freshness = freshness.total_seconds()
        self._lock = asyncio.Lock()
        self._upkeep: asyncio.Task[None] | None = None

    def warm(self) -> State | None:
        """The state if it is known to be fresh without waiting; callable on any thread."""
        state = self.state
        if state is None or state.token is None:
            return None
        if self._freshness and time.monotonic() - state.checked <= self._freshness:
            return state
        if self.ledger.unchanged(state.token):
            state.checked = time.monotonic()
            return state
        return None

    async def fresh(self) -> State:
        """The state as of now, read from the store as far as it is not known."""
        state = self.warm()
        if state is not None:
            return state
        async with self._lock:
            return await self._refresh()

    def now(self, state: State) -> datetime:
        """The default instant of a read: never before what was last recorded."""
        now = self._clock()
        return now if state.head is None else max(now, state.head.at)

    async def write(self, work: Work[R]) -> R:
        """Plan on what is held and commit, again and again until no rival was faster."""
        async with self._lock:
            for attempt in range(ATTEMPTS):
                state = await self._refresh()
                at = await work.prepare(state.held, self._next_instant(state.head))
                if work.size >= OFFLOAD:
                    plan, result = await asyncio.to_thread(work.plan, state.held, at)
                else:
                    plan, result = work.plan(state.held, at)
                if not plan:
                    return result
                if await self._commit(state, at, plan):
                    self._upkeep_if_due()
                    return result
                await asyncio.sleep(random.uniform(0, 0.002 * min(attempt + 1, 16)))
        raise StoreBusy(f"{ATTEMPTS} rival commits won in a row; nothing was written")

    async def erase(self, belief_ids: frozenset[str] | None) -> Erased:
        """Erase beliefs, or with None the whole ledger."""
        async with self._lock:
            for attempt in range(ATTEMPTS):
                state = await self._refresh()
                if state.head is None:
                    return Erased(beliefs=0, versions=0, verified=True)
                commit = self._commit_of(state.head, self._next_instant(state.head))
                try:
                    return await self.ledger.erase(belief_ids, commit)
                except LostRace:
                    await asyncio.sleep(random.uniform(0, 0.002 * min(attempt + 1, 16)))
                finally:
                    self.state = None
        raise StoreBusy(f"{ATTEMPTS} rival commits won in a row; nothing was erased")

    async def maintain(self) -> None:
        """Compact the ledger's storage now."""
        async with self._lock:
            await self.ledger.maintain()

    def busy(self) -> bool:
        """Whether a call is writing or waiting to."""
        return self._lock.locked() or (self._upkeep is not None and not self._upkeep.done())

    async def settle(self) -> None:
        """Wait for maintenance under way."""
        if self._upkeep is not None:
            await asyncio.gather(self._upkeep, return_exceptions=True)

    async def _refresh(self) -> State:
        state = self.warm()
        if state is not None:
            return state
        known = self.state
        # The token is taken before the read: a commit in between is then read twice, never missed.
        token = await self.ledger.token()
        if known is not None and known.token is not None and known.token == token:
            known.checked = time.monotonic()
            return known
        delta = await self.ledger.read(known.head if known is not None else None)
        if delta is None:
            state = State(head=None, token=token, checked=time.monotonic())
        elif delta.whole or known is None:
            state = (
                await asyncio.to_thread(_built, delta, token)
                if len(delta.held) >= OFFLOAD
                else _built(delta, token)
            )
        else:
            with self.gate:
                _apply(known, delta)
                known.token, known.checked = token, time.monotonic()
            return known
        self.state = state
        return state

    async def _commit(self, state: State, at: datetime, plan: Plan) -> bool:
        commit = self._commit_of(state.head, at, plan)
        state.token = None
        try:
            token = await self.ledger.commit(commit)
        except LostRace:
            return False
        with self.gate:
            for retirement in plan.retirements:
                state.discard(retirement.version_id)
            for version in plan.writes:
                if version.retired_at is None:
                    state.add(version)
            for change in plan.reinforcements:
                state.reinforce(change)
            state.head, state.token, state.checked = commit.head, token, time.monotonic()
        return True

    def _commit_of(self, head: Head | None, at: datetime, plan: Plan | None = None) -> Commit:
        # A new ledger counts from the microseconds of the wall clock, so that one that was
        # erased and begun again never repeats a number that somebody may still remember.
        seq = time.time_ns() // 1000 if head is None else head.seq + 1
        return Commit(
            base=head,
            head=Head(seq=seq, at=at),
            plan_id=uuid.uuid4().hex,
            writes=plan.writes if plan else (),
            retirements=plan.retirements if plan else (),
            reinforcements=plan.reinforcements if plan else (),
        )

    def _next_instant(self, head: Head | None) -> datetime:
        now = self._clock()
        return now if head is None else max(now, head.at + TICK)

    def _upkeep_if_due(self) -> None:
        if self.ledger.wants_maintenance() and (self._upkeep is None or self._upkeep.done()):
            self._upkeep = asyncio.get_running_loop().create_task(self.maintain())


def _built(delta: Delta, token: object) -> State:
    state = State(head=delta.head, token=token, checked=time.monotonic())
    for version in delta.held:
        state.add(version)
    return state


def _apply(state: State, delta: Delta) -> None:
    for version_id in delta.retired:
        state.discard(version_id)
    for version in delta.held:
        state.discard(version.version_id)
        state.add(version)
    for change in delta.reinforcements:
        state.reinforce(change)
    state.head = delta.head
