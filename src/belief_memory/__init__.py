"""Beliefs that stay true. The names below are the whole public surface.

They are loaded when they are first used: importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from belief_memory.engine import AsyncBeliefMemory, AsyncUserMemory, MemoryStats
    from belief_memory.errors import (
        BeliefMemoryError,
        BeliefNotFound,
        ConflictPending,
        ExtractionFailed,
        HandleClosed,
        InvalidBelief,
        InvalidQuery,
        StoreBusy,
        StoreCorrupt,
        StoreError,
        StoreReadOnly,
    )
    from belief_memory.injection.marker import strip_injected
    from belief_memory.model.belief import Belief, Provenance
    from belief_memory.model.context import Budget, Context, Explanation, Reason, TurnReason
    from belief_memory.model.draft import UNSET, Draft
    from belief_memory.model.episode import Episode, Episodes
    from belief_memory.model.learning import Duplicate, Message, Report, Skip
    from belief_memory.model.outcome import Change, Changes, Conflict, Outcome, Receipt
    from belief_memory.model.slot import Slot
    from belief_memory.sync import BeliefMemory, UserMemory

__all__ = [
    "UNSET",
    "AsyncBeliefMemory",
    "AsyncUserMemory",
    "Belief",
    "BeliefMemory",
    "BeliefMemoryError",
    "BeliefNotFound",
    "Budget",
    "Change",
    "Changes",
    "Conflict",
    "ConflictPending",
    "Context",
    "Draft",
    "Duplicate",
    "Episode",
    "Episodes",
    "Explanation",
    "ExtractionFailed",
    "HandleClosed",
    "InvalidBelief",
    "InvalidQuery",
    "MemoryStats",
    "Message",
    "Outcome",
    "Provenance",
    "Reason",
    "Receipt",
    "Report",
    "Skip",
    "Slot",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreReadOnly",
    "TurnReason",
    "UserMemory",
    "strip_injected",
]

__version__ = "0.1.0"

_HOMES = {
    "belief_memory.engine": "AsyncBeliefMemory AsyncUserMemory MemoryStats",
    "belief_memory.errors": (
        "BeliefMemoryError BeliefNotFound ConflictPending ExtractionFailed HandleClosed "
        "InvalidBelief InvalidQuery StoreBusy StoreCorrupt StoreError StoreReadOnly"
    ),
    "belief_memory.injection.marker": "strip_injected",
    "belief_memory.model.belief": "Belief Provenance",
    "belief_memory.model.context": "Budget Context Explanation Reason TurnReason",
    "belief_memory.model.draft": "Draft UNSET",
    "belief_memory.model.episode": "Episode Episodes",
    "belief_memory.model.learning": "Duplicate Message Report Skip",
    "belief_memory.model.outcome": "Change Changes Conflict Outcome Receipt",
    "belief_memory.model.slot": "Slot",
    "belief_memory.sync": "BeliefMemory UserMemory",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
