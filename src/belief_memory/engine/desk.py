"""One user's ledger as the engine keeps it: what is held, fresh, and the way to write it."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from belief_memory.engine import partial
from belief_memory.engine.bulk import collector_paused
from belief_memory.engine.partial import PartialHeld
from belief_memory.engine.state import State, built
from belief_memory.engine.upkeep import ATTEMPTS, Upkeep, pause
from belief_memory.errors import BeliefMemoryError, InvalidQuery, StoreBusy
from belief_memory.ledger.held import HeldIndex
from belief_memory.ledger.planner import Plan
from belief_memory.model.belief import Belief
from belief_memory.model.time import TICK
from belief_memory.ports import (
    Clock,
    Commit,
    Erased,
    Head,
    LedgerStore,
    LostRace,
)

R = TypeVar("R", covariant=True)
T = TypeVar("T")

LOOKUPS = 16
"""Rounds of lookups in a ledger that is not resident before a plan gets all of it."""

OFFLOAD = 512
"""Changes from which planning and indexing leave the loop to a worker thread."""


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
        self._tending = asyncio.Lock()
        self._upkeep = Upkeep(ledger.wants_maintenance, self.maintain)

    def warm(self) -> State | None:
        """The state if it is known to be fresh without waiting; callable on any thread."""
        state = self.state
        if state is None or state.token is None or state.overfull:
            return None
        if self._freshness and time.monotonic() - state.checked <= self._freshness:
            return state
        if self.ledger.unchanged(state.token):
            state.checked = time.monotonic()
            return state
        return None

    async def fresh(self) -> State:
        """Everything held as of now, read from the store as far as it is not known."""
        state = await self.at_hand()
        if state.partial is None:
            return state
        return await self._whole()

    async def at_hand(self) -> State:
        """The state as of now; of a ledger too large to keep, only what was looked up
        (see :meth:`complete`)."""
        state = self.warm()
        if state is not None:
            return state
        async with self._lock:
            return await self._refresh()

    async def complete(self, state: State) -> State:
        """The state with what it was found to lack: the same one, or one that is newer."""
        async with self._lock:
            if await self._fetch(state):
                return state
            return await self._refresh()

    async def with_words(self, terms: frozenset[str]) -> tuple[State, list[Belief]]:
        """The state as of now and what is held with all of these terms, perhaps more."""
        while True:
            state = await self.at_hand()
            if state.partial is None:
                return state, list(state.held)
            found = await self.ledger.find_text(terms)
            if found is not None and found.head == state.head:
                return state, list(found.held)
            state.token = None

    async def consult(self, look: Callable[[State], T]) -> T:
        """What ``look`` makes of the ledger as of now; it may be called several times."""
        state = await self.at_hand()
        while True:
            result = look(state)
            if not state.lacking:
                return result
            if state.partial is not None and state.partial.all_needed:
                state.partial.all_needed = False
                state = await self._whole()
            else:
                state = await self.complete(state)

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
                planned = await self._planned(work, state, at)
                if planned is None:
                    continue
                plan, result = planned
                if not plan:
                    return result
                if await self._commit(state, at, plan):
                    self._upkeep.start_if_due()
                    return result
                await pause(attempt)
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
                    await pause(attempt)
                finally:
                    self.state = None
        raise StoreBusy(f"{ATTEMPTS} rival commits won in a row; nothing was erased")

    async def maintain(self) -> None:
        """Compact the ledger's storage now."""
        # Lookups in a ledger that is not resident wait for the lock, and its upkeep is long.
        looked_up = self.state is not None and self.state.partial is not None
        async with self._tending if looked_up else self._lock:
            await self._upkeep.timed(self.ledger.maintain())

    def busy(self) -> bool:
        """Whether a call is writing or waiting to."""
        return self._lock.locked() or self._upkeep.running()

    async def settle(self) -> None:
        """Wait for maintenance under way."""
        await self._upkeep.settle()

    async def _planned(self, work: Work[R], state: State, at: datetime) -> tuple[Plan, R] | None:
        """A plan on all that it looks up; None if the ledger has moved meanwhile."""
        basis = state
        for attempt in itertools.count():
            try:
                if work.size >= OFFLOAD:
                    planned = await asyncio.to_thread(work.plan, basis.held, at)
                else:
                    planned = work.plan(basis.held, at)
            except BeliefMemoryError:
                if not basis.lacking:
                    raise
            else:
                if not basis.lacking:
                    return planned
            if attempt == LOOKUPS or (basis.partial is not None and basis.partial.all_needed):
                if basis.partial is not None:
                    basis.partial.all_needed = False
                basis = await self._whole()
                if basis.head != state.head:
                    state.token = None
                    return None
            elif not await self._fetch(basis):
                return None
        raise AssertionError("unreachable")

    async def _fetch(self, state: State) -> bool:
        """Get what a partial state was found to lack; False if the ledger has moved on."""
        held = state.partial
        while held is not None and held.missing:
            with self.gate:
                wanted = held.take()
            found = await self.ledger.candidates(wanted)
            if found is None or found.head != state.head:
                state.token = None
                return False
            with self.gate:
                held.known |= wanted
                for version in found.held:
                    if held.version(version.version_id) is None:
                        state.add(version)
                        held.follow(version)
        return True

    async def _whole(self) -> State:
        """Everything held, of a ledger that is too large to keep it."""
        delta = await self.ledger.read()
        if delta is None:
            return State(head=None, token=None, checked=0.0)
        return await asyncio.to_thread(built, delta, None)

    async def _refresh(self) -> State:
        state = self.warm()
        if state is not None:
            return state
        if self.state is not None and self.state.overfull:
            self.state = None
        known = self.state
        # The token is taken before the read: a commit in between is then read twice, never missed.
        token = await self.ledger.token()
        if known is not None and known.token is not None and known.token == token:
            known.checked = time.monotonic()
            return known
        if known is None and await self.ledger.exceeds(partial.MAX_RESIDENT_BELIEFS_PER_USER):
            nothing = await self.ledger.candidates(frozenset())
            if nothing is not None:
                self.state = State(nothing.head, token, time.monotonic(), held=PartialHeld())
                self._upkeep.start_if_due()
                return self.state
        delta = await self.ledger.read(known.head if known is not None else None)
        if delta is not None and delta.whole and known is not None and known.partial is not None:
            # Nobody can tell what has changed: start over, and do not keep all of it.
            self.state = None
            return await self._refresh()
        if delta is None:
            state = State(head=None, token=token, checked=time.monotonic())
        elif delta.whole or known is None:
            state = (
                await asyncio.to_thread(built, delta, token)
                if len(delta.held) >= OFFLOAD
                else built(delta, token)
            )
            if known is not None and known.vectors:
                state.take_vectors(known)
        else:
            with self.gate:
                known.apply(delta)
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
        with self.gate, collector_paused(len(plan.writes)):
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
        if head is None or now > head.at:
            return now
        try:
            return head.at + TICK
        except OverflowError:
            raise InvalidQuery(
                "clock", "the ledger's time is at the end of the year 9999"
            ) from None
