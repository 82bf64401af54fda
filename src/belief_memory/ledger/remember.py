"""New assertions: drafts that are asserted, wait for review, or conflict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.ledger.assertion import Assertion, merged, place
from belief_memory.ledger.conflicts import Decision, check_decision, contradicted, settle, undecided
from belief_memory.ledger.held import key_of
from belief_memory.ledger.intervals import Span, claim, closing, end_of, in_force, spans
from belief_memory.ledger.links import begins
from belief_memory.ledger.pieces import gaps
from belief_memory.ledger.targets import Caller, cardinality_of, of_belief
from belief_memory.ledger.working import Working
from belief_memory.model.belief import Belief, Cardinality, OnConflict, Statement
from belief_memory.model.draft import WAITS_BECAUSE, Draft
from belief_memory.model.frozen import frozen
from belief_memory.model.outcome import Outcome
from belief_memory.text.fold import slot_key, value_key

_STATEMENT = tuple(Statement.model_fields)


def remember(ledger: Working, caller: Caller, draft: Draft) -> Outcome:
    """Assert a draft: the truth table of ``remember``, conflicts included.

    Raises InvalidBelief for an empty interval or a cardinality that is not the slot's,
    BeliefNotFound for an unknown ``supersedes``, and ConflictPending where the policy
    is to raise.
    """
    ledger.begin()
    key = slot_key(draft.canonical_name, draft.attribute)
    agent = draft.agent_id if draft.agent_id is not None else caller.agent_id
    slot = [version for version in ledger.in_slot(key) if version.agent_id == agent]
    belief = _belief(caller, draft, agent, cardinality_of(slot))
    if belief.member is not None and draft.member is None:
        belief = _as_member(ledger, slot, belief)
    named = _named(ledger, caller, draft.supersedes)
    if draft.pending:
        return _wait(ledger, belief, key)
    return assert_(
        ledger,
        caller,
        belief,
        key,
        slot,
        explicit=draft.valid_from is not None,
        policy=draft.on_conflict or caller.on_conflict,
        named=named,
    )


def assert_(
    ledger: Working,
    caller: Caller,
    belief: Belief,
    key: str,
    slot: Sequence[Belief],
    *,
    explicit: bool,
    policy: OnConflict,
    named: list[Belief],
) -> Outcome:
    """Assert a belief to be, under its own id if it turns out to be a new one.

    ``slot``: what its agent holds in the slot.
    """
    start, value, scopes = belief.valid_from, value_key(belief.content), belief.scopes
    met = spans(slot, ledger, member=belief.member, scopes=scopes, since=start) if slot else []
    if belief.valid_to is not None:
        end = end_of(belief)
    else:
        # What it is said to supersede does not stand in its way.
        ids = {version.id for version in named}
        rivals = [span for span in met if span.version.id not in ids] if named else met
        end = claim(rivals, scopes, value, start, caller.at)
        if end <= start:
            raise InvalidBelief("valid_from", "it is the end of time: nothing is left after it")
    if met or named:
        overwritten = [span for span in met if span.start < end and start < span.end]
        held = contradicted(met, overwritten, belief, explicit=explicit, named=named)
        if held is not None:
            outcome = settle(ledger, policy, held, belief)
            if outcome is not None:
                return outcome
        same = [span for span in overwritten if span.value == value]
        if same and not gaps(same, start, end, scopes):
            restated = _restated(ledger, same, belief, caller)
            return _close(ledger, named, restated) or ledger.outcome("reinforced", restated)
    asserted = Assertion(
        key=key,
        value=value,
        start=start,
        end=end,
        scopes=scopes,
        row=belief.__dict__,
        fresh_id=belief.id,
        supersedes=belief.supersedes,
    )
    action, placed = place(ledger, met, asserted)
    return _close(ledger, named, placed) or ledger.outcome(action, placed)


def approve(ledger: Working, caller: Caller, id: str) -> Outcome:
    """Assert a draft that waited for review. Raises BeliefNotFound if none does."""
    ledger.begin()
    pending = _pending(ledger, caller, id)
    return _promote(ledger, caller, pending, caller.on_conflict)


def reject(ledger: Working, caller: Caller, id: str) -> Outcome:
    """Keep a draft that waited for review as history only."""
    ledger.begin()
    pending = _pending(ledger, caller, id)
    return ledger.outcome("updated", ledger.rewrite(pending, {"standing": "rejected"}))


def resolve_conflict(ledger: Working, caller: Caller, id: str, decision: Decision) -> Outcome:
    """Decide about a recorded alternative: assert it, keep it as history, or keep it
    visible beside the current value. Raises BeliefNotFound if there is none."""
    ledger.begin()
    check_decision(decision)
    alternative = undecided(ledger, caller, id)
    if decision == "supersede":
        return _promote(ledger, caller, alternative, "supersede")
    if decision == "retain":
        kept = ledger.rewrite(alternative, {"standing": "retained"})
        return ledger.outcome("retained", kept)
    if alternative.standing == "annotated":
        return ledger.outcome("unchanged", alternative)
    kept = ledger.rewrite(alternative, {"standing": "annotated"})
    return ledger.outcome("updated", kept)


def _promote(ledger: Working, caller: Caller, waiting: Belief, policy: OnConflict) -> Outcome:
    key = key_of(waiting)
    ledger.retire(waiting, key)
    row = {**waiting.__dict__, "standing": "held", "conflicts_with": None}
    if WAITS_BECAUSE in waiting.metadata:
        row["metadata"] = frozen(
            {key: value for key, value in waiting.metadata.items() if key != WAITS_BECAUSE}
        )
    slot = [v for v in ledger.in_slot(key) if v.agent_id == waiting.agent_id]
    cardinality = cardinality_of(slot)
    if cardinality is not None and cardinality != waiting.cardinality:
        # The slot was made by somebody else while this one waited.
        row["cardinality"] = cardinality
        row["member"] = value_key(waiting.content) if cardinality == "many" else None
    named = [] if waiting.supersedes is None else list(ledger.of_belief(waiting.supersedes))
    return assert_(
        ledger,
        caller,
        Belief.trusted(row),
        key,
        slot,
        explicit=False,
        policy=policy,
        named=[version for version in named if version.standing == "held"],
    )


def _belief(caller: Caller, draft: Draft, agent: str | None, own: Cardinality | None) -> Belief:
    """The belief a draft would be if nothing else were held."""
    start = draft.valid_from or caller.at
    if draft.valid_to is not None and draft.valid_to <= start:
        raise InvalidBelief("valid_to", "the interval is empty: valid_to must follow valid_from")
    cardinality = draft.cardinality or own or "one"
    if own is not None and cardinality != own:
        raise InvalidBelief("cardinality", f"the slot holds {own}, not {cardinality}")
    member = None
    if cardinality == "many":
        member = value_key(draft.content if draft.member is None else draft.member)
    elif draft.member is not None:
        raise InvalidBelief("member", "only a slot with cardinality 'many' has members")
    fields = draft.__dict__
    row: dict[str, Any] = {name: fields[name] for name in _STATEMENT}
    row.update(
        id=caller.new_id(),
        rev=1,
        user_id=caller.user_id,
        agent_id=agent,
        scopes=draft.scopes or caller.scopes,
        cardinality=cardinality,
        member=member,
        standing="held",
        conflicts_with=None,
        reinforcement_count=0,
        last_reinforced_at=None,
        superseded_by=None,
        supersedes=draft.supersedes,
        resolved_at=None,
        resolved_by=None,
        valid_from=start,
        valid_to=draft.valid_to,
        recorded_at=caller.at,
        retired_at=None,
        name_keys=(),
    )
    return Belief.trusted(row)


def _as_member(ledger: Working, slot: Sequence[Belief], belief: Belief) -> Belief:
    """A member that is not named is the one that says the same now, whatever it was called
    (it may have been corrected); else it is called by its content."""
    assert belief.member is not None
    by_content = False
    found: str | None = None
    for version in slot:
        if version.standing != "held":
            continue
        if version.member == belief.member:
            by_content = True
        elif found is None and value_key(version.content) == belief.member:
            interval = in_force(version, ledger)
            if (
                interval is not None
                and interval[0] <= belief.valid_from < interval[1]
                and any(scope in belief.scopes for scope in version.scopes)
            ):
                found = version.member
    if found is None or by_content:
        return belief
    return Belief.trusted({**belief.__dict__, "member": found})


def _wait(ledger: Working, belief: Belief, key: str) -> Outcome:
    """Put a draft up for review, unless it waits already or says nothing new."""
    value, scopes = value_key(belief.content), set(belief.scopes)
    for version in ledger.in_slot(key):
        if (
            version.agent_id != belief.agent_id
            or version.member != belief.member
            or not scopes <= set(version.scopes)
            or not set(belief.aliases) <= set(version.aliases)
            or not set(belief.attribute_aliases) <= set(version.attribute_aliases)
            or value_key(version.content) != value
        ):
            continue
        if version.standing == "pending":
            return ledger.outcome("pending", ledger.reinforce(version))
        interval = in_force(version, ledger) if version.standing == "held" else None
        if interval is not None and interval[0] <= belief.valid_from < interval[1]:
            return ledger.outcome("reinforced", ledger.reinforce(version))
    row = {**belief.__dict__, "standing": "pending"}
    return ledger.outcome("pending", ledger.write(row, key, names=True))


def _restated(ledger: Working, same: list[Span], belief: Belief, caller: Caller) -> Belief:
    """Row 5: count it, and take new aliases up."""
    at = belief.valid_from
    if end := belief.valid_to:
        at = caller.at if belief.valid_from <= caller.at < end else at
    elif belief.valid_from <= caller.at:
        at = caller.at
    span = next(
        (span for span in same if span.start <= at < span.end),
        next(span for span in same if span.start <= belief.valid_from < span.end),
    )
    held = span.version
    aliases = merged(held.aliases, belief.aliases)
    attributes = merged(held.attribute_aliases, belief.attribute_aliases)
    if aliases != held.aliases or attributes != held.attribute_aliases:
        held = ledger.rewrite(
            held, {"aliases": aliases, "attribute_aliases": attributes}, names=True
        )
    return ledger.reinforce(held)


def _named(ledger: Working, caller: Caller, id: str | None) -> list[Belief]:
    """The versions of the belief that a draft says it supersedes."""
    if id is None:
        return []
    found = [v for v in of_belief(ledger, caller, id) if v.standing == "held"]
    if not found:
        raise BeliefNotFound(id)
    return found


def _close(ledger: Working, named: list[Belief], by: Belief) -> Outcome | None:
    """Close a belief that was named as superseded, whatever its slot."""
    if not named or named[0].id == by.id:
        return None
    close(ledger, named[0].id, by)
    by = next(v for v in ledger.of_belief(by.id) if v.rev == by.rev)
    return ledger.outcome("superseded", by)


def close(ledger: Working, id: str, by: Belief) -> None:
    """End a belief where ``by`` begins, and link it to that."""
    at = by.valid_from
    linkable = begins(ledger, by.id) >= at
    link = by.id if linkable else None
    before: Belief | None = None
    linked = False
    for version in ledger.of_belief(id):
        interval = in_force(version, ledger) if version.standing == "held" else None
        if interval is None:
            continue
        start, end = interval
        if start < at < end:
            ledger.rewrite(version, {"valid_to": closing(at), "superseded_by": link})
            linked = True
        elif start >= at:
            # Nothing of it is left; the row stays for its names to lead on.
            ledger.rewrite(version, {"superseded_by": link or by.id})
            linked = True
        elif before is None or before.valid_from < start:
            before = version
    if before is not None and not linked and link is not None and before.superseded_by != link:
        ledger.rewrite(before, {"superseded_by": link})


def _pending(ledger: Working, caller: Caller, id: str) -> Belief:
    for version in of_belief(ledger, caller, id):
        if version.standing == "pending":
            return version
    raise BeliefNotFound(id)
