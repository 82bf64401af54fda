"""Time phrases, resolved against the message's time, in its time zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belief_memory.learning import find_times

ZONES = ["UTC", "America/New_York", "Asia/Tokyo"]


def day(text: str, at: datetime) -> tuple[str, str, str]:
    (when,) = find_times(text, at)
    return (
        when.start.astimezone(at.tzinfo).date().isoformat(),
        when.end.astimezone(at.tzinfo).date().isoformat(),
        when.relation,
    )


NEW_YEAR = [
    ("since May", "2025-05-01", "2025-06-01", "since"),
    ("last week", "2025-12-22", "2025-12-29", "at"),
    ("yesterday", "2025-12-31", "2026-01-01", "at"),
    ("in December", "2025-12-01", "2026-01-01", "at"),
    ("since January", "2026-01-01", "2026-02-01", "since"),
    ("last month", "2025-12-01", "2026-01-01", "at"),
    ("last year", "2025-01-01", "2026-01-01", "at"),
    ("next month", "2026-02-01", "2026-03-01", "at"),
    ("two months ago", "2025-11-01", "2025-11-02", "at"),
    ("on Monday", "2025-12-29", "2025-12-30", "at"),
    ("from Monday", "2026-01-05", "2026-01-06", "from"),
    ("until March", "2026-03-01", "2026-04-01", "until"),
    ("since 2019", "2019-01-01", "2020-01-01", "since"),
    ("on May 3, 2024", "2024-05-03", "2024-05-04", "at"),
    ("seit Mai", "2025-05-01", "2025-06-01", "since"),
    ("letzte Woche", "2025-12-22", "2025-12-29", "at"),
    ("vor zwei Monaten", "2025-11-01", "2025-11-02", "at"),
    ("am 24. Dezember", "2025-12-24", "2025-12-25", "at"),
    ("la semaine dernière", "2025-12-22", "2025-12-29", "at"),
    ("il y a 3 ans", "2023-01-01", "2023-01-02", "at"),
    ("depuis mars", "2025-03-01", "2025-04-01", "since"),
    ("desde mayo", "2025-05-01", "2025-06-01", "since"),
    ("hace dos semanas", "2025-12-18", "2025-12-19", "at"),
    ("em março", "2025-03-01", "2025-04-01", "at"),
    ("la settimana scorsa", "2025-12-22", "2025-12-29", "at"),
    ("vorige week", "2025-12-22", "2025-12-29", "at"),
    ("с мая", "2025-05-01", "2025-06-01", "since"),
    ("два года назад", "2024-01-01", "2024-01-02", "at"),
    ("5月から", "2025-05-01", "2025-06-01", "since"),
    ("先週", "2025-12-22", "2025-12-29", "at"),
    ("从五月开始", "2025-05-01", "2025-06-01", "since"),
    ("去年", "2025-01-01", "2026-01-01", "at"),
]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("text", "start", "end", "relation"), NEW_YEAR)
def test_a_phrase_said_half_an_hour_into_the_year(
    text: str, start: str, end: str, relation: str, zone: str, timezone: str
) -> None:
    at = datetime(2026, 1, 1, 0, 30, tzinfo=ZoneInfo(zone))
    assert day(text, at) == (start, end, relation)


@pytest.mark.parametrize(
    ("zone", "yesterday"),
    [("UTC", "2025-12-31"), ("Asia/Tokyo", "2026-01-01"), ("America/New_York", "2025-12-30")],
)
def test_the_zone_of_the_message_decides_which_day_it_is(zone: str, yesterday: str) -> None:
    instant = (
        datetime(2026, 1, 1, 2, 0, tzinfo=UTC)
        if zone != "Asia/Tokyo"
        else datetime(2026, 1, 1, 16, 0, tzinfo=UTC)
    )
    assert day("yesterday", instant.astimezone(ZoneInfo(zone)))[0] == yesterday


def test_a_day_starts_at_the_zone_s_midnight() -> None:
    at = datetime(2026, 7, 10, 12, 0, tzinfo=ZoneInfo("America/New_York"))
    (when,) = find_times("since July 4", at)
    assert when.start == datetime(2026, 7, 4, 4, 0, tzinfo=UTC)


def test_the_last_days_of_a_year_look_back_and_ahead() -> None:
    at = datetime(2025, 12, 31, 23, 59, tzinfo=UTC)
    assert day("since December", at)[0] == "2025-12-01"
    assert day("from January", at)[0] == "2026-01-01"
    assert day("tomorrow", at)[0] == "2026-01-01"
    assert day("next week", at)[0] == "2026-01-05"
    assert day("a year ago", at)[0] == "2024-12-31"


def test_a_range_of_years_ends_with_its_last_year() -> None:
    at = datetime(2026, 6, 1, tzinfo=UTC)
    start, end = find_times("I worked there from 2015 to 2018", at)
    assert (start.valid_from, end.valid_to) == (
        datetime(2015, 1, 1, tzinfo=UTC),
        datetime(2019, 1, 1, tzinfo=UTC),
    )


def test_a_leap_day_a_year_ago_is_a_day_that_exists() -> None:
    assert day("a year ago", datetime(2024, 2, 29, 12, tzinfo=UTC))[0] == "2023-02-28"
    assert day("a month ago", datetime(2026, 3, 31, 12, tzinfo=UTC))[0] == "2026-02-28"


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "mars is a planet",
        "version 2019 of it",
        "3/4/2026",
        "the second one",
        "Jan is my boss",
        "1999 people came",
        "sept enfants",
    ],
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert find_times(text, datetime(2026, 1, 1, tzinfo=UTC)) == []


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)),
    st.sampled_from(ZONES),
    st.integers(1, 400),
)
def test_days_ago_is_that_many_local_days(naive: datetime, zone: str, days: int) -> None:
    at = naive.replace(tzinfo=ZoneInfo(zone))
    assert day(f"{days} days ago", at)[0] == (at.date() - timedelta(days=days)).isoformat()


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.sampled_from(ZONES), st.integers(0, 11))
def test_since_a_month_is_the_latest_one_that_has_begun(today: date, zone: str, month: int) -> None:
    names = "January February March April May June July August September October November December"
    at = datetime(today.year, today.month, today.day, 12, tzinfo=ZoneInfo(zone))
    start = date.fromisoformat(day(f"since {names.split()[month]}", at)[0])
    assert (start.month, start.day) == (month + 1, 1)
    assert start <= today < start.replace(year=start.year + 1)
