"""Every error this package raises, in one tree.

Catch :class:`BeliefMemoryError` to catch them all. Those that report bad input are
also :class:`ValueError`, so code that never heard of us still does the right thing.
"""

from __future__ import annotations


class BeliefMemoryError(Exception):
    """The root of the tree."""


class _Invalid(BeliefMemoryError, ValueError):
    """Bad input: names the ``field`` and the ``rule`` it broke; nothing was written.

    ``index`` is the position in the list the caller passed, where there was a list.
    """

    def __init__(self, field: str, rule: str, *, index: int | None = None) -> None:
        self.field = field
        self.rule = rule
        self.index = index
        place = field if index is None else f"[{index}].{field}"
        super().__init__(f"{place}: {rule}")


class InvalidBelief(_Invalid):
    """What was to be written breaks a rule of beliefs."""


class InvalidQuery(_Invalid):
    """What was asked for cannot be asked like that."""


class BeliefNotFound(BeliefMemoryError, LookupError):
    """No belief held has that id, or nothing is held in that slot; ``id`` names it."""

    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__(f"no belief {id!r:.200} is held")


class ConflictPending(BeliefMemoryError):
    """The policy is to raise on a conflict; nothing was written.

    ``held`` and ``asserted`` are the two contents that could not both stand.
    """

    def __init__(self, slot: str, held: str, asserted: str) -> None:
        self.slot = slot
        self.held = held
        self.asserted = asserted
        super().__init__(
            f"{slot}: order in time cannot decide between the held value and the asserted one"
        )


class StoreError(BeliefMemoryError):
    """The storage underneath could not do what was asked."""


class StoreBusy(StoreError):
    """Rival writers kept winning; nothing of this call was written. Safe to retry."""


class StoreCorrupt(StoreError):
    """What is on disk is not what this package wrote."""


class StoreReadOnly(StoreError):
    """The memory was opened with ``read_only=True``; nothing was written."""


class HandleClosed(BeliefMemoryError):
    """The handle was closed, or was opened before this process was forked."""


class ExtractionFailed(BeliefMemoryError):
    """Learning from a conversation failed; what was not learned is kept for a retry."""
