"""The history that was asked about last, kept while nothing changes.

A question about the past reads rows through the driver, and what that costs grows with the
ledger. Who asks once more about a ledger that did not change gets its whole history kept
here, in Arrow, and further questions only pick their rows.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from belief_memory.ports import VersionFilter
from belief_memory.store.lance import freshness
from belief_memory.store.lance.filters import as_json
from belief_memory.store.lance.schema import row_id
from belief_memory.store.lance.snapshot import Snapshot

MOST_BYTES = 256 * 2**20
"""A larger history is not kept."""


class Recent:
    """The history of one ledger of an open store: the one that was asked about last."""

    def __init__(self) -> None:
        self._asked: tuple[Path, freshness.FolderToken] | None = None
        self._kept: Snapshot | None = None

    async def of(
        self, versions: Path, read: Callable[[], Awaitable[Snapshot | None]]
    ) -> Snapshot | None:
        """The history if it is worth keeping; ``read`` reads all of it."""
        asked = self._asked
        if asked is None or asked[0] != versions or not freshness.unchanged(versions, asked[1]):
            self.drop()
            self._asked = (versions, freshness.look(versions))
            return None
        if self._kept is None:
            found = await read()
            if found is None or found.gone or found.rows.nbytes > MOST_BYTES:
                return None
            # What was read is what was asked about only if nothing was committed meanwhile.
            if not freshness.unchanged(versions, asked[1]):
                self.drop()
                return None
            self._kept = found
        return self._kept

    def drop(self) -> None:
        """Keep nothing: something changed, or was erased."""
        self._asked = self._kept = None


def narrowed(snapshot: Snapshot, which: VersionFilter) -> Snapshot:
    """The snapshot with the version rows that may match, and perhaps more."""
    rows = snapshot.rows
    if which.belief_ids is not None:
        rows = _where(rows, "belief_id", which.belief_ids)
    if which.version_ids is not None:
        rows = _where(rows, "id", {row_id(version_id) for version_id in which.version_ids})
    if which.slot_keys is not None:
        rows = _where(rows, "slot_key", which.slot_keys)
    if which.message_ids is not None:
        words = "|".join(re.escape(as_json(id)) for id in sorted(which.message_ids))
        found_in = pc.match_substring_regex(rows.column("provenance"), words or r"[^\s\S]")
        rows = rows.filter(found_in)
    if which.known_at is not None:
        rows = rows.filter(_known(rows, which.known_at))
    found = copy.copy(snapshot)
    found.rows = rows
    return found


def _where(rows: pa.Table, column: str, values: frozenset[str] | set[str]) -> pa.Table:
    return rows.filter(pc.is_in(rows.column(column), value_set=pa.array(values, pa.string())))


def _known(rows: pa.Table, at: datetime) -> pa.ChunkedArray:
    recorded, retired = rows.column("recorded_at"), rows.column("retired_at")
    instant = pa.scalar(at, recorded.type)
    held = pc.or_kleene(pc.is_null(retired), pc.greater(retired, instant))
    return pc.and_(pc.less_equal(recorded, instant), held)
