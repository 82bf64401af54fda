"""Drafts: assertions that a ledger has not met yet."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from belief_memory.errors import InvalidBelief
from belief_memory.model.belief import (
    At,
    Belief,
    Cardinality,
    Id,
    Name,
    OnConflict,
    Scopes,
    Statement,
    Text,
)


class Unset:
    """The argument was not given, where None means something else."""

    _only: Unset | None = None

    def __new__(cls) -> Unset:
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET = Unset()

WAITS_BECAUSE = "waits_because"
"""The key in a draft's metadata that says why it waits for review, while it does."""


class Draft(Statement):
    """What :meth:`UserMemory.remember` takes, as an object.

    ``scopes`` and ``agent_id`` None mean the handle's own; ``valid_from`` None means
    now; ``valid_to`` None claims up to the next different value.
    """

    scopes: Annotated[Scopes | None, BeforeValidator(lambda value: value)] = None
    agent_id: Id | None = None
    valid_from: At | None = None
    valid_to: At | None = None
    supersedes: Text | None = None
    on_conflict: OnConflict | None = None
    cardinality: Cardinality | None = None
    member: Name | None = None
    pending: bool = Field(default=False, repr=False)
    """Wait for review instead of becoming current."""

    @model_validator(mode="after")
    def _interval(self) -> Draft:
        if (
            self.valid_from is not None
            and self.valid_to is not None
            and self.valid_to <= self.valid_from
        ):
            raise InvalidBelief(
                "valid_to", "the interval is empty: valid_to must follow valid_from"
            )
        return self


DraftLike = Draft | dict[str, Any]


def to_draft(value: object, index: int | None = None) -> Draft:
    """The draft that ``value`` describes; raises InvalidBelief naming the field."""
    if isinstance(value, Draft):
        # A copy with changes was never validated.
        value = dict(value.__dict__)
    if not isinstance(value, dict):
        raise InvalidBelief("draft", f"expected a Draft or a dict, got {value!r:.80}", index=index)
    try:
        return Draft.model_validate(value)
    except ValidationError as error:
        raise invalid(error, index) from None


_DEEPEST = 6
"""Steps into a value until which the place of a fault in it is named."""


def to_belief(record: dict[str, Any], index: int | None = None) -> Belief:
    """A validated belief from a full record; raises InvalidBelief naming the field."""
    try:
        return Belief.model_validate(record)
    except ValidationError as error:
        raise invalid(error, index) from None


def invalid(error: ValidationError, index: int | None = None) -> InvalidBelief:
    """Our error for pydantic's: the first broken rule, without the value's text."""
    first = error.errors(include_url=False, include_input=False)[0]
    cause = first.get("ctx", {}).get("error")
    field = ".".join(str(part) for part in first["loc"][:_DEEPEST]) or "draft"
    if isinstance(cause, InvalidBelief):
        nested = field.endswith(f".{cause.field}")
        return InvalidBelief(field if nested else cause.field, cause.rule, index=index)
    if first["type"] == "string_unicode":
        return InvalidBelief(field, "may not hold lone surrogates", index=index)
    return InvalidBelief(field, first["msg"].removeprefix("Value error, "), index=index)
