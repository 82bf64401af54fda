"""The point-in-time answers that memory systems get wrong, right here in any time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from belief_memory import BeliefMemory, UserMemory
from tests.conftest import SetClock

pytestmark = pytest.mark.usefixtures("timezone")


def day(number: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number - 1)


@pytest.fixture
def user(memory: BeliefMemory) -> UserMemory:
    return memory.for_user("alice")


def contents(user: UserMemory, **at: object) -> list[str]:
    return [belief.content for belief in user.beliefs(**at)]  # type: ignore[arg-type]


def test_the_two_instants_are_independent(user: UserMemory, clock: SetClock) -> None:
    clock.at = day(1)
    user.remember("city", "Oslo")
    clock.at = day(20)
    user.remember("city", "Bergen", valid_from=day(10))
    assert contents(user, valid_at=day(15), known_at=day(19)) == ["Oslo"]
    assert contents(user, valid_at=day(15), known_at=day(20)) == ["Bergen"]
    assert contents(user, valid_at=day(5)) == ["Oslo"]


def test_learned_late_is_true_from_when_it_was_true(user: UserMemory, clock: SetClock) -> None:
    clock.at = day(10)
    user.remember("city", "Oslo", valid_from=day(5))
    assert contents(user, valid_at=day(7)) == ["Oslo"]
    assert contents(user, as_of=day(7)) == []
    assert contents(user, valid_at=day(4)) == []


def test_an_older_fact_arriving_late_does_not_become_current(
    user: UserMemory, clock: SetClock
) -> None:
    clock.at = day(10)
    user.remember("city", "Bergen", valid_from=day(8))
    clock.at = day(12)
    user.remember("city", "Oslo", valid_from=day(2))
    assert contents(user) == ["Bergen"]
    assert contents(user, valid_at=day(5)) == ["Oslo"]


def test_backfilled_history_answers_for_past_dates(user: UserMemory, clock: SetClock) -> None:
    clock.at = day(100)
    for number, city in ((1, "Oslo"), (30, "Bergen"), (60, "Tromsø")):
        user.remember("city", city, valid_from=day(number))
    assert [contents(user, valid_at=day(n))[0] for n in (1, 29, 30, 59, 60, 100)] == [
        "Oslo",
        "Oslo",
        "Bergen",
        "Bergen",
        "Tromsø",
        "Tromsø",
    ]


def test_a_future_fact_is_recorded_now_and_true_later(user: UserMemory, clock: SetClock) -> None:
    user.remember("city", "Oslo")
    user.remember("city", "Bergen", valid_from=day(50))
    assert contents(user) == ["Oslo"]
    assert contents(user, valid_at=day(50)) == ["Bergen"]
    clock.at = day(51)
    assert contents(user) == ["Bergen"]


def test_a_second_child_or_hobby_does_not_erase_the_first(user: UserMemory) -> None:
    user.remember("user", "Ada", attribute="child", cardinality="many")
    user.remember("user", "Grace", attribute="child")
    assert sorted(contents(user)) == ["Ada", "Grace"]


def test_an_interval_can_have_an_end(user: UserMemory) -> None:
    user.remember("visa", "Has a visa.", valid_from=day(1), valid_to=day(30))
    assert contents(user, valid_at=day(29)) == ["Has a visa."]
    assert contents(user, valid_at=day(30)) == []


def test_change_and_correction_differ(user: UserMemory, clock: SetClock) -> None:
    user.remember("city", "Oslo", valid_from=day(1))
    user.remember("salary", "100", valid_from=day(1))
    clock.at = day(10)
    user.remember("city", "Bergen")
    user.correct("salary", "110")
    assert contents(user, slot="city", valid_at=day(5)) == ["Oslo"]
    assert contents(user, slot="salary", valid_at=day(5)) == ["110"]
    assert contents(user, slot="salary", as_of=day(5)) == ["100"]


def test_the_same_words_in_two_intervals_stay_two(user: UserMemory, clock: SetClock) -> None:
    for number, city in ((1, "Oslo"), (10, "Bergen"), (20, "Oslo")):
        clock.at = day(number)
        user.remember("city", city)
    assert [contents(user, valid_at=day(n)) for n in (5, 15, 25)] == [
        ["Oslo"],
        ["Bergen"],
        ["Oslo"],
    ]
    retracted = user.retract("city", valid_from=day(22))
    assert retracted.action == "retracted"
    assert contents(user, valid_at=day(5)) == ["Oslo"]
    assert contents(user, valid_at=day(25)) == []


def test_editing_something_else_does_not_move_the_answer(user: UserMemory, clock: SetClock) -> None:
    user.remember("city", "Oslo")
    clock.at = day(10)
    user.update("city", pinned=True, why_it_matters="Use local prices.")
    user.add_aliases("city", ["home town"])
    assert contents(user, as_of=day(5)) == ["Oslo"]
    (belief,) = user.beliefs(slot="city")
    assert belief.valid_from == day(1)
    assert belief.pinned


def test_sibling_names_never_supersede_each_other(user: UserMemory) -> None:
    names = ["meeting_monday", "meeting_tuesday", "son", "daughter", "residence", "home_city"]
    for name in names:
        user.remember(name, f"About {name}.")
    assert len(contents(user)) == len(names)


def test_an_old_important_fact_is_still_recalled(user: UserMemory, clock: SetClock) -> None:
    user.remember("peanut_allergy", "Allergic to peanuts.", aliases=["peanuts"])
    clock.at = day(365 * 30)
    assert user.recall("Can I cook with peanuts?").relevant[0].content == "Allergic to peanuts."


def test_history_shows_every_version_on_both_clocks(user: UserMemory, clock: SetClock) -> None:
    user.remember("city", "Oslo")
    clock.at = day(10)
    user.remember("city", "Bergen")
    versions = user.history("city")
    assert [(v.content, v.valid_from, v.valid_to, v.retired_at) for v in versions] == [
        ("Oslo", day(1), None, day(10)),
        *sorted(
            [("Oslo", day(1), day(10), None), ("Bergen", day(10), None, None)],
            key=lambda row: [v.content for v in versions[1:]].index(row[0]),
        ),
    ]
    old, new = user.history("city")[-2:] if versions[1].content == "Oslo" else versions[:0:-1]
    assert old.superseded_by == new.id
    assert new.supersedes == old.id


def test_a_superseded_value_never_comes_back(user: UserMemory, clock: SetClock) -> None:
    user.remember("database", "Uses MySQL.", aliases=["mysql"])
    clock.at = day(2)
    user.remember("database", "Uses PostgreSQL.", aliases=["postgres"])
    for query in ("which database?", "mysql settings", "postgres settings"):
        assert [b.content for b in user.recall(query).relevant] == ["Uses PostgreSQL."]


def test_what_was_just_written_is_seen_after_the_clock_went_back(
    user: UserMemory, clock: SetClock
) -> None:
    clock.at = day(10)
    user.remember("city", "Oslo")
    clock.at = day(3)
    user.remember("city", "Bergen")
    assert contents(user) == ["Bergen"]
    times = [version.recorded_at for version in user.history("city")]
    assert times == sorted(times)
    assert len(set(times)) == 2
