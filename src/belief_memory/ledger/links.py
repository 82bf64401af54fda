"""Successor links: who takes over from whom when an assertion moves in.

A link may be followed only if the successor begins no earlier than the row ends
(``reading.Reader.superseded``), so every change that lets a belief begin earlier has to
look after the rows that point to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from belief_memory.ledger.intervals import END, Span, closing, end_of, in_force
from belief_memory.ledger.working import Working
from belief_memory.model.belief import Belief


class Fate(NamedTuple):
    """What an assertion leaves of a belief that it overwrites."""

    replaced: bool
    """Nothing at all."""
    goes_on: bool
    """Something later, in these scopes."""
    last: Belief | None
    """The row whose beginning is what remains before, if nothing goes on after."""


def fates(
    ledger: Working, other: list[Span], start: datetime, end: datetime, scopes: Collection[str]
) -> dict[str, Fate]:
    """For each belief overwritten in ``[start, end)`` in ``scopes``, what is left."""
    found: dict[str, Fate] = {}
    spans = {span.version.version_id: span for span in other}
    for id in dict.fromkeys(span.version.id for span in other):
        replaced, goes_on, last = True, False, None
        for version in ledger.of_belief(id):
            if version.standing != "held":
                continue
            span = spans.get(version.version_id)
            began, ended = (
                (version.valid_from, end_of(version)) if span is None else (span.start, span.end)
            )
            met = any(scope in scopes for scope in version.scopes)
            if (
                span is not None
                and start <= began
                and ended <= end
                and all(scope in scopes for scope in version.scopes)
            ):
                continue
            replaced = False
            if met and ended > end:
                goes_on = True
            elif met and began < start and (last is None or last.valid_from < began):
                last = version
        found[id] = Fate(replaced, goes_on, None if goes_on else last)
    return found


def begins(ledger: Working, id: str) -> datetime:
    """The earliest instant of which the belief holds anything; ``END`` if it does not."""
    return min(
        (version.valid_from for version in ledger.of_belief(id) if version.standing == "held"),
        default=END,
    )


def follower(
    ledger: Working,
    slot: Iterable[Belief],
    id: str,
    member: str | None,
    scopes: Iterable[str],
    end: datetime,
) -> Belief | None:
    """The row of another belief that follows directly on an end, and may be linked to."""
    scopes = tuple(scopes)
    for version in slot:
        if (
            version.valid_from == end
            and version.id != id
            and version.standing == "held"
            and version.member == member
            and any(scope in scopes for scope in version.scopes)
            and in_force(version, ledger) is not None
            and begins(ledger, version.id) >= end
        ):
            return version
    return None


def uncover(
    ledger: Working,
    slot: Iterable[Belief],
    id: str,
    begin: datetime,
    begun: datetime,
    met: Collection[str],
) -> None:
    """Belief ``id`` will begin at ``begin``, not at ``begun``: rows in other scopes that
    it superseded keep their time, by their dates instead of the link."""
    for version in slot:
        if version.superseded_by != id or version.version_id in met:
            continue
        end = min(end_of(version), begun)
        if begin < end and version.valid_from < end:
            ledger.rewrite(version, {"valid_to": closing(end), "superseded_by": None})


def relink(ledger: Working, gone: Iterable[Belief], heir: str, begin: datetime) -> None:
    """Rows superseded by a belief that is gone are superseded by its heir."""
    for version in gone:
        if version.supersedes is None or ledger.of_belief(version.id):
            continue
        for before in ledger.of_belief(version.supersedes):
            if before.superseded_by == version.id and before.id != heir:
                valid = before.valid_to is None or before.valid_to <= begin
                ledger.rewrite(before, {"superseded_by": heir if valid else None})


def detach(ledger: Working, ids: Iterable[str], gone: Collection[str]) -> None:
    """Beliefs ``gone`` will be erased, and the links to them with them: what they replaced
    in ``ids`` does not come back for that. Its dates or its standing say so instead."""
    for id in ids:
        for version in ledger.of_belief(id):
            if version.standing != "held" or version.superseded_by not in gone or id in gone:
                continue
            interval = in_force(version, ledger)
            if interval is None:
                ledger.rewrite(version, {"standing": "retained"})
            elif interval[1] < end_of(version) and interval[1] != version.resolved_at:
                ledger.rewrite(version, {"valid_to": interval[1]})
