"""Learning from conversation: what goes in, what an extractor answers, what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from belief_memory.errors import InvalidQuery
from belief_memory.model.belief import Belief, BeliefType, Cardinality, EpistemicStatus
from belief_memory.model.outcome import Outcome
from belief_memory.model.slot import Slot
from belief_memory.model.time import to_instant

Role = Literal["user", "assistant", "system", "tool"]
Mode = Literal["autonomous", "curated", "inject_only", "reflective"]
Act = Literal["assert", "change", "correct", "retract", "resolve", "alias"]
"""What a draft wants: say something new, say that it changed, say that what was held was
wrong, end it, close an open question, or only add names to a known belief."""

_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


_TEXTS = ("content", "text", "blocks")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. ``at`` keeps its time zone: phrases like "yesterday"
    are read in it."""

    role: Role
    text: str
    at: datetime | None = None
    id: str | None = None


def to_message(value: object, index: int) -> Message:
    """A :class:`Message` from one, a string (the user's), a dict or a framework's object.

    Contents may be None, a string or a list of blocks; only text is taken.

    Raises:
        InvalidQuery: names the position and the field.
    """
    if isinstance(value, Message):
        if not isinstance(value.text, str):
            raise InvalidQuery("text", f"expected a string, got {value.text!r:.80}", index=index)
        checked = replace(value, at=_at(value.at, index), id=_id(value.id))
    elif isinstance(value, str):
        checked = Message("user", value)
    else:
        role = _role(value, index)
        if isinstance(value, Mapping) and role == "user" and value.keys().isdisjoint(_TEXTS):
            raise InvalidQuery("content", "a user's message has one", index=index)
        checked = Message(
            role,
            _text(_first(value, *_TEXTS)),
            _at(_first(value, "at", "timestamp", "created_at"), index),
            _id(_first(value, "id", "message_id")),
        )
    if checked.id is not None:
        try:
            checked.id.encode()
        except UnicodeEncodeError:
            raise InvalidQuery("id", "may not hold lone surrogates", index=index) from None
    if checked.role not in ("user", "assistant", "system", "tool"):
        raise InvalidQuery("role", f"no such role: {checked.role!r:.80}", index=index)
    if checked.at is not None:
        try:
            to_instant(checked.at, "at", InvalidQuery)
        except InvalidQuery as error:
            raise InvalidQuery("at", error.rule, index=index) from None
    return checked


def _first(value: object, *names: str) -> Any:
    for name in names:
        found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        if found is not None and not callable(found):
            return found
    return None


def _role(value: object, index: int) -> Role:
    given = _first(value, "role", "type")
    name = str(getattr(given, "value", given)).lower()
    if name not in _ROLES:
        raise InvalidQuery("role", f"no such role: {given!r:.80}", index=index)
    return _ROLES[name]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return ""
    parts: list[str] = []
    for block in content:
        kind = _first(block, "type", "block_type") if not isinstance(block, str) else "text"
        text = block if isinstance(block, str) else _first(block, "text")
        if kind in ("text", "input_text", "output_text") and isinstance(text, str):
            parts.append(text)
    return "\n".join(parts)


def _at(value: object, index: int) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    raise InvalidQuery("at", f"expected an aware datetime, got {value!r:.80}", index=index)


def _id(value: object) -> str | None:
    return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Said:
    """A message as learning sees it: without injected text, without secrets."""

    role: Role
    text: str
    prose: str
    """``text`` with code, links and traces blanked; offsets are the same."""
    at: datetime
    id: str
    dated: bool = True
    """Whether ``at`` was given, or is when we heard of it."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What an extractor is given: some turns, what is known about what they name, and
    the scopes it may use."""

    turns: tuple[Said, ...]
    known: tuple[Belief, ...] = ()
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Learned:
    """One thing an extractor says was said; the gate decides what becomes of it."""

    slot: Slot
    content: str
    why_it_matters: str = ""
    act: Act = "change"
    aliases: tuple[str, ...] = ()
    attribute_aliases: tuple[str, ...] = ()
    type: BeliefType = "fact"
    subtype: str | None = None
    scopes: tuple[str, ...] | None = None
    epistemic_status: EpistemicStatus = "active"
    confidence: float = 1.0
    cardinality: Cardinality | None = None
    member: str | None = None
    valid_from: str | datetime | None = None
    """An instant, or the words of the text that say when."""
    valid_to: str | datetime | None = None
    never_true: bool = False
    """For ``retract``: it never was true, instead of having ended."""
    resolves: Slot | None = None
    """The open question that this answers."""
    participants: tuple[str, ...] = ()
    """For relations: the canonical names of what they connect."""
    relation_type: str | None = None
    message_id: str | None = None
    quote: str | None = None
    """The words of the text it rests on."""
    declared: bool = False
    """The slot was declared by a rule, not thought of by a model."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Something that was not learned, and why; nothing is dropped without one."""

    reason: str
    text: str
    slot: Slot | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """An extractor's answer."""

    learned: tuple[Learned, ...] = ()
    skipped: tuple[Skip, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two beliefs that may be one; :meth:`UserMemory.merge` joins them if a person agrees."""

    keep: Belief
    drop: Belief
    reason: str


@dataclass(slots=True)
class Report:
    """What became of the messages. Falsy when no belief changed and none waits."""

    outcomes: list[Outcome] = field(default_factory=list)
    """What each accepted draft did, pending ones and conflicts included."""
    skipped: list[Skip] = field(default_factory=list)
    """What was not learned, each with its reason and the words."""
    redacted: int = 0
    """Secrets taken out before anything was stored or sent to an extractor."""
    queued: int = 0
    """Turns that still wait to be learned from."""
    note: str = ""
    """Why nothing could be learned, where that is so."""

    @property
    def beliefs(self) -> list[Belief]:
        """The beliefs now held that the conversation is about."""
        return [o.belief for o in self.outcomes if o.belief is not None and o.action != "pending"]

    @property
    def pending(self) -> list[Belief]:
        """The beliefs that wait for review."""
        return [o.belief for o in self.outcomes if o.belief is not None and o.action == "pending"]

    def __bool__(self) -> bool:
        return any(outcome.action not in ("unchanged", "reinforced") for outcome in self.outcomes)

    def __str__(self) -> str:
        lines = [
            f"{o.action:<10} {o.belief.slot}: {o.belief.content}" if o.belief else o.action
            for o in self.outcomes
        ]
        lines += [f"{'skipped':<10} {skip.reason}: {skip.text}" for skip in self.skipped]
        if self.queued:
            lines.append(f"{self.queued} turns wait to be learned from")
        return "\n".join([*lines, self.note]).strip() or "nothing to learn"

    def add(self, other: Report) -> None:
        """Take in what another call reports."""
        self.outcomes += other.outcomes
        self.skipped += other.skipped
        self.redacted += other.redacted
        self.queued += other.queued
        self.note = self.note or other.note
