"""Slots: what a belief is about, as callers name it."""

from __future__ import annotations

from typing import NamedTuple

from belief_memory.errors import InvalidQuery


class Slot(NamedTuple):
    """A canonical name with an optional attribute: ``("user", "residence")``."""

    canonical_name: str
    attribute: str | None = None

    def __str__(self) -> str:
        return (
            self.canonical_name
            if self.attribute is None
            else f"{self.canonical_name} / {self.attribute}"
        )


SlotLike = str | tuple[str, str | None] | Slot
"""How callers name a slot: a canonical name, or a pair with the attribute."""


def to_slot(value: object, field: str = "slot") -> Slot:
    """The :class:`Slot` that ``value`` names; raises InvalidQuery for anything else."""
    if isinstance(value, str) and value.strip():
        return Slot(value)
    if isinstance(value, tuple) and len(value) == 2:
        name, attribute = value
        if (
            isinstance(name, str)
            and name.strip()
            and (attribute is None or (isinstance(attribute, str) and attribute.strip()))
        ):
            return Slot(name, attribute)
    raise InvalidQuery(
        field, f"expected 'canonical_name' or ('canonical_name', 'attribute'), got {value!r:.80}"
    )
