"""The rows of the truth table of ``remember``, one by one."""

from __future__ import annotations

import pytest

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger, day, make_draft, number

SLOT = Slot("user", "residence")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def test_row_1_into_an_empty_slot_a_value_is_inserted_from_now_on(ledger: Ledger) -> None:
    outcome = ledger.remember("Berlin", at=5)

    assert outcome.action == "inserted"
    assert outcome.touched == ()
    assert ledger.rows() == [("Berlin", 5, None, None)]
    assert outcome.belief is not None
    assert outcome.belief.recorded_at == day(5)
    assert outcome.belief == ledger.one("Berlin")


def test_row_2_a_later_different_value_supersedes_and_both_are_linked(ledger: Ledger) -> None:
    old = ledger.remember("Berlin", at=1).belief
    outcome = ledger.remember("Lyon", at=5)

    assert outcome.action == "superseded"
    assert ledger.rows() == [("Berlin", 1, 5, "Lyon"), ("Lyon", 5, None, None)]
    assert old is not None
    assert outcome.belief is not None
    assert outcome.belief.supersedes == old.id
    assert [(v.content, v.superseded_by) for v in outcome.touched] == [
        ("Berlin", outcome.belief.id)
    ]
    assert ledger.current(6) == ["Lyon"]
    assert ledger.current(4) == ["Berlin"]
    assert ledger.current(6, known=4) == ["Berlin"]


def test_row_2_the_new_value_does_not_copy_aliases_of_the_old_one(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, aliases=["home"])
    ledger.remember("Lyon", at=5)

    assert ledger.one("Lyon").aliases == ()
    assert ledger.one("Berlin").aliases == ("home",)


def test_row_3_an_older_fact_arriving_late_goes_before_the_current_one(ledger: Ledger) -> None:
    current = ledger.remember("Lyon", at=6, valid_from=5).belief
    outcome = ledger.remember("Berlin", at=7, valid_from=2)

    assert outcome.action == "inserted"
    assert ledger.rows() == [("Berlin", 2, 5, "Lyon"), ("Lyon", 5, None, None)]
    assert ledger.current(8) == ["Lyon"]
    assert current is not None
    assert outcome.belief is not None
    assert outcome.belief.superseded_by == current.id
    assert ledger.one("Lyon").supersedes == outcome.belief.id


def test_row_3_a_link_back_that_is_there_already_stays(ledger: Ledger) -> None:
    first = ledger.remember("Oslo", at=1).belief
    ledger.remember("Lyon", at=5)
    before = ledger.one("Lyon")
    ledger.do("retract", SLOT, at=6, valid_from=2, valid_to=5)
    ledger.remember("Berlin", at=7, valid_from=3)

    assert first is not None
    assert ledger.one("Lyon") == before
    assert before.supersedes == first.id
    assert ledger.one("Berlin").superseded_by == before.id


def test_a_value_between_two_others_is_in_the_chain_both_ways(ledger: Ledger) -> None:
    ledger.remember("Oslo", at=1)
    ledger.remember("Lyon", at=5)
    outcome = ledger.remember("Berlin", at=6, valid_from=3)

    assert outcome.action == "superseded"
    assert ledger.rows() == [
        ("Oslo", 1, 3, "Berlin"),
        ("Berlin", 3, 5, "Lyon"),
        ("Lyon", 5, None, None),
    ]
    assert ledger.one("Berlin").supersedes == ledger.one("Oslo").id
    assert ledger.one("Lyon").supersedes == ledger.one("Berlin").id


def test_row_4_another_value_from_the_same_instant_corrects(ledger: Ledger) -> None:
    old = ledger.remember("Berlin", at=1, aliases=["home"]).belief
    outcome = ledger.remember("Bern", at=5, valid_from=1, aliases=["den"])

    assert outcome.action == "corrected"
    assert ledger.rows() == [("Bern", 1, None, None)]
    assert old is not None
    assert outcome.belief is not None
    # Nothing is left of the old value: the belief is the same one, and so are its names.
    assert outcome.belief.id == old.id
    assert outcome.belief.rev > old.rev
    assert set(outcome.belief.aliases) == {"home", "den"}
    assert ledger.current(2, known=4) == ["Berlin"]
    assert ledger.current(2) == ["Bern"]


def test_row_4_the_corrected_value_takes_the_interval_of_the_old_one(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    ledger.remember("Lyon", at=5)
    ledger.remember("Bern", at=6, valid_from=1)
    assert ledger.rows() == [("Bern", 1, 5, "Lyon"), ("Lyon", 5, None, None)]

    ledger = Ledger()
    ledger.remember("Berlin", at=1, valid_from=1, valid_to=20)
    ledger.remember("Bern", at=6, valid_from=1)
    assert ledger.rows() == [("Bern", 1, 20, None)]


def test_row_5_the_same_value_again_is_counted_and_brings_its_aliases(ledger: Ledger) -> None:
    first = ledger.remember("Berlin", at=1).belief
    outcome = ledger.remember("  BERLIN ", at=5)

    assert outcome.action == "reinforced"
    assert first is not None
    assert len(ledger.ever) == 1
    assert ledger.one("Berlin").reinforcement_count == 1
    assert ledger.one("Berlin").last_reinforced_at == day(5)
    assert outcome.belief == ledger.one("Berlin")

    outcome = ledger.remember("Berlin", at=6, aliases=["home"])
    held = ledger.one("Berlin")
    assert outcome.action == "reinforced"
    assert (held.id, held.aliases, held.reinforcement_count) == (first.id, ("home",), 2)
    assert ledger.rows() == [("Berlin", 1, None, None)]
    assert ledger.remember("Berlin", at=7, aliases=["home"]).action == "reinforced"
    assert ledger.one("Berlin").rev == held.rev


def test_row_5_a_past_that_is_held_already_is_only_restated(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    ledger.do("retract", SLOT, at=5)

    assert ledger.remember("Berlin", at=6, valid_from=2).action == "reinforced"
    assert ledger.rows() == [("Berlin", 1, 5, None)]


def test_row_6_the_same_value_from_earlier_extends(ledger: Ledger) -> None:
    first = ledger.remember("Berlin", at=5).belief
    outcome = ledger.remember("Berlin", at=6, valid_from=2, aliases=["home"])

    assert outcome.action == "extended"
    assert first is not None
    assert ledger.rows() == [("Berlin", 2, None, None)]
    assert ledger.one("Berlin").id == first.id
    assert ledger.one("Berlin").aliases == ("home",)


def test_row_6_the_same_value_to_later_extends_up_to_the_neighbour(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, valid_from=1, valid_to=3)
    ledger.remember("Lyon", at=2, valid_from=6)
    outcome = ledger.remember("Berlin", at=2.5, valid_from=2)

    assert outcome.action == "extended"
    assert ledger.rows() == [("Berlin", 1, 6, "Lyon"), ("Lyon", 6, None, None)]


def test_row_6_touching_intervals_of_one_value_become_one(ledger: Ledger) -> None:
    first = ledger.remember("Berlin", at=9, valid_from=1, valid_to=3).belief
    later = ledger.remember(
        "Berlin", at=9.1, valid_from=5, valid_to=7, aliases=["home"], pinned=True
    ).belief
    ledger.remember("Berlin", at=9.2, valid_from=3, valid_to=5)

    assert first is not None
    assert later is not None
    assert ledger.rows() == [("Berlin", 1, 7, None)]
    assert ledger.one("Berlin").id == first.id
    assert ledger.one("Berlin").aliases == ("home",)
    assert ledger.one("Berlin").pinned


def test_row_7_an_explicit_interval_is_overwritten_and_split_on_both_sides(
    ledger: Ledger,
) -> None:
    old = ledger.remember("Berlin", at=1).belief
    outcome = ledger.remember("Lyon", at=9, valid_from=3, valid_to=5)

    assert ledger.rows() == [
        ("Berlin", 1, 3, None),
        ("Lyon", 3, 5, None),
        ("Berlin", 5, None, None),
    ]
    assert old is not None
    assert outcome.belief is not None
    assert outcome.belief.id != old.id
    assert {v.id for v in ledger.held() if v.content == "Berlin"} == {old.id}
    assert [ledger.current(at) for at in (2, 4, 6)] == [["Berlin"], ["Lyon"], ["Berlin"]]


def test_row_7_everything_inside_an_explicit_interval_goes(ledger: Ledger) -> None:
    ledger.remember("Oslo", at=1)
    ledger.remember("Berlin", at=3, aliases=["spree"])
    ledger.remember("Lyon", at=5, aliases=["rhone"])
    ledger.remember("Bern", at=9, valid_from=2, valid_to=7)

    assert ledger.rows() == [
        ("Oslo", 1, 2, "Bern"),
        ("Bern", 2, 7, "Lyon"),
        ("Lyon", 7, None, None),
    ]


def test_row_8_a_future_value_is_recorded_now_and_current_only_then(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    assert ledger.remember("Lyon", at=2, valid_from=9).action == "superseded"

    assert ledger.current(3) == ["Berlin"]
    assert ledger.current(9) == ["Lyon"]
    assert ledger.remember("Berlin", at=4).action == "reinforced"


def test_row_9_there_and_back_again_gives_three_intervals(ledger: Ledger) -> None:
    for at, value in ((1, "Berlin"), (3, "Lyon"), (5, "Berlin")):
        ledger.remember(value, at=at)

    assert [row[:3] for row in ledger.rows()] == [
        ("Berlin", 1, 3),
        ("Lyon", 3, 5),
        ("Berlin", 5, None),
    ]
    first, second, third = sorted(ledger.held(), key=lambda v: v.valid_from)
    assert len({first.id, second.id, third.id}) == 3
    assert (first.superseded_by, second.superseded_by) == (second.id, third.id)
    assert (second.supersedes, third.supersedes) == (first.id, second.id)


@pytest.mark.parametrize("ends", [5, 4])
def test_row_10_an_interval_that_is_zero_or_negative_is_refused(
    ledger: Ledger, ends: float
) -> None:
    with pytest.raises(InvalidBelief, match="valid_to"):
        ledger.remember("Berlin", at=9, valid_from=5, valid_to=ends)
    with pytest.raises(InvalidBelief, match="valid_to"):
        ledger.remember("Berlin", at=5, valid_to=ends)
    assert not ledger.ever


def test_row_11_after_an_end_the_gap_stays_a_gap(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    ledger.do("retract", SLOT, at=4)
    outcome = ledger.remember("Lyon", at=7)

    assert outcome.action == "inserted"
    assert ledger.rows() == [("Berlin", 1, 4, None), ("Lyon", 7, None, None)]
    assert ledger.current(5) == []


def test_a_claim_ends_at_the_past_end_of_what_is_held_after_it(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=3)
    ledger.do("retract", SLOT, at=6)
    ledger.remember("Lyon", at=7, valid_from=1)
    assert ledger.rows() == [("Lyon", 1, 3, "Berlin"), ("Berlin", 3, 6, None)]

    ledger.remember("Bern", at=8, valid_from=4)
    assert ledger.rows()[1:] == [("Berlin", 3, 4, "Bern"), ("Bern", 4, 6, None)]


def test_a_claim_passes_an_end_that_is_still_to_come(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, valid_from=1, valid_to=20)
    ledger.remember("Lyon", at=5)

    assert ledger.rows() == [("Berlin", 1, 5, "Lyon"), ("Lyon", 5, None, None)]


def test_what_is_written_and_replaced_by_one_commit_leaves_no_trace(ledger: Ledger) -> None:
    planner = ledger.planner(day(3))
    planner.remember(make_draft("Berlin"))
    planner.remember(make_draft("Lyon"))
    ledger.commit(planner)

    assert [v.content for v in ledger.ever.values()] == ["Lyon"]


def test_a_plan_in_which_nothing_changes_is_falsy(ledger: Ledger) -> None:
    planner = ledger.planner(day(3))
    assert not planner.plan()


def test_a_restatement_joins_the_version_that_the_same_commit_writes(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    planner = ledger.planner(day(3))
    planner.remember(make_draft("Berlin"))
    planner.add_aliases(SLOT, ["home"])
    planner.remember(make_draft("Berlin"))
    plan = planner.plan()

    assert plan.reinforcements == ()
    assert [(v.aliases, v.reinforcement_count) for v in plan.writes] == [(("home",), 2)]


def test_an_explicitly_superseded_belief_ends_whatever_its_slot(ledger: Ledger) -> None:
    old = ledger.remember("Redis caches", at=1, name="redis", attribute=None).belief
    assert old is not None
    outcome = ledger.remember(
        "Valkey caches", at=5, name="valkey", attribute=None, supersedes=old.id
    )

    assert outcome.action == "superseded"
    assert outcome.belief is not None
    assert outcome.belief.supersedes == old.id
    (closed,) = [v for v in ledger.held() if v.id == old.id]
    assert (number(closed.valid_to), closed.superseded_by) == (5, outcome.belief.id)
    assert ledger.current(6, name="redis", attribute=None) == []
    assert ledger.current(4, name="redis", attribute=None) == ["Redis caches"]


def test_a_belief_superseded_from_its_beginning_stays_for_its_names(ledger: Ledger) -> None:
    old = ledger.remember("Redis caches", at=1, name="redis", attribute=None).belief
    assert old is not None
    new = ledger.remember(
        "Valkey caches", at=5, name="valkey", attribute=None, valid_from=1, supersedes=old.id
    ).belief

    assert new is not None
    assert ledger.one("Redis caches").superseded_by == new.id
    assert ledger.current(2, name="redis", attribute=None) == []


def test_what_is_named_as_superseded_does_not_bound_the_claim(ledger: Ledger) -> None:
    old = ledger.remember("Berlin", at=6, valid_from=5).belief
    assert old is not None
    ledger.remember("Lyon", at=7, valid_from=3, supersedes=old.id)

    assert ledger.rows() == [("Lyon", 3, None, None)]


def test_to_supersede_what_is_not_held_is_refused(ledger: Ledger) -> None:
    with pytest.raises(BeliefNotFound, match="nobody"):
        ledger.remember("Berlin", at=1, supersedes="nobody")
