"""What is done to a table's files directly, where they are local."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
from pathlib import Path

from belief_memory.store.lance.driver_errors import of_files

_TRASH = ".erased-"


async def remove_table(folder: Path) -> None:
    """Takes the table away at once, then deletes its files. The caller has it alone."""
    trash = folder.with_name(_TRASH + secrets.token_hex(8))
    with of_files("erasing"):
        try:
            os.rename(folder, trash)
        except FileNotFoundError:
            return
    await asyncio.to_thread(shutil.rmtree, trash, ignore_errors=True)


async def empty_trash(folder: Path) -> None:
    """Deletes what an interrupted removal left."""
    await asyncio.to_thread(_empty_trash, folder)


def _empty_trash(folder: Path) -> None:
    if folder.is_dir():
        for name in os.listdir(folder):
            if name.startswith(_TRASH):
                shutil.rmtree(folder / name, ignore_errors=True)


def no_deletions(folder: Path | None) -> bool:
    """Whether no data file of the table holds deleted rows."""
    if folder is None:
        return True
    try:
        return not os.listdir(folder / "_deletions")
    except FileNotFoundError:
        return True
