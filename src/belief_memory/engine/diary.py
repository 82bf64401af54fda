"""One user's turns as the engine keeps them: written, found, and let go of in time.

A turn is kept as a version of a belief that nothing ever recalls, in a ledger of its own:
what holds for a ledger's commits and erasures then holds for turns.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar, cast

from belief_memory.errors import StoreBusy
from belief_memory.model.belief import Belief, Provenance
from belief_memory.model.draft import to_belief
from belief_memory.model.episode import Episode, Episodes
from belief_memory.model.learning import Role, Said
from belief_memory.model.time import TICK
from belief_memory.ports import Clock, Commit, Delta, Erased, Head, LedgerStore, LostRace
from belief_memory.retrieval.evidence import Turns

R = TypeVar("R")

ATTEMPTS = 64
"""Races a writer may lose before it gives up; each loss means a rival has won."""

SLACK = 10
"""A write takes turns from disk once a tenth more than the limit has piled up: an erasure
rewrites all of them. Reads keep to the limit exactly."""

OFFLOAD = 256
"""Turns from which indexing leaves the loop to a worker thread."""


class Diary:
    """Keeps one user's turns, fresh and within the limits."""

    def __init__(self, ledger: LedgerStore, clock: Clock, limits: Episodes | None) -> None:
        self.ledger = ledger
        self._clock = clock
        self._limits = limits
        self._head: Head | None = None
        self._token: object | None = None
        self._rows: dict[str, Belief] = {}
        self._turns = Turns()
        self._lock = asyncio.Lock()
        self._upkeep: asyncio.Task[None] | None = None

    async def keep(self, rows: Sequence[Belief]) -> None:
        """Write the turns that are not kept yet, in one commit."""
        async with self._lock:
            for attempt in range(ATTEMPTS):
                await self._refresh()
                fresh = [row for row in rows if row.id not in self._rows]
                if not fresh:
                    return
                if await self._commit(fresh):
                    await self._trim(SLACK)
                    self._upkeep_if_due()
                    return
                await _pause(attempt)
        raise StoreBusy(f"{ATTEMPTS} rival commits won in a row; no turn was kept")

    async def consult(self, look: Callable[[Turns], R]) -> R:
        """What ``look`` makes of all turns within the limits, as of now."""
        async with self._lock:
            await self._refresh()
            self._turns.skip(self._passed(0))
            return look(self._turns)

    async def erase(
        self, which: Callable[[Episode], bool] | None, first: Callable[[], Awaitable[Erased]]
    ) -> tuple[Erased, Erased]:
        """Erase turns (None: all of them, and the name) together with what ``first`` erases."""
        async with self._lock:
            ids: frozenset[str] | None = None
            if which is not None:
                await self._refresh()
                ids = frozenset(id for id, row in self._rows.items() if which(to_episode(row)))
                if not ids:
                    return Erased(0, 0, verified=True), await first()
            try:
                return await self.ledger.erase_beside(ids, first)
            finally:
                self._forget()

    async def maintain(self) -> None:
        """Take from disk what has passed a limit, and compact."""
        async with self._lock:
            await self._refresh()
            if self._head is not None:
                await self._trim(0)
                await self.ledger.maintain()

    async def settle(self) -> None:
        """Wait for maintenance under way."""
        if self._upkeep is not None:
            await asyncio.gather(self._upkeep, return_exceptions=True)

    def busy(self) -> bool:
        """Whether a call is reading, writing or waiting to."""
        return self._lock.locked() or (self._upkeep is not None and not self._upkeep.done())

    async def _refresh(self) -> None:
        if self._token is not None and self.ledger.unchanged(self._token):
            return
        # The token is taken before the read: a commit in between is then read twice, never missed.
        token = await self.ledger.token()
        if self._token is None or token != self._token:
            delta = await self.ledger.read(self._head)
            if delta is None or delta.whole:
                self._forget()
            if delta is not None:
                await self._take(delta)
            self._token = token

    async def _take(self, delta: Delta) -> None:
        fresh = sorted((row for row in delta.held if row.id not in self._rows), key=_order)
        if len(fresh) < OFFLOAD:
            self._turns.add(map(to_episode, fresh))
        else:
            await asyncio.to_thread(lambda: self._turns.add(map(to_episode, fresh)))
        self._rows.update((row.id, row) for row in fresh)
        self._head = delta.head

    def _forget(self) -> None:
        self._head = self._token = None
        self._rows = {}
        self._turns = Turns()

    async def _commit(self, fresh: list[Belief]) -> bool:
        commit = self._commit_of(fresh)
        self._token = None
        try:
            token = await self.ledger.commit(commit)
        except LostRace:
            return False
        await self._take(Delta(commit.head, whole=False, held=commit.writes))
        self._token = token
        return True

    def _commit_of(self, fresh: Sequence[Belief] = ()) -> Commit:
        head, now = self._head, self._clock()
        at = now if head is None else max(now, head.at + TICK)
        seq = time.time_ns() // 1000 if head is None else head.seq + 1
        rows = tuple(row.but(recorded_at=at) for row in fresh)
        return Commit(head, Head(seq, at), uuid.uuid4().hex, writes=rows)

    async def _trim(self, slack: int) -> None:
        """Erase what has passed a limit; with ``slack`` only once it is so much more (one
        part in so many)."""
        if not self._passed(slack):
            return
        for attempt in range(ATTEMPTS):
            gone = frozenset(list(self._rows)[: self._passed(0)])
            if not gone:
                return
            try:
                await self.ledger.erase(gone, self._commit_of())
                return
            except LostRace:
                await _pause(attempt)
            finally:
                self._forget()
                await self._refresh()
        raise StoreBusy(f"{ATTEMPTS} rival commits won in a row; old turns are still there")

    def _passed(self, slack: int) -> int:
        """How many of the oldest turns have passed a limit by so much."""
        if self._limits is None or not self._rows:
            return 0
        most, keep = self._limits.max_turns, self._limits.keep_for
        if slack:
            most += most // slack
            keep = None if keep is None else keep + keep / slack
        passed = max(0, len(self._rows) - most)
        if keep is not None:
            since = _before(self._clock(), keep)
            passed = max(passed, sum(row.recorded_at <= since for row in self._rows.values()))
        return passed

    def _upkeep_if_due(self) -> None:
        if self.ledger.wants_maintenance() and (self._upkeep is None or self._upkeep.done()):
            self._upkeep = asyncio.get_running_loop().create_task(self.maintain())


def to_rows(
    turns: Iterable[Said],
    *,
    user_id: str,
    agent_id: str | None,
    scopes: tuple[str, ...],
    session_id: str | None,
    now: datetime,
) -> list[Belief]:
    """The turns as rows. The same turn, observed twice by the same handle, is one row."""
    rows: dict[str, Belief] = {}
    for place, said in enumerate(turns):
        # What a framework hands over may not be storable.
        text = said.text.encode("utf-8", "replace").decode()
        told = None if not said.dated else said.at.timestamp()
        whole = (agent_id, sorted(scopes), session_id, said.id, said.role, text, told)
        row = to_belief(
            {
                "id": hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:32],
                "user_id": user_id,
                "agent_id": agent_id,
                "scopes": scopes,
                "type": "observation",
                "canonical_name": said.role,
                "content": text,
                "valid_from": said.at,
                "recorded_at": now,
                "metadata": {"place": place},
                "provenance": Provenance(session_id=session_id, message_ids=(said.id,)),
            }
        )
        rows.setdefault(row.id, row)
    return list(rows.values())


def to_episode(row: Belief) -> Episode:
    """The turn that a row keeps."""
    provenance = row.provenance or Provenance()
    return Episode(
        id=provenance.message_ids[0],
        role=cast(Role, row.canonical_name),
        text=row.content,
        at=row.valid_from,
        recorded_at=row.recorded_at,
        user_id=row.user_id,
        scopes=row.scopes,
        session_id=provenance.session_id,
        agent_id=row.agent_id,
    )


def _order(row: Belief) -> tuple[datetime, int, str]:
    place = row.metadata.get("place")
    return row.recorded_at, place if isinstance(place, int) else 0, row.id


def _before(now: datetime, keep: timedelta) -> datetime:
    try:
        return now - keep
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)


async def _pause(attempt: int) -> None:
    await asyncio.sleep(random.uniform(0, 0.002 * min(attempt + 1, 16)))
