"""Files of a table on a local folder: made to survive a power cut, and measured."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path


class Flusher:
    """Has the disk confirm the files of one table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: set[str] = set()

    async def flush(self) -> None:
        """Returns when every file of the table is on disk, and the folders that name them."""
        await asyncio.to_thread(self._flush)

    def _flush(self) -> None:
        seen: set[str] = set()
        for place, _, names in os.walk(self._folder):
            fresh = False
            for name in names:
                path = os.path.join(place, name)
                seen.add(path)
                # Files are written once and named at random, except for the hint.
                if path not in self._known or name.endswith(".json"):
                    fresh |= _fsync(path)
            if fresh:
                _fsync(place)
        for folder in (self._folder, *list(self._folder.parents)[:2]):
            _fsync(os.fspath(folder))
        self._known = seen


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
