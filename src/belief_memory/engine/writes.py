"""The verbs that write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

from belief_memory.engine.base import Verbs, each, id_of, listed
from belief_memory.engine.thread import on_engine
from belief_memory.engine.work import Target, resolve
from belief_memory.errors import InvalidBelief, InvalidQuery
from belief_memory.model.belief import (
    Belief,
    BeliefType,
    Cardinality,
    EpistemicStatus,
    OnConflict,
    Provenance,
)
from belief_memory.model.draft import UNSET, DraftLike, Unset, to_draft
from belief_memory.model.outcome import Outcome
from belief_memory.model.slot import Slot, SlotLike, to_slot
from belief_memory.model.time import Instant, to_instant


class WriteVerbs(Verbs):
    """Each call is one atomic commit: all of it is durable when it returns, or none."""

    @on_engine
    async def remember(
        self,
        canonical_name: SlotLike,
        content: str,
        *,
        attribute: str | None = None,
        why_it_matters: str = "",
        aliases: Iterable[str] = (),
        attribute_aliases: Iterable[str] = (),
        type: BeliefType = "fact",
        subtype: str | None = None,
        scopes: Sequence[str] | None = None,
        valid_from: Instant | None = None,
        valid_to: Instant | None = None,
        supersedes: str | None = None,
        on_conflict: OnConflict | None = None,
        pinned: bool = False,
        cardinality: Cardinality | None = None,
        member: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        epistemic_status: EpistemicStatus = "active",
        confidence: float = 1.0,
        participants: Sequence[str] = (),
        relation_type: str | None = None,
        user_edited: bool = False,
        provenance: Provenance | Mapping[str, Any] | None = None,
    ) -> Outcome:
        """Assert something about a slot; what was held there gives way in valid time.

        A new value supersedes the held one from ``valid_from`` on, an older fact arriving
        late takes its place in the past, the same value again reinforces.

        Args:
            canonical_name: what it is about, or a pair ``(canonical_name, attribute)``.
            content: the statement itself; never matched by recall.
            attribute: which aspect of it, for example ``residence``.
            why_it_matters: how it should shape future responses.
            aliases: other names of it, as people type them.
            attribute_aliases: other names of the attribute.
            type: one of the belief types.
            subtype: free; ``expertise`` and ``style`` are known for preferences.
            scopes: where it applies; default: the handle's own.
            valid_from: when it began to be true; default: now.
            valid_to: when it ended; default: until a different value begins.
            supersedes: id of a belief, in whatever slot, that this one replaces.
            on_conflict: what to do where time cannot decide; default: the memory's policy.
            pinned: always recall it within its scopes.
            cardinality: ``many`` lets several members of the slot be true at once;
                default: the slot's own.
            member: which member of a many-slot; default: the one that says the same, else
                the content.
            metadata: a JSON object, kept verbatim.
            epistemic_status: ``active`` (stated), ``inferred`` or ``exploratory``.
            confidence: 0 to 1.
            participants: for relations, the ids of the beliefs they connect.
            relation_type: for relations, free.
            user_edited: a person wrote it; extraction may not overrule it silently.
            provenance: where it comes from.

        Returns:
            What the assertion did, the belief as now held, and the other versions touched.

        Raises:
            InvalidBelief: a field breaks a rule; nothing was written.
            ConflictPending: with ``on_conflict="raise"``; nothing was written.
            BeliefNotFound: ``supersedes`` names no belief held.
            StoreBusy: rival writers kept winning; nothing was written.
        """
        slot = _slot(canonical_name, attribute)
        draft = to_draft(
            {
                "canonical_name": slot.canonical_name,
                "attribute": slot.attribute,
                "content": content,
                "why_it_matters": why_it_matters,
                "aliases": aliases,
                "attribute_aliases": attribute_aliases,
                "type": type,
                "subtype": subtype,
                "scopes": scopes,
                "valid_from": valid_from,
                "valid_to": valid_to,
                "supersedes": supersedes,
                "on_conflict": on_conflict,
                "pinned": pinned,
                "cardinality": cardinality,
                "member": member,
                "metadata": {} if metadata is None else metadata,
                "epistemic_status": epistemic_status,
                "confidence": confidence,
                "participants": participants,
                "relation_type": relation_type,
                "user_edited": user_edited,
                "provenance": provenance,
            }
        )
        return await self._operate(lambda planner, _: planner.remember(draft))

    @on_engine
    async def remember_many(self, drafts: Iterable[DraftLike]) -> list[Outcome]:
        """Assert several drafts, in order, in one commit.

        Args:
            drafts: :class:`Draft` objects or dicts of :meth:`remember`'s arguments.

        Raises:
            InvalidBelief: names the draft's index and field; nothing was written.
        """
        checked = [to_draft(draft, index) for index, draft in enumerate(listed(drafts, "drafts"))]
        return await self._operate(
            lambda planner, _: [planner.remember(draft) for draft in checked], len(checked)
        )

    @on_engine
    async def correct(
        self,
        target: Target,
        content: str,
        *,
        valid_from: Instant | Unset = UNSET,
        valid_to: Instant | Unset | None = UNSET,
        why_it_matters: str | None = None,
        aliases: Iterable[str] = (),
        scopes: Sequence[str] | None = None,
        member: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        provenance: Provenance | Mapping[str, Any] | None = None,
    ) -> Outcome:
        """Say that a slot's value was wrong: exactly the interval is overwritten.

        Args:
            target: the slot, a belief, or its id.
            content: the right value.
            valid_from: start of the interval; default: that of the version being corrected.
            valid_to: its end, None for open; default: that of the version being corrected.
            why_it_matters: default: as held.
            aliases: further names.
            scopes: where it applies; default: the handle's own.
            member: which member of a many-slot.
            metadata: default: as held.
            provenance: where the correction comes from.

        Raises:
            BeliefNotFound: nothing is held there and no interval was given.
            InvalidBelief: a field breaks a rule, or the interval is empty.
        """
        starts, ends = _instant(valid_from, "valid_from"), _instant(valid_to, "valid_to")
        changes = _given(
            why_it_matters=why_it_matters,
            aliases=tuple(listed(aliases, "aliases")) or None,
            metadata=metadata,
            provenance=provenance,
        )
        return await self._operate(
            lambda planner, held: planner.correct(
                resolve(target, held),
                content,
                valid_from=starts,
                valid_to=ends,
                changes=changes,
                scopes=scopes,
                member=member,
            )
        )

    @overload
    async def retract(
        self,
        target: list[Target],
        *,
        valid_from: Instant | None = None,
        valid_to: Instant | None = None,
        never_true: bool = False,
        scopes: Sequence[str] | None = None,
        member: str | None = None,
    ) -> list[Outcome]: ...
    @overload
    async def retract(
        self,
        target: Target,
        *,
        valid_from: Instant | None = None,
        valid_to: Instant | None = None,
        never_true: bool = False,
        scopes: Sequence[str] | None = None,
        member: str | None = None,
    ) -> Outcome: ...
    @on_engine
    async def retract(
        self,
        target: Target | list[Target],
        *,
        valid_from: Instant | None = None,
        valid_to: Instant | None = None,
        never_true: bool = False,
        scopes: Sequence[str] | None = None,
        member: str | None = None,
    ) -> Outcome | list[Outcome]:
        """End a slot's value with no successor; history keeps it.

        Args:
            target: a slot, a belief or its id, or a list of them for one commit.
            valid_from: when it stopped being true; default: now.
            valid_to: when it became true again; default: never.
            never_true: it never was true: every version is retired, and only reads of an
                earlier system time still see it.
            scopes: where it stops being true; default: the handle's own.
            member: which member of a many-slot.

        Raises:
            BeliefNotFound: nothing is held there.
        """
        targets, many = each(target)
        starts = None if valid_from is None else to_instant(valid_from, "valid_from")
        ends = None if valid_to is None else to_instant(valid_to, "valid_to")
        outcomes = await self._operate(
            lambda planner, held: [
                planner.retract(
                    resolve(one, held),
                    valid_from=starts,
                    valid_to=ends,
                    never_true=never_true,
                    scopes=scopes,
                    member=member,
                )
                for one in targets
            ],
            len(targets),
        )
        return outcomes if many else outcomes[0]

    @overload
    async def resolve(
        self, target: list[Target], *, by: str | Belief | None = None, at: Instant | None = None
    ) -> list[Outcome]: ...
    @overload
    async def resolve(
        self, target: Target, *, by: str | Belief | None = None, at: Instant | None = None
    ) -> Outcome: ...
    @on_engine
    async def resolve(
        self,
        target: Target | list[Target],
        *,
        by: str | Belief | None = None,
        at: Instant | None = None,
    ) -> Outcome | list[Outcome]:
        """Close an open question and link what answered it.

        Args:
            target: the question (belief, id or slot), or a list of them for one commit.
            by: the belief that answers it, or its id.
            at: when it was answered; default: now.

        Raises:
            BeliefNotFound: the question or the answer is not held.
        """
        targets, many = each(target)
        answer = None if by is None else id_of(by, "by")
        when = None if at is None else to_instant(at, "at")
        outcomes = await self._operate(
            lambda planner, held: [
                planner.resolve(resolve(one, held), by=answer, at=when) for one in targets
            ],
            len(targets),
        )
        return outcomes if many else outcomes[0]

    @on_engine
    async def add_aliases(
        self, target: Target, aliases: Iterable[str], *, attribute_aliases: Iterable[str] = ()
    ) -> Outcome:
        """Give a belief further names; they work from the next recall on.

        Args:
            target: a slot, a belief or its id.
            aliases: further names of what it is about.
            attribute_aliases: further names of the attribute.

        Raises:
            BeliefNotFound: nothing is held there.
            InvalidBelief: an alias is blank or too long.
        """
        names = listed(aliases, "aliases")
        attributes = listed(attribute_aliases, "attribute_aliases")
        return await self._operate(
            lambda planner, held: planner.add_aliases(resolve(target, held), names, attributes)
        )

    @on_engine
    async def update(self, target: Target, **changes: Any) -> Outcome:
        """Change what is not the value: pins, scopes, status, directive, metadata.

        Args:
            target: a slot, a belief or its id.
            changes: any of ``pinned``, ``scopes``, ``epistemic_status``, ``confidence``,
                ``why_it_matters``, ``metadata``, ``type``, ``subtype``, ``user_edited``.
                Fields not named keep their values.

        Raises:
            BeliefNotFound: nothing is held there.
            InvalidBelief: an unknown field, or a value that breaks a rule.
        """
        if not changes:
            raise InvalidQuery("changes", "nothing to change was given")
        return await self._operate(
            lambda planner, held: planner.update(resolve(target, held), changes)
        )

    @on_engine
    async def merge(self, keep: str | Belief, drop: str | Belief) -> Outcome:
        """Join two beliefs about one thing: names and counts go to ``keep``, ``drop`` is
        superseded by it, and its names keep resolving.

        Args:
            keep: the belief that stays, or its id.
            drop: the one that is joined to it, or its id.

        Raises:
            BeliefNotFound: one of them is not held.
        """
        kept, dropped = id_of(keep, "keep"), id_of(drop, "drop")
        return await self._operate(lambda planner, _: planner.merge(kept, dropped))


def _slot(name: object, attribute: str | None) -> Slot:
    if isinstance(name, tuple):
        slot = to_slot(name)
        if attribute is not None and slot.attribute not in (None, attribute):
            raise InvalidBelief("attribute", "given twice, and differently")
        return Slot(slot.canonical_name, attribute or slot.attribute)
    return Slot(name, attribute)  # type: ignore[arg-type]  # the draft's validation names the field


def _instant(value: object, field: str) -> Any:
    """The instant, or what stands for one: UNSET (not given) and None (open)."""
    return value if value is None or isinstance(value, Unset) else to_instant(value, field)


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
