"""What a write did, and what changed in a window."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from belief_memory.model.belief import Belief

Action = Literal[
    "inserted",
    "superseded",
    "corrected",
    "reinforced",
    "extended",
    "conflict",
    "pending",
    "retained",
    "retracted",
    "resolved",
    "updated",
    "unchanged",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one assertion did to its slot."""

    action: Action
    belief: Belief | None
    """The belief the call was about, as now held (None where nothing is left of it)."""
    touched: tuple[Belief, ...] = ()
    """The other versions that were re-recorded or retired, as they now are."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure removed; holds no text of it."""

    beliefs: int
    versions: int
    verified: bool
    """Whether the storage can prove that nothing is left on disk."""
    turns: int = 0
    """Episodes."""


@dataclass(frozen=True, slots=True)
class Change:
    """One version recorded or retired by one commit."""

    at: datetime
    kind: Literal["recorded", "retired"]
    belief: Belief


class Changes(list[Change]):
    """Changes in commit order; ``cursor`` continues after the last one."""

    cursor: str

    def __init__(self, changes: list[Change], cursor: str) -> None:
        super().__init__(changes)
        self.cursor = cursor


@dataclass(frozen=True, slots=True)
class Conflict:
    """An alternative that waits for a decision, beside what is held."""

    alternative: Belief
    held: Belief | None

    @property
    def id(self) -> str:
        """The alternative's id, as :meth:`UserMemory.resolve_conflict` takes it."""
        return self.alternative.id
