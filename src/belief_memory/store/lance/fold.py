"""Folding: retirements and reinforcements into the versions they target.

Safe at any time and anywhere it stops: it sets absolute values and never goes back behind
a newer fold; a change is deleted only after it was folded.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import lancedb
import pyarrow as pa

from belief_memory.store.lance.filters import one_of
from belief_memory.store.lance.schema import FIELDS, row_id
from belief_memory.store.lance.session import Session
from belief_memory.store.lance.snapshot import CHANGES, Snapshot

_AT_ONCE = 8192

_FOLD = ("id", "touched", "settled", "retired_at", "reinforcement_count", "last_reinforced_at")
_FOLD_SCHEMA = pa.schema([field for field in FIELDS if field.name in _FOLD])
_NEWER = "target.touched IS NULL OR target.touched < source.touched"


async def fold(session: Session, table: lancedb.AsyncTable) -> bool:
    """Folds what there is, up to a bound; whether that was all of it."""
    snapshot = Snapshot(await session.remote.rows(table.query().where(CHANGES)))
    upto = _bound(snapshot)
    targets = {name for name, (seq, _) in snapshot.retired.items() if seq <= upto}
    targets |= {name for name, (seq, _, _) in snapshot.counts.items() if seq <= upto}
    rows = await _current(session, table, {row_id(target) for target in targets})
    updates = [_folded(row, snapshot, upto) for row in rows]
    head = snapshot.checked_head()
    busy = {erasure.seq for erasure in snapshot.pending}
    updates += [
        {"id": row["id"], "touched": head.seq, "settled": True}
        for seq, row in snapshot.headers.items()
        if seq < head.seq and seq not in busy
    ]
    if updates:
        source = pa.Table.from_pylist(updates, schema=_FOLD_SCHEMA)
        merge = table.merge_insert("id").when_matched_update_all(where=_NEWER).use_index(False)
        await merge.execute(source)
    if targets:
        await table.delete(f"kind IN ('retire', 'reinforce') AND seq <= {upto}")
    return upto == head.seq


def _bound(snapshot: Snapshot) -> int:
    """The commit up to which changes are folded now: not too many at once, but whole
    commits, and at least one."""
    seqs = sorted(
        [seq for seq, _ in snapshot.retired.values()]
        + [seq for seq, _, _ in snapshot.counts.values()]
    )
    if len(seqs) <= _AT_ONCE:
        return snapshot.checked_head().seq
    return seqs[_AT_ONCE]


async def _current(
    session: Session, table: lancedb.AsyncTable, ids: set[str]
) -> list[dict[str, Any]]:
    if not ids:
        return []
    where = one_of("id", ids) or "kind = 'version'"
    columns = [name for name in _FOLD if name != "settled"]
    query = table.query().where(where).select(columns)
    found: list[dict[str, Any]] = (await session.remote.rows(query)).to_pylist()
    return [row for row in found if row["id"] in ids]


def _folded(row: dict[str, Any], snapshot: Snapshot, upto: int) -> dict[str, Any]:
    name = row["id"][1:]
    touched: int = row["touched"] or 0
    seqs = [touched]
    retired = snapshot.retired.get(name)
    retired_at: datetime | None = row["retired_at"]
    if retired is not None and retired[0] <= upto:
        retired_at = retired_at or retired[1]
        seqs.append(retired[0])
    count = snapshot.counts.get(name)
    counters = row["reinforcement_count"], row["last_reinforced_at"]
    if count is not None and touched < count[0] <= upto:
        counters = count[1], count[2]
        seqs.append(count[0])
    return {
        "id": row["id"],
        "touched": max(seqs),
        "retired_at": retired_at,
        "reinforcement_count": counters[0],
        "last_reinforced_at": counters[1],
    }
