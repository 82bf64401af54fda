"""The commands that look after a store: records in and out, sizes, upkeep."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from belief_memory.cli.options import DEFAULT_URI, Json, Uri, User, fail, one_line_errors, opened
from belief_memory.cli.show import Show, say


def export_(user: User, uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Print every version ever recorded, one JSON record a line (--json: one array)."""
    with opened(uri, read_only=True) as memory:
        records = memory.for_user(user).export()
        if as_json:
            say(json.dumps(records, ensure_ascii=False, indent=2))
            return
        for record in records:
            say(json.dumps(record, ensure_ascii=False))


def import_(
    user: User,
    file: Annotated[
        Path, typer.Argument(help="JSON lines or one array, as export prints them; - for stdin.")
    ],
    uri: Uri = DEFAULT_URI,
    as_json: Json = False,
) -> None:
    """Load records verbatim, in one commit."""
    with one_line_errors():
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    records = _records(raw, str(file))
    with opened(uri) as memory:
        Show(as_json).count("loaded", memory.for_user(user).load(records))


def _records(raw: bytes, name: str) -> list[Any]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail(f"{name}: not UTF-8: {error.reason} at byte {error.start}")
    if text.lstrip().startswith("["):
        return list(_parsed(text, name))
    # By line feeds alone: a record may hold other line separators as they are.
    return [
        _parsed(line, f"{name}, line {number}")
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]


def _parsed(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        fail(f"{place}: not JSON: {error}")
    except RecursionError:
        fail(f"{place}: nested too deeply")


def stats(uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Sizes of a store."""
    with opened(uri, read_only=True) as memory:
        Show(as_json).fields(memory.stats())


def maintain(uri: Uri = DEFAULT_URI, as_json: Json = False) -> None:
    """Compact every ledger's storage now."""
    with opened(uri) as memory:
        Show(as_json).count("maintained", memory.maintain())
