"""What a ledger holds at one commit, indexed for the rules and for recall."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from belief_memory.engine import partial
from belief_memory.engine.partial import PartialHeld
from belief_memory.ledger.held import HeldIndex
from belief_memory.model.belief import Belief
from belief_memory.ports import Delta, Head, Reinforcement
from belief_memory.retrieval.index import RecallIndex
from belief_memory.retrieval.related import Likeness, text_of


@dataclass(slots=True)
class State:
    """What a ledger holds at one commit, indexed for the rules and for recall."""

    head: Head | None
    token: object | None
    checked: float
    held: HeldIndex = field(default_factory=HeldIndex)
    index: RecallIndex = field(init=False)
    vectors: dict[str, Likeness] = field(default_factory=dict)
    """By version id, of the versions that were ever compared with a query."""

    def __post_init__(self) -> None:
        self.index = RecallIndex(self.held)

    def add(self, version: Belief) -> None:
        self.held.add(version)
        self.index.add(version)

    def discard(self, version_id: str) -> None:
        version = self.held.discard(version_id)
        self.vectors.pop(version_id, None)
        if version is not None:
            self.index.discard(version)

    def reinforce(self, change: Reinforcement) -> None:
        version = self.held.version(change.version_id)
        if version is not None:
            vector = self.vectors.get(change.version_id)
            self.discard(change.version_id)
            self.add(version.but(reinforcement_count=change.count, last_reinforced_at=change.at))
            if vector is not None:
                self.vectors[change.version_id] = vector

    @property
    def partial(self) -> PartialHeld | None:
        """What is held, where that is not all of it."""
        return self.held if isinstance(self.held, PartialHeld) else None

    @property
    def lacking(self) -> bool:
        """Whether something was looked up that is not at hand (see ``partial``)."""
        return isinstance(self.held, PartialHeld) and self.held.lacking

    @property
    def overfull(self) -> bool:
        """Whether it has become too large to keep."""
        if isinstance(self.held, PartialHeld):
            return self.held.overfull
        return len(self.held) > partial.MAX_RESIDENT_BELIEFS_PER_USER

    def size(self) -> int:
        """What it takes to keep, counted in beliefs; a vector weighs about as much as two."""
        return len(self.held) + 2 * len(self.vectors)

    def take_vectors(self, before: State) -> None:
        """Keep what an earlier state knew of the versions that still say the same."""
        for version_id, vector in before.vectors.items():
            old, new = before.held.version(version_id), self.held.version(version_id)
            if old is not None and new is not None and text_of(old) == text_of(new):
                self.vectors[version_id] = vector

    def apply(self, delta: Delta) -> None:
        """Bring it up to what has changed since its commit."""
        for version_id in delta.retired:
            self.discard(version_id)
        for version in delta.held:
            self.discard(version.version_id)
            self.add(version)
        for change in delta.reinforcements:
            self.reinforce(change)
        self.head = delta.head


def built(delta: Delta, token: object) -> State:
    """The state of everything held that a whole read gave."""
    state = State(head=delta.head, token=token, checked=time.monotonic())
    for version in delta.held:
        state.add(version)
    return state
