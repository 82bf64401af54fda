"""Full-text indexes over anchors and words: how a few rows of a large ledger are found.

Only ledgers above :data:`FROM` versions get them, from maintenance: columns with the
anchors and words of every version, and an index on each. Smaller tables have neither;
there, everything held is the answer, as it is on a service that builds its own indexes.

Never too few: rows that the index does not know yet are scanned by the driver, as long
as terms are exact; rows without anchors, or with those of another release, always come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.query import FullTextOperator, MatchQuery

from belief_memory.ports import Delta
from belief_memory.store.lance.decode import beliefs
from belief_memory.store.lance.filters import text
from belief_memory.store.lance.schema import COLUMN_TYPES, FIELDS, INDEXED, META_LEDGER
from belief_memory.store.lance.session import Session
from belief_memory.store.lance.snapshot import CHANGES, Snapshot
from belief_memory.store.lance.table import LedgerTable
from belief_memory.text.anchors import ANCHORS_VERSION, anchors
from belief_memory.text.search import stored_terms

FROM = 150_000
"""Versions held from which maintenance builds the indexes: a little before a ledger is too
large to be kept in memory, and no earlier, as maintenance then takes longer."""

_HELD = "kind = 'version' AND retired_at IS NULL"
_STALE = f"{_HELD} AND (anchors_version IS NULL OR anchors_version <> {ANCHORS_VERSION})"

_COLUMNS = ("anchors", "words")

_OF_VERSIONS = ("id", "kind", "seq", "touched", *COLUMN_TYPES, "keys_version")

_ROWS = 20_000
"""Rows that are given their anchors in one merge."""

_TERMS = 4000
"""Terms in one query."""

_PLAIN = FTS(
    base_tokenizer="whitespace",
    with_position=False,
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
)


@dataclass(frozen=True, slots=True)
class _Version:
    """What every lookup in one version of the table needs beside the rows it finds."""

    number: int
    columns: list[str]
    """What is read of the versions that are found: every column costs a read of its own."""
    terms: bool
    """Whether the table has the columns that the indexes read."""
    indexed: frozenset[str]
    rows: pa.Table
    """Changes that are not folded yet, and held versions without anchors of this release."""


class Finder:
    """Finds rows of one ledger's table by their anchors or words."""

    def __init__(self, session: Session, table: LedgerTable) -> None:
        self._session = session
        self._table = table
        self._seen: _Version | None = None
        self.wanting = False
        """Whether maintenance would make lookups faster."""

    async def exceeds(self, most: int) -> bool:
        """Whether more than ``most`` versions are held, or were until a moment ago."""

        async def work(table: lancedb.AsyncTable) -> bool:
            # Without a filter the count is read off the manifest.
            return await table.count_rows() > most and await table.count_rows(_HELD) > most

        return await self._table.call("counting", work) or False

    async def find(self, column: str, terms: frozenset[str], *, every: bool) -> Delta | None:
        """The head, and the held versions with one of the terms (``every``: all of them)
        in this column, and perhaps more. Without terms: none (``every``: all that is held).
        """

        async def work(table: lancedb.AsyncTable) -> Delta | None:
            while True:
                number = await table.version()
                rows = await self._rows(table, number, column, sorted(terms), every)
                # Several queries give one answer only if they read the same version.
                if rows is not None and await table.version() == number:
                    break
                self._seen = None
            snapshot = Snapshot(rows)
            if snapshot.gone:
                return None
            held = tuple(one for one in snapshot.versions() if one.retired_at is None)
            return Delta(snapshot.checked_head(), whole=False, held=held)

        return await self._table.call("looking up beliefs", work)

    async def _rows(
        self, table: lancedb.AsyncTable, number: int, column: str, terms: list[str], every: bool
    ) -> pa.Table | None:
        """Everything one lookup needs; None if the table is not the one seen before."""
        seen = self._seen
        if seen is None or seen.number != number:
            seen = self._seen = await self._look(table, number)
        if not terms and not every:
            return seen.rows
        parts = [seen.rows]
        for query in _queries(table, seen, column, terms, every):
            found = await self._session.remote.rows(query)
            parts.append(found.select(seen.columns))
        ledgers = {(part.schema.metadata or {}).get(META_LEDGER) for part in parts}
        return _distinct(parts) if len(ledgers) == 1 else None

    async def _look(self, table: lancedb.AsyncTable, number: int) -> _Version:
        schema = await table.schema()
        columns = [name for name in _OF_VERSIONS if name in schema.names]
        terms = all(field.name in schema.names for field in INDEXED)
        where = f"{CHANGES} OR ({_STALE})" if terms else CHANGES
        fields = [field.name for field in FIELDS if field.name in schema.names]
        rows = await self._session.remote.rows(table.query().where(where).select(fields))
        indexed = await _indexed(table) if terms else frozenset()
        self.wanting = (
            len(indexed) < len(_COLUMNS)
            and not self._session.remote.cloud
            and await table.count_rows(_HELD) > FROM
        )
        return _Version(number, columns, terms, indexed, rows)


async def add_columns(session: Session, table: lancedb.AsyncTable) -> bool:
    """Give the rows of a large ledger their anchors and words, where they have none of
    this release; whether the ledger is large."""
    if session.remote.cloud or await table.count_rows() <= FROM:
        return False
    if await table.count_rows(_HELD) <= FROM:
        return False
    schema = await table.schema()
    missing = [field for field in INDEXED if field.name not in schema.names]
    if missing:
        await table.add_columns(pa.schema(missing))
    source = pa.schema([FIELDS[0], *INDEXED])
    while True:
        query = table.query().where(_STALE).limit(_ROWS)
        rows = await session.remote.rows(query)
        if not rows.num_rows:
            return True
        versions = beliefs(rows)
        filled = {
            "id": rows.column("id").to_pylist(),
            "anchors": [" ".join(sorted(anchors(version))) for version in versions],
            "words": [" ".join(sorted(stored_terms(version))) for version in versions],
            "anchors_version": [ANCHORS_VERSION] * len(versions),
        }
        merge = table.merge_insert("id").when_matched_update_all().use_index(False)
        await merge.execute(pa.table(filled, schema=source))


async def build(table: lancedb.AsyncTable) -> None:
    """Build the indexes that are missing; those that exist follow with ``optimize``."""
    there = await _indexed(table)
    for column in _COLUMNS:
        if column not in there:
            await table.create_index(column, config=_PLAIN)


async def drop(table: lancedb.AsyncTable) -> None:
    """Remove the indexes: what is to be erased must not live on in them."""
    for index in await table.list_indices():
        if index.columns[0] in _COLUMNS:
            await table.drop_index(index.name)


async def _indexed(table: lancedb.AsyncTable) -> frozenset[str]:
    return frozenset(
        index.columns[0] for index in await table.list_indices() if index.columns[0] in _COLUMNS
    )


def _queries(
    table: lancedb.AsyncTable, seen: _Version, column: str, terms: list[str], every: bool
) -> Iterator[Any]:
    if not seen.terms or not terms:
        yield table.query().where(_HELD).select(seen.columns)
        return
    for start in range(0, len(terms), _TERMS):
        some = terms[start : start + _TERMS]
        if column not in seen.indexed:
            listed = ", ".join(text(term) for term in some)
            has = "array_has_all" if every else "array_has_any"
            where = f"{_HELD} AND {has}(string_to_array({column}, ' '), make_array({listed}))"
            yield table.query().where(where).select(seen.columns)
        else:
            operator = FullTextOperator.AND if every else FullTextOperator.OR
            match = MatchQuery(" ".join(some), column, operator=operator)  # type: ignore[call-arg]
            # A filter before the search would read two columns of every row.
            yield (
                table.query()
                .nearest_to_text(match)
                .where("retired_at IS NULL")
                .postfilter()
                .limit(_EVERYTHING)
                .select([*seen.columns, "_score"])
            )
        if every:
            return


_EVERYTHING = 2**31 - 1


def _distinct(parts: list[pa.Table]) -> pa.Table:
    rows = pa.concat_tables(parts, promote_options="default")
    rows = rows.replace_schema_metadata(parts[0].schema.metadata)
    ids: set[str] = set()
    keep = [not (id in ids or ids.add(id)) for id in rows.column("id").to_pylist()]  # type: ignore[func-returns-value]
    return rows.filter(pa.array(keep, pa.bool_()))
