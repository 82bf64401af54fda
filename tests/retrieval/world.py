"""Beliefs and recalls for tests of retrieval, without a store."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from belief_memory.ledger.held import HeldIndex
from belief_memory.model.belief import Belief
from belief_memory.model.context import Budget
from belief_memory.model.time import to_instant
from belief_memory.retrieval.index import RecallIndex
from belief_memory.retrieval.recall import Question, Recalled, recall
from belief_memory.text.keys import name_keys

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
UNIVERSAL = "user:universal"
SCOPE = "domain:test"


def belief(name: str, *aliases: str, **fields: Any) -> Belief:
    """A belief held since 2025 in the scope of these tests, keys included."""
    values: dict[str, Any] = {
        "id": name if fields.get("attribute") is None else f"{name}/{fields['attribute']}",
        "user_id": "u",
        "canonical_name": name,
        "aliases": aliases,
        "content": "payload",
        "scopes": (SCOPE,),
        "valid_from": BEGAN,
        "recorded_at": BEGAN,
    }
    made = Belief(**values | fields)
    return made.but(name_keys=name_keys(made))


def index_of(beliefs: Iterable[Belief]) -> RecallIndex:
    held = HeldIndex()
    index = RecallIndex(held)
    for one in beliefs:
        held.add(one)
        index.add(one)
    return index


def ask(
    query: str,
    *beliefs: Belief,
    scopes: Iterable[str] = (SCOPE,),
    index: RecallIndex | None = None,
    **options: Any,
) -> Recalled:
    question = Question(
        query=query,
        scopes=frozenset({UNIVERSAL, *scopes}),
        valid_at=options.pop("valid_at", NOW),
        budget=options.pop("budget", Budget()),
        **options,
    )
    return recall(question, [index or index_of(beliefs)])


def named(query: str, *beliefs: Belief, **options: Any) -> list[str]:
    """The ids in the relevant route, in order."""
    return [one.id for one in ask(query, *beliefs, **options).relevant]


def from_record(record: dict[str, Any]) -> Belief:
    """A belief from a record of PrecisionMemBench or of a pack."""
    began = to_instant(record["created_at"], "created_at")
    status = record["epistemic_status"]
    ended = status == "superseded" and not record.get("superseded_by")
    made = Belief(
        id=record.get("_id") or record["id"],
        user_id=record["user_id"],
        type=record["type"],
        subtype=record.get("subtype"),
        canonical_name=record["canonical_name"],
        aliases=record.get("aliases", ()),
        content=record["content"],
        why_it_matters=record.get("why_it_matters", ""),
        scopes=record["scope"],
        epistemic_status="active" if status == "superseded" else status,
        confidence=record["confidence"],
        pinned=record.get("pinned", False),
        superseded_by=record.get("superseded_by"),
        resolved_at=record.get("resolved_at"),
        participants=record.get("participants") or (),
        valid_from=began,
        valid_to=began + timedelta(microseconds=1) if ended else None,
        recorded_at=began,
    )
    return made.but(name_keys=name_keys(made))
