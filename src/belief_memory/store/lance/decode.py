"""Arrow columns to beliefs, column by column: a recall on a cold handle waits for this."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise, repeat
from typing import Any

import pyarrow as pa

from belief_memory.model.belief import Belief, Provenance
from belief_memory.model.frozen import EMPTY, frozen
from belief_memory.model.time import from_micros
from belief_memory.store.lance.schema import COLUMN_TYPES, META_USER
from belief_memory.text.keys import KEYS_VERSION

_SHARED = frozenset(
    ("agent_id", "type", "subtype", "cardinality", "epistemic_status", "standing", "relation_type")
)
"""Text columns of few different values: one string for all rows that have it."""

_DEFAULTS: dict[str, Any] = {
    "rev": 1,
    "type": "fact",
    "cardinality": "one",
    "why_it_matters": "",
    "epistemic_status": "active",
    "confidence": 1.0,
    "pinned": False,
    "user_edited": False,
    "standing": "held",
    "reinforcement_count": 0,
}
"""What a null means, or a column that a table written by an older release lacks."""


def beliefs(rows: pa.Table) -> list[Belief]:
    """The beliefs in version rows, in row order."""
    size = rows.num_rows
    if not size:
        return []
    owner = (rows.schema.metadata or {})[META_USER].decode()
    memo: dict[Any, Any] = {}
    names = list(Belief.model_fields)
    columns: list[Any] = []
    for name in ("belief_id" if field == "id" else field for field in names):
        default = owner if name == "user_id" else _DEFAULTS.get(name)
        if name not in rows.schema.names:
            columns.append(_absent(name, default, size))
            continue
        column = _flat(rows.column(name))
        if column.null_count == size:
            columns.append(_absent(name, default, size))
        else:
            columns.append(_decoded(name, column, default, memo))
    keys = names.index("name_keys")
    if "keys_version" in rows.schema.names:
        versions = rows.column("keys_version").to_pylist()
        columns[keys] = [
            stored if version == KEYS_VERSION else ()
            for stored, version in zip(columns[keys], versions, strict=False)
        ]
    return [
        Belief.trusted(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=False)
    ]


def instants(column: pa.ChunkedArray | pa.Array) -> list[datetime | None]:
    """Timestamps as datetimes in ``datetime.UTC``, exact."""
    memo: dict[int | None, datetime | None] = {None: None}
    return _mapped(column.cast(pa.int64()).to_pylist(), from_micros, memo)


def _decoded(name: str, column: pa.Array, default: Any, memo: dict[Any, Any]) -> list[Any]:
    kind = COLUMN_TYPES[name]
    if pa.types.is_list(kind):
        return _tuples(column, memo)
    if pa.types.is_timestamp(kind):
        return instants(column)
    if name == "metadata":
        return [EMPTY if text is None else frozen(json.loads(text)) for text in column.to_pylist()]
    if name == "provenance":
        return _mapped(column.to_pylist(), Provenance.model_validate_json, {None: None})
    if name in _SHARED:
        encoded = column.dictionary_encode()
        words = encoded.dictionary.to_pylist()
        return [default if i is None else words[i] for i in encoded.indices.to_pylist()]
    values: list[Any] = column.to_pylist()
    if column.null_count and default is not None:
        return [default if value is None else value for value in values]
    return values


def _tuples(column: pa.Array, memo: dict[Any, Any]) -> list[tuple[str, ...]]:
    offsets = column.offsets.to_pylist()
    words = column.values.to_pylist()
    found: list[tuple[str, ...]] = []
    for start, end in pairwise(offsets):
        if start == end:
            found.append(())
        else:
            value = tuple(words[start:end])
            found.append(memo.setdefault(value, value))
    return found


def _mapped(values: list[Any], convert: Callable[[Any], Any], memo: dict[Any, Any]) -> list[Any]:
    found = []
    for value in values:
        if value not in memo:
            memo[value] = convert(value)
        found.append(memo[value])
    return found


def _absent(name: str, default: Any, size: int) -> Any:
    if name == "metadata":
        return repeat(EMPTY, size)
    return repeat(() if pa.types.is_list(COLUMN_TYPES[name]) else default, size)


def _flat(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
