"""Valid-time intervals of held versions: when each is in force, and what a claim covers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from belief_memory.ledger.held import Held
from belief_memory.model.belief import Belief
from belief_memory.text.fold import value_key

END = datetime.max.replace(tzinfo=UTC)
"""The end of an open interval, so that ends compare without a special case."""


class Span(NamedTuple):
    """A held version with the interval in which it is in force, and its value's key."""

    version: Belief
    start: datetime
    end: datetime
    value: str

    @property
    def sealed(self) -> bool:
        """Whether it was resolved: it answers for its interval, but grows no further."""
        return self.version.resolved_at is not None


class Run(NamedTuple):
    """Touching intervals of one value in one scope, whatever rows they are kept in."""

    start: datetime
    end: datetime
    value: str
    first: Belief


def end_of(version: Belief) -> datetime:
    """The end of the interval as recorded; :data:`END` if it is open."""
    return END if version.valid_to is None else version.valid_to


def closing(end: datetime) -> datetime | None:
    """What ``valid_to`` says for an end."""
    return None if end == END else end


def in_force(version: Belief, held: Held) -> tuple[datetime, datetime] | None:
    """The interval in which the version is current, by the rules of ``reading.Reader``:
    a successor takes over when it begins, and what is resolved has ended.

    None if there is no such instant.
    """
    end = END if version.valid_to is None else version.valid_to
    if version.superseded_by is not None:
        starts = [
            successor.valid_from
            for successor in held.of_belief(version.superseded_by)
            if successor.standing == "held"
        ]
        if starts:
            end = min(end, *starts)
        elif version.valid_to is None:
            return None
    if version.resolved_at is not None and version.resolved_at < end:
        end = version.resolved_at
    return (version.valid_from, end) if version.valid_from < end else None


def spans(
    versions: Iterable[Belief],
    held: Held,
    *,
    member: str | None,
    scopes: Collection[str] | None,
    since: datetime | None = None,
) -> list[Span]:
    """The versions an operation in these scopes meets, in order of time.

    ``scopes`` None meets all; what ended before ``since`` is left out.
    """
    met: list[Span] = []
    for version in versions:
        if (
            version.standing != "held"
            or version.member != member
            or (since is not None and version.valid_to is not None and version.valid_to < since)
            or (scopes is not None and not any(scope in scopes for scope in version.scopes))
        ):
            continue
        interval = in_force(version, held)
        if interval is not None and (since is None or interval[1] >= since):
            met.append(Span(version, *interval, value_key(version.content)))
    if len(met) > 1:
        met.sort(key=lambda span: (span.start, span.version.id, span.version.rev))
    return met


def runs(met: Iterable[Span], scope: str) -> list[Run]:
    """What one scope sees of these spans (in order of time), rows that continue each
    other taken together."""
    found: list[Run] = []
    for span in met:
        if scope in span.version.scopes:
            if found and found[-1].end == span.start and found[-1].value == span.value:
                found[-1] = found[-1]._replace(end=span.end)
            else:
                found.append(Run(span.start, span.end, span.value, span.version))
    return found


def claim(
    met: list[Span], scopes: Iterable[str], value: str, start: datetime, now: datetime
) -> datetime:
    """Where an open-ended assertion of ``value`` from ``start`` ends: at the earliest
    later start of a different value, or at the already-past end of what is held after
    ``start``; else it stays open. One that replaces what starts with it takes its
    interval (rows 2, 3, 4, 6 and 11 of the table)."""
    if not met:
        return END
    end = END
    for scope in scopes:
        for run in runs(met, scope):
            if run.end <= start:
                continue
            if run.value != value and run.start > start:
                end = min(end, run.start)
            elif run.end <= now or (run.value != value and run.start == start):
                end = min(end, run.end)
    return end
