"""The ledger's rules as one object: operations in, one plan out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from belief_memory.ledger import amend, links, load, remember, revise
from belief_memory.ledger.conflicts import Decision
from belief_memory.ledger.held import Held
from belief_memory.ledger.targets import Caller, Target
from belief_memory.ledger.working import NameKeys, Plan, Working
from belief_memory.model.belief import Belief, OnConflict
from belief_memory.model.draft import UNSET, Draft, Unset
from belief_memory.model.outcome import Outcome

__all__ = ["Plan", "Planner"]


class Planner:
    """Plans one commit. Each operation sees what the ones before it did.

    An operation that raises may have planned a part of what it does: drop the planner, unless
    :attr:`changes` is what it was before.

    Args:
        held: what the ledger holds at the commit it is planned on.
        at: system time of the commit; also "now" where a call names no valid time.
        user_id, agent_id, scopes: those of the handle.
        new_id: gives an id that was never used.
        name_keys: what matching needs of a statement's names.
        on_conflict: the policy where a draft names none.

    A target is a slot, or (a string) the id of a belief.
    """

    def __init__(
        self,
        held: Held,
        *,
        at: datetime,
        user_id: str,
        agent_id: str | None,
        scopes: Iterable[str],
        new_id: Callable[[], str],
        name_keys: NameKeys,
        on_conflict: OnConflict = "record",
    ) -> None:
        self._caller = Caller(
            at, user_id, agent_id, tuple(sorted(set(scopes))), new_id, on_conflict
        )
        self._ledger = Working(held, at, name_keys)

    @property
    def changes(self) -> int:
        """Grows with whatever the operations plan."""
        return self._ledger.changes

    def remember(self, draft: Draft) -> Outcome:
        """Assert a draft; see :func:`belief_memory.ledger.remember.remember`."""
        return remember.remember(self._ledger, self._caller, draft)

    def approve(self, id: str) -> Outcome:
        """Assert a draft that waited for review."""
        return remember.approve(self._ledger, self._caller, id)

    def reject(self, id: str) -> Outcome:
        """Keep a draft that waited for review as history only."""
        return remember.reject(self._ledger, self._caller, id)

    def resolve_conflict(self, id: str, decision: Decision) -> Outcome:
        """Decide about a recorded alternative."""
        return remember.resolve_conflict(self._ledger, self._caller, id, decision)

    def correct(
        self,
        target: Target,
        content: str,
        *,
        valid_from: datetime | Unset | None = UNSET,
        valid_to: datetime | Unset | None = UNSET,
        changes: Mapping[str, Any] | None = None,
        scopes: Collection[str] | None = None,
        member: str | None = None,
    ) -> Outcome:
        """Overwrite exactly an interval; see :func:`belief_memory.ledger.revise.correct`."""
        return revise.correct(
            self._ledger,
            self._caller,
            target,
            content,
            valid_from=valid_from,
            valid_to=valid_to,
            changes=changes,
            scopes=scopes,
            member=member,
        )

    def retract(
        self,
        target: Target,
        *,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        never_true: bool = False,
        scopes: Collection[str] | None = None,
        member: str | None = None,
    ) -> Outcome:
        """End something without a successor; see :func:`belief_memory.ledger.revise.retract`."""
        return revise.retract(
            self._ledger,
            self._caller,
            target,
            valid_from=valid_from,
            valid_to=valid_to,
            never_true=never_true,
            scopes=scopes,
            member=member,
        )

    def resolve(
        self, target: Target, *, by: str | None = None, at: datetime | None = None
    ) -> Outcome:
        """Close an open question, and link what answered it."""
        return revise.resolve(self._ledger, self._caller, target, by=by, at=at)

    def update(self, target: Target, changes: Mapping[str, Any]) -> Outcome:
        """Change what is known about a belief, not its value."""
        return amend.update(self._ledger, self._caller, target, changes)

    def add_aliases(
        self, target: Target, aliases: Iterable[str], attribute_aliases: Iterable[str] = ()
    ) -> Outcome:
        """Make more surface forms lead to a belief."""
        return amend.add_aliases(self._ledger, self._caller, target, aliases, attribute_aliases)

    def merge(self, keep: str, drop: str) -> Outcome:
        """Make one belief of two that are the same thing."""
        return amend.merge(self._ledger, self._caller, keep, drop)

    def detach(self, ids: Collection[str], gone: Collection[str]) -> None:
        """Keep replaced what is linked to beliefs about to be erased."""
        links.detach(self._ledger, ids, gone)

    def load(
        self,
        records: Sequence[Belief],
        *,
        existing: Mapping[str, Belief],
        last_change: Mapping[str, datetime],
    ) -> int:
        """Write records verbatim; see :func:`belief_memory.ledger.load.load`."""
        return load.load(
            self._ledger, self._caller, records, existing=existing, last_change=last_change
        )

    def plan(self) -> Plan:
        """What the operations so far come to; falsy when nothing changes."""
        return self._ledger.plan()
