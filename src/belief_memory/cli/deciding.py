"""The commands by which a person puts right what is held and decides what waits."""

from __future__ import annotations

from typing import Annotated

import typer

from belief_memory.cli.options import (
    DEFAULT_URI,
    Attribute,
    Json,
    Scopes,
    Uri,
    User,
    bound,
    opened,
    slot_of,
)
from belief_memory.cli.show import Show

Name = Annotated[str, typer.Argument(help="A slot's name, or an id.")]
Waiting = Annotated[list[str], typer.Argument(help="Ids, as `pending` shows them.")]
Start = Annotated[str | None, typer.Option(help="Start of the interval.")]
End = Annotated[str | None, typer.Option(help="End of the interval.")]


def correct(
    name: Name,
    content: str,
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    attribute: Attribute = None,
    valid_from: Start = None,
    valid_to: End = None,
    as_json: Json = False,
) -> None:
    """Say that what NAME holds was wrong, and CONTENT is right."""
    bounds = {"valid_from": valid_from, "valid_to": valid_to}
    with opened(uri) as memory:
        outcome = bound(memory, user, scope).correct(
            slot_of(name, attribute),
            content,
            **{key: value for key, value in bounds.items() if value is not None},  # type: ignore[arg-type]
        )
        Show(as_json).outcome(outcome)


def retract(
    name: Name,
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    attribute: Attribute = None,
    valid_from: Start = None,
    valid_to: End = None,
    never_true: Annotated[bool, typer.Option("--never-true", help="It never held.")] = False,
    as_json: Json = False,
) -> None:
    """End what NAME holds, with nothing in its place; history stays."""
    with opened(uri) as memory:
        outcome = bound(memory, user, scope).retract(
            slot_of(name, attribute),
            valid_from=valid_from,
            valid_to=valid_to,
            never_true=never_true,
        )
        Show(as_json).outcome(outcome)


def approve(ids: Waiting, user: User, uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Believe what waits for review."""
    with opened(uri) as memory:
        Show(as_json).outcomes(memory.for_user(user).approve(list(ids)))


def reject(ids: Waiting, user: User, uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Drop what waits for review."""
    with opened(uri) as memory:
        Show(as_json).outcomes(memory.for_user(user).reject(list(ids)))


def resolve_conflict(
    id: Annotated[str, typer.Argument(help="An id, as `conflicts` shows it.")],
    decision: Annotated[str, typer.Argument(help="supersede, retain or annotate.")],
    user: User,
    uri: Uri = DEFAULT_URI,
    as_json: Json = False,
) -> None:
    """Decide a conflict: the alternative replaces, becomes history, or stays, flagged."""
    with opened(uri) as memory:
        outcome = memory.for_user(user).resolve_conflict(
            id,
            decision,  # type: ignore[arg-type]  # the verb names the choices
        )
        Show(as_json).outcome(outcome)
