"""The ledgers of an open store, and the walk over all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from belief_memory.ports import Store
from belief_memory.store.lance import birth, files
from belief_memory.store.lance.driver_errors import of_files
from belief_memory.store.lance.erasure import Eraser
from belief_memory.store.lance.intents import Intents
from belief_memory.store.lance.ledger import LanceLedger
from belief_memory.store.lance.place import EPISODES_PREFIX, check_folder, is_episodes, is_ledger
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
        folder = self._session.place.folder
        if folder is not None:
            with of_files("opening the store"):
                check_folder(folder)
        await self._session.connection.get()
        if self._session.read_only:
            return
        if folder is not None:
            with of_files("opening the store"):
                await files.empty_trash(folder)
                await birth.sweep(folder)
        intents = Intents(self._session)
        async for name, intent in intents.left():
            table = LedgerTable(self._session.connection, intent.table)
            await Eraser(self._session, table).resume(intent)
            await intents.remove(name)

    def ledger(self, user_id: str) -> LanceLedger:
        """The user's ledger, whether or not it exists."""
        self._session.check()
        return LanceLedger(self._session, user_id)

    def episodes(self, user_id: str) -> LanceLedger:
        """Where the user's turns are kept, whether or not it exists."""
        self._session.check()
        return LanceLedger(self._session, user_id, episodes=True)

    async def users(self) -> AsyncIterator[str]:
        """The owners of all ledgers and episodes, in the order of the tables' names."""
        async for user_id, _, _ in self._owners():
            yield user_id

    async def _owners(self) -> AsyncIterator[tuple[str, bool, bool]]:
        """Each user, and whether there is a ledger and whether there are episodes."""
        self._session.check()
        tables = await self._session.connection.tables()
        ledgers = {name for name in tables if is_ledger(name)}
        turns = {name.removeprefix(EPISODES_PREFIX) for name in tables if is_episodes(name)}
        names = sorted(ledgers | turns)
        erasing = bool(await Intents(self._session).names())
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            owners = await asyncio.gather(
                *(self._owner(name if name in ledgers else EPISODES_PREFIX + name) for name in some)
            )
            for name, user_id in zip(some, owners, strict=True):
                if user_id is None:
                    continue
                has, spoke = name in ledgers, name in turns
                if erasing:
                    has = has and await self.ledger(user_id).read() is not None
                    spoke = spoke and await self.episodes(user_id).read() is not None
                if has or spoke:
                    yield user_id, has, spoke

    async def _owner(self, name: str) -> str | None:
        table = LedgerTable(self._session.connection, name)
        schema = await table.call("listing the ledgers", lambda opened: opened.schema())
        owner = None if schema is None else (schema.metadata or {}).get(META_USER)
        return None if owner is None else owner.decode()

    async def copy_to(self, target: Store) -> int:
        """Every ledger and all episodes into ``target``, each as of one instant."""
        copied = 0
        async for user_id, has, spoke in self._owners():
            done = has and await _copied(self.ledger(user_id), user_id, target)
            if spoke and await _copied(self.episodes(user_id), user_id, target, episodes=True):
                done = True
            copied += done
        return copied

    def close(self) -> None:
        """Releases the connection."""
        self._session.close()


async def _copied(
    source: LanceLedger, user_id: str, target: Store, *, episodes: bool = False
) -> bool:
    found = await source.everything()
    if found is None:
        return False
    head, versions = found
    await target.adopt(user_id, versions, head, episodes=episodes)
    return True
