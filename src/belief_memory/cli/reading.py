"""The commands that read. None of them writes anything, anywhere."""

from __future__ import annotations

from typing import Annotated

import typer

from belief_memory import Budget
from belief_memory.cli.options import (
    DEFAULT_URI,
    AsOf,
    Attribute,
    Json,
    KnownAt,
    Scopes,
    Uri,
    User,
    ValidAt,
    bound,
    opened,
    slot_of,
)
from belief_memory.cli.show import Show


def recall(
    query: str,
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    max_beliefs: Annotated[int, typer.Option(help="At most this many beliefs.")] = 20,
    explain: Annotated[bool, typer.Option("--explain", help="Say why.")] = False,
    as_json: Json = False,
) -> None:
    """What would be put before the model for QUERY."""
    with opened(uri, read_only=True) as memory:
        context = bound(memory, user, scope).recall(
            query,
            budget=Budget(max_beliefs=max_beliefs),
            as_of=as_of,
            valid_at=valid_at,
            known_at=known_at,
        )
        Show(as_json).context(context, explain=explain)


def beliefs(
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    include_pending: Annotated[
        bool, typer.Option("--include-pending", help="Also what waits for review.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What is held and true in the active scopes."""
    with opened(uri, read_only=True) as memory:
        found = bound(memory, user, scope).beliefs(
            as_of=as_of, valid_at=valid_at, known_at=known_at, include_pending=include_pending
        )
        Show(as_json).beliefs(found)


def history(
    name: Annotated[str, typer.Argument(help="A slot's name, or an id.")],
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    attribute: Attribute = None,
    as_json: Json = False,
) -> None:
    """Every version of a slot in the active scopes, or of one belief, with both clocks."""
    with opened(uri, read_only=True) as memory:
        found = bound(memory, user, scope).history(slot_of(name, attribute))
        Show(as_json).beliefs(found, clocks=True)


def changes(
    user: User,
    since: Annotated[str, typer.Option(help="Start of the window, or a cursor.")],
    until: Annotated[str | None, typer.Option(help="End of the window.")] = None,
    uri: Uri = DEFAULT_URI,
    as_json: Json = False,
) -> None:
    """What was recorded or retired in a window of system time."""
    with opened(uri, read_only=True) as memory:
        Show(as_json).changes(memory.for_user(user).changes(since, until))


def conflicts(user: User, uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Alternatives that wait for a decision."""
    with opened(uri, read_only=True) as memory:
        found = memory.for_user(user).conflicts()
        Show(as_json).conflicts(found)


def pending(user: User, uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """What was learned and waits for review."""
    with opened(uri, read_only=True) as memory:
        Show(as_json).beliefs(memory.for_user(user).pending(), ids=True)


def search(
    text: Annotated[str, typer.Argument(help="Words; each begins a word of what is found.")],
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    limit: Annotated[int, typer.Option(help="At most this many beliefs.")] = 20,
    as_json: Json = False,
) -> None:
    """Current beliefs by the words of their names and content; for people, no recall."""
    with opened(uri, read_only=True) as memory:
        Show(as_json).beliefs(bound(memory, user, scope).search(text, limit=limit), ids=True)


def digest(
    user: User,
    day: Annotated[str | None, typer.Argument(help="The first day of it; default: today.")] = None,
    uri: Uri = DEFAULT_URI,
    days: Annotated[int, typer.Option(help="How many days; 7 for a week.")] = 1,
    timezone: Annotated[str, typer.Option(help="Whose midnight.")] = "UTC",
    as_json: Json = False,
) -> None:
    """What changed, what conflicts, what waits and what is open, as Markdown."""
    with opened(uri, read_only=True) as memory:
        text = memory.for_user(user).digest(day, days=days, timezone=timezone)
        Show(as_json).digest(text)
