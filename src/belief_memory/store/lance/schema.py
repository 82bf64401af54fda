"""The columns of a ledger's table, and how a commit becomes rows of them.

A table holds four kinds of rows, told apart by ``kind``:

- ``commit``: one per commit, its header, with the id ``c<seq>``. Two commits that were
  planned on the same head claim the same header id, and the store lets only one in.
- ``version``: one version of a belief, id ``v<version id>``.
- ``retire`` / ``reinforce``: a change of an older version. Commits never update rows;
  maintenance folds these into the version they target, and deletes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

from belief_memory.errors import StoreCorrupt, StoreError
from belief_memory.ledger.held import key_of
from belief_memory.model.belief import Belief
from belief_memory.ports import Commit, Head
from belief_memory.text.anchors import ANCHORS_VERSION, anchors
from belief_memory.text.keys import KEYS_VERSION
from belief_memory.text.search import stored_terms

SCHEMA_VERSION = 1
"""Raised with every change that an older release could not read or write correctly. New
columns are nullable and need no raise: older releases ignore them."""

META_USER = b"belief_memory:user_id"
META_LEDGER = b"belief_memory:ledger"
META_SCHEMA = b"belief_memory:schema_version"
PRIMARY_KEY = b"lance-schema:unenforced-primary-key"

_INSTANT = pa.timestamp("us", tz="UTC")
_NAMES = pa.list_(pa.string())
_TEXT = pa.string()

BOOKKEEPING: tuple[tuple[str, pa.DataType], ...] = (
    ("id", _TEXT),
    ("kind", _TEXT),
    ("seq", pa.int64()),  # of the commit that wrote the row
    ("touched", pa.int64()),  # version: of the newest commit folded into it
    ("at", _INSTANT),
    ("plan_id", _TEXT),
    ("target", _TEXT),  # retire, reinforce: a version id
    ("count", pa.int64()),
    ("settled", pa.bool_()),  # commit: an old header that whole reads need not look at
    ("erasure", _TEXT),  # commit: "some" or "all" for one that erases
    ("purging", pa.bool_()),  # commit: what it erases may still be on disk
    ("digests", _NAMES),  # commit: of the erased ids, until their rows are gone
    ("salt", _TEXT),
)

COLUMN_TYPES: dict[str, pa.DataType] = {
    "belief_id": _TEXT,
    "rev": pa.int64(),
    "user_id": _TEXT,  # null: the table's own user
    "agent_id": _TEXT,
    "scopes": _NAMES,
    "type": _TEXT,
    "subtype": _TEXT,
    "canonical_name": _TEXT,
    "attribute": _TEXT,
    "cardinality": _TEXT,
    "member": _TEXT,
    "aliases": _NAMES,
    "attribute_aliases": _NAMES,
    "content": _TEXT,
    "why_it_matters": _TEXT,
    "participants": _NAMES,
    "relation_type": _TEXT,
    "epistemic_status": _TEXT,
    "confidence": pa.float64(),
    "pinned": pa.bool_(),
    "user_edited": pa.bool_(),
    "metadata": _TEXT,
    "provenance": _TEXT,
    "standing": _TEXT,
    "conflicts_with": _TEXT,
    "reinforcement_count": pa.int64(),
    "last_reinforced_at": _INSTANT,
    "superseded_by": _TEXT,
    "supersedes": _TEXT,
    "resolved_at": _INSTANT,
    "resolved_by": _TEXT,
    "valid_from": _INSTANT,
    "valid_to": _INSTANT,
    "recorded_at": _INSTANT,
    "retired_at": _INSTANT,
    "name_keys": _NAMES,
}
"""The column of each field of a belief; ``belief_id`` is its ``id``."""

_DERIVED: tuple[tuple[str, pa.DataType], ...] = (("slot_key", _TEXT), ("keys_version", pa.int32()))

FIELDS: tuple[pa.Field, ...] = tuple(
    pa.field(
        name,
        type_,
        nullable=name not in ("id", "kind", "seq"),
        metadata={PRIMARY_KEY: b"true"} if name == "id" else None,
    )
    for name, type_ in (*BOOKKEEPING, *COLUMN_TYPES.items(), *_DERIVED)
)

INDEXED: tuple[pa.Field, ...] = (
    pa.field("anchors", _TEXT),
    pa.field("words", _TEXT),
    pa.field("anchors_version", pa.int32()),
)
"""What the full-text indexes read, in the tables of large ledgers only (see ``fulltext``)."""


def ledger_schema(user_id: str, ledger_id: str) -> pa.Schema:
    """The schema of a new ledger's table: who owns it, and which incarnation it is."""
    return pa.schema(
        FIELDS,
        metadata={
            META_USER: user_id.encode(),
            META_LEDGER: ledger_id.encode(),
            META_SCHEMA: str(SCHEMA_VERSION).encode(),
        },
    )


def check_version(schema: pa.Schema) -> None:
    """Raises StoreError for a table of a later release, StoreCorrupt for a stranger's."""
    stored = (schema.metadata or {}).get(META_SCHEMA)
    if stored is None or not stored.isdigit():
        raise StoreCorrupt("a table in the store was not written by this package")
    if int(stored) > SCHEMA_VERSION:
        raise StoreError("the ledger was written by a later release of this package")


def commit_id(seq: int) -> str:
    """The id of a commit's header row."""
    return f"c{seq}"


def row_id(version_id: str) -> str:
    """The id of a version's row."""
    return f"v{version_id}"


def commit_rows(commit: Commit, schema: pa.Schema) -> pa.RecordBatch:
    """Everything the commit writes, header first."""
    seq = commit.head.seq
    rows: list[dict[str, Any]] = [header_row(commit.head, commit.plan_id)]
    rows += (
        {"id": f"r{seq}.{n}", "kind": "retire", "target": item.version_id, "at": item.at}
        for n, item in enumerate(commit.retirements)
    )
    rows += (
        {
            "id": f"n{seq}.{n}",
            "kind": "reinforce",
            "target": change.version_id,
            "at": change.at,
            "count": change.count,
        }
        for n, change in enumerate(commit.reinforcements)
    )
    return batch(rows, commit.writes, seq, schema)


def header_row(head: Head, plan_id: str, **more: Any) -> dict[str, Any]:
    """A commit's header."""
    return {"id": commit_id(head.seq), "kind": "commit", "at": head.at, "plan_id": plan_id, **more}


def batch(
    rows: Sequence[dict[str, Any]], versions: Sequence[Belief], seq: int, schema: pa.Schema
) -> pa.RecordBatch:
    """Bookkeeping rows, then version rows, as columns. Columns that all rows leave empty
    stay: every write has the same shape."""
    owner = schema.metadata[META_USER].decode()
    size = len(rows) + len(versions)
    columns = []
    for field in schema:
        name = field.name
        if name == "seq":
            values: list[Any] = [seq] * size
        elif name in _OF_VERSION:
            read = _OF_VERSION[name]
            values = [row.get(name) for row in rows]
            values += [read(version) for version in versions]
        elif name == "user_id":
            values = [None] * len(rows)
            values += [None if v.user_id == owner else v.user_id for v in versions]
        else:
            values = [row.get(name) for row in rows]
            values += [None] * len(versions)
        columns.append(pa.array(values, field.type))
    return pa.record_batch(columns, schema=schema)


def _reader(name: str) -> Callable[[Belief], Any]:
    if COLUMN_TYPES[name] == _NAMES:
        return lambda version: getattr(version, name) or None
    return lambda version: getattr(version, name)


def _metadata(version: Belief) -> str | None:
    if not version.metadata:
        return None
    return json.dumps(version.metadata, ensure_ascii=False, allow_nan=False)


def _provenance(version: Belief) -> str | None:
    return None if version.provenance is None else version.provenance.model_dump_json()


def _rev(version: Belief) -> int:
    return version.rev


def _recorded(version: Belief) -> datetime:
    return version.recorded_at


_OF_VERSION: dict[str, Callable[[Belief], Any]] = {
    "id": lambda version: row_id(version.version_id),
    "kind": lambda version: "version",
    "at": _recorded,
    **{name: _reader(name) for name in COLUMN_TYPES if name not in ("belief_id", "user_id")},
    "belief_id": lambda version: version.id,
    "rev": _rev,
    "metadata": _metadata,
    "provenance": _provenance,
    "slot_key": key_of,
    "keys_version": lambda version: KEYS_VERSION if version.name_keys else None,
    "anchors": lambda version: " ".join(sorted(anchors(version))),
    "words": lambda version: " ".join(sorted(stored_terms(version))),
    "anchors_version": lambda version: ANCHORS_VERSION,
}
