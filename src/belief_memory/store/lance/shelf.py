"""The ledgers of an open store, and the walk over all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from belief_memory.ports import Store
from belief_memory.store.lance import birth, files
from belief_memory.store.lance.erasure import Eraser
from belief_memory.store.lance.intents import Intents
from belief_memory.store.lance.ledger import LanceLedger
from belief_memory.store.lance.place import is_ledger
from belief_memory.store.lance.schema import META_USER
from belief_memory.store.lance.session import Session
from belief_memory.store.lance.table import LedgerTable

_AT_ONCE = 32


class Shelf:
    """What a store does once the driver is imported."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def open(self) -> None:
        """Connect to what exists, and finish erasures that a crash interrupted."""
        await self._session.connection.get()
        if self._session.read_only:
            return
        if self._session.place.folder is not None:
            await files.empty_trash(self._session.place.folder)
            await birth.sweep(self._session.place.folder)
        intents = Intents(self._session)
        async for name, intent in intents.left():
            table = LedgerTable(self._session.connection, intent.table)
            await Eraser(self._session, table).resume(intent)
            await intents.remove(name)

    def ledger(self, user_id: str) -> LanceLedger:
        """The user's ledger, whether or not it exists."""
        self._session.check()
        return LanceLedger(self._session, user_id)

    async def users(self) -> AsyncIterator[str]:
        """The owners of all ledgers, in the order of the tables' names."""
        self._session.check()
        names = [name for name in await self._session.connection.tables() if is_ledger(name)]
        erasing = bool(await Intents(self._session).names())
        for start in range(0, len(names), _AT_ONCE):
            owners = await asyncio.gather(*map(self._owner, names[start : start + _AT_ONCE]))
            for user_id in owners:
                if user_id is None:
                    continue
                if not erasing or await self.ledger(user_id).read() is not None:
                    yield user_id

    async def _owner(self, name: str) -> str | None:
        table = LedgerTable(self._session.connection, name)
        schema = await table.call("listing the ledgers", lambda opened: opened.schema())
        owner = None if schema is None else (schema.metadata or {}).get(META_USER)
        return None if owner is None else owner.decode()

    async def copy_to(self, target: Store) -> int:
        """Every ledger into ``target``, each as of one instant."""
        copied = 0
        async for user_id in self.users():
            ledger = await self.ledger(user_id).everything()
            if ledger is not None:
                head, versions = ledger
                await target.adopt(user_id, versions, head)
                copied += 1
        return copied

    def close(self) -> None:
        """Releases the connection."""
        self._session.close()
