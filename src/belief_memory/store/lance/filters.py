"""SQL filters. Values are quoted here and nowhere else; the driver has no placeholders."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime

from belief_memory.model.time import micros
from belief_memory.ports import VersionFilter
from belief_memory.store.lance.schema import row_id

_PUSHED = 500
"""Longer lists are sorted out in memory: the filter would cost more than the rows."""


def text(value: str) -> str:
    """A string literal: doubled quotes are the only escape there is."""
    return "'" + value.replace("'", "''") + "'"


def instant(at: datetime) -> str:
    """A literal of microseconds in UTC."""
    return f"arrow_cast({micros(at)}, 'Timestamp(Microsecond, Some(\"UTC\"))')"


def one_of(column: str, values: Collection[str]) -> str | None:
    """``column`` has one of the values; None if they are too many to say."""
    if not values:
        return "false"
    if len(values) > _PUSHED:
        return None
    return f"{column} IN ({', '.join(text(value) for value in sorted(values))})"


def of_versions(which: VersionFilter) -> str:
    """A filter that lets through every matching version row, and perhaps more; but for
    ``window``, only those whose retirement, if it lies in there, is folded in."""
    parts = ["kind = 'version'"]
    if which.belief_ids is not None:
        parts.append(one_of("belief_id", which.belief_ids) or "true")
    if which.version_ids is not None:
        ids = {row_id(version_id) for version_id in which.version_ids}
        parts.append(one_of("id", ids) or "true")
    if which.slot_keys is not None:
        parts.append(one_of("slot_key", which.slot_keys) or "true")
    if which.message_ids is not None:
        parts.append(_mentioned(which.message_ids) or "true")
    if which.known_at is not None:
        at = instant(which.known_at)
        parts.append(f"recorded_at <= {at} AND (retired_at IS NULL OR retired_at > {at})")
    if which.window is not None:
        parts.append(_in_window(*which.window))
    return " AND ".join(f"({part})" for part in parts)


def as_json(value: str) -> str:
    """How a string reads in JSON that was written of it."""
    return json.dumps(value, ensure_ascii=False)


def _mentioned(ids: Collection[str]) -> str | None:
    """The provenance has one of the ids in it; None if they are too many to say."""
    if len(ids) > _PUSHED:
        return None
    parts = [f"contains(provenance, {text(as_json(id))})" for id in sorted(ids)]
    return " OR ".join(parts) or "false"


def _in_window(start: datetime, end: datetime | None) -> str:
    def within(column: str) -> str:
        upto = "" if end is None else f" AND {column} < {instant(end)}"
        return f"({column} >= {instant(start)}{upto})"

    return f"{within('recorded_at')} OR {within('retired_at')}"
