"""Making a recalled context small enough for a limit of tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from belief_memory import Context

_ROUTES = ("pinned", "relevant", "questions", "related", "evidence")
"""In the order in which they are kept (rule R9: pinned first, then relevant)."""


def fit(context: Context, limit: int, tokens: Callable[[Context], int]) -> Context:
    """The context with as many of its beliefs as ``limit`` tokens hold.

    The persona comes first, then each belief in the order of its route; one that does not
    fit is passed over, and smaller ones after it may still come. Empty if nothing fits.

    Args:
        context: what was recalled.
        limit: the most tokens that what is kept may take.
        tokens: how many tokens a context takes when rendered.
    """
    if not context or tokens(context) <= limit:
        return context
    kept = Context(renderer=context.renderer, reasons=context.reasons)
    if limit <= 0:
        return kept
    if context.persona:
        kept = _larger(
            kept,
            replace(kept, persona=context.persona, persona_beliefs=context.persona_beliefs),
            limit,
            tokens,
        )
    for route in _ROUTES:
        for one in getattr(context, route):
            kept = _larger(kept, _with(kept, route, one), limit, tokens)
    return kept


def _with(context: Context, route: str, one: Any) -> Context:
    larger: Any = {route: [*getattr(context, route), one]}
    return replace(context, **larger)


def _larger(
    kept: Context, larger: Context, limit: int, tokens: Callable[[Context], int]
) -> Context:
    return larger if tokens(larger) <= limit else kept
