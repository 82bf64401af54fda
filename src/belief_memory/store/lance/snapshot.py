"""What the rows of one read say: the head, and versions with later changes folded in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from belief_memory.errors import StoreCorrupt
from belief_memory.model.belief import Belief
from belief_memory.ports import Delta, Head, Reinforcement
from belief_memory.store.lance.decode import beliefs
from belief_memory.store.lance.schema import META_LEDGER, check_version, commit_id
from belief_memory.store.select import unlinked

CHANGES = "kind IN ('retire', 'reinforce') OR (kind = 'commit' AND settled IS NULL)"
"""Rows that every read needs, whatever else it asks for."""

WHOLE = f"(kind = 'version' AND retired_at IS NULL) OR {CHANGES}"

_CHANGE_COLUMNS = (
    "id", "kind", "seq", "at", "plan_id", "target", "count",
    "erasure", "purging", "digests", "salt",
)  # fmt: skip


def digest(salt: str, belief_id: str) -> str:
    """Stands for an id to be erased, until it is."""
    return hashlib.sha256(f"{salt}\x00{belief_id}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure that is committed, but may not have reached the files yet."""

    seq: int
    bound: int
    """Rows of commits up to this one are erased."""
    everything: bool
    salt: str
    digests: frozenset[str]

    def covers(self, belief_id: str) -> bool:
        """Whether it erases this belief."""
        return digest(self.salt, belief_id) in self.digests


class Snapshot:
    """Rows of one version of a ledger's table."""

    def __init__(self, rows: pa.Table) -> None:
        self.ledger_id: str = (rows.schema.metadata or {}).get(META_LEDGER, b"").decode()
        check_version(rows.schema)
        is_version = pc.equal(rows.column("kind"), "version")
        self.rows = rows.filter(is_version)
        names = [name for name in _CHANGE_COLUMNS if name in rows.schema.names]
        self.headers: dict[int, dict[str, Any]] = {}
        self.retired: dict[str, tuple[int, datetime]] = {}
        self.counts: dict[str, tuple[int, int, datetime]] = {}
        for row in rows.filter(pc.invert(is_version)).select(names).to_pylist():
            self._take(row)
        newest = max(self.headers, default=None)
        self.head = None if newest is None else Head(newest, _utc(self.headers[newest]["at"]))
        self.pending = [
            _erasure(seq, row) for seq, row in self.headers.items() if row.get("purging")
        ]

    def _take(self, row: dict[str, Any]) -> None:
        seq, target = row["seq"], row["target"]
        if row["kind"] == "commit":
            self.headers[seq] = row
        elif row["kind"] == "retire":
            known = self.retired.get(target)
            if known is None or seq < known[0]:
                self.retired[target] = seq, _utc(row["at"])
        elif seq >= self.counts.get(target, (0,))[0]:
            self.counts[target] = seq, row["count"], _utc(row["at"])

    @property
    def gone(self) -> bool:
        """Whether the whole ledger was erased; its table may still be there."""
        return any(erasure.everything for erasure in self.pending)

    def checked_head(self) -> Head:
        """The head; raises StoreCorrupt if there is none, as no commit leaves it."""
        if self.head is None:
            raise StoreCorrupt("a ledger without commits: what is on disk is not whole")
        return self.head

    def versions(self) -> list[Belief]:
        """The version rows, with retirements and reinforcements folded in."""
        return [version for version, _, _ in self._folded()]

    def whole(self) -> Delta:
        """Everything held."""
        held = tuple(version for version in self.versions() if version.retired_at is None)
        return Delta(self.checked_head(), whole=True, held=held)

    def since(self, seq: int) -> Delta | None:
        """What changed after a commit; None where only a whole read can tell."""
        head = self.checked_head()
        erased = any(n > seq and row.get("erasure") for n, row in self.headers.items())
        if seq not in self.headers or erased:
            return None
        held: list[Belief] = []
        retired = {target for target, (at, _) in self.retired.items() if at > seq}
        counts = {
            target: Reinforcement(target, count, at)
            for target, (n, count, at) in self.counts.items()
            if n > seq
        }
        for version, written, touched in self._folded():
            if written > seq:
                counts.pop(version.version_id, None)
                if version.retired_at is None:
                    held.append(version)
            elif touched > seq:
                if version.retired_at is not None:
                    retired.add(version.version_id)
                elif version.last_reinforced_at is not None:
                    counts[version.version_id] = Reinforcement(
                        version.version_id, version.reinforcement_count, version.last_reinforced_at
                    )
        return Delta(
            head,
            whole=False,
            held=tuple(held),
            retired=frozenset(retired),
            reinforcements=tuple(counts.values()),
        )

    def _folded(self) -> Iterable[tuple[Belief, int, int]]:
        seqs = self.rows.column("seq").to_pylist()
        touched = self.rows.column("touched").to_pylist()
        for version, seq, folded in zip(beliefs(self.rows), seqs, touched, strict=True):
            for erasure in self.pending:
                if seq <= erasure.bound and erasure.covers(version.id):
                    break
            else:
                yield self._now(version, folded or 0), seq, folded or 0

    def _now(self, version: Belief, folded: int) -> Belief:
        if self.retired or self.counts:
            name = version.version_id
            retired = self.retired.get(name)
            if retired is not None and version.retired_at is None:
                version = version.but(retired_at=retired[1])
            count = self.counts.get(name)
            if count is not None and count[0] > folded:
                version = version.but(reinforcement_count=count[1], last_reinforced_at=count[2])
        for erasure in self.pending:
            if erasure.digests:
                version = unlinked(version, erasure.covers)
        return version

    def planned(self, seq: int) -> str | None:
        """The plan that became commit ``seq``, None if none did."""
        row = self.headers.get(seq)
        return None if row is None else row["plan_id"]


def headers_of(*seqs: int) -> str:
    """A filter for the headers of these commits, and of erasures under way."""
    names = ", ".join(f"'{commit_id(seq)}'" for seq in seqs)
    return f"id IN ({names}) OR purging"


def _erasure(seq: int, row: dict[str, Any]) -> Erasure:
    bound = row["count"]
    return Erasure(
        seq=seq,
        bound=seq if bound is None else bound,
        everything=row["erasure"] == "all",
        salt=row["salt"] or "",
        digests=frozenset(row["digests"] or ()),
    )


def _utc(at: datetime) -> datetime:
    from datetime import UTC

    return at.replace(tzinfo=UTC)
