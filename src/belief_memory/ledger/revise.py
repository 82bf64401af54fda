"""Operations on the value of what is held: correct, retract, resolve."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.ledger.amend import checked, name_of
from belief_memory.ledger.assertion import Assertion, cut, merged, place
from belief_memory.ledger.held import key_of
from belief_memory.ledger.intervals import END, Span, claim, end_of, in_force, runs, spans
from belief_memory.ledger.remember import remember
from belief_memory.ledger.targets import (
    Caller,
    Group,
    Target,
    cardinality_of,
    current,
    find,
    of_belief,
)
from belief_memory.ledger.working import Working
from belief_memory.model.belief import Belief
from belief_memory.model.draft import UNSET, Unset, to_draft
from belief_memory.model.outcome import Outcome
from belief_memory.model.scope import check_scopes
from belief_memory.text.fold import value_key

CORRECTABLE = frozenset(
    {
        "why_it_matters",
        "aliases",
        "attribute_aliases",
        "type",
        "subtype",
        "participants",
        "relation_type",
        "epistemic_status",
        "confidence",
        "pinned",
        "user_edited",
        "metadata",
        "provenance",
    }
)


def correct(
    ledger: Working,
    caller: Caller,
    target: Target,
    content: str,
    *,
    valid_from: datetime | Unset | None = UNSET,
    valid_to: datetime | Unset | None = UNSET,
    changes: Mapping[str, Any] | None = None,
    scopes: Collection[str] | None = None,
    member: str | None = None,
) -> Outcome:
    """Overwrite exactly ``[valid_from, valid_to)`` with ``content`` (row 7).

    A bound that is not given is that of the version corrected; ``valid_to`` None is
    open. Raises BeliefNotFound where there is nothing to correct.
    """
    ledger.begin()
    changes = {} if changes is None else changes
    scopes = None if scopes is None else check_scopes(scopes)
    group = find(ledger, caller, target, scopes=scopes, member=member)
    given = None if isinstance(valid_from, Unset) else valid_from
    if not group.versions:
        return _insert(ledger, caller, group, target, content, given, valid_to, changes)
    until = None if isinstance(valid_to, Unset) else (valid_to or END)
    base, covered = _corrected(
        ledger, caller, group, given if given is not None else until, ends=given is None
    )
    amends = checked(base, {"content": content, **changes}, CORRECTABLE | {"content"})
    if (
        given is None
        and until is None
        and (in_force(base, ledger) is None or base.resolved_at is not None)
    ):
        return _reword(ledger, base, amends)
    value = value_key(content)
    acting = base.scopes if group.scopes is None else group.scopes
    met = spans(
        [v for v in ledger.in_slot(group.key) if v.agent_id == group.agent_id],
        ledger,
        member=group.member,
        scopes=acting,
    )
    extent = _extent(met, base, acting)
    start = extent[0] if given is None else given
    if until is not None:
        end = until
    else:
        end = extent[1] if covered else claim(met, acting, value, start, caller.at)
    if end <= start:
        raise InvalidBelief("valid_to", "the interval is empty: valid_to must follow valid_from")
    aliases = amends.pop("aliases", ())
    attributes = amends.pop("attribute_aliases", ())
    row = {
        **base.__dict__,
        "provenance": None,
        "reinforcement_count": 0,
        "last_reinforced_at": None,
        "resolved_at": None,
        "resolved_by": None,
        "supersedes": None,
        **amends,
        "aliases": aliases,
        "attribute_aliases": attributes,
    }
    asserted = Assertion(
        key=group.key,
        value=value,
        start=start,
        end=end,
        scopes=acting,
        row=row,
        fresh_id=caller.new_id(),
        target=base.id,
        amends=amends,
    )
    action, belief = place(ledger, met, asserted)
    return ledger.outcome("corrected" if action == "superseded" else action, belief)


def retract(
    ledger: Working,
    caller: Caller,
    target: Target,
    *,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    never_true: bool = False,
    scopes: Collection[str] | None = None,
    member: str | None = None,
) -> Outcome:
    """End what is held from ``valid_from`` (now) to ``valid_to`` (None: for good), with
    no successor; ``never_true`` retires every version held instead.

    Raises BeliefNotFound if nothing is held there at any time.
    """
    ledger.begin()
    scopes = None if scopes is None else check_scopes(scopes)
    start = valid_from or caller.at
    end = END if valid_to is None else valid_to
    if end <= start:
        raise InvalidBelief("valid_to", "the interval is empty: valid_to must follow valid_from")
    if never_true and isinstance(target, str):
        versions = of_belief(ledger, caller, target)
        if scopes is not None and all(set(scopes).isdisjoint(one.scopes) for one in versions):
            raise BeliefNotFound(target)
        for version in versions:
            _drop(ledger, version, scopes)
        return ledger.outcome("retracted", None)
    group = find(ledger, caller, target, scopes=scopes, member=member)
    if not group.versions:
        raise BeliefNotFound(name_of(target))
    if never_true:
        for version in group.versions:
            _drop(ledger, version, group.scopes)
        return ledger.outcome("retracted", None)
    left: Belief | None = None
    found = False
    for span in group.spans(ledger, since=start):
        if span.start < end and start < span.end:
            found = True
            left = cut(ledger, span, group.key, start, end, group.scopes) or left
    return ledger.outcome("retracted" if found else "unchanged", left)


def resolve(
    ledger: Working,
    caller: Caller,
    target: Target,
    *,
    by: str | None = None,
    at: datetime | None = None,
) -> Outcome:
    """Close what is held as answered, from ``at`` (now) on, by the belief ``by``.

    Raises BeliefNotFound for an unknown target or ``by``.
    """
    ledger.begin()
    if by is not None and not any(
        version.standing == "held" for version in of_belief(ledger, caller, by)
    ):
        raise BeliefNotFound(by)
    group = find(ledger, caller, target)
    if not group.versions:
        raise BeliefNotFound(name_of(target))
    instant = at or caller.at
    version = current(ledger, group.versions, instant)
    if version.id == by:
        raise InvalidBelief("by", "a belief cannot be resolved by itself")
    if version.resolved_at is not None and at is None:
        if by is None or version.resolved_by == by:
            return ledger.outcome("unchanged", version)
        return ledger.outcome("resolved", ledger.rewrite(version, {"resolved_by": by}))
    if version.resolved_at == instant and version.resolved_by == by:
        return ledger.outcome("unchanged", version)
    changes = {"resolved_at": instant, "resolved_by": by}
    belief = ledger.rewrite(version, changes)
    for other in group.versions:
        if other.id == version.id and other is not version and end_of(other) > instant:
            ledger.rewrite(other, changes)
    return ledger.outcome("resolved", belief)


def _insert(
    ledger: Working,
    caller: Caller,
    group: Group,
    target: Target,
    content: str,
    start: datetime | None,
    valid_to: datetime | Unset | None,
    changes: Mapping[str, Any],
) -> Outcome:
    """A correction of an empty slot says since when it is true, or has nothing to correct."""
    if isinstance(target, str) or start is None:
        raise BeliefNotFound(name_of(target))
    own = cardinality_of([v for v in ledger.in_slot(group.key) if v.agent_id == group.agent_id])
    fields: dict[str, Any] = {
        **changes,
        "canonical_name": target[0],
        "attribute": target[1],
        "content": content,
        "scopes": group.scopes,
        "valid_from": start,
        "valid_to": None if isinstance(valid_to, Unset) else valid_to,
        "cardinality": own or ("one" if group.member is None else "many"),
        "member": group.member,
        "on_conflict": "supersede",
    }
    for name in changes:
        if name not in CORRECTABLE:
            raise InvalidBelief(name, "this operation cannot change it")
    return remember(ledger, caller, to_draft(fields))


def _reword(ledger: Working, base: Belief, amends: Mapping[str, Any]) -> Outcome:
    """Correct what is no longer current where it stands."""
    changes = {
        **amends,
        "aliases": merged(base.aliases, amends.get("aliases", ())),
        "attribute_aliases": merged(base.attribute_aliases, amends.get("attribute_aliases", ())),
    }
    if all(getattr(base, name) == value for name, value in changes.items()):
        return ledger.outcome("unchanged", base)
    return ledger.outcome("corrected", ledger.rewrite(base, changes, names=True))


def _drop(ledger: Working, version: Belief, scopes: Collection[str] | None) -> None:
    """Retire a version in some scopes (None: all); it keeps its value in the others."""
    key = key_of(version)
    rest = () if scopes is None else tuple(s for s in version.scopes if s not in scopes)
    if rest == version.scopes:
        return
    ledger.retire(version, key)
    if rest:
        ledger.write({**version.__dict__, "scopes": rest}, key, names=False)


def _corrected(
    ledger: Working, caller: Caller, group: Group, bound: datetime | None, *, ends: bool
) -> tuple[Belief, bool]:
    """The version a correction is about, and whether it covers the bound given."""
    if bound is not None:
        for span in group.spans(ledger):
            if (span.start < bound <= span.end) if ends else (span.start <= bound < span.end):
                return span.version, True
    return current(ledger, group.versions, caller.at), bound is None


def _extent(met: list[Span], base: Belief, scopes: Collection[str]) -> tuple[datetime, datetime]:
    """The interval of a version, with rows that continue it in all of these scopes."""
    start, end = base.valid_from, end_of(base)
    own = [
        run
        for scope in base.scopes
        if scope in scopes
        for run in runs(met, scope)
        if run.start <= start < run.end
    ]
    if not own:
        return start, end
    return max(run.start for run in own), min(run.end for run in own)
