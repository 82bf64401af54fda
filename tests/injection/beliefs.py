"""Beliefs to render, with as little said as the test needs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from belief_memory.injection.persona import persona_text
from belief_memory.injection.render import render
from belief_memory.model.belief import Belief
from belief_memory.model.context import Context
from belief_memory.model.episode import Episode

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def belief(canonical_name: str, content: str, **fields: Any) -> Belief:
    return Belief.model_validate(
        {
            "id": f"id-of-{canonical_name}"[:900],
            "user_id": "alice",
            "scopes": ["user:universal"],
            "valid_from": NOW,
            "recorded_at": NOW,
            "canonical_name": canonical_name,
            "content": content,
            **fields,
        }
    )


def turn(text: str, **fields: Any) -> Episode:
    return Episode(
        **{
            "id": "m-1",
            "role": "user",
            "text": text,
            "at": NOW,
            "recorded_at": NOW,
            "user_id": "alice",
            "scopes": ("user:universal",),
            **fields,
        }
    )


def context(persona_beliefs: list[Belief] | None = None, **routes: Any) -> Context:
    beliefs = persona_beliefs or []
    return Context(
        persona=persona_text(beliefs), persona_beliefs=beliefs, renderer=render, **routes
    )
