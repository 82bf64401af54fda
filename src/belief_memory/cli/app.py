"""The command line, put together. Each command is one verb of the public API on one
user's memory, or one of the other ways in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from belief_memory import __version__
from belief_memory.cli import bench, board, deciding, keeping, mcp, reading, writing

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Beliefs that stay true: a memory for agents. "
    "Every command that prints takes --json; errors are one line and status 2.",
)

COMMANDS: tuple[Callable[..., None], ...] = (
    reading.recall,
    writing.remember,
    deciding.correct,
    deciding.retract,
    reading.beliefs,
    reading.history,
    reading.changes,
    reading.conflicts,
    deciding.resolve_conflict,
    reading.pending,
    deciding.approve,
    deciding.reject,
    reading.search,
    writing.forget,
    keeping.export_,
    keeping.import_,
    reading.digest,
    keeping.stats,
    keeping.maintain,
    board.board,
    mcp.mcp,
)
for command in COMMANDS:
    app.command(name=command.__name__.removesuffix("_").replace("_", "-"))(command)
app.add_typer(bench.app, name="bench")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Say which this is."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """The entry point."""
    app()
