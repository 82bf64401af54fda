"""The calls that differ on LanceDB Cloud and Enterprise (``db://``).

Written to the documented differences and tested against a stub; not run against a live
service. There, the primary key cannot be set through a call (it is part of the schema a
table is created with), rows come as batches rather than as one table, and compaction and
cleanup are the service's own business. Whether its merges fence rivals as those on files
do has not been shown: let one process write a user's ledger there.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import lancedb
import pyarrow as pa

_SHORT = ("api_key", "region", "host_override")


class Remote:
    """What depends on whether the tables are files that we maintain ourselves."""

    def __init__(self, cloud: bool) -> None:
        self.cloud = cloud

    @property
    def verifies_erasure(self) -> bool:
        """Whether a purge leaves nothing behind for certain."""
        return not self.cloud

    def options(self, given: Mapping[str, str] | None) -> dict[str, str]:
        """The driver's options: a service's ``api_key``, ``region`` and ``host_override``
        by the driver's own names, its key from ``LANCEDB_API_KEY`` where none is given."""
        if not self.cloud:
            return dict(given or {})
        named = {
            f"remote_database_{name}" if name in _SHORT else name: value
            for name, value in (given or {}).items()
        }
        key = os.environ.get("LANCEDB_API_KEY")
        if key is not None:
            # Of the driver's two ways to connect only the blocking one reads it.
            named.setdefault("remote_database_api_key", key)
        return named

    async def rows(self, query: Any) -> pa.Table:
        """All rows of a query."""
        if not self.cloud:
            return await query.to_arrow()
        reader = await query.to_batches()
        batches = [batch async for batch in reader]
        return pa.Table.from_batches(batches, schema=reader.schema)

    async def set_primary_key(self, table: lancedb.AsyncTable, column: str) -> None:
        """Makes ``column`` the key by which concurrent merges are told apart."""
        if not self.cloud:
            await table.set_unenforced_primary_key(column)

    async def merge_files(self, table: lancedb.AsyncTable) -> None:
        """Makes one file of many small ones; old versions stay."""
        if not self.cloud:
            await table.optimize()

    async def compact(self, table: lancedb.AsyncTable, *, purge: bool) -> None:
        """Compacts and removes old versions; with ``purge`` also every file that no
        version refers to, for which the caller must have the table alone."""
        if self.cloud:
            return
        with warnings.catch_warnings():
            # It warns that readers of older versions will fail: ours try again.
            warnings.simplefilter("ignore", UserWarning)
            await table.optimize(cleanup_older_than=timedelta(0), delete_unverified=purge)
