"""The connection of a store, made when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import lancedb

from belief_memory.store.lance.driver_errors import of_files, translated
from belief_memory.store.lance.place import Place, is_folder, tables_in
from belief_memory.store.lance.remote import Remote

_PAGE = 100_000


class Connection:
    """One store's connection to the driver."""

    def __init__(self, place: Place, storage_options: Mapping[str, str] | None) -> None:
        self.place = place
        self.remote = Remote(place.kind == "cloud")
        self._options = self.remote.options(storage_options)
        self._connection: lancedb.AsyncConnection | None = None

    async def get(self, *, create: bool = False) -> lancedb.AsyncConnection | None:
        """The connection; None for a folder that does not exist, unless ``create``: the
        driver would create it."""
        folder = self.place.folder
        if folder is not None and not create and not is_folder(folder):
            return None
        if self._connection is None:
            self._connection = await self.to(self.place.uri)
        return self._connection

    async def to(self, uri: str) -> lancedb.AsyncConnection:
        """A connection of its own to a place within the store."""
        try:
            return await lancedb.connect_async(
                uri,
                read_consistency_interval=timedelta(0),
                storage_options=self._options or None,
            )
        except Exception as error:  # noqa: BLE001
            raise translated(error, "connecting to the store", quoting=True) from None

    async def tables(self) -> list[str]:
        """The names of all tables, sorted."""
        if self.place.folder is not None:
            with of_files("listing the ledgers"):
                return tables_in(self.place.folder)
        connection = await self.get()
        assert connection is not None
        return await all_tables(connection)

    def close(self) -> None:
        """Releases the connection."""
        if self._connection is not None:
            self._connection.close()  # type: ignore[no-untyped-call]
            self._connection = None


async def all_tables(connection: lancedb.AsyncConnection) -> list[str]:
    """The names of all tables, sorted. Pages are long: each lists everything anew."""
    names: list[str] = []
    page: str | None = None
    while True:
        try:
            found = await connection.list_tables(page_token=page, limit=_PAGE)
        except Exception as error:  # noqa: BLE001
            raise translated(error, "listing the ledgers") from None
        names += found.tables
        page = found.page_token
        if not page:
            return sorted(names)
