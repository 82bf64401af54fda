"""One user's turns as the engine keeps them: written, found, and let go of in time.

A turn is kept as a version of a belief that nothing ever recalls, in a ledger of its own:
what holds for a ledger's commits and erasures then holds for turns.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Container, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar, cast

from belief_memory.engine.upkeep import ATTEMPTS, Upkeep, pause
from belief_memory.errors import StoreBusy, StoreError
from belief_memory.model.belief import Belief, Provenance
from belief_memory.model.draft import to_belief
from belief_memory.model.episode import Episode, Episodes
from belief_memory.model.learning import Role, Said
from belief_memory.model.time import TICK
from belief_memory.ports import (
    Clock,
    Commit,
    Delta,
    Erased,
    Head,
    LedgerStore,
    LostRace,
    VersionFilter,
)
from belief_memory.retrieval.evidence import Turns

R = TypeVar("R")

SLACK = 10
"""A write takes turns from disk once a tenth more than the limit has piled up: an erasure
rewrites all of them. Reads keep to the limit exactly."""

OFFLOAD = 256
"""Turns from which indexing leaves the loop to a worker thread."""

MANY = 2000
"""Turns from which a look at all of them does."""


class Diary:
    """Keeps one user's turns, fresh and within the limits.

    They are read as a whole only to be looked at: who only observes needs to know no more
    than the newest commit.
    """

    def __init__(self, ledger: LedgerStore, clock: Clock, limits: Episodes | None) -> None:
        self.ledger = ledger
        self._clock = clock
        self._limits = limits
        self._head: Head | None = None
        self._token: object | None = None
        self._known: dict[str, Episode] | None = None
        """All turns, in the order in which they were observed; None: they were not read."""
        self._turns = Turns()
        self._aged: datetime | None = None
        """When the age of turns that were not read was last looked at."""
        self._lock = asyncio.Lock()
        self._upkeep = Upkeep(ledger.wants_maintenance, self.maintain)

    async def keep(self, rows: Sequence[Belief]) -> None:
        """Write the turns that are not kept yet, in one commit."""
        async with self._lock:
            fresh: Sequence[Belief] = rows
            for attempt in range(ATTEMPTS):
                await self._look()
                if self._known is not None:
                    fresh = [row for row in rows if row.id not in self._known]
                if not fresh:
                    return
                try:
                    written = await self._commit(fresh)
                except StoreError:
                    # Seldom: some were observed before. Asking each time would cost a read.
                    known = await self._among(fresh)
                    if not known:
                        raise
                    fresh = [row for row in fresh if row.id not in known]
                    continue
                if written:
                    await self._trim(SLACK)
                    self._upkeep.start_if_due()
                    return
                await pause(attempt)
        raise StoreBusy(f"{ATTEMPTS} rival commits won in a row; no turn was kept")

    async def consult(self, look: Callable[[Turns], R]) -> R:
        """What ``look`` makes of all turns within the limits, as of now."""
        async with self._lock:
            known = await self._read()
            self._turns.skip(self._passed(known, 0))
            if len(known) < MANY:
                return look(self._turns)
            return await asyncio.to_thread(look, self._turns)

    async def erase(
        self,
        which: Callable[[Collection[Episode]], Container[Episode]] | None,
        first: Callable[[], Awaitable[Erased]],
    ) -> tuple[Erased, Erased]:
        """Erase those of all turns that ``which`` picks (None: all of them, and the name)
        together with what ``first`` erases."""
        async with self._lock:
            ids: frozenset[str] | None = None
            if which is not None:
                known = await self._read()
                picked = which(known.values())
                ids = frozenset(id for id, turn in known.items() if turn in picked)
                if not ids:
                    return Erased(0, 0, verified=True), await first()
            try:
                return await self.ledger.erase_beside(ids, first)
            finally:
                self._forget()

    async def maintain(self) -> None:
        """Take from disk what has passed a limit, and compact."""
        async with self._lock:
            await self._look()
            if self._head is not None:
                await self._trim(0)
                await self._upkeep.timed(self.ledger.maintain())

    async def settle(self) -> None:
        """Wait for maintenance under way."""
        await self._upkeep.settle()

    def size(self) -> int:
        """How many turns it has in memory."""
        return 0 if self._known is None else len(self._known)

    def busy(self) -> bool:
        """Whether a call is reading, writing or waiting to."""
        return self._lock.locked() or self._upkeep.running()

    async def _look(self) -> None:
        """Know the newest commit; whatever else was known stays right."""
        if self._known is not None:
            await self._read()
        elif self._token is None or not self.ledger.unchanged(self._token):
            # The token is taken before the read: a commit in between is then read twice.
            token = await self.ledger.token()
            if self._token is None or token != self._token:
                nothing = await self.ledger.candidates(frozenset())
                self._head = None if nothing is None else nothing.head
                self._token = token

    async def _read(self) -> dict[str, Episode]:
        """All turns as of now."""
        known = self._known
        fresh = known is not None and self._token is not None
        if known is not None and fresh and self.ledger.unchanged(self._token):
            return known
        token = await self.ledger.token()
        if known is None or not fresh or token != self._token:
            delta = await self.ledger.read(None if known is None else self._head)
            if known is None or delta is None or delta.whole:
                self._forget()
                self._known = {}
            if delta is not None:
                await self._take(delta)
            self._token = token
        assert self._known is not None
        return self._known

    async def _take(self, delta: Delta) -> None:
        self._head = delta.head
        known = self._known
        if known is None:
            return
        rows = sorted((row for row in delta.held if row.id not in known), key=_order)
        fresh = {row.id: to_episode(row) for row in rows}
        if len(fresh) < OFFLOAD:
            self._turns.add(fresh.values())
        else:
            try:
                await asyncio.to_thread(self._turns.add, fresh.values())
            except BaseException:
                # Cancelled half way, it would know of turns that it cannot find.
                self._forget()
                raise
        known.update(fresh)

    def _forget(self) -> None:
        self._head = self._token = self._known = self._aged = None
        self._turns = Turns()

    async def _among(self, rows: Sequence[Belief]) -> set[str]:
        """The ids of those rows that are kept already."""
        which = VersionFilter(belief_ids=frozenset(row.id for row in rows))
        return {version.id for version in await self.ledger.versions(which)}

    async def _commit(self, fresh: Sequence[Belief]) -> bool:
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
        if self._limits is None or not await self._may_have_passed(self._limits, slack):
            return
        if not self._passed(await self._read(), slack):
            return
        for attempt in range(ATTEMPTS):
            known = await self._read()
            gone = frozenset(list(known)[: self._passed(known, 0)])
            if not gone:
                return
            try:
                await self.ledger.erase(gone, self._commit_of())
                return
            except LostRace:
                await pause(attempt)
            finally:
                self._forget()
        raise StoreBusy(f"{ATTEMPTS} rival commits won in a row; old turns are still there")

    async def _may_have_passed(self, limits: Episodes, slack: int) -> bool:
        """Whether turns that were not read are worth reading for their limits."""
        most, keep = _stretched(limits, slack)
        if self._known is not None or await self.ledger.exceeds(most):
            return True
        now = self._clock()
        if keep is None or (slack and self._aged is not None and now < self._aged + keep / SLACK):
            return False
        self._aged = now
        return bool(await self.ledger.versions(VersionFilter(known_at=_before(now, keep))))

    def _passed(self, known: dict[str, Episode], slack: int) -> int:
        """How many of the oldest turns have passed a limit by so much."""
        if self._limits is None or not known:
            return 0
        most, keep = _stretched(self._limits, slack)
        passed = max(0, len(known) - most)
        if keep is not None:
            since = _before(self._clock(), keep)
            passed = max(passed, sum(turn.recorded_at <= since for turn in known.values()))
        return passed


def _stretched(limits: Episodes, slack: int) -> tuple[int, timedelta | None]:
    """The limits, or a little more than them."""
    most, keep = limits.max_turns, limits.keep_for
    if not slack:
        return most, keep
    try:
        longer = None if keep is None else keep + keep / slack
    except OverflowError:
        longer = timedelta.max
    return most + most // slack, longer


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
                "metadata": {"place": place} if said.dated else {"place": place, "dated": False},
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
        dated=row.metadata.get("dated") is not False,
    )


def _order(row: Belief) -> tuple[datetime, int, str]:
    place = row.metadata.get("place")
    return row.recorded_at, place if isinstance(place, int) else 0, row.id


def _before(now: datetime, keep: timedelta) -> datetime:
    try:
        return now - keep
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)
