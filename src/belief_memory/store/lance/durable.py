"""Files of a table on a local folder: made to survive a power cut, and measured."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

_flushed: dict[str, set[str]] = {}


async def flush(folder: Path) -> None:
    """Has the disk confirm every file of the table, and the folders that name them."""
    await asyncio.to_thread(_flush, folder)


def _flush(folder: Path) -> None:
    known = _flushed.setdefault(os.fspath(folder), set())
    seen: set[str] = set()
    for place, _, names in os.walk(folder):
        fresh = False
        for name in names:
            path = os.path.join(place, name)
            seen.add(path)
            # Files are written once and named at random, except for the hint.
            if path not in known or name.endswith(".json"):
                fresh |= _fsync(path)
        if fresh:
            _fsync(place)
    _fsync(os.fspath(folder))
    _fsync(os.fspath(folder.parent))
    _fsync(os.fspath(folder.parent.parent))
    _flushed[os.fspath(folder)] = seen


def _fsync(path: str) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # cleaned up since the listing
        return False
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    return True


def size(folder: Path) -> int:
    """Bytes of all files under ``folder``."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                continue
    return total
