"""Full-text indexes over anchors and words: how a few rows of a large ledger are found.

Only ledgers above :data:`FROM` versions get them, from maintenance: columns with the
anchors and words of every version, and an index on each. Smaller tables have neither;
there, everything held is the answer, as it is wherever an index is not to be had.

Never too few: rows that the index does not know yet are scanned by the driver, as long
as terms are exact; rows without anchors, or with those of another release, always come.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.query import MatchQuery
from lancedb.query import Operator as Operator

from belief_memory.ports import Delta
from belief_memory.store.lance.decode import beliefs
from belief_memory.store.lance.schema import INDEXED
from belief_memory.store.lance.session import Session
from belief_memory.store.lance.snapshot import CHANGES, Snapshot
from belief_memory.store.lance.table import LedgerTable
from belief_memory.text.anchors import ANCHORS_VERSION, anchors
from belief_memory.text.search import stored_terms

FROM = 50_000
"""Versions held from which maintenance builds the indexes."""

_HELD = "kind = 'version' AND retired_at IS NULL"
_STALE = f"(anchors_version IS NULL OR anchors_version <> {ANCHORS_VERSION})"
_AT_ONCE = 20_000
"""Rows, or terms, in one call."""

_PLAIN = FTS(
    base_tokenizer="whitespace",
    with_position=False,
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
)


class Finder:
    """Finds rows of one ledger's table by their anchors or words."""

    def __init__(self, session: Session, table: LedgerTable) -> None:
        self._session = session
        self._table = table
        self._known: tuple[str, int, frozenset[str], frozenset[str], Snapshot, pa.Table] | None = (
            None
        )

    async def exceeds(self, most: int) -> bool:
        """Whether more than ``most`` versions are held, or retired a moment ago."""

        async def work(table: lancedb.AsyncTable) -> bool:
            # Without a filter this is read off the manifest.
            return await table.count_rows() > most and await table.count_rows(_HELD) > most

        return await self._table.call("counting", work) or False

    async def any_of(self, anchors: frozenset[str]) -> Delta | None:
        """The held versions that have one of the anchors, and perhaps more."""
        return await self._found("anchors", anchors, conjunction=False, nothing=not anchors)

    async def all_of(self, terms: frozenset[str]) -> Delta | None:
        """The held versions that have all of the terms, and perhaps more."""
        return await self._found("words", terms, conjunction=True)

    async def _found(
        self, column: str, terms: frozenset[str], *, conjunction: bool, nothing: bool = False
    ) -> Delta | None:
        async def work(table: lancedb.AsyncTable) -> Delta | None:
            while True:
                version = await table.version()
                snapshot = await self._rows(table, version, column, terms, conjunction, nothing)
                # Several queries are one answer only if they read the same version.
                if await table.version() == version:
                    break
            if snapshot.head is None or snapshot.gone:
                return None
            held = tuple(one for one in snapshot.versions() if one.retired_at is None)
            return Delta(snapshot.head, whole=False, held=held)

        return await self._table.call("looking beliefs up", work)
