"""Where a store lives, told from its uri."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_TABLE = ".lance"
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+)://")


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, a prefix on object storage, or a database of LanceDB Cloud / Enterprise."""

    kind: Literal["folder", "objects", "cloud"]
    uri: str
    """What the driver is given."""
    folder: Path | None = None

    def table(self, name: str) -> Path | None:
        """The folder of a table, where there are folders."""
        return None if self.folder is None else self.folder / f"{name}{_TABLE}"


def place_of(uri: str) -> Place:
    """The place that ``uri`` names. A folder becomes an absolute path: the driver takes a
    relative one named like a scheme (``db``) for a remote database."""
    scheme = _SCHEME.match(uri)
    if scheme is None or scheme[1].lower() == "file":
        path = uri if scheme is None else uri[scheme.end() :]
        folder = Path(path).expanduser().absolute()
        return Place("folder", str(folder), folder)
    if scheme[1].lower() == "db":
        return Place("cloud", uri)
    return Place("objects", uri)


def is_folder(path: Path) -> bool:
    """Whether the path is a folder, just now."""
    return path.is_dir()


def check_folder(folder: Path) -> None:
    """Raises OSError for what is there and is no folder, or may not be looked into."""
    try:
        os.scandir(folder).close()
    except FileNotFoundError:
        return


def tables_in(folder: Path) -> list[str]:
    """The names of the tables in a folder, sorted; none if it does not exist."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return sorted(name[: -len(_TABLE)] for name in names if name.endswith(_TABLE))


def table_name(user_id: str) -> str:
    """The name of a user's table: any id will do, on any file system, and none collide."""
    digest = hashlib.sha256(user_id.encode()).digest()
    return base64.b32encode(digest).decode().rstrip("=").lower()


EPISODES_PREFIX = "episodes_"
"""Of the tables that keep users' turns; the rest is the name of the user's ledger."""

INTENT_PREFIX = "_erasure_"
"""Of the tables that hold an erasure under way."""


def is_ledger(name: str) -> bool:
    """Whether a table is a user's ledger."""
    return re.fullmatch("[a-z2-7]{52}", name) is not None


def is_episodes(name: str) -> bool:
    """Whether a table keeps a user's turns."""
    return name.startswith(EPISODES_PREFIX) and is_ledger(name.removeprefix(EPISODES_PREFIX))


def episodes_name(user_id: str) -> str:
    """The name of the table that keeps a user's turns."""
    return EPISODES_PREFIX + table_name(user_id)
