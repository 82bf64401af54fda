"""Instants: timezone-aware, UTC, microseconds. Nothing here reads a clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from belief_memory.errors import InvalidBelief, InvalidQuery

TICK = timedelta(microseconds=1)
"""The smallest step of both clocks."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Instant = datetime | date | str
"""What callers may pass for an instant: an aware datetime, a date (its midnight in
UTC), or an ISO 8601 string of either."""


def to_instant(
    value: object,
    field: str,
    error: type[InvalidBelief] | type[InvalidQuery] = InvalidBelief,
) -> datetime:
    """An aware UTC datetime for ``value``; raises ``error`` naming ``field`` otherwise.

    Naive datetimes are refused rather than guessed: the machine's zone is not the user's.
    """
    if type(value) is datetime and value.tzinfo is UTC:
        return value
    if isinstance(value, str):
        value = _parse(value, field, error)
    if isinstance(value, datetime):
        if value.tzinfo is None or value.utcoffset() is None:
            raise error(
                field,
                "a naive datetime is ambiguous; give it a timezone, "
                "for example datetime(…, tzinfo=datetime.UTC)",
            )
        try:
            at = value.astimezone(UTC)
        except OverflowError:
            raise error(field, "the instant is outside the years 1 to 9999") from None
        # Subclasses (pandas) carry nanoseconds and compare in surprising ways.
        return datetime.combine(at.date(), at.time(), tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), tzinfo=UTC)
    raise error(field, f"expected an aware datetime, a date or an ISO string, got {value!r:.80}")


def _parse(
    text: str, field: str, error: type[InvalidBelief] | type[InvalidQuery]
) -> datetime | date:
    text = text.strip()
    try:
        return date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)
    except ValueError:
        raise error(field, f"not an ISO 8601 date or datetime: {text!r:.80}") from None


def micros(at: datetime) -> int:
    """Microseconds since the epoch, exact."""
    return (at - EPOCH) // TICK


def from_micros(value: int) -> datetime:
    """The inverse of :func:`micros`."""
    return EPOCH + timedelta(microseconds=value)
