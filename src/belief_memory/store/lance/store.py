"""The store: ledgers by user id, in one folder, prefix or database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from belief_memory.errors import HandleClosed, StoreError
from belief_memory.model.belief import Belief
from belief_memory.ports import Head, LedgerStore, Store
from belief_memory.store.lance.place import place_of

if TYPE_CHECKING:
    from belief_memory.store.lance.shelf import Shelf

Durability = Literal["process", "power"]
"""What a commit has survived when it returns: the end of the process, or a power cut."""


class LanceStore(Store):
    """Ledgers in LanceDB.

    ``uri`` is a folder, ``s3://bucket/prefix`` (or another object store that LanceDB
    knows), or ``db://name`` for LanceDB Cloud / Enterprise. ``storage_options`` go to the
    driver. With ``durability="power"`` a commit on a folder returns only when the disk has
    confirmed it, so that it survives a power cut and not only the end of the process;
    elsewhere the storage's own durability is what there is.
    """

    def __init__(
        self,
        uri: str,
        *,
        storage_options: Mapping[str, str] | None = None,
        read_only: bool = False,
        durability: Durability = "process",
    ) -> None:
        self.uri = uri
        self.read_only = read_only
        self._place = place_of(uri)
        self._options = storage_options
        self._durability: Durability = durability
        self._shelf: Shelf | None = None

    async def open(self) -> None:
        """Connect, and finish erasures that a crash interrupted."""
        from belief_memory.store.lance.session import Session
        from belief_memory.store.lance.shelf import Shelf

        session = Session(self._place, self._options, self.read_only, self._durability)
        self._shelf = Shelf(session)
        await self._shelf.open()

    def _opened(self) -> Shelf:
        if self._shelf is None:
            raise HandleClosed("the store is not open")
        return self._shelf

    def ledger(self, user_id: str) -> LedgerStore:
        return self._opened().ledger(user_id)

    def episodes(self, user_id: str) -> LedgerStore:
        return self._opened().episodes(user_id)

    def users(self) -> AsyncIterator[str]:
        return self._opened().users()

    async def copy_to(self, target: Store) -> int:
        async for _ in target.users():
            raise StoreError("the target of a copy must be empty")
        return await self._opened().copy_to(target)

    async def adopt(
        self, user_id: str, versions: Sequence[Belief], head: Head, *, episodes: bool = False
    ) -> None:
        shelf = self._opened()
        kept = shelf.episodes(user_id) if episodes else shelf.ledger(user_id)
        await kept.adopt(versions, head)

    async def close(self) -> None:
        if self._shelf is not None:
            self._shelf.close()
