"""Thirty turns in two languages, answered by a model that is sometimes wrong. What it says
rightly ends up in the ledger, on both clocks; what it makes up does not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from belief_memory import BeliefMemory, Message, UserMemory
from tests.learning.conversation import HEARD, TURNS
from tests.learning.messages import replaying


@pytest.fixture(scope="module")
def user():
    extractor, model = replaying(*[[*turn.wrong, *turn.right] for turn in TURNS])
    now = [TURNS[0].at]
    with BeliefMemory.open("memory://", extractor=extractor, clock=lambda: now[0]) as memory:
        user = memory.for_user("u")
        for turn in TURNS:
            now[0] = turn.at + HEARD
            report = user.observe([Message("user", turn.before + turn.text, at=turn.at)])
            done = len(report.outcomes) + len(report.skipped)
            assert done >= len(turn.right) + len(turn.wrong), f"{turn.text}\n{report}"
        assert len(model.prompts) == len(TURNS) == 30
        yield user


def utc(month: int, day: int, hour: int = 11, year: int = 2026) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


def summer(month: int, day: int) -> datetime:
    return utc(month, day, 10)


HELD = {
    # slot, content, true from, true until, learned
    ("sister", "residence", "The user's sister lives in Oslo.", utc(1, 15), None, utc(1, 15)),
    ("telescope", None, "The telescope is called Marvin.", utc(1, 8), None, summer(4, 1)),
    ("telescope", "status", "Marvin works.", utc(4, 5, 22), None, summer(4, 10)),
    (
        "telescope mount",
        "plan",
        "The mount gets replaced in April.",
        utc(2, 20),
        summer(5, 4),
        summer(5, 4),
    ),
    (
        "telescope mount",
        "plan",
        "The mount does not get replaced.",
        summer(5, 4),
        None,
        summer(5, 4),
    ),
    (
        "telescope mount",
        "replacement",
        "Should the telescope mount be replaced this year?",
        utc(2, 10),
        None,
        utc(2, 20),
    ),
    (
        "telescope mount",
        "replacement",
        "Should the telescope mount be replaced this year?",
        utc(3, 20),
        None,
        summer(5, 4),
    ),
    ("user", "cat", "Die Katze heißt Nebula", utc(3, 10), None, utc(3, 10)),
    ("user", "cat", "Die andere Katze heißt Quasar", utc(3, 12), None, utc(3, 12)),
    ("user", "daughter", "The user's daughter is 7.", summer(4, 5), None, summer(4, 5)),
    (
        "user",
        "employer",
        "Arbeitet bei der Hafenbehörde",
        utc(12, 31, 23, 2025),
        utc(3, 23, 23),
        utc(3, 25),
    ),
    ("user", "job title", "Works as a hydrographer", utc(1, 5), None, utc(3, 3)),
    (
        "user",
        "residence",
        "Lebte in Gent",
        utc(12, 31, 23, 2008),
        utc(12, 31, 23, 2012),
        summer(4, 6),
    ),
    ("user", "residence", "Lives in Lisbon", utc(1, 5), utc(1, 25, 23), utc(2, 2)),
    ("user", "residence", "Lives in Porto", utc(1, 25, 23), utc(4, 30, 22), summer(5, 3)),
    ("user", "residence", "Lives in Braga", utc(4, 30, 22), None, summer(5, 3)),
    ("user", "son", "The user's son is 9.", summer(4, 5), None, summer(4, 5)),
}


def held(user: UserMemory) -> set[tuple]:
    return {
        (
            r["canonical_name"],
            r["attribute"],
            r["content"],
            *(instant(r[f]) for f in ("valid_from", "valid_to", "recorded_at")),
        )
        for r in user.export()
        if r["standing"] == "held" and r["retired_at"] is None
    }


def instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def learned(rows: set[tuple]) -> set[tuple]:
    """The rows with the clock's delay, which commits of one instant may exceed by a tick."""
    return {(*row[:5], row[5].replace(second=0, microsecond=0)) for row in rows}


def test_the_ledger_is_exactly_what_was_rightly_said_on_both_clocks(user: UserMemory) -> None:
    assert learned(held(user)) == HELD


def test_what_is_current_at_the_end(user: UserMemory) -> None:
    now = {(b.canonical_name, b.attribute, b.content) for b in user.beliefs()}
    assert now == {row[:3] for row in HELD if row[4] is None and row[1] != "replacement"}


@pytest.mark.parametrize(
    ("true_at", "known_at", "home"),
    [
        (utc(1, 28), utc(1, 28), "Lives in Lisbon"),
        (utc(1, 28), utc(2, 3), "Lives in Porto"),
        (utc(1, 20), utc(2, 3), "Lives in Lisbon"),
        (utc(5, 2), utc(5, 2), "Lives in Porto"),
        (utc(5, 2), utc(5, 4), "Lives in Braga"),
        (utc(6, 1, year=2010), utc(4, 5), None),
        (utc(6, 1, year=2010), utc(4, 7), "Lebte in Gent"),
    ],
)
def test_what_was_true_as_it_was_known(
    user: UserMemory, true_at: datetime, known_at: datetime, home: str | None
) -> None:
    found = user.beliefs(slot=("user", "residence"), valid_at=true_at, known_at=known_at)
    assert [b.content for b in found] == ([home] if home else [])


def test_the_reopened_question_was_open_closed_open_and_closed(user: UserMemory) -> None:
    slot = ("telescope mount", "replacement")
    days = [utc(2, 15), utc(3, 1), utc(4, 1), utc(5, 5)]
    assert [bool(user.beliefs(slot=slot, as_of=day)) for day in days] == [True, False, True, False]


def test_the_alias_works_from_the_next_query_on(user: UserMemory) -> None:
    asked = "Is the green box still under warranty?"
    assert not user.recall(asked, as_of=utc(3, 30)).relevant
    assert "The telescope is called Marvin." in [b.content for b in user.recall(asked).relevant]


def test_every_planted_answer_waits_or_was_refused(user: UserMemory) -> None:
    waiting = {(b.canonical_name, b.attribute, b.content) for b in user.pending()}
    current = {row[:3] for row in HELD}
    planted = {(w["canonical_name"], w["attribute"], w["content"]) for t in TURNS for w in t.wrong}
    assert waiting <= planted
    assert all(b.metadata["waits_because"] for b in user.pending())
    assert planted & current <= {
        row[:3]
        for row in HELD
        if row[2]
        in {"Lives in Porto", "Lives in Braga", "Marvin works.", "Arbeitet bei der Hafenbehörde"}
    }


def test_the_same_conversation_in_one_batch_ends_in_the_same_valid_times(user: UserMemory) -> None:
    extractor, _ = replaying([one for turn in TURNS for one in (*turn.wrong, *turn.right)])
    heard = TURNS[-1].at + HEARD
    with BeliefMemory.open("memory://", extractor=extractor, clock=lambda: heard) as memory:
        batch = memory.for_user("u")
        batch.observe([Message("user", turn.before + turn.text, at=turn.at) for turn in TURNS])
        assert {row[:5] for row in held(batch)} == {row[:5] for row in held(user)}
