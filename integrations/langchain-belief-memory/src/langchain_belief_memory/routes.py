"""Which routes of a recall an adapter gives out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from belief_memory import Context, InvalidQuery

from langchain_belief_memory.identity import Memory, asynchronous

Route = Literal["persona", "pinned", "relevant", "questions", "related", "evidence"]


def checked_routes(memory: Memory, routes: Iterable[Route] | None) -> tuple[Route, ...] | None:
    """The routes as recall takes them, so that a wrong one, or a wrong memory, is told where
    it was written and not in the middle of a run.

    Raises:
        InvalidQuery: ``memory`` is no open memory; an unknown route, "related" of a memory
            without an embedder, or "evidence" of one without episodes.
    """
    handle = asynchronous(memory)
    if routes is None:
        return None
    wanted = () if isinstance(routes, str) else tuple(routes)
    if isinstance(routes, str) or not set(wanted) <= set(get_args(Route)):
        known = ", ".join(get_args(Route))
        raise InvalidQuery("routes", f"expected some of {known}, got {routes!r:.80}")
    if "related" in wanted:
        handle.related.check()
    if "evidence" in wanted and handle.episodes is None:
        raise InvalidQuery("routes", "'evidence' needs a memory opened with episodes=True")
    return wanted


def by_route(context: Context) -> dict[Route, Sequence[Any]]:
    """What each route brought: beliefs, and as evidence turns of conversations."""
    return {
        "persona": context.persona_beliefs,
        "pinned": context.pinned,
        "relevant": context.relevant,
        "questions": context.questions,
        "related": context.related,
        "evidence": context.evidence,
    }


def route_ids(context: Context) -> dict[str, list[str]]:
    """The ids of what each route brought, without the routes that brought nothing."""
    return {name: [one.id for one in found] for name, found in by_route(context).items() if found}
