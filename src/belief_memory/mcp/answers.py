"""What the tools answer: plain records for programs, and the same as text for models.

What beliefs say is somebody's words. In the text each stays on its own line, between the
marks that keep injected memory from being learned again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from pydantic import BaseModel

from belief_memory.injection.escape import markdown, markdown_name
from belief_memory.injection.marker import MARKDOWN_CLOSE, MARKDOWN_OPEN
from belief_memory.model.belief import Belief, BeliefType, Standing
from belief_memory.model.context import Context
from belief_memory.model.outcome import Action, Outcome, Receipt


class Answer(BaseModel):
    """One belief."""

    id: str
    about: str
    attribute: str | None
    statement: str
    why_it_matters: str
    kind: BeliefType
    aliases: list[str]
    scopes: list[str]
    standing: Standing
    pinned: bool
    source: str | None
    valid_from: datetime
    valid_to: datetime | None

    @classmethod
    def of(cls, belief: Belief) -> Answer:
        return cls(**_fields(belief))


class VersionAnswer(Answer):
    """One version of a belief, with both clocks."""

    version_id: str
    recorded_at: datetime
    retired_at: datetime | None
    superseded_by: str | None
    resolved_at: datetime | None

    @classmethod
    def of(cls, belief: Belief) -> VersionAnswer:
        return cls(
            **_fields(belief),
            version_id=belief.version_id,
            recorded_at=belief.recorded_at,
            retired_at=belief.retired_at,
            superseded_by=belief.superseded_by,
            resolved_at=belief.resolved_at,
        )


class RecallAnswer(BaseModel):
    """Routed beliefs."""

    persona: str
    pinned: list[Answer]
    relevant: list[Answer]
    questions: list[Answer]


class BeliefsAnswer(BaseModel):
    """Some beliefs, and whether there are more."""

    beliefs: list[Answer]
    more: bool


class HistoryAnswer(BaseModel):
    """The newest versions, oldest first, and whether there are earlier ones."""

    versions: list[VersionAnswer]
    more: bool


class OutcomeAnswer(BaseModel):
    """What a write did."""

    action: Action
    belief: Answer | None


class ForgetAnswer(BaseModel):
    """What was erased, without the text."""

    beliefs: int
    versions: int
    verified: bool


Told = tuple[BaseModel, str]
"""An answer as a record and as text."""


def tell_context(context: Context) -> Told:
    """For ``recall``."""
    record = RecallAnswer(
        persona=context.persona,
        pinned=_all(context.pinned),
        relevant=_all(context.relevant),
        questions=_all(context.questions),
    )
    return record, context.render() or "Nothing is known about that."


def tell_beliefs(found: Sequence[Belief], limit: int, nothing: str) -> Told:
    """For ``beliefs`` and ``search``: the first ``limit`` of them."""
    shown = found[:limit]
    more = len(found) > limit
    record = BeliefsAnswer(beliefs=_all(shown), more=more)
    return record, _block(map(_line, shown), more, nothing)


def tell_history(versions: Sequence[Belief], limit: int) -> Told:
    """For ``history``: the newest ``limit`` versions."""
    shown = versions[-limit:]
    more = len(versions) > limit
    record = HistoryAnswer(versions=list(map(VersionAnswer.of, shown)), more=more)
    nothing = "Nothing was ever remembered under that name."
    return record, _block(map(_version_line, shown), more, nothing)


def tell_outcome(outcome: Outcome) -> Told:
    """For ``remember``, ``correct`` and ``retract``."""
    belief = outcome.belief
    record = OutcomeAnswer(
        action=outcome.action, belief=None if belief is None else Answer.of(belief)
    )
    return record, _DONE.get(outcome.action, f"Done ({outcome.action}).")


def tell_receipt(receipt: Receipt) -> Told:
    """For ``forget``."""
    record = ForgetAnswer(
        beliefs=receipt.beliefs, versions=receipt.versions, verified=receipt.verified
    )
    proof = "" if receipt.verified else " The storage cannot prove that nothing is left."
    counted = f"{receipt.beliefs} beliefs in {receipt.versions} versions"
    return record, f"Erased {counted}.{proof}"


_DONE = {
    "pending": "Noted; it waits for review.",
    "conflict": "Noted as disputed: what was held before stays until somebody decides.",
    "reinforced": "That was known already.",
}


def _fields(belief: Belief) -> dict[str, object]:
    return {
        "id": belief.id,
        "about": belief.canonical_name,
        "attribute": belief.attribute,
        "statement": belief.content,
        "why_it_matters": belief.why_it_matters,
        "kind": belief.type,
        "aliases": list(belief.aliases),
        "scopes": list(belief.scopes),
        "standing": belief.standing,
        "pinned": belief.pinned,
        "source": None if belief.provenance is None else belief.provenance.source,
        "valid_from": belief.valid_from,
        "valid_to": belief.valid_to,
    }


def _all(beliefs: Iterable[Belief]) -> list[Answer]:
    return [Answer.of(belief) for belief in beliefs]


def _block(lines: Iterable[str], more: bool, nothing: str) -> str:
    listed = "\n".join(lines)
    if not listed:
        return nothing
    note = "\nThere are more." if more else ""
    return f"{MARKDOWN_OPEN}\n{listed}\n{MARKDOWN_CLOSE}{note}"


def _line(belief: Belief) -> str:
    flag = "" if belief.standing == "held" else f" ({belief.standing})"
    return f"- {_name(belief)}{flag}: {markdown(belief.content)} [id {markdown(belief.id)}]"


def _version_line(version: Belief) -> str:
    until = "now" if version.valid_to is None else _instant(version.valid_to)
    gone = "" if version.retired_at is None else ", no longer held"
    flag = "" if version.standing == "held" else f", {version.standing}"
    span = f"{_instant(version.valid_from)} to {until}"
    return (
        f"- {_name(version)}, {span} (recorded {_instant(version.recorded_at)}{gone}{flag}): "
        f"{markdown(version.content)}"
    )


def _name(belief: Belief) -> str:
    name = f"**{markdown_name(belief.canonical_name)}**"
    if belief.attribute is not None:
        name += f" / **{markdown_name(belief.attribute)}**"
    return name


def _instant(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M")
