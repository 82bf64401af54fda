"""The belief: one typed conclusion, with two clocks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationInfo,
)

from belief_memory.model.frozen import EMPTY, frozen
from belief_memory.model.scope import check_scopes
from belief_memory.model.slot import Slot
from belief_memory.model.time import to_instant

BeliefType = Literal[
    "preference",
    "decision",
    "entity",
    "relation",
    "open_question",
    "fact",
    "commitment",
    "goal",
    "event",
    "instruction",
    "relationship",
    "context",
    "learning",
    "observation",
    "error",
    "artifact",
]
"""Tenure's five types and Memanto's thirteen, which share preference and decision."""

EpistemicStatus = Literal["active", "inferred", "exploratory"]
Cardinality = Literal["one", "many"]

Standing = Literal["held", "pending", "conflict", "annotated", "retained", "rejected"]
"""Where a version stands. Only ``held`` is ever current. ``pending`` waits for review,
``conflict`` is a flagged alternative that waits for a decision, ``annotated`` one that
was decided to stay visible beside the current value, ``retained`` and ``rejected`` are
history only."""

OnConflict = Literal["record", "supersede", "retain", "raise"]


def _instant(value: object, info: ValidationInfo) -> object:
    return None if value is None else to_instant(value, info.field_name or "instant")


def _names(values: object) -> object:
    if isinstance(values, str):
        raise ValueError(f"expected a list of strings, got the string {values!r:.80}")
    if isinstance(values, (set, frozenset)):
        return sorted(values)
    return values


def _unique(values: tuple[str, ...]) -> tuple[str, ...]:
    if any(not value.strip() for value in values):
        raise ValueError("a name may not be blank")
    return tuple(dict.fromkeys(values))


def _storable(value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("may not hold lone surrogates") from None
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("may not be blank")
    return _storable(value)


def _json(value: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise ValueError("must be JSON, without NaN and lone surrogates") from None
    return cast(dict[str, Any], frozen(value))


def _scopes(value: object) -> object:
    return _checked(value) if type(value) is tuple else check_scopes(value)  # type: ignore[arg-type]


@lru_cache(maxsize=1024)
def _checked(scopes: tuple[str, ...]) -> tuple[str, ...]:
    # Handles give every record of a load the same scopes.
    return check_scopes(scopes)


# Strict: bytes are not text.
Text = Annotated[str, StringConstraints(strict=True), AfterValidator(_storable)]
Id = Annotated[
    str,
    StringConstraints(strict=True, min_length=1, max_length=1000),
    AfterValidator(_not_blank),
]
Name = Annotated[str, StringConstraints(strict=True, max_length=1000), AfterValidator(_not_blank)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_names), AfterValidator(_unique)]
At = Annotated[datetime, BeforeValidator(_instant)]
Scopes = Annotated[tuple[str, ...], BeforeValidator(_scopes)]
Confidence = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Provenance(BaseModel):
    """Where a belief came from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Text = "user"
    """The kind of source: ``user``, ``extraction``, ``import``, ``tool``, or your own."""
    session_id: Text | None = None
    message_ids: tuple[Text, ...] = ()
    extractor: Text | None = None
    model: Text | None = None
    at: At | None = None
    """When the evidence was given."""
    quote: Text | None = None
    """The words it was learned from."""


class Statement(BaseModel):
    """What a belief says and how to find it: shared by drafts and beliefs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    canonical_name: Name
    attribute: Name | None = None
    content: Annotated[str, StringConstraints(strict=True), AfterValidator(_not_blank)]
    why_it_matters: Text = ""
    aliases: Names = ()
    attribute_aliases: Names = ()
    type: BeliefType = "fact"
    subtype: Text | None = None
    participants: tuple[Text, ...] = ()
    relation_type: Text | None = None
    epistemic_status: EpistemicStatus = "active"
    confidence: Confidence = 1.0
    pinned: bool = False
    user_edited: bool = False
    metadata: Annotated[dict[str, JsonValue], AfterValidator(_json)] = Field(
        # A factory: a default is copied for each object, and a copy can be changed.
        default_factory=lambda: EMPTY
    )
    provenance: Provenance | None = None

    @property
    def slot(self) -> Slot:
        """What this is about: the canonical name and the attribute."""
        return Slot(self.canonical_name, self.attribute)


class Belief(Statement):
    """One version of a belief, as held in a ledger. Immutable.

    ``valid_from`` / ``valid_to`` say when it is true in the world, ``recorded_at`` /
    ``retired_at`` when this version was what the ledger held; both are half-open and
    None means open. A change of anything but the reinforcement counters is a new
    version (``rev``) of the same ``id``.
    """

    id: Id
    rev: Annotated[int, Field(ge=1)] = 1
    user_id: Id
    agent_id: Id | None = None
    scopes: Scopes
    cardinality: Cardinality = "one"
    member: Text | None = None
    standing: Standing = "held"
    conflicts_with: Text | None = None
    reinforcement_count: Annotated[int, Field(ge=0)] = 0
    last_reinforced_at: At | None = None
    superseded_by: Text | None = None
    supersedes: Text | None = None
    resolved_at: At | None = None
    resolved_by: Text | None = None
    valid_from: At
    valid_to: At | None = None
    recorded_at: At
    retired_at: At | None = None
    name_keys: tuple[str, ...] = Field(default=(), exclude=True, repr=False)
    """What matching needs of the names, computed when the version was written."""

    def __hash__(self) -> int:
        return hash((self.id, self.rev))

    @property
    def version_id(self) -> str:
        """Names this one version: ``id#rev``."""
        return f"{self.id}#{self.rev}"

    def valid_at(self, at: datetime) -> bool:
        """Whether the valid interval covers ``at``."""
        return self.valid_from <= at and (self.valid_to is None or at < self.valid_to)

    def known_at(self, at: datetime) -> bool:
        """Whether the ledger held this version at ``at``."""
        return self.recorded_at <= at and (self.retired_at is None or at < self.retired_at)

    def but(self, **changes: Any) -> Belief:
        """A copy with some fields changed, trusted, without validation."""
        return self.model_copy(update=changes)

    def to_record(self) -> dict[str, Any]:
        """Plain data that :meth:`UserMemory.load` takes back unchanged."""
        return self.model_dump()

    @classmethod
    def trusted(cls, row: Mapping[str, Any]) -> Belief:
        """A belief from a row this package wrote: no validation, shared bookkeeping."""
        belief = cls.__new__(cls)
        object.__setattr__(belief, "__dict__", dict(row))
        object.__setattr__(belief, "__pydantic_fields_set__", _ALL_FIELDS)
        object.__setattr__(belief, "__pydantic_extra__", None)
        object.__setattr__(belief, "__pydantic_private__", None)
        return belief


_ALL_FIELDS = set(Belief.model_fields)
