"""What the ledgers of one open store share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

from belief_memory.errors import HandleClosed, StoreReadOnly
from belief_memory.store.lance.connection import Connection
from belief_memory.store.lance.place import Place
from belief_memory.store.lance.recent import Recent


class Session:
    """The connection of an open store, and whether it may be used."""

    def __init__(
        self,
        place: Place,
        storage_options: Mapping[str, str] | None,
        read_only: bool,
        durability: Literal["process", "power"],
    ) -> None:
        self.place = place
        self.connection = Connection(place, storage_options)
        self.remote = self.connection.remote
        self.read_only = read_only
        self.durability = durability
        self.recent = Recent()
        self._pid = os.getpid()
        self._closed = False

    def check(self, *, write: bool = False) -> None:
        """Raises HandleClosed, or StoreReadOnly for a ``write``."""
        if self._pid != os.getpid():
            raise HandleClosed(
                "the memory was opened before this process was forked, which the storage does "
                "not survive; open it in the process that uses it"
            )
        if self._closed:
            raise HandleClosed("the memory is closed")
        if write and self.read_only:
            raise StoreReadOnly("the memory was opened with read_only=True; nothing was written")

    def close(self) -> None:
        """Closes the connection, unless it belongs to the process that forked this one."""
        if self._pid == os.getpid() and not self._closed:
            self.connection.close()
        self.recent.drop()
        self._closed = True
