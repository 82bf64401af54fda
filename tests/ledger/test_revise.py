"""correct, retract and resolve."""

from __future__ import annotations

import pytest

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger, day

SLOT = Slot("user", "residence")
A, B = "project:a", "project:b"


@pytest.fixture
def ledger() -> Ledger:
    ledger = Ledger()
    ledger.remember("Berlin", at=1, aliases=["home"], why_it_matters="for the weather")
    ledger.remember("Lyon", at=5)
    return ledger


def test_a_correction_without_bounds_takes_the_interval_of_the_current_value(
    ledger: Ledger,
) -> None:
    old = ledger.one("Lyon")
    outcome = ledger.do("correct", SLOT, "Lille", at=7)

    assert outcome.action == "corrected"
    assert ledger.rows() == [("Berlin", 1, 5, "Lille"), ("Lille", 5, None, None)]
    assert ledger.one("Lille").id == old.id
    assert ledger.one("Lille").supersedes == old.supersedes
    assert ledger.current(6, known=6) == ["Lyon"]


def test_a_correction_by_id_takes_the_interval_of_that_belief(ledger: Ledger) -> None:
    old = ledger.one("Berlin")
    ledger.do("correct", old.id, "Bern", at=7)

    assert ledger.rows() == [("Bern", 1, 5, "Lyon"), ("Lyon", 5, None, None)]
    assert ledger.one("Bern").id == old.id
    assert ledger.one("Bern").aliases == ("home",)
    assert ledger.one("Bern").why_it_matters == "for the weather"


def test_a_correction_with_a_start_keeps_the_end_of_what_covers_it(ledger: Ledger) -> None:
    ledger.do("correct", SLOT, "Bern", at=7, valid_from=3)

    assert ledger.rows() == [
        ("Berlin", 1, 3, "Bern"),
        ("Bern", 3, 5, "Lyon"),
        ("Lyon", 5, None, None),
    ]
    assert ledger.one("Lyon").supersedes == ledger.one("Bern").id


def test_a_correction_with_an_end_keeps_the_start_of_what_covers_it(ledger: Ledger) -> None:
    ledger.do("correct", SLOT, "Bern", at=7, valid_to=4)

    assert [row[:3] for row in ledger.rows()] == [
        ("Bern", 1, 4),
        ("Berlin", 4, 5),
        ("Lyon", 5, None),
    ]


def test_a_correction_that_is_open_overwrites_everything_later(ledger: Ledger) -> None:
    ledger.remember("Oslo", at=6, valid_from=9)
    ledger.do("correct", SLOT, "Bern", at=7, valid_from=3, valid_to=None)

    assert ledger.rows() == [("Berlin", 1, 3, "Bern"), ("Bern", 3, None, None)]


def test_a_correction_starting_in_a_gap_ends_where_a_claim_would(ledger: Ledger) -> None:
    ledger.do("correct", SLOT, "Oslo", at=7, valid_from=-3)

    assert ledger.rows()[0] == ("Oslo", -3, 1, "Berlin")


def test_a_correction_of_spelling_is_applied_to_the_same_belief(ledger: Ledger) -> None:
    old = ledger.one("Lyon")
    outcome = ledger.do(
        "correct", SLOT, "LYON", at=7, changes={"why_it_matters": "timezone", "aliases": ["l"]}
    )

    assert outcome.action == "corrected"
    held = ledger.one("LYON")
    assert (held.id, held.why_it_matters, held.aliases) == (old.id, "timezone", ("l",))
    assert ledger.do("correct", SLOT, "LYON", at=8).action == "unchanged"
    assert ledger.one("LYON").rev == held.rev


def test_a_correction_to_the_neighbours_value_makes_one_interval(ledger: Ledger) -> None:
    first = ledger.one("Berlin")
    ledger.do("correct", SLOT, "Berlin", at=7)

    assert ledger.rows() == [("Berlin", 1, None, None)]
    assert ledger.one("Berlin").id == first.id


def test_a_correction_of_an_empty_slot_needs_to_say_since_when(ledger: Ledger) -> None:
    slot = Slot("user", "employer")
    with pytest.raises(BeliefNotFound, match="employer"):
        ledger.do("correct", slot, "Acme", at=7)

    assert ledger.do("correct", slot, "Acme", at=8, valid_from=2).action == "inserted"
    assert ledger.current(3, attribute="employer") == ["Acme"]
    with pytest.raises(BeliefNotFound, match="nobody"):
        ledger.do("correct", "nobody", "x", at=9, valid_from=2)


def test_a_correction_refuses_what_it_cannot_change_and_empty_intervals(ledger: Ledger) -> None:
    with pytest.raises(InvalidBelief, match="scopes"):
        ledger.do("correct", SLOT, "x", at=7, changes={"scopes": [A]})
    with pytest.raises(InvalidBelief, match="confidence"):
        ledger.do("correct", SLOT, "x", at=7, changes={"confidence": 7})
    with pytest.raises(InvalidBelief, match="valid_to"):
        ledger.do("correct", SLOT, "x", at=7, valid_from=3, valid_to=3)


def test_the_evidence_of_the_old_content_is_not_that_of_the_new(ledger: Ledger) -> None:
    ledger.remember("Oslo", at=7, provenance={"quote": "I moved to Oslo"})
    ledger.do("correct", SLOT, "Olso", at=8)
    assert ledger.one("Olso").provenance is None


def test_a_correction_covers_rows_that_continue_each_other() -> None:
    ledger = Ledger()
    ledger.remember("Berlin", at=1, scopes=[A, B])
    ledger.remember("Lyon", at=20, valid_from=3, valid_to=5, scopes=[A])
    ledger.do("correct", SLOT, "Bern", at=21, scopes=[B])

    assert [ledger.current(at, scopes=[B]) for at in (1, 4, 9)] == [["Bern"]] * 3
    assert [ledger.current(at, scopes=[A]) for at in (1, 4, 9)] == [
        ["Berlin"],
        ["Lyon"],
        ["Berlin"],
    ]


def test_a_correction_by_a_person_is_never_a_conflict(ledger: Ledger) -> None:
    ledger.do("update", SLOT, {"pinned": True}, at=6)
    assert ledger.do("correct", SLOT, "Lille", at=7).action == "corrected"
    assert ledger.one("Lille").pinned


def test_a_retraction_ends_a_value_without_a_successor(ledger: Ledger) -> None:
    outcome = ledger.do("retract", SLOT, at=9)

    assert outcome.action == "retracted"
    assert ledger.rows() == [("Berlin", 1, 5, "Lyon"), ("Lyon", 5, 9, None)]
    assert ledger.current(10) == []
    assert ledger.current(8) == ["Lyon"]
    assert ledger.current(10, known=8) == ["Lyon"]


def test_a_retraction_drops_what_is_later(ledger: Ledger) -> None:
    outcome = ledger.do("retract", SLOT, at=9, valid_from=3)

    assert ledger.rows() == [("Berlin", 1, 3, None)]
    assert [(v.content, v.retired_at) for v in outcome.touched] == [("Lyon", day(9))]


def test_a_retraction_of_an_interval_cuts_just_that(ledger: Ledger) -> None:
    ledger.do("retract", SLOT, at=9, valid_from=2, valid_to=3)

    assert ledger.rows() == [
        ("Berlin", 1, 2, None),
        ("Berlin", 3, 5, "Lyon"),
        ("Lyon", 5, None, None),
    ]


def test_a_retraction_in_scopes_that_the_belief_is_not_in_finds_nothing(ledger: Ledger) -> None:
    rows = ledger.rows()
    for never_true in (False, True):
        with pytest.raises(BeliefNotFound):
            ledger.do("retract", ledger.one("Lyon").id, at=9, never_true=never_true, scopes=[A])
    assert ledger.rows() == rows


def test_a_retraction_as_never_true_leaves_only_history(ledger: Ledger) -> None:
    assert ledger.do("retract", SLOT, at=9, never_true=True).action == "retracted"

    assert ledger.rows() == []
    assert ledger.current(6, known=8) == ["Lyon"]
    with pytest.raises(BeliefNotFound):
        ledger.do("retract", SLOT, at=10, never_true=True)


def test_a_retraction_by_id_leaves_the_rest_of_the_slot(ledger: Ledger) -> None:
    ledger.do("retract", ledger.one("Berlin").id, at=9, never_true=True)
    assert ledger.rows() == [("Lyon", 5, None, None)]


def test_a_retraction_of_nothing_tells_nothing_held_from_never_held(ledger: Ledger) -> None:
    ledger.do("retract", SLOT, at=9)
    assert ledger.do("retract", SLOT, at=10).action == "unchanged"
    assert ledger.do("retract", SLOT, at=11, valid_from=-5, valid_to=0).action == "unchanged"
    with pytest.raises(BeliefNotFound, match="user / shoe size"):
        ledger.do("retract", Slot("user", "shoe size"), at=12)
    with pytest.raises(InvalidBelief, match="valid_to"):
        ledger.do("retract", SLOT, at=13, valid_from=5, valid_to=5)


def test_a_retraction_ends_a_value_only_in_its_scopes() -> None:
    ledger = Ledger()
    ledger.remember("Berlin", at=1, scopes=[A, B])
    ledger.do("retract", SLOT, at=5, scopes=[A])

    assert ledger.current(6, scopes=[A]) == []
    assert ledger.current(6, scopes=[B]) == ["Berlin"]


def test_numbers_of_retired_versions_are_never_used_again(ledger: Ledger) -> None:
    ledger.remember("Oslo", at=20, valid_from=10, valid_to=12)
    ledger.do("retract", SLOT, at=21, valid_from=12)
    ledger.do("retract", SLOT, at=22, valid_from=10)
    for at in range(23, 26):
        ledger.do("update", SLOT, {"confidence": (30 - at) / 10}, at=at)

    assert ledger.one("Lyon").confidence == 0.5


def test_a_question_is_resolved_by_the_belief_that_answers_it() -> None:
    ledger = Ledger()
    slot = Slot("deploy", "target")
    ledger.remember("Where to?", at=1, name="deploy", attribute="target", type="open_question")
    answer = ledger.remember("eu-west", at=3, name="region", attribute=None).belief
    assert answer is not None
    outcome = ledger.do("resolve", slot, by=answer.id, at=4)

    assert outcome.action == "resolved"
    assert outcome.belief is not None
    assert (outcome.belief.resolved_at, outcome.belief.resolved_by) == (day(4), answer.id)
    assert ledger.current(5, name="deploy", attribute="target") == []
    assert ledger.current(3, name="deploy", attribute="target") == ["Where to?"]
    assert ledger.current(5, known=3, name="deploy", attribute="target") == ["Where to?"]
    assert ledger.do("resolve", slot, at=6).action == "unchanged"


def test_a_resolved_question_asked_again_is_open_again() -> None:
    ledger = Ledger()
    slot = Slot("deploy", "target")
    for at in (1, 4, 6):
        ledger.remember("Where to?", at=at, name="deploy", attribute="target")
        if at == 1:
            ledger.do("resolve", slot, at=4 - 0.5)
    assert [ledger.current(d, name="deploy", attribute="target") for d in (2, 3.7, 5, 7)] == [
        ["Where to?"],
        [],
        ["Where to?"],
        ["Where to?"],
    ]


def test_a_question_asked_at_the_instant_it_was_resolved_is_another_one() -> None:
    ledger = Ledger()
    slot = Slot("deploy", "target")
    first = ledger.remember("Where to?", at=1, name="deploy", attribute="target").belief
    ledger.do("resolve", slot, at=4)
    again = ledger.remember("Where to?", at=5, name="deploy", attribute="target", valid_from=4)

    assert first is not None
    assert again.belief is not None
    assert again.belief.id != first.id
    assert [v.resolved_at for v in ledger.held().of_belief(first.id)] == [day(4)]
    assert ledger.current(4, name="deploy", attribute="target") == ["Where to?"]


def test_what_resolves_must_be_held(ledger: Ledger) -> None:
    with pytest.raises(BeliefNotFound, match="nobody"):
        ledger.do("resolve", SLOT, by="nobody", at=7)
    with pytest.raises(BeliefNotFound):
        ledger.do("resolve", Slot("x"), at=7)
