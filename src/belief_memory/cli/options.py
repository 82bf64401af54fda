"""What the commands share: their options, the memory they open, and how they fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, NoReturn

import typer

from belief_memory import BeliefMemory, BeliefMemoryError, UserMemory
from belief_memory.cli.show import printable
from belief_memory.model.slot import SlotLike

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
Port = Annotated[int, typer.Option(min=0, max=65535, help="Where on loopback; 0: any free port.")]

DEFAULT_URI = "./beliefs"


@contextmanager
def opened(uri: str, *, read_only: bool = False) -> Iterator[BeliefMemory]:
    """The memory at ``uri``, within :func:`one_line_errors`."""
    with one_line_errors(), BeliefMemory.open(uri, read_only=read_only) as memory:
        yield memory


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Our errors, and those of files and sockets, end the command with one line and status 2.
    A reader that has seen enough (``| head``) is no error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (BeliefMemoryError, OSError) as error:
        fail(str(error))


def fail(why: str) -> NoReturn:
    """End the command: one line on stderr, status 2, as for a wrong option."""
    typer.echo(f"belief-memory: {printable(' '.join(why.split()))}", err=True)
    raise typer.Exit(2) from None


def bound(memory: BeliefMemory, user: str, scopes: list[str] | None) -> UserMemory:
    """The user's memory with these active scopes, or the default ones."""
    return memory.for_user(user, scopes=scopes) if scopes else memory.for_user(user)


def slot_of(name: str, attribute: str | None) -> SlotLike:
    """The slot that a command names."""
    return name if attribute is None else (name, attribute)
