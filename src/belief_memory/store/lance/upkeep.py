"""Maintenance: changes folded, files compacted, old storage versions removed.

Headers stay for ever. They are what a very late writer runs into, and what tells a very
late reader that its head is of this ledger; they cost a few bytes each.
"""

from __future__ import annotations

import lancedb

from belief_memory.store.lance import fulltext
from belief_memory.store.lance.erasure import Eraser
from belief_memory.store.lance.fold import fold
from belief_memory.store.lance.locks import locked
from belief_memory.store.lance.session import Session
from belief_memory.store.lance.table import LedgerTable

EVERY = 64
"""Storage versions that pile up before a ledger asks for maintenance."""


async def maintain(session: Session, table: LedgerTable, eraser: Eraser) -> None:
    """Finish erasures, fold, compact, and remove old storage versions."""
    await eraser.purge()

    async def work(_: lancedb.AsyncTable) -> None:
        async with locked(session.place.table(table.name), alone=False):
            ready = await table.for_writing()
            if ready is None:
                return
            opened, _schema = ready
            # Folding into many small files costs far more than making one of them first.
            await session.remote.merge_files(opened)
            await fold(session, opened)
            large = await fulltext.add_columns(session, opened)
            await session.remote.compact(opened, purge=False)
            if large:
                await fulltext.build(opened)

    await table.call("maintaining a ledger", work)
