"""The commands. Each is one verb of the public API on one user's memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from belief_memory import BeliefMemory, BeliefMemoryError, Budget, UserMemory
from belief_memory.cli import bench
from belief_memory.cli.show import Show
from belief_memory.model.slot import SlotLike

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Beliefs that stay true: a memory for agents. Every command takes --json.",
)

app.add_typer(bench.app, name="bench")

Uri = Annotated[
    str, typer.Option("--uri", envvar="BELIEF_MEMORY_URI", help="A folder, s3://…, db://….")
]
User = Annotated[
    str, typer.Option("--user", "-u", envvar="BELIEF_MEMORY_USER", help="Whose memory.")
]
Scopes = Annotated[
    list[str] | None, typer.Option("--scope", "-s", help="An active scope, kind:name. Repeatable.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="Both clocks at this instant.")]
ValidAt = Annotated[str | None, typer.Option("--valid-at", help="True at this instant.")]
KnownAt = Annotated[str | None, typer.Option("--known-at", help="As known at this instant.")]
Attribute = Annotated[str | None, typer.Option("--attribute", "-a", help="Which aspect of it.")]

DEFAULT_URI = "./beliefs"


@contextmanager
def opened(uri: str, *, read_only: bool = False) -> Iterator[BeliefMemory]:
    """The memory at ``uri``; our errors end the command with one line and status 2."""
    try:
        with BeliefMemory.open(uri, read_only=read_only) as memory:
            yield memory
    except BeliefMemoryError as error:
        typer.echo(f"belief-memory: {error}", err=True)
        raise typer.Exit(2) from None


def bound(memory: BeliefMemory, user: str, scopes: list[str] | None) -> UserMemory:
    return memory.for_user(user, scopes=scopes) if scopes else memory.for_user(user)


def slot_of(name: str, attribute: str | None) -> SlotLike:
    return name if attribute is None else (name, attribute)


@app.command()
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


@app.command()
def remember(
    name: str,
    content: str,
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    attribute: Attribute = None,
    alias: Annotated[list[str] | None, typer.Option("--alias", help="Repeatable.")] = None,
    why: Annotated[str, typer.Option("--why", help="How it should shape responses.")] = "",
    type: Annotated[str, typer.Option("--type", "-t")] = "fact",
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


@app.command()
def beliefs(
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    include_pending: Annotated[bool, typer.Option("--include-pending")] = False,
    as_json: Json = False,
) -> None:
    """What is held and true in the active scopes."""
    with opened(uri, read_only=True) as memory:
        found = bound(memory, user, scope).beliefs(
            as_of=as_of, valid_at=valid_at, known_at=known_at, include_pending=include_pending
        )
        Show(as_json).beliefs(found)


@app.command()
def history(
    name: str,
    user: User,
    uri: Uri = DEFAULT_URI,
    attribute: Attribute = None,
    as_json: Json = False,
) -> None:
    """Every version of a slot or of one belief, with both clocks."""
    with opened(uri, read_only=True) as memory:
        Show(as_json).beliefs(memory.for_user(user).history(slot_of(name, attribute)), clocks=True)


@app.command()
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


@app.command()
def conflicts(user: User, uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Alternatives that wait for a decision."""
    with opened(uri, read_only=True) as memory:
        found = memory.for_user(user).conflicts()
        Show(as_json).conflicts(found)


@app.command()
def pending(user: User, uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """What was learned and waits for review."""
    with opened(uri, read_only=True) as memory:
        Show(as_json).beliefs(memory.for_user(user).pending())


@app.command()
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


@app.command(name="export")
def export_(user: User, uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Print every version ever recorded, one JSON record a line (--json: one array)."""
    with opened(uri, read_only=True) as memory:
        records = memory.for_user(user).export()
        if as_json:
            typer.echo(json.dumps(records, ensure_ascii=False, indent=2))
            return
        for record in records:
            typer.echo(json.dumps(record, ensure_ascii=False))


@app.command(name="import")
def import_(
    user: User,
    file: Annotated[Path, typer.Argument(help="JSON lines, as export prints them; - for stdin.")],
    uri: Uri = DEFAULT_URI,
    as_json: Json = False,
) -> None:
    """Load records verbatim, in one commit."""
    source = sys.stdin if str(file) == "-" else file.open(encoding="utf-8")
    with opened(uri) as memory, source:
        try:
            records = [json.loads(line) for line in source if line.strip()]
        except json.JSONDecodeError as error:
            typer.echo(f"belief-memory: {file}: not JSON lines: {error}", err=True)
            raise typer.Exit(2) from None
        Show(as_json).count("loaded", memory.for_user(user).load(records))


@app.command()
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
        typer.echo(json.dumps({"digest": text}, ensure_ascii=False) if as_json else text)


@app.command()
def stats(uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Sizes of a store."""
    with opened(uri, read_only=True) as memory:
        Show(as_json).fields(memory.stats())


@app.command()
def maintain(uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Compact every ledger's storage now."""
    with opened(uri) as memory:
        Show(as_json).count("maintained", memory.maintain())


def main() -> None:
    """The entry point."""
    app()
