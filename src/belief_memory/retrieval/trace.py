"""What a recall saw on its way, kept so that it can be explained when somebody asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from belief_memory.model.belief import Belief
from belief_memory.retrieval.matching import Hit, Ledger, Matcher, Miss
from belief_memory.retrieval.query import Query
from belief_memory.retrieval.related import Likely

Routed = tuple[list[Belief], list[Belief], list[Belief], list[Belief]]
"""Persona, pinned, questions, relevant."""


@dataclass(slots=True)
class Trace:
    """Names found and nearly found, and the routes before and after the budget."""

    scopes: frozenset[str]
    valid_at: datetime
    agent_id: str | None
    ledgers: list[Ledger]
    query: Query | None = None
    matcher: Matcher | None = None
    carried: bool = False
    """The names are those of the turn before."""
    hits: list[Hit] = field(default_factory=list)
    named: list[Hit] = field(default_factory=list)
    misses: list[Miss] = field(default_factory=list)
    brought: list[tuple[Ledger, Belief, Belief]] = field(default_factory=list)
    beside: list[tuple[Belief, Belief]] = field(default_factory=list)
    candidates: Routed = field(default_factory=lambda: ([], [], [], []))
    returned: Routed = field(default_factory=lambda: ([], [], [], []))
    likely: Likely | None = None
    related: list[Belief] = field(default_factory=list)
    """What was returned of ``likely``."""
