# Made from engine/writes.py by scripts/sync_facade.py; change it there.
"""The verbs that write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast, overload

from belief_memory.engine.work import Target
from belief_memory.model.belief import (
    Belief,
    BeliefType,
    Cardinality,
    EpistemicStatus,
    OnConflict,
    Provenance,
)
from belief_memory.model.draft import UNSET, DraftLike, Unset
from belief_memory.model.outcome import Outcome
from belief_memory.model.slot import SlotLike
from belief_memory.model.time import Instant
from belief_memory.sync.base import SyncVerbs


class WriteVerbs(SyncVerbs):
    """Each call is one atomic commit: all of it is durable when it returns, or none."""

    def remember(
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
        return self._engine.drive(
            self._async.remember(
                canonical_name,
                content,
                attribute=attribute,
                why_it_matters=why_it_matters,
                aliases=aliases,
                attribute_aliases=attribute_aliases,
                type=type,
                subtype=subtype,
                scopes=scopes,
                valid_from=valid_from,
                valid_to=valid_to,
                supersedes=supersedes,
                on_conflict=on_conflict,
                pinned=pinned,
                cardinality=cardinality,
                member=member,
                metadata=metadata,
                epistemic_status=epistemic_status,
                confidence=confidence,
                participants=participants,
                relation_type=relation_type,
                user_edited=user_edited,
                provenance=provenance,
            )
        )

    def remember_many(self, drafts: Iterable[DraftLike]) -> list[Outcome]:
        """Assert several drafts, in order, in one commit.

        Args:
            drafts: :class:`Draft` objects or dicts of :meth:`remember`'s arguments.

        Raises:
            InvalidBelief: names the draft's index and field; nothing was written.
        """
        return self._engine.drive(self._async.remember_many(drafts))

    def correct(
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
        return self._engine.drive(
            self._async.correct(
                target,
                content,
                valid_from=valid_from,
                valid_to=valid_to,
                why_it_matters=why_it_matters,
                aliases=aliases,
                scopes=scopes,
                member=member,
                metadata=metadata,
                provenance=provenance,
            )
        )

    @overload
    def retract(
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
    def retract(
        self,
        target: Target,
        *,
        valid_from: Instant | None = None,
        valid_to: Instant | None = None,
        never_true: bool = False,
        scopes: Sequence[str] | None = None,
        member: str | None = None,
    ) -> Outcome: ...

    def retract(
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
        return cast(
            "Outcome | list[Outcome]",
            self._engine.drive(
                self._async.retract(
                    target,
                    valid_from=valid_from,
                    valid_to=valid_to,
                    never_true=never_true,
                    scopes=scopes,
                    member=member,
                )
            ),
        )

    @overload
    def resolve(
        self, target: list[Target], *, by: str | Belief | None = None, at: Instant | None = None
    ) -> list[Outcome]: ...

    @overload
    def resolve(
        self, target: Target, *, by: str | Belief | None = None, at: Instant | None = None
    ) -> Outcome: ...

    def resolve(
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
        return cast(
            "Outcome | list[Outcome]", self._engine.drive(self._async.resolve(target, by=by, at=at))
        )

    def add_aliases(
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
        return self._engine.drive(
            self._async.add_aliases(target, aliases, attribute_aliases=attribute_aliases)
        )

    def update(self, target: Target, **changes: Any) -> Outcome:
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
        return self._engine.drive(self._async.update(target, **changes))

    def merge(self, keep: str | Belief, drop: str | Belief) -> Outcome:
        """Join two beliefs about one thing: names and counts go to ``keep``, ``drop`` is
        superseded by it, and its names keep resolving.

        Args:
            keep: the belief that stays, or its id.
            drop: the one that is joined to it, or its id.

        Raises:
            BeliefNotFound: one of them is not held.
        """
        return self._engine.drive(self._async.merge(keep, drop))
