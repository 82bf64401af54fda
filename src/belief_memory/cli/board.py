"""``belief-memory board``: one user's memory as a page for people."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Annotated

import typer

from belief_memory.cli.options import (
    DEFAULT_URI,
    AsOf,
    Json,
    Port,
    Uri,
    User,
    fail,
    one_line_errors,
    opened,
)
from belief_memory.cli.show import say


def board(
    user: User,
    uri: Uri = DEFAULT_URI,
    out: Annotated[Path, typer.Option(help="The file to write; - for standard output.")] = Path(
        "board.html"
    ),
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve it on loopback instead, always fresh.")
    ] = False,
    port: Port = 8717,
    as_of: AsOf = None,
    days: Annotated[int, typer.Option(help="How many days the digest covers.")] = 7,
    as_json: Json = False,
) -> None:
    """Look at one user's memory: one HTML page that loads nothing from anywhere."""
    from belief_memory.board import look, render_page
    from belief_memory.board.serving import BoardServer

    if serve and as_json:
        fail("--serve has the data at /data.json; give --json without it")
    with opened(uri, read_only=True) as memory:
        seen = look(memory, user, as_of=as_of, days=days)
        if serve:
            with BoardServer(lambda: look(memory, user, as_of=as_of, days=days), port) as server:
                typer.echo(server.url)
                with contextlib.suppress(KeyboardInterrupt):
                    server.serve_forever()
        elif as_json:
            say(json.dumps(seen.to_json(), ensure_ascii=False, indent=2))
        elif str(out) == "-":
            typer.echo(render_page(seen), nl=False)
        else:
            _write(out, render_page(seen))
            typer.echo(f"wrote {out}")


def _write(path: Path, page: str) -> None:
    # What somebody's memory holds is for their eyes.
    with one_line_errors(), open(os.open(path, _NEW, 0o600), "w", encoding="utf-8") as file:
        file.write(page)


_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
