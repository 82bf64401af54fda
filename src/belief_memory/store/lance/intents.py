"""Erasures under way, so that a crash does not stop them: one small table each, which
holds digests and no text, and whose removal leaves nothing."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass

import lancedb
import pyarrow as pa

from belief_memory.errors import StoreBusy
from belief_memory.ports import LostRace
from belief_memory.store.lance import driver_errors, files
from belief_memory.store.lance.connection import all_tables
from belief_memory.store.lance.locks import locked
from belief_memory.store.lance.place import INTENT_PREFIX
from belief_memory.store.lance.session import Session

_SCHEMA = pa.schema(
    [
        ("table", pa.string()),
        ("ledger_id", pa.string()),
        ("plan_id", pa.string()),
        ("bound", pa.int64()),
        ("everything", pa.bool_()),
        ("salt", pa.string()),
        ("digests", pa.list_(pa.string())),
    ]
)


@dataclass(frozen=True, slots=True)
class Intent:
    """What is to be erased, from which incarnation of which ledger, up to which commit."""

    table: str
    ledger_id: str
    plan_id: str
    bound: int
    everything: bool
    salt: str = ""
    digests: tuple[str, ...] = ()


class Intents:
    """The intents of one store."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @contextlib.asynccontextmanager
    async def held(self, intent: Intent) -> AsyncIterator[None]:
        """The intent is on disk for the time of the block, and locked: whoever opens the
        store meanwhile leaves it to us. Stays on disk if the block fails, for the next
        open, except when a race was lost: then nothing was erased."""
        name = INTENT_PREFIX + secrets.token_hex(8)
        async with self._reserved(name):
            await self._write(name, intent)
            try:
                yield
            except LostRace:
                await self.remove(name)
                raise
            await self.remove(name)

    @contextlib.asynccontextmanager
    async def _reserved(self, name: str) -> AsyncIterator[None]:
        """The intent's folder, made and locked before it says anything: one that says
        nothing and that nobody has locked was begun by a process that died."""
        folder = self._session.place.table(name)
        for last in (False, False, True):
            if folder is not None:
                with driver_errors.of_files("preparing an erasure"):
                    folder.mkdir(parents=True, exist_ok=True)
            # Between the two, whoever opens the store may have swept it away.
            async with locked(folder, alone=True) as ours:
                if ours or folder is None or last:
                    yield
                    return

    async def _write(self, name: str, intent: Intent) -> None:
        connection = await self._connection()
        row = {
            "table": intent.table,
            "ledger_id": intent.ledger_id,
            "plan_id": intent.plan_id,
            "bound": intent.bound,
            "everything": intent.everything,
            "salt": intent.salt,
            "digests": list(intent.digests),
        }
        try:
            await connection.create_table(
                name, data=pa.Table.from_pylist([row], schema=_SCHEMA), mode="create"
            )
        except Exception as error:  # noqa: BLE001
            raise driver_errors.translated(error, "preparing an erasure") from None

    async def remove(self, name: str) -> None:
        """The erasure is done."""
        folder = self._session.place.table(name)
        if folder is not None:
            await files.remove_table(folder)
            return
        try:
            await (await self._connection()).drop_table(name)
        except Exception as error:  # noqa: BLE001
            if driver_errors.kind_of(error) not in ("absent", "gone"):
                raise driver_errors.translated(error, "finishing an erasure") from None

    async def _connection(self) -> lancedb.AsyncConnection:
        """On object storage intents have a prefix of their own: a look at it at every open
        need not list all ledgers."""
        place = self._session.place
        if place.kind == "objects":
            return await self._session.connection.to(f"{place.uri.rstrip('/')}/_erasures")
        connection = await self._session.connection.get(create=True)
        assert connection is not None
        return connection

    async def names(self) -> list[str]:
        """The tables of all intents there are."""
        if self._session.place.kind == "objects":
            names = await all_tables(await self._connection())
        else:
            names = await self._session.connection.tables()
        return [name for name in names if name.startswith(INTENT_PREFIX)]

    async def left(self) -> AsyncIterator[tuple[str, Intent]]:
        """Intents whose process is gone, each locked while it is looked at."""
        for name in await self.names():
            try:
                async with locked(self._session.place.table(name), alone=True, wait=0) as ours:
                    intent = await self._read(name)
                    if intent is not None:
                        yield name, intent
                    elif ours:
                        await self.remove(name)
            except StoreBusy:
                continue  # its process is alive

    async def _read(self, name: str) -> Intent | None:
        try:
            table = await (await self._connection()).open_table(name)
            rows = (await self._session.remote.rows(table.query())).to_pylist()
        except Exception as error:  # noqa: BLE001
            if driver_errors.kind_of(error) in ("absent", "gone"):
                return None
            raise driver_errors.translated(error, "reading an erasure") from None
        if not rows:
            return None
        row = rows[0]
        return Intent(**{**row, "digests": tuple(row["digests"] or ())})
