"""A ledger's table: opened when needed, reopened when somebody cleaned up under it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import lancedb
import pyarrow as pa

from belief_memory.errors import StoreBusy, StoreCorrupt
from belief_memory.store.lance import driver_errors, freshness
from belief_memory.store.lance.connection import Connection
from belief_memory.store.lance.driver_errors import translated
from belief_memory.store.lance.schema import FIELDS, PRIMARY_KEY, check_version

R = TypeVar("R")

_TRIES = 24
"""Of a call that rivals or cleanups got in the way of; the waits add up to a few seconds."""

_FENCE = "CAST(('taken ' || target.id) AS INT) = 1"
"""Cannot be evaluated: a merge that matches any row fails as a whole and writes nothing.
(``||`` and not ``concat``, which makes text of a NULL: rows that match nothing have one.)"""


class LedgerTable:
    """One table by name, whether or not it exists."""

    def __init__(self, connection: Connection, name: str) -> None:
        self.connection = connection
        self.name = name
        self._table: lancedb.AsyncTable | None = None
        self._writable = False

    async def call(
        self, doing: str, work: Callable[[lancedb.AsyncTable], Awaitable[R]]
    ) -> R | None:
        """``work`` on the table, again where a cleanup or a rival got in the way; None if
        there is no table. Driver errors come out translated."""
        kind: driver_errors.Kind = "other"
        for attempt in range(_TRIES):
            try:
                table = await self.opened()
                return None if table is None else await work(table)
            except Exception as error:
                if driver_errors.is_ours(error):
                    raise
                kind = driver_errors.kind_of(error)
                if kind == "absent":
                    self.forget()
                    return None
                if kind not in ("gone", "conflict"):
                    raise translated(error, doing) from None
                self.forget()
                await pause(attempt)
        if kind == "gone":
            raise StoreCorrupt(f"{doing} failed: files of the ledger are missing")
        raise StoreBusy(f"{doing}: rivals got in the way {_TRIES} times in a row")

    async def opened(self) -> lancedb.AsyncTable | None:
        """The table, None if it does not exist. Raises the driver's errors."""
        if self._table is None:
            connection = await self.connection.get()
            if connection is None:
                return None
            try:
                self._table = await connection.open_table(self.name)
            except Exception as error:
                if driver_errors.kind_of(error) == "absent":
                    return None
                raise
            self._writable = False
        return self._table

    async def for_writing(self) -> tuple[lancedb.AsyncTable, pa.Schema] | None:
        """The table and its schema, brought up to this release's; None if it is absent."""
        table = await self.opened()
        if table is None:
            return None
        schema = await table.schema()
        if not self._writable:
            schema = await self._upgraded(table, schema)
            self._writable = True
        return table, schema

    def forget(self) -> None:
        """Open the table anew the next time."""
        self._table = None

    def token(self) -> freshness.FolderToken | None:
        """Which version is the newest, told from the folder; None without one."""
        folder = self.connection.place.table(self.name)
        return None if folder is None else freshness.look(folder / "_versions")

    async def _upgraded(self, table: lancedb.AsyncTable, schema: pa.Schema) -> pa.Schema:
        check_version(schema)
        while (missing := _missing(schema)) or not _has_key(schema):
            try:
                if missing:
                    await table.add_columns(pa.schema(missing))
                else:
                    await self.connection.remote.set_primary_key(table, "id")
                schema = await table.schema()
            except Exception:
                # A rival may have been as quick, and be between one step and the next.
                seen, schema = schema, await table.schema()
                if seen.equals(schema, check_metadata=True):
                    raise
        return schema


def fenced(table: lancedb.AsyncTable) -> lancedb.merge.LanceMergeInsertBuilder:
    """A merge that inserts all of its rows, or fails if the table has any of them."""
    return (
        table.merge_insert("id")
        .when_matched_update_all(where=_FENCE)
        .when_not_matched_insert_all()
        .use_index(False)
    )


def _missing(schema: pa.Schema) -> list[pa.Field]:
    return [field.with_nullable(True) for field in FIELDS if field.name not in schema.names]


def _has_key(schema: pa.Schema) -> bool:
    metadata = schema.field("id").metadata or {}
    return any(name.startswith(PRIMARY_KEY) for name in metadata)


async def pause(attempt: int) -> None:
    """A short wait, longer and more random with every attempt."""
    await asyncio.sleep(random.uniform(0, 0.004 * 1.5 ** min(attempt, 12)))
