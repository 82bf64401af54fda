"""How a ledger's table comes into being, with its first commit in it, once.

The driver's ``create`` looks whether the table exists and then writes: of two processes
that look at the same time, the later one silently replaces what the earlier one wrote.

On a folder the table is made aside and renamed into place, which only one can do. Object
storage cannot rename; there every creator leaves a claim, looks for others', and goes on
only if it is alone: of two, at least the later one sees the other. Claims of the dead
count for a minute. A remote service decides for itself.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import secrets
import shutil
import time
from pathlib import Path

import lancedb
import pyarrow as pa

from belief_memory.errors import StoreBusy
from belief_memory.store.lance import driver_errors, durable
from belief_memory.store.lance.locks import locked
from belief_memory.store.lance.session import Session
from belief_memory.store.lance.table import pause

_NEST = ".new-"
_CLAIM = re.compile(r"claim_(\d+)_[0-9a-f]+")
_CLAIM_LASTS = 60.0
_TRIES = 64


async def create(session: Session, name: str, rows: pa.Table) -> bool:
    """Creates the table with these rows; False if there is one already."""
    try:
        if session.place.folder is not None:
            return await _in_folder(session, session.place.folder, name, rows)
        if session.remote.cloud:
            return await _plainly(session, name, rows)
        return await _claimed(session, name, rows)
    except Exception as error:
        if driver_errors.is_ours(error):
            raise
        raise driver_errors.translated(error, "creating a ledger") from None


async def _in_folder(session: Session, folder: Path, name: str, rows: pa.Table) -> bool:
    place = folder / f"{name}.lance"
    if _exists(place):
        return False
    nest = folder / (_NEST + secrets.token_hex(8))
    os.makedirs(nest)
    try:
        async with locked(nest, alone=True):
            connection = await session.connection.to(str(nest))
            await connection.create_table(name, data=rows, mode="create")
            connection.close()  # type: ignore[no-untyped-call]
            return await _hatched(session, nest / place.name, place)
    finally:
        await asyncio.to_thread(shutil.rmtree, nest, ignore_errors=True)


async def _hatched(session: Session, made: Path, place: Path) -> bool:
    if session.durability == "power":
        await durable.Flusher(made).flush()
    try:
        os.rename(made, place)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


async def sweep(folder: Path) -> None:
    """Removes what creators left that died before their table was in place."""
    for name in _nests(folder):
        try:
            async with locked(folder / name, alone=True, wait=0):
                await asyncio.to_thread(shutil.rmtree, folder / name, ignore_errors=True)
        except StoreBusy:
            continue  # its process is alive


def _nests(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.startswith(_NEST)]
    except FileNotFoundError:
        return []


def _exists(place: Path) -> bool:
    return place.exists()


async def _plainly(session: Session, name: str, rows: pa.Table) -> bool:
    connection = await session.connection.get(create=True)
    assert connection is not None
    try:
        await connection.create_table(name, data=rows, mode="create")
    except Exception as error:
        if driver_errors.kind_of(error) in ("exists", "conflict"):
            return False
        raise
    return True


async def _claimed(session: Session, name: str, rows: pa.Table) -> bool:
    claims = await session.connection.to(f"{session.place.uri.rstrip('/')}/_claims/{name}")
    try:
        for attempt in range(_TRIES):
            mine = f"claim_{time.time_ns()}_{secrets.token_hex(8)}"
            await claims.create_table(mine, data=pa.table({"claim": [mine]}), mode="create")
            try:
                if await _alone(claims, mine):
                    return await _plainly(session, name, rows)
            finally:
                await claims.drop_table(mine)
            await pause(attempt)
        raise StoreBusy("rivals got in the way of creating a ledger")
    finally:
        claims.close()  # type: ignore[no-untyped-call]


async def _alone(claims: lancedb.AsyncConnection, mine: str) -> bool:
    found = await claims.list_tables(limit=1000)
    now = time.time()
    alone = True
    for name in found.tables:
        claim = _CLAIM.fullmatch(name)
        if claim is None or name == mine:
            continue
        if abs(now - int(claim[1]) / 1e9) < _CLAIM_LASTS:
            alone = False
        else:
            await claims.drop_table(name, ignore_missing=True)
    return alone
