"""The verbs that read. None of them writes anything, anywhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import get_args

from belief_memory.engine.base import instants, whole_number
from belief_memory.engine.desk import Desk
from belief_memory.engine.state import State
from belief_memory.engine.thread import on_engine
from belief_memory.engine.work import Target
from belief_memory.engine.writes import WriteVerbs
from belief_memory.errors import BeliefNotFound, InvalidQuery
from belief_memory.ledger.held import HeldIndex
from belief_memory.ledger.reading import select
from belief_memory.model.belief import Belief, BeliefType
from belief_memory.model.outcome import Change, Changes
from belief_memory.model.slot import SlotLike, to_slot
from belief_memory.model.time import TICK, Instant, from_micros, micros, to_instant
from belief_memory.ports import LedgerStats, VersionFilter
from belief_memory.text.fold import slot_key
from belief_memory.text.search import score, wanted_terms, wanted_words

_CURSOR = re.compile(r"c-?[0-9]+")


class ReadVerbs(WriteVerbs):
    """Reads of one ledger and of those read along with it."""

    @on_engine
    async def beliefs(
        self,
        *,
        slot: SlotLike | None = None,
        types: Iterable[BeliefType] | None = None,
        scopes: Sequence[str] | None = None,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        as_of: Instant | None = None,
        include_pending: bool = False,
    ) -> list[Belief]:
        """What is held and true in the active scopes, now or at any two instants.

        An alternative that :meth:`resolve_conflict` annotated comes after the value it
        contradicts; its ``standing`` tells.

        Args:
            slot: only this slot.
            types: only these types.
            scopes: active scopes; default: the handle's own (``user:universal`` always is).
            valid_at: true in the world at this instant; default: now.
            known_at: as the ledger knew it at this instant; default: now.
            as_of: sets both instants.
            include_pending: also what waits for review.

        Raises:
            InvalidQuery: a naive instant, an unknown type, a malformed slot or scope.
        """
        valid, known = instants(valid_at, known_at, as_of)
        active = self._active_scopes(scopes)
        wanted = checked_types(types)
        key = None if slot is None else slot_key(*to_slot(slot))
        await self._memory.ready()
        found: list[Belief] = []
        for desk in self._desks():
            state = await desk.at_hand()
            past: HeldIndex | None = None
            if known is not None and state.head is not None and known < state.head.at:
                past = await self._held_then(desk, known, key)

            def look(
                state: State, desk: Desk = desk, past: HeldIndex | None = past
            ) -> list[Belief]:
                held = state.held if past is None else past
                reader = self._reader(
                    state, held=held, valid_at=valid or desk.now(state), scopes=active
                )
                versions = held if key is None else held.in_slot(key)
                return select(versions, reader, pending=include_pending)

            found += await desk.consult(look)
        return [belief for belief in found if wanted is None or belief.type in wanted]

    async def _held_then(self, desk: Desk, known: datetime, key: str | None) -> HeldIndex:
        """What was held at ``known``; with ``key``, what decides about that slot then."""
        keys = None if key is None else frozenset((key,))
        held = HeldIndex(await desk.ledger.versions(VersionFilter(known_at=known, slot_keys=keys)))
        if key is not None:
            # Successors may be in another slot, and decide by when they begin.
            links = {id for v in held for id in (v.superseded_by, v.conflicts_with) if id}
            if missing := frozenset(id for id in links if not held.of_belief(id)):
                which = VersionFilter(known_at=known, belief_ids=missing)
                for version in await desk.ledger.versions(which):
                    held.add(version)
        return held

    @on_engine
    async def get(self, id: str) -> Belief:
        """One belief by its id, or one version by its version id.

        Returns:
            What is current; else the newest version that is held; else the newest recorded.

        Raises:
            BeliefNotFound: nothing recorded has that id.
        """
        if not isinstance(id, str):
            raise InvalidQuery("id", f"expected a string, got {id!r:.80}")

        def newest(state: State) -> Belief | None:
            reader = self._reader(state)
            held = [version for version in state.held.of_belief(id) if self._mine(version)]
            return max(held, key=lambda v: (reader.current(v), v.valid_from, v.rev), default=None)

        await self._memory.ready()
        found = await self._desk.consult(newest)
        if found is not None:
            return found
        which = (
            VersionFilter(belief_ids=frozenset((id,))),
            VersionFilter(version_ids=frozenset((id,))),
        )
        for one in which:
            recorded = [v for v in await self._desk.ledger.versions(one) if self._mine(v)]
            if recorded:
                return max(recorded, key=lambda v: (v.recorded_at, v.rev))
        raise BeliefNotFound(id)

    @on_engine
    async def history(self, target: Target, *, scopes: Sequence[str] | None = None) -> list[Belief]:
        """Every version of a slot or of one belief, with both clocks, as recorded.

        Args:
            target: a slot, a belief, or its id. Unknown ones have an empty history.
            scopes: of a slot, only what was recorded for these active scopes; default: the
                handle's own. Who names a belief sees all of it.

        Raises:
            InvalidQuery: a malformed slot or scope.
        """
        active = self._active_scopes(scopes)
        await self._memory.ready()
        found = await self._recorded(target)
        named = target.id if isinstance(target, Belief) else target
        return [
            version
            for version in found
            if version.id == named or not active.isdisjoint(version.scopes)
        ]

    @on_engine
    async def changes(
        self,
        since: Instant | str,
        until: Instant | None = None,
        *,
        limit: int | None = None,
    ) -> Changes:
        """What was recorded or retired in a window of system time, in commit order.

        Args:
            since: start of the window (inclusive), or the cursor of an earlier answer.
            until: its end (exclusive); default: everything so far.
            limit: at most about this many; a commit is never cut in two.

        Returns:
            The changes; pass their ``cursor`` as ``since`` to continue.
        """
        start = _since(since)
        end = None if until is None else to_instant(until, "until", InvalidQuery)
        if end is not None and end < start:
            raise InvalidQuery("until", "the window ends before it begins")
        most = None if limit is None else whole_number(limit, "limit", least=1)
        await self._memory.ready()
        versions = await self._desk.ledger.versions(VersionFilter(window=(start, end)))

        def inside(at: datetime | None) -> bool:
            return at is not None and start <= at and (end is None or at < end)

        found: list[Change] = []
        for version in versions:
            if not self._mine(version):
                continue
            if inside(version.recorded_at):
                found.append(Change(version.recorded_at, "recorded", version))
            if version.retired_at is not None and inside(version.retired_at):
                found.append(Change(version.retired_at, "retired", version))
        found.sort(key=lambda c: (c.at, c.kind == "recorded", c.belief.id, c.belief.rev))
        if most is not None and len(found) > most:
            last = found[most - 1].at
            found = [change for change in found if change.at <= last]
        resume = found[-1].at + TICK if found else start
        return Changes(found, f"c{micros(resume)}")

    @on_engine
    async def search(
        self,
        text: str,
        *,
        types: Iterable[BeliefType] | None = None,
        scopes: Sequence[str] | None = None,
        limit: int = 20,
    ) -> list[Belief]:
        """Full-text search over what is current, for people and tools; recall never uses it.

        A belief matches when every word of ``text`` begins a word of its names, content or
        directive (in scripts without spaces: occurs in it), whatever the case and accents;
        the best matches come first.

        Args:
            text: the words to look for; blank finds nothing.
            types: only these types.
            scopes: active scopes; default: the handle's own.
            limit: at most this many, at least 1.
        """
        most = whole_number(limit, "limit", least=1)
        if not isinstance(text, str):
            raise InvalidQuery("text", f"expected a string, got {text!r:.80}")
        words = wanted_words(text)
        if not words:
            return []
        active = self._active_scopes(scopes)
        wanted = checked_types(types)
        await self._memory.ready()
        ranked: list[tuple[int, str, int, Belief]] = []
        for desk in self._desks():
            state, versions = await desk.with_words(wanted_terms(words))
            found = await asyncio.to_thread(_scored, versions, words, wanted)
            while True:
                reader = self._reader(state, valid_at=desk.now(state), scopes=active)
                fit = [(points, version) for points, version in found if reader.eligible(version)]
                if not state.lacking:
                    break
                state = await desk.complete(state)
            ranked += [(-points, version.id, version.rev, version) for points, version in fit]
        ranked.sort(key=lambda entry: entry[:3])
        return [version for *_, version in ranked[:most]]

    @on_engine
    async def stats(self) -> LedgerStats:
        """How many versions this ledger keeps, and what it takes on disk (bytes); episodes
        are counted in ``extra``, where there are any."""
        await self._memory.ready()
        stats = await self._desk.ledger.stats()
        kept = await self._memory.diary(self._user_id).ledger.stats()
        if not kept.versions:
            return stats
        more = {"episodes": kept.versions, "episodes_bytes": kept.bytes_on_disk}
        found = {name: value for name, value in more.items() if value is not None}
        return replace(stats, extra={**stats.extra, **found})


def checked_types(types: Iterable[BeliefType] | None) -> frozenset[str] | None:
    """The types as a set; raises InvalidQuery for one that does not exist."""
    if types is None:
        return None
    if isinstance(types, str) or not isinstance(types, Iterable):
        raise InvalidQuery("types", f"expected a list of types, got {types!r:.80}")
    wanted = frozenset(types)
    unknown = wanted - frozenset(get_args(BeliefType))
    if unknown:
        raise InvalidQuery("types", f"no such type: {', '.join(sorted(map(repr, unknown)))}")
    return wanted


def _since(since: object) -> datetime:
    if isinstance(since, str) and _CURSOR.fullmatch(since):
        try:
            return from_micros(int(since[1:]))
        except OverflowError:
            raise InvalidQuery("since", "no answer ever had this cursor") from None
    return to_instant(since, "since", InvalidQuery)


def _scored(
    versions: list[Belief], words: tuple[str, ...], types: frozenset[str] | None
) -> list[tuple[int, Belief]]:
    return [
        (points, version)
        for version in versions
        if (types is None or version.type in types) and (points := score(version, words))
    ]
