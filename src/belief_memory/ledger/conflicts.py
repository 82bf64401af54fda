"""Conflicts: when order in time cannot decide, or what people fixed is contradicted."""

from __future__ import annotations

from typing import Literal

from belief_memory.errors import BeliefNotFound, ConflictPending, InvalidBelief
from belief_memory.ledger.held import key_of
from belief_memory.ledger.intervals import Span, runs
from belief_memory.ledger.targets import Caller, of_belief
from belief_memory.ledger.working import Working
from belief_memory.model.belief import Belief, OnConflict, Provenance, Standing
from belief_memory.model.outcome import Outcome
from belief_memory.text.fold import value_key

Decision = Literal["supersede", "retain", "annotate"]

_DECIDED: tuple[Standing, ...] = ("retained", "annotated")
_EXTRACTION = "extraction"


def contradicted(
    met: list[Span],
    overwritten: list[Span],
    statement: Belief,
    *,
    explicit: bool,
    named: list[Belief],
) -> Belief | None:
    """The held version that ``statement`` (a belief to be) is in conflict with, if any.

    Either it starts at the very instant that a different source gives for another value
    (``explicit``: its own start was given, too), or it was extracted and contradicts
    what was edited by the user or pinned. ``met``: the spans in its slot and scopes, of
    which it would overwrite some; ``named``: versions it says it supersedes.
    """
    value = value_key(statement.content)
    if explicit:
        for scope in statement.scopes:
            for run in runs(met, scope):
                if (
                    run.start == statement.valid_from
                    and run.value != value
                    and _source(run.first.provenance) != _source(statement.provenance)
                ):
                    return run.first
    if statement.provenance is not None and statement.provenance.source == _EXTRACTION:
        protected = [span.version for span in overwritten if span.value != value]
        for version in (*protected, *named):
            if version.user_edited or version.pinned:
                return version
    return None


def settle(
    ledger: Working, policy: OnConflict, held: Belief, alternative: Belief
) -> Outcome | None:
    """Apply the policy to a conflict; None: it is an ordinary assertion after all."""
    if policy == "supersede":
        return None
    if policy == "raise":
        raise ConflictPending(str(held.slot), held.content, alternative.content)
    standing: Standing = "retained" if policy == "retain" else "conflict"
    known = _known(ledger, held, alternative, standing)
    if known is not None:
        decided = known.standing in _DECIDED
        return ledger.outcome("retained" if decided else "conflict", ledger.reinforce(known))
    row = {**alternative.__dict__, "standing": standing, "conflicts_with": held.id}
    belief = ledger.write(row, key_of(alternative), names=True)
    return ledger.outcome("retained" if policy == "retain" else "conflict", belief)


def undecided(ledger: Working, caller: Caller, id: str) -> Belief:
    """The alternative with this id that waits for a decision, or was annotated."""
    for version in of_belief(ledger, caller, id):
        if version.standing in ("conflict", "annotated"):
            return version
    raise BeliefNotFound(id)


def check_decision(decision: str) -> None:
    """Raises InvalidBelief for anything that is not a :data:`Decision`."""
    if decision not in ("supersede", "retain", "annotate"):
        raise InvalidBelief(
            "decision", f"expected 'supersede', 'retain' or 'annotate', got {decision!r:.80}"
        )


def _known(ledger: Working, held: Belief, alternative: Belief, standing: Standing) -> Belief | None:
    """The same alternative, recorded before: it does not pile up, and what was decided
    about it against the same belief stays decided."""
    value = value_key(alternative.content)
    for version in ledger.in_slot(key_of(alternative)):
        if (
            version.agent_id == alternative.agent_id
            and version.member == alternative.member
            and (
                version.standing == standing
                or (version.standing in _DECIDED and version.conflicts_with == held.id)
            )
            and set(alternative.scopes) <= set(version.scopes)
            and value_key(version.content) == value
        ):
            return version
    return None


def _source(provenance: Provenance | None) -> tuple[str | None, str | None]:
    if provenance is None:
        return (None, None)
    return (provenance.source, provenance.session_id)
