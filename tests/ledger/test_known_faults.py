"""What other memory systems get wrong about time, each as they were caught at it."""

from __future__ import annotations

from datetime import datetime

import pytest

from belief_memory.ledger.reading import Reader
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger, day, make_draft

SLOT = Slot("user", "residence")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def test_the_two_clocks_are_asked_independently(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=10, valid_from=1)
    ledger.remember("Bern", at=20, valid_from=1)

    assert ledger.current(5, known=15) == ["Berlin"]
    assert ledger.current(5, known=25) == ["Bern"]
    assert ledger.current(5, known=5) == []


def test_what_was_learned_late_was_true_all_along(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=10, valid_from=5)

    assert ledger.current(7) == ["Berlin"]
    assert ledger.current(7, known=9) == []
    assert ledger.current(4) == []


def test_an_older_fact_arriving_late_does_not_become_current(ledger: Ledger) -> None:
    ledger.remember("Lyon", at=10)
    ledger.remember("Berlin", at=11, valid_from=3)

    assert ledger.current(12) == ["Lyon"]
    assert ledger.current(5) == ["Berlin"]


def test_backfilled_history_answers_for_past_dates(ledger: Ledger) -> None:
    ledger.remember("Lyon", at=50, valid_from=40)
    for at, place, since in ((51, "Oslo", 5), (52, "Rome", 30), (53, "Bern", 20)):
        ledger.remember(place, at=at, valid_from=since)

    seen = [ledger.current(at) for at in (4, 10, 25, 35, 60)]
    assert seen == [[], ["Oslo"], ["Bern"], ["Rome"], ["Lyon"]]


def test_a_future_fact_is_not_current_at_once(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    ledger.remember("Lyon", at=2, valid_from=30)

    assert ledger.current(3) == ["Berlin"]
    assert ledger.current(31) == ["Lyon"]


def test_the_second_hobby_does_not_erase_the_first(ledger: Ledger) -> None:
    for at, hobby in enumerate(("chess", "sailing", "go"), start=1):
        ledger.remember(hobby, at=at, attribute="hobby", cardinality="many")

    assert ledger.current(9, attribute="hobby") == ["chess", "go", "sailing"]


def test_an_interval_has_an_end(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, valid_from=1, valid_to=8)

    assert ledger.current(7) == ["Berlin"]
    assert ledger.current(8) == []


def test_a_correction_is_not_a_change(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    assert ledger.do("correct", SLOT, "Bern", at=5).action == "corrected"
    assert ledger.remember("Lyon", at=7).action == "superseded"

    assert ledger.current(2) == ["Bern"]
    assert ledger.current(2, known=4) == ["Berlin"]


def test_a_naive_instant_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        make_draft("Berlin", valid_from=datetime(2024, 1, 1))


def test_siblings_are_never_superseded_by_likeness(ledger: Ledger) -> None:
    for at in range(150):
        name = f"meeting_room_{at}"
        outcome = ledger.remember("is booked", at=at, name=name, attribute=None)
        assert outcome.action == "inserted"
    assert len(ledger.held()) == 150


def test_reads_change_nothing(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    before = dict(ledger.ever)
    for at in range(5):
        ledger.current(at)
    assert ledger.ever == before


def test_old_values_stay_in_the_history(ledger: Ledger) -> None:
    for at, place in enumerate(("Oslo", "Rome", "Bern"), start=1):
        ledger.remember(place, at=at)
    ids = {v.id for v in ledger.ever.values()}
    assert len(ids) == 3
    assert {v.content for v in ledger.ever.values()} == {"Oslo", "Rome", "Bern"}


def test_an_old_important_fact_does_not_fade(ledger: Ledger) -> None:
    ledger.remember("peanuts", at=0, attribute="allergy")
    assert ledger.current(3650 * 2, attribute="allergy") == ["peanuts"]


def test_there_and_back_again_is_three_intervals(ledger: Ledger) -> None:
    for at, place in ((1, "Oslo"), (3, "Rome"), (5, "Oslo")):
        ledger.remember(place, at=at)
    assert [ledger.current(at) for at in (2, 4, 6)] == [["Oslo"], ["Rome"], ["Oslo"]]


def test_disjoint_intervals_of_one_text_stay_disjoint(ledger: Ledger) -> None:
    ledger.remember("Oslo", at=20, valid_from=1, valid_to=3)
    ledger.remember("Oslo", at=21, valid_from=6, valid_to=9)
    ledger.do("retract", SLOT, at=22, valid_from=7)

    assert [ledger.current(at) for at in (2, 4, 6, 8)] == [["Oslo"], [], ["Oslo"], []]


def test_an_unrelated_edit_moves_no_date(ledger: Ledger) -> None:
    ledger.remember("Oslo", at=1)
    ledger.remember("Rome", at=3)
    ledger.do("update", SLOT, {"confidence": 0.4}, at=9)
    ledger.do("add_aliases", SLOT, ["home"], at=10)

    assert ledger.rows() == [("Oslo", 1, 3, "Rome"), ("Rome", 3, None, None)]
    assert ledger.one("Oslo").recorded_at == day(3)


def test_old_names_lead_to_the_active_end_after_every_kind_of_replacement(
    ledger: Ledger,
) -> None:
    ledger.remember("Oslo", at=1, aliases=["fjord"])
    ledger.remember("Rome", at=3, aliases=["tiber"])
    ledger.do("correct", SLOT, "Bern", at=5)
    ledger.remember("Lyon", at=7)

    held = ledger.held()
    reader = Reader(held, day(9))
    for name in ("fjord", "tiber"):
        (named,) = [v for v in held if name in v.aliases]
        end = reader.active_end(named)
        assert end is not None
        assert end.content == "Lyon"
