"""The commands that write one belief, and the one that erases."""

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


def remember(
    name: str,
    content: str,
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    attribute: Attribute = None,
    alias: Annotated[list[str] | None, typer.Option("--alias", help="Repeatable.")] = None,
    why: Annotated[str, typer.Option("--why", help="How it should shape responses.")] = "",
    type: Annotated[
        str, typer.Option("--type", "-t", help="fact, preference, decision, entity, …")
    ] = "fact",
    valid_from: Annotated[str | None, typer.Option(help="When it began to be true.")] = None,
    valid_to: Annotated[str | None, typer.Option(help="When it ended.")] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Always recall it in its scopes.")] = False,
    as_json: Json = False,
) -> None:
    """Assert CONTENT about NAME."""
    with opened(uri) as memory:
        outcome = bound(memory, user, scope).remember(
            slot_of(name, attribute),
            content,
            aliases=alias or (),
            why_it_matters=why,
            type=type,  # type: ignore[arg-type]  # the draft's validation names the field
            valid_from=valid_from,
            valid_to=valid_to,
            pinned=pin,
        )
        Show(as_json).outcome(outcome)


def forget(
    user: User,
    name: Annotated[str | None, typer.Argument(help="An id or a slot's name.")] = None,
    uri: Uri = DEFAULT_URI,
    attribute: Attribute = None,
    everything: Annotated[bool, typer.Option("--everything", help="The whole ledger.")] = False,
    as_json: Json = False,
) -> None:
    """Erase from disk, history included."""
    with opened(uri) as memory:
        alice = memory.for_user(user)
        if everything and name is None:
            receipt = alice.forget(everything=True)
        else:
            receipt = alice.forget(
                None if name is None else slot_of(name, attribute), everything=everything
            )
        Show(as_json).receipt(receipt)
