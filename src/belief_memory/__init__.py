"""Beliefs that stay true. The names below are the whole public surface."""

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
from belief_memory.model.belief import Belief, Provenance
from belief_memory.model.context import Budget, Context, Explanation, Reason
from belief_memory.model.draft import UNSET, Draft
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
    "UserMemory",
]

__version__ = "0.1.0"
