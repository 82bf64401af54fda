"""update, add_aliases and merge."""

from __future__ import annotations

import pytest

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.ledger.reading import Reader
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger, day

SLOT = Slot("user", "residence")
A, B, C = "project:a", "project:b", "project:c"


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def test_an_update_changes_what_it_names_and_nothing_else(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, aliases=["home"], metadata={"k": [1]}, why_it_matters="w")
    before = ledger.one("Berlin")
    outcome = ledger.do("update", SLOT, {"pinned": True, "confidence": 0.5}, at=3)

    after = ledger.one("Berlin")
    assert outcome.action == "updated"
    assert outcome.belief == after
    assert after == before.but(pinned=True, confidence=0.5, rev=2, recorded_at=day(3))
    assert ledger.do("update", SLOT, {"pinned": True}, at=4).action == "unchanged"


def test_an_update_keeps_all_intervals_of_a_belief(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    ledger.remember("Lyon", at=20, valid_from=3, valid_to=5)
    ledger.do("update", ledger.one("Lyon").id, {"pinned": True}, at=21)
    ledger.do("update", SLOT, {"pinned": True}, at=22)

    assert all(version.pinned for version in ledger.held())
    assert [row[:3] for row in ledger.rows()] == [
        ("Berlin", 1, 3),
        ("Lyon", 3, 5),
        ("Berlin", 5, None),
    ]


def test_an_update_of_an_unknown_field_or_value_is_refused(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1)
    for changes in ({"content": "x"}, {"colour": "x"}, {"confidence": 2}, {"scopes": []}):
        with pytest.raises(InvalidBelief, match=next(iter(changes))):
            ledger.do("update", SLOT, changes, at=2)
    with pytest.raises(BeliefNotFound, match="nobody"):
        ledger.do("update", "nobody", {"pinned": True}, at=2)


def test_an_update_by_slot_leaves_further_scopes_as_they_were(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, scopes=[A, B])
    ledger.do("update", SLOT, {"pinned": True}, at=2, handle={"scopes": [A]})

    assert {v.scopes: v.pinned for v in ledger.held()} == {(A,): True, (B,): False}


def test_new_scopes_displace_what_else_the_slot_holds_there(ledger: Ledger) -> None:
    lyon = ledger.remember("Lyon", at=1, scopes=[B, C]).belief
    berlin = ledger.remember("Berlin", at=3, scopes=[A]).belief
    assert lyon is not None
    assert berlin is not None
    ledger.do("update", berlin.id, {"scopes": [A, B]}, at=5)

    assert [ledger.current(6, scopes=[s]) for s in (A, B, C)] == [["Berlin"], ["Berlin"], ["Lyon"]]
    assert [ledger.current(2, scopes=[s]) for s in (A, B, C)] == [[], ["Lyon"], ["Lyon"]]


def test_rows_that_come_into_the_same_scopes_become_one(ledger: Ledger) -> None:
    berlin = ledger.remember("Berlin", at=1, scopes=[A, B]).belief
    ledger.remember("Lyon", at=20, valid_from=3, valid_to=5, scopes=[A])
    assert berlin is not None
    ledger.do("update", berlin.id, {"scopes": [C]}, at=21)

    assert [ledger.current(4, scopes=[s]) for s in (A, B, C)] == [["Lyon"], [], ["Berlin"]]
    assert len([v for v in ledger.held() if v.id == berlin.id]) == 1


def test_rows_that_are_in_the_new_scopes_already_are_joined_with_those_that_come(
    ledger: Ledger,
) -> None:
    berlin = ledger.remember("Berlin", at=1, scopes=[A, B]).belief
    ledger.do("retract", SLOT, at=5, scopes=[A])
    ledger.remember("Berlin", at=6, valid_from=5, scopes=[A])
    assert berlin is not None
    assert {v.id for v in ledger.held()} == {berlin.id}
    ledger.do("update", berlin.id, {"scopes": [A]}, at=7)

    assert [(v.scopes, v.valid_from, v.valid_to) for v in ledger.held()] == [((A,), day(1), None)]


def test_new_aliases_are_added_once_with_their_keys(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=1, aliases=["home"])
    outcome = ledger.do("add_aliases", SLOT, ["den", "home", "den"], ["city"], at=2)

    held = ledger.one("Berlin")
    assert outcome.belief == held
    assert (held.aliases, held.attribute_aliases) == (("home", "den"), ("city",))
    assert ledger.do("add_aliases", held.id, ["den"], at=3).action == "unchanged"
    with pytest.raises(InvalidBelief, match="aliases"):
        ledger.do("add_aliases", SLOT, [" "], at=4)
    with pytest.raises(InvalidBelief, match="aliases"):
        ledger.do("add_aliases", SLOT, "den", at=4)


def test_merging_keeps_one_belief_under_all_the_names(ledger: Ledger) -> None:
    keep = ledger.remember("Redis caches", at=1, name="redis_cache", attribute=None).belief
    drop = ledger.remember(
        "Redis is the cache", at=2, name="cache_server", attribute=None, aliases=["Redis"]
    ).belief
    assert keep is not None
    assert drop is not None
    outcome = ledger.do("merge", keep.id, drop.id, at=3)

    held = ledger.held()
    reader = Reader(held, day(4))
    assert outcome.belief == ledger.one("Redis caches")
    assert outcome.belief is not None
    assert set(outcome.belief.aliases) == {"cache_server", "Redis"}
    assert ledger.current(4, name="cache_server", attribute=None) == []
    assert reader.active_end(ledger.one("Redis is the cache")) == outcome.belief
    assert ledger.current(4, known=2.5, name="cache_server", attribute=None) == [
        "Redis is the cache"
    ]


def test_a_merge_leaves_scopes_in_which_nothing_is_kept(ledger: Ledger) -> None:
    keep = ledger.remember("one", at=1, name="x", attribute=None, scopes=[A]).belief
    drop = ledger.remember("two", at=2, name="y", attribute=None, scopes=[A, B]).belief
    assert keep is not None
    assert drop is not None
    ledger.do("merge", keep.id, drop.id, at=3)

    assert ledger.current(4, name="y", attribute=None, scopes=[A]) == []
    assert ledger.current(4, name="y", attribute=None, scopes=[B]) == ["two"]


def test_a_merge_of_what_cannot_be_one_is_refused(ledger: Ledger) -> None:
    one = ledger.remember("one", at=1, name="x", attribute=None, scopes=[A]).belief
    two = ledger.remember("two", at=2, name="y", attribute=None, scopes=[B]).belief
    own = ledger.remember(
        "three", at=3, name="z", attribute=None, scopes=[A], handle={"agent_id": "x"}
    ).belief
    assert one is not None
    assert two is not None
    assert own is not None
    for keep, drop in ((one.id, one.id), (one.id, two.id), (one.id, own.id)):
        with pytest.raises(InvalidBelief, match="drop"):
            ledger.do("merge", keep, drop, at=4)
    with pytest.raises(BeliefNotFound, match="nobody"):
        ledger.do("merge", one.id, "nobody", at=4)
    ledger.do("retract", two.id, at=5)
    with pytest.raises(InvalidBelief, match="keep"):
        ledger.do("merge", two.id, one.id, at=6)
