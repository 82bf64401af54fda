"""Whether a ledger in a local folder changed: a stat, seldom a listing, never the driver.

A table's versions are manifest files, named by 2^64 - 1 - version, that are written once.
The name, inode and time of the newest one say exactly which version of which incarnation
of the table this is. As git does with its index, the time of the folder is trusted only
if it is clearly older than the listing: a change within one tick of a file system's clock
would not move it.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

_TRUSTED_AFTER = 2_000_000_000
"""Nanoseconds; FAT keeps times in steps of two seconds, everything else in finer ones."""

_TOP = 2**64 - 1
_SUFFIX = ".manifest"

Key = tuple[str, int, int] | None


@dataclass(slots=True)
class FolderToken:
    """One version of a table on a local folder; equal tokens mean the same version."""

    key: Key
    """Name, inode and time of the newest manifest; None: there is no table."""
    stat: tuple[int, int] | None = field(default=None, compare=False)
    """Inode and time of the folder of manifests, where they can be trusted."""


def look(versions: Path) -> FolderToken:
    """The newest version under a table's folder of manifests."""
    folder = os.fspath(versions)
    while True:
        try:
            before = os.stat(folder)
            now = time.time_ns()
            names = [name for name in os.listdir(folder) if name.endswith(_SUFFIX)]
        except FileNotFoundError:
            return FolderToken(None)
        if not names:
            return FolderToken(None)
        name = min(names)
        key = _key(folder, name)
        if key is None:
            continue  # a cleanup removed it since the listing; there is a newer one
        trusted = now - before.st_mtime_ns > _TRUSTED_AFTER
        return FolderToken(key, (before.st_ino, before.st_mtime_ns) if trusted else None)


def of_version(versions: Path, version: int) -> FolderToken | None:
    """The token of one version; None if its manifest is gone already."""
    key = _key(os.fspath(versions), f"{_TOP - version:020}{_SUFFIX}")
    return None if key is None else FolderToken(key)


def unchanged(versions: Path, token: FolderToken) -> bool:
    """Whether ``token`` is still the newest version. Microseconds, on any thread."""
    if token.stat is not None:
        try:
            now = os.stat(versions)
        except FileNotFoundError:
            return False
        if token.stat == (now.st_ino, now.st_mtime_ns):
            return True
    fresh = look(versions)
    if fresh.key != token.key:
        return False
    token.stat = fresh.stat
    return True


def count(versions: Path) -> int:
    """How many versions are kept."""
    try:
        return sum(name.endswith(_SUFFIX) for name in os.listdir(versions))
    except FileNotFoundError:
        return 0


def _key(folder: str, name: str) -> Key:
    try:
        found = os.stat(os.path.join(folder, name))
    except FileNotFoundError:
        return None
    return name, found.st_ino, found.st_mtime_ns
