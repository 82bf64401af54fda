"""When something is said to be true: time phrases, resolved against the message's time.

Calendar units mean themselves: "last week" is the whole week before this one (from
Monday), "in May" the whole month, "two days ago" that whole day. A period without a year
is the latest one that has begun, or after "from", "until" or "next" the earliest that has
not ended. Everything is read in the time zone of the message.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from belief_memory.learning.phrase_patterns import Phrase
from belief_memory.learning.phrases import phrases

Relation = Literal["at", "since", "from", "until"]


@dataclass(frozen=True, slots=True)
class When:
    """A time phrase found in a text."""

    start: datetime
    """The first instant of the period, in UTC."""
    end: datetime
    """The first instant after it."""
    relation: Relation
    """How the text relates to it: within, since or from its start, or until it."""
    span: tuple[int, int]

    @property
    def valid_from(self) -> datetime | None:
        """When what the text says began."""
        return None if self.relation == "until" else self.start

    @property
    def valid_to(self) -> datetime | None:
        """When it ended, where the phrase says so."""
        return self.start if self.relation == "until" else None


def find_times(text: str, at: datetime) -> list[When]:
    """The time phrases in ``text``, in order; ``at`` is aware and carries the time zone."""
    found = []
    for phrase in phrases(text):
        days = _days(phrase, at.date())
        if days is not None:
            found.append(
                When(_midnight(days[0], at), _midnight(days[1], at), phrase.relation, phrase.span)
            )
    return found


def resolve(text: str, at: datetime) -> When | None:
    """The one period that a phrase means; None if it means none, or several."""
    found = find_times(text, at)
    return found[0] if len(found) == 1 else None


def _midnight(day: date, at: datetime) -> datetime:
    return datetime.combine(day, time(), tzinfo=at.tzinfo).astimezone(UTC)


def _days(phrase: Phrase, today: date) -> tuple[date, date] | None:
    try:
        if phrase.offset is not None and phrase.unit is not None:
            return _shifted(today, phrase.unit, phrase.offset, whole=phrase.whole)
        if phrase.weekday is not None:
            day = _weekday(today, phrase)
            return day, day + timedelta(days=1)
        return _calendar(phrase, today)
    except (ValueError, OverflowError):
        return None


def _calendar(phrase: Phrase, today: date) -> tuple[date, date] | None:
    year, month, day = phrase.year, phrase.month, phrase.day
    if phrase.year_offset is not None:
        year = today.year + phrase.year_offset
    if year is None:
        if month is None:
            return None
        year = today.year
        ahead = phrase.ahead or phrase.relation in ("from", "until")
        if ahead:
            ended = (month, day or 31) < (today.month, today.day)
            year += 1 if ended else 0
        elif (month, day or 1) > (today.month, today.day):
            year -= 1
    if month is None:
        return date(year, 1, 1), date(year + 1, 1, 1)
    if day is None:
        return date(year, month, 1), _next_month(year, month)
    start = date(year, month, day)
    return start, start + timedelta(days=1)


def _weekday(today: date, phrase: Phrase) -> date:
    monday = today - timedelta(days=today.weekday())
    if phrase.offset is not None:
        day = monday + timedelta(weeks=phrase.offset, days=phrase.weekday or 0)
        # "Last Friday" said on a Saturday is yesterday, "next Friday" said on a Monday is near.
        if phrase.offset < 0 and day + timedelta(weeks=1) < today:
            day += timedelta(weeks=1)
        return day
    back = (today.weekday() - (phrase.weekday or 0)) % 7
    if phrase.ahead or phrase.relation in ("from", "until"):
        return today + timedelta(days=-back % 7)
    return today - timedelta(days=back)


def _shifted(today: date, unit: str, offset: int, *, whole: bool) -> tuple[date, date]:
    one_day = timedelta(days=1)
    if unit == "day":
        start = today + timedelta(days=offset)
        return start, start + one_day
    if unit == "week":
        start = today + timedelta(weeks=offset)
        if not whole:
            return start, start + one_day
        start -= timedelta(days=start.weekday())
        return start, start + timedelta(weeks=1)
    months = today.year * 12 + today.month - 1 + (offset * 12 if unit == "year" else offset)
    year, month = divmod(months, 12)
    if whole:
        if unit == "year":
            return date(year, 1, 1), date(year + 1, 1, 1)
        return date(year, month + 1, 1), _next_month(year, month + 1)
    last = (_next_month(year, month + 1) - one_day).day
    start = date(year, month + 1, min(today.day, last))
    return start, start + one_day


def _next_month(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1)
