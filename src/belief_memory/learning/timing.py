"""A draft's valid time, checked against what the text itself says about time."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from belief_memory.errors import InvalidBelief
from belief_memory.learning.evidence import Evidence
from belief_memory.learning.when import When, find_times, resolve
from belief_memory.model.learning import Learned
from belief_memory.model.time import to_instant

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Timing:
    """From when to when, and what is doubtful about it (None: nothing)."""

    valid_from: datetime
    valid_to: datetime | None = None
    explicit: bool = False
    """The text says from when."""
    doubt: str | None = None


def timing(learned: Learned, evidence: Evidence) -> Timing:
    """The interval a draft claims; what the text does not bear out is doubtful.

    A draft that says nothing about time is true from its message's time on, or from where
    its sentence says "since".
    """
    said_at = evidence.said.at
    here = find_times(evidence.sentence.text, said_at)
    claims = learned.valid_from is not None or learned.valid_to is not None
    there = find_times(evidence.said.prose, said_at) if claims else []
    start, doubt = _instant(learned.valid_from, evidence, here, there, "valid_from")
    end, more = _instant(learned.valid_to, evidence, here, there, "valid_to")
    doubt = doubt or more
    if end is None and doubt is None and any(_is_over(when, said_at) for when in here):
        doubt = "valid_to: the text says until when"
    if learned.valid_from is None and doubt is None:
        since = [when for when in here if when.relation == "since"]
        start = since[0].start if len(since) == 1 else None
    begins = said_at.astimezone(UTC) if start is None else start
    if end == begins == said_at.astimezone(UTC) and not there and doubt is None:
        end = None  # small models copy the message's time into both fields
    if end is not None and end <= begins:
        return Timing(begins, None, start is not None, doubt or "it ends before it begins")
    return Timing(begins, end, start is not None, doubt)


def _is_over(when: When, said_at: datetime) -> bool:
    return when.relation == "until" and when.start <= said_at


def _instant(
    claim: str | datetime | None,
    evidence: Evidence,
    here: list[When],
    there: list[When],
    field: str,
) -> tuple[datetime | None, str | None]:
    if claim is None:
        return None, None
    said_at = evidence.said.at
    claimed = claim if isinstance(claim, datetime) else _exact(claim, field)
    if claimed is None and isinstance(claim, str):
        period = resolve(claim, said_at)
        if period is None:
            return None, f"{field}: cannot tell when {claim!r:.60} is"
        claimed = period.start
    if claimed is None:
        return None, f"{field}: not an instant"
    if claimed.tzinfo is None:
        claimed = claimed.replace(tzinfo=said_at.tzinfo)
    claimed = claimed.astimezone(UTC)
    for period in (*here, *there):
        if _within(claimed, period, ends=field == "valid_to"):
            whole = _is_day(claimed, said_at) and abs(claimed - period.start) < 40 * _DAY
            return (period.start if whole else claimed), None
    if not there and abs(claimed - said_at) <= _DAY:
        return said_at.astimezone(UTC), None
    own = here or there
    if len(own) == 1 and field == "valid_from" and own[0].valid_from is not None:
        return own[0].start, f"{field}: the text says another time than {claimed.date()}"
    return None, f"{field}: the text does not say {claimed.date()}"


def _within(claimed: datetime, period: When, *, ends: bool) -> bool:
    """Some hours' leeway at both ends: models count days in UTC or in their own zone. An
    end may be the last day, where ours is the first one after it."""
    if period.relation == "from" and claimed < period.start:
        # "From January 1" without a year may be the one that has just begun.
        before = [at.replace(year=at.year - 1) for at in (period.start, period.end)]
        period = replace(period, start=before[0], end=before[1])
    exact = period.end - period.start <= _DAY
    slack = timedelta(hours=15)
    if ends and period.start - _DAY - slack <= claimed < period.start:
        return True
    if exact:
        return period.start - slack <= claimed < period.end + slack - timedelta(hours=12)
    # For "until" the end of the period is meant by some, its start by others.
    return period.start - slack <= claimed <= period.end + slack


def _is_day(claimed: datetime, said_at: datetime) -> bool:
    """Whether only a day was claimed, whose midnight somewhere it is."""
    local = claimed.astimezone(said_at.tzinfo)
    return (claimed.hour, claimed.minute, claimed.second) == (0, 0, 0) or (
        (local.hour, local.minute, local.second) == (0, 0, 0)
    )


def _exact(text: str, field: str) -> datetime | None:
    if re.fullmatch(r"\d{4}", text):
        return datetime(int(text) + (field == "valid_to"), 1, 1, tzinfo=UTC)
    try:
        return to_instant(text, "valid_from")
    except InvalidBelief:
        pass
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
