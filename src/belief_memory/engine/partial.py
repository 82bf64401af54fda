"""A ledger that is too large to keep: what was looked up of it, and what is missing.

Nobody works out beforehand what a recall or a plan needs. It runs on what is there; the
lookups that could not be answered for certain are noted, fetched by their anchors, and
it runs again, until none is left. So the answer is the one that the whole ledger would
have given, and what was fetched serves the next call too: commits keep it up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from belief_memory.ledger.held import HeldIndex, key_of
from belief_memory.model.belief import Belief
from belief_memory.text.anchors import id_anchor, slot_anchor

MAX_RESIDENT_BELIEFS_PER_USER = 200_000
"""Held versions above which a ledger is not kept in memory. Recall, single lookups and
most writes then read the store, by its indexes; what goes through everything (listing all
beliefs, reviewing, learning from a conversation) reads the ledger anew each time."""

_FORGOTTEN_ABOVE = 400_000
"""Anchors remembered as known before a partial ledger starts over."""


class PartialHeld(HeldIndex):
    """Some of what a ledger holds: everything that has one of the anchors in ``known``."""

    def __init__(self) -> None:
        super().__init__()
        self.known: set[str] = set()
        self.missing: set[str] = set()
        """Anchors that were needed and are not known."""
        self.all_needed = False
        """Whether somebody went through everything held."""

    def need(self, anchors: frozenset[str] | set[str]) -> None:
        """Say that everything with one of these anchors is needed."""
        self.missing |= anchors - self.known

    @property
    def lacking(self) -> bool:
        """Whether something was asked for that is not known: what came of it may be wrong."""
        return bool(self.missing) or self.all_needed

    @property
    def overfull(self) -> bool:
        """Whether so much is known that it is time to start over."""
        return len(self.known) > _FORGOTTEN_ABOVE or len(self) > MAX_RESIDENT_BELIEFS_PER_USER

    def take(self) -> frozenset[str]:
        """What is missing; from now on somebody is fetching it."""
        missing = frozenset(self.missing)
        self.missing.clear()
        return missing

    def make(self, new_id: Callable[[], str]) -> str:
        """A new id, of which it is known that nothing held has it."""
        id = new_id()
        self.known.add(id_anchor(id))
        return id

    def follow(self, version: Belief) -> None:
        """Need what a version that was fetched leads to: its successor by id, and, as most
        successors are in the same slot, that."""
        if version.superseded_by is not None:
            self.need({id_anchor(version.superseded_by), slot_anchor(key_of(version))})

    def in_slot(self, key: str) -> Sequence[Belief]:
        self.need({slot_anchor(key)})
        return super().in_slot(key)

    def of_belief(self, id: str) -> Sequence[Belief]:
        self.need({id_anchor(id)})
        return super().of_belief(id)

    def __iter__(self) -> Iterator[Belief]:
        self.all_needed = True
        return super().__iter__()
