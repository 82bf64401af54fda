"""The verbs that read. None of them writes anything, anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import get_args

from belief_memory.engine.base import instants, whole_number
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
from belief_memory.text.fold import slot_key, value_key


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
            state = await desk.fresh()
            held = state.held
            if known is not None and state.head is not None and known < state.head.at:
                keys = None if key is None else frozenset((key,))
                held = HeldIndex(
                    await desk.ledger.versions(VersionFilter(known_at=known, slot_keys=keys))
                )
            reader = self._reader(
                state, held=held, valid_at=valid or desk.now(state), scopes=active
            )
            versions = held if key is None else held.in_slot(key)
            found += select(versions, reader, pending=include_pending)
        return [belief for belief in found if wanted is None or belief.type in wanted]

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
        state = await self._fresh()
        reader = self._reader(state)
        held = [version for version in state.held.of_belief(id) if self._mine(version)]
        if held:
            return max(held, key=lambda v: (reader.current(v), v.valid_from, v.rev))
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
    async def history(self, target: Target) -> list[Belief]:
        """Every version of a slot or of one belief, with both clocks, as recorded.

        Args:
            target: a slot, a belief, or its id. Unknown ones have an empty history.
        """
        await self._memory.ready()
        return await self._recorded(target)

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

        A belief matches when every word of ``text`` occurs in its names, content or
        directive; the best matches come first.

        Args:
            text: the words to look for; blank finds nothing.
            types: only these types.
            scopes: active scopes; default: the handle's own.
            limit: at most this many, at least 1.
        """
        most = whole_number(limit, "limit", least=1)
        if not isinstance(text, str):
            raise InvalidQuery("text", f"expected a string, got {text!r:.80}")
        words = set(value_key(text).split())
        if not words:
            return []
        active = self._active_scopes(scopes)
        wanted = checked_types(types)
        await self._memory.ready()
        ranked: list[tuple[int, str, Belief]] = []
        for desk in self._desks():
            state = await desk.fresh()
            reader = self._reader(state, valid_at=desk.now(state), scopes=active)
            for version in state.held:
                haystack = value_key(_searchable(version))
                score = sum(haystack.count(word) for word in words)
                if (
                    score
                    and all(word in haystack for word in words)
                    and (wanted is None or version.type in wanted)
                    and reader.eligible(version)
                ):
                    ranked.append((-score, version.id, version))
        ranked.sort(key=lambda entry: entry[:2])
        return [version for _, _, version in ranked[:most]]

    @on_engine
    async def stats(self) -> LedgerStats:
        """How many versions this ledger keeps, and what it takes on disk (bytes)."""
        await self._memory.ready()
        return await self._desk.ledger.stats()


def checked_types(types: Iterable[BeliefType] | None) -> frozenset[str] | None:
    """The types as a set; raises InvalidQuery for one that does not exist."""
    if types is None:
        return None
    if isinstance(types, str):
        raise InvalidQuery("types", f"expected a list of types, got the string {types!r:.80}")
    wanted = frozenset(types)
    unknown = wanted - frozenset(get_args(BeliefType))
    if unknown:
        raise InvalidQuery("types", f"no such type: {', '.join(sorted(map(repr, unknown)))}")
    return wanted


def _since(since: object) -> datetime:
    if isinstance(since, str) and since[:1] == "c" and since[1:].lstrip("-").isdigit():
        return from_micros(int(since[1:]))
    return to_instant(since, "since", InvalidQuery)


def _searchable(version: Belief) -> str:
    return "\n".join(
        (
            version.canonical_name.replace("_", " "),
            version.attribute or "",
            *version.aliases,
            version.content,
            version.why_it_matters,
        )
    )
