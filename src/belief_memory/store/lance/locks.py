"""A lock on a table's folder: writers share it, whoever purges or drops has it alone.

Commits are safe without it, fenced by the storage. It keeps a purge, which deletes files
that no version refers to, from deleting those of a commit under way, and a drop from
taking away a table that was begun anew. The lock is on the folder itself: it leaves no
file, and the kernel releases it when its process dies. Object storage has none.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

from belief_memory.errors import StoreBusy

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_POLL = 0.002


@contextlib.asynccontextmanager
async def locked(folder: Path | None, *, alone: bool, wait: float = 60.0) -> AsyncIterator[bool]:
    """Holds the lock on ``folder`` for a block; yields False where there is no folder to
    lock. Raises StoreBusy after ``wait`` seconds."""
    fd = None if folder is None or fcntl is None else await _acquire(folder, alone, wait)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            # A forked child shares the open file: closing ours alone would not unlock it.
            fcntl.flock(fd, fcntl.LOCK_UN)
            os.close(fd)


async def _acquire(folder: Path, alone: bool, wait: float) -> int | None:
    how = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    waited = 0.0
    while True:
        try:
            fd = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(fd, how | fcntl.LOCK_NB)
            if _is(folder, fd):
                return fd
            os.close(fd)  # dropped since we opened it
            continue
        except BlockingIOError:
            os.close(fd)
        except OSError:  # a file system without locks
            os.close(fd)
            return None
        if waited >= wait:
            raise StoreBusy("another process is purging this ledger")
        await asyncio.sleep(_POLL)
        waited += _POLL


def _is(folder: Path, fd: int) -> bool:
    try:
        now = os.stat(folder)
    except FileNotFoundError:
        return False
    ours = os.fstat(fd)
    return (now.st_dev, now.st_ino) == (ours.st_dev, ours.st_ino)
