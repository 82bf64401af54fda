"""Scopes, agents and many-valued slots bound what an assertion meets."""

from __future__ import annotations

import pytest

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger

SLOT = Slot("user", "residence")
A, B, C = "project:a", "project:b", "project:c"


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def test_other_scopes_are_not_met(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, scopes=[A])
    assert ledger.remember("Lyon", at=2, scopes=[B]).action == "inserted"

    assert ledger.current(3, scopes=[A]) == ["Berlin"]
    assert ledger.current(3, scopes=[B]) == ["Lyon"]


def test_a_value_stays_where_the_new_one_does_not_reach(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, scopes=[A, B])
    ledger.remember("Lyon", at=3, scopes=[B, C])

    assert [ledger.current(4, scopes=[s]) for s in (A, B, C)] == [["Berlin"], ["Lyon"], ["Lyon"]]
    assert [ledger.current(2, scopes=[s]) for s in (A, B, C)] == [["Berlin"], ["Berlin"], []]
    assert len({v.id for v in ledger.held() if v.content == "Berlin"}) == 1


def test_a_correction_in_one_scope_leaves_the_others(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, scopes=[A, B], aliases=["home"])
    ledger.remember("Lyon", at=3, valid_from=1, scopes=[B])

    assert ledger.current(1, scopes=[A]) == ["Berlin"]
    assert ledger.current(1, scopes=[B]) == ["Lyon"]
    # Nothing of the old value is in reach there to lead its names on.
    assert ledger.one("Lyon").aliases == ("home",)


def test_the_same_value_in_a_further_scope_is_the_same_belief(ledger: Ledger) -> None:
    first = ledger.remember("Berlin", at=1, scopes=[A]).belief
    outcome = ledger.remember("Berlin", at=3, scopes=[A, B])

    assert outcome.action == "extended"
    assert first is not None
    assert {v.id for v in ledger.held()} == {first.id}
    assert ledger.current(4, scopes=[A, B]) == ["Berlin"]
    assert ledger.current(2, scopes=[B]) == []


def test_the_claim_sees_through_rows_that_continue_each_other(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, scopes=[A, B])
    ledger.remember("Lyon", at=20, valid_from=3, valid_to=5, scopes=[A])
    ledger.remember("Oslo", at=21, valid_from=2, scopes=[B])

    assert [ledger.current(at, scopes=[B]) for at in (1, 2, 4, 6, 30)] == [
        ["Berlin"],
        ["Oslo"],
        ["Oslo"],
        ["Oslo"],
        ["Oslo"],
    ]


def test_agents_do_not_touch_each_other(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    mine = ledger.remember("Lyon", at=2, handle={"agent_id": "x"}).belief
    ledger.remember("Oslo", at=3, handle={"agent_id": "y"})

    assert ledger.current(4) == ["Berlin"]
    assert ledger.current(4, agent_id="x") == ["Lyon"]
    assert ledger.current(4, agent_id="y") == ["Oslo"]
    assert mine is not None
    with pytest.raises(BeliefNotFound):
        ledger.do("retract", mine.id, at=5, handle={"agent_id": "y"})


def test_a_second_member_does_not_erase_the_first(ledger: Ledger) -> None:
    ledger.remember("Mia", at=1, attribute="child", cardinality="many")
    outcome = ledger.remember("Noah", at=2, attribute="child")

    assert outcome.action == "inserted"
    assert ledger.current(3, attribute="child") == ["Mia", "Noah"]
    assert ledger.remember("mia", at=3, attribute="child").action == "reinforced"


def test_a_named_member_is_superseded_alone(ledger: Ledger) -> None:
    for member, age in (("Mia", "Mia is 5"), ("Noah", "Noah is 3")):
        ledger.remember(age, at=1, attribute="child", cardinality="many", member=member)
    assert ledger.remember("Mia is 6", at=5, attribute="child", member="MIA").action == "superseded"

    assert ledger.current(6, attribute="child") == ["Mia is 6", "Noah is 3"]


def test_cardinality_is_the_slots_own(ledger: Ledger) -> None:
    ledger.remember("Mia", at=1, attribute="child", cardinality="many")
    with pytest.raises(InvalidBelief, match="cardinality"):
        ledger.remember("Noah", at=2, attribute="child", cardinality="one")
    ledger.remember("Berlin", at=2)
    with pytest.raises(InvalidBelief, match="cardinality"):
        ledger.remember("Lyon", at=3, cardinality="many")
    with pytest.raises(InvalidBelief, match="member"):
        ledger.remember("Lyon", at=3, member="x")


def test_in_a_slot_of_many_an_operation_names_the_member_or_the_id(ledger: Ledger) -> None:
    child = Slot("user", "child")
    mia = ledger.remember("Mia", at=1, attribute="child", cardinality="many").belief
    ledger.remember("Noah", at=1.5, attribute="child")
    assert mia is not None

    with pytest.raises(InvalidBelief, match="member"):
        ledger.do("retract", child, at=2)
    with pytest.raises(InvalidBelief, match="member"):
        ledger.do("correct", child, "Mio", at=2)

    ledger.do("correct", child, "Noa", at=2, member="noah")
    assert ledger.current(3, attribute="child") == ["Mia", "Noa"]
    ledger.do("retract", mia.id, at=3)
    assert ledger.current(4, attribute="child") == ["Noa"]


def test_slots_that_differ_only_in_signs_are_apart(ledger: Ledger) -> None:
    ledger.remember("old", at=1, name="C", attribute=None)
    ledger.remember("older", at=2, name="C++", attribute=None)

    assert ledger.current(3, name="C", attribute=None) == ["old"]
    assert ledger.current(3, name="C++", attribute=None) == ["older"]


def test_a_belief_that_begins_earlier_hides_nothing_it_superseded(ledger: Ledger) -> None:
    ledger.do("correct", SLOT, "Lyon", at=2, valid_from=4, scopes=[A])
    ledger.remember("Berlin", at=3, scopes=[A, B])
    ledger.do("correct", SLOT, "Berlin", at=5, valid_from=0, valid_to=None, scopes=[A])

    assert [ledger.current(at, scopes=[A]) for at in (0, 3, 4)] == [["Berlin"]] * 3
    assert [ledger.current(at, scopes=[B]) for at in (0, 3, 4)] == [[], ["Berlin"], []]


def test_a_row_in_more_scopes_is_not_linked_to_a_belief_that_begins_before(
    ledger: Ledger,
) -> None:
    ledger.remember("Berlin", at=2, scopes=[A])
    ledger.remember("Berlin", at=3, scopes=[A, B])
    ledger.remember("Lyon", at=4, scopes=[B])
    ledger.do("correct", SLOT, "Berlin", at=5, valid_from=0, valid_to=None, scopes=[B, C])

    for scope, since in ((A, 2), (B, 0), (C, 0)):
        seen = [ledger.current(at, scopes=[scope]) for at in range(6)]
        assert seen == [["Berlin"] if at >= since else [] for at in range(6)]
