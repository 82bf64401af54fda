"""Records written verbatim."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from belief_memory.errors import InvalidBelief
from belief_memory.model.belief import Belief
from belief_memory.model.draft import to_belief
from belief_memory.model.slot import Slot
from tests.ledger.fake import SCOPE, Ledger, day

SLOT = Slot("user", "residence")
A, B = "project:a", "project:b"


def record(id: str, content: str, **fields: Any) -> Belief:
    for name in ("valid_from", "valid_to", "recorded_at", "retired_at", "resolved_at"):
        if isinstance(fields.get(name), (int, float)):
            fields[name] = day(fields[name])
    return to_belief(
        {
            "id": id,
            "user_id": "alice",
            "canonical_name": "user",
            "attribute": "residence",
            "content": content,
            "scopes": [SCOPE],
            "valid_from": day(10),
            "recorded_at": day(10),
            **fields,
        }
    )


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def refused(ledger: Ledger, *records: Belief, at: float = 10) -> InvalidBelief:
    before = dict(ledger.ever)
    with pytest.raises(InvalidBelief) as caught:
        ledger.load(records, at=at)
    assert ledger.ever == before
    return caught.value


def test_records_are_written_as_they_are(ledger: Ledger) -> None:
    given = [
        record(
            "a",
            "Berlin",
            rev=7,
            valid_from=1,
            valid_to=4,
            recorded_at=2,
            superseded_by="b",
            reinforcement_count=3,
            metadata={"k": None},
        ),
        record("b", "Lyon", valid_from=4, recorded_at=4, supersedes="a", member=None),
        record("c", "Rome", valid_from=4, recorded_at=3, retired_at=4),
    ]
    assert ledger.load(given, at=10) == 3

    assert [v.but(name_keys=()) for v in ledger.ever.values()] == sorted(
        given, key=lambda v: v.retired_at is None
    )
    assert ledger.current(5) == ["Lyon"]
    assert ledger.current(5, known=3.5) == ["Rome"]


def test_loading_again_writes_nothing(ledger: Ledger) -> None:
    records = [record("a", "Berlin", valid_from=1, recorded_at=2)]
    assert ledger.load(records, at=10) == 1
    ledger.remember("Berlin", at=11)
    before = dict(ledger.ever)
    assert ledger.load(records, at=12) == 0
    ledger.do("retract", SLOT, at=13)
    assert ledger.load(records, at=14) == 0
    assert before.keys() < ledger.ever.keys()


def test_a_date_that_was_not_given_matches_the_one_it_got(ledger: Ledger) -> None:
    assert ledger.load([record("a", "Berlin")], at=10) == 1
    again = record("a", "Berlin", valid_from=20, recorded_at=20)
    assert ledger.load([again], at=20) == 0


def test_other_values_under_a_recorded_version_are_refused(ledger: Ledger) -> None:
    ledger.load([record("a", "Berlin")], at=10)
    error = refused(ledger, record("x", "x", canonical_name="y"), record("a", "Lyon"))
    assert (error.index, error.field) == (1, "content")
    error = refused(
        ledger, record("x", "x", canonical_name="y"), record("x", "z", canonical_name="y")
    )
    assert (error.index, error.field) == (1, "content")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"recorded_at": 11}, "recorded_at"),
        ({"recorded_at": 5, "retired_at": 5}, "retired_at"),
        ({"recorded_at": 5, "retired_at": 11}, "retired_at"),
        ({"valid_from": 5, "valid_to": 5}, "valid_to"),
        ({"superseded_by": "nobody"}, "superseded_by"),
        ({"supersedes": "nobody"}, "supersedes"),
        ({"resolved_by": "nobody"}, "resolved_by"),
        ({"participants": ["a", "nobody"]}, "participants"),
        ({"user_id": "bob"}, "user_id"),
        ({"member": "x"}, "member"),
    ],
)
def test_a_bad_record_is_named_by_index_and_field(
    ledger: Ledger, fields: dict[str, Any], field: str
) -> None:
    error = refused(ledger, record("a", "fine"), record("b", "x", canonical_name="y", **fields))
    assert (error.index, error.field) == (1, field)


def test_overlapping_values_of_one_slot_are_refused(ledger: Ledger) -> None:
    one = record("a", "Berlin", valid_from=1, valid_to=5)
    assert refused(ledger, one, record("b", "Lyon", valid_from=4)).index == 1
    assert refused(ledger, record("b", "Lyon", valid_from=4), one).index == 1
    assert ledger.load([one, record("b", "Lyon", valid_from=5)], at=10) == 2
    assert refused(ledger, record("c", "Rome", valid_from=2, valid_to=3), at=11).index == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"scopes": [A]},
        {"agent_id": "x"},
        {"standing": "conflict"},
        {"standing": "retained"},
        {"recorded_at": 3, "retired_at": 4},
        {"superseded_by": "a"},
        {"attribute": "employer"},
    ],
)
def test_what_can_stand_beside_a_value_is_loaded(ledger: Ledger, fields: dict[str, Any]) -> None:
    one = record("a", "Berlin", valid_from=1, recorded_at=4)
    assert ledger.load([one, record("b", "Lyon", valid_from=2, **fields)], at=10) == 2


def test_a_record_with_a_successor_is_not_current_whatever_its_dates_say(ledger: Ledger) -> None:
    ledger.load(
        [record("a", "Berlin", valid_from=9, superseded_by="b"), record("b", "Lyon", valid_from=1)],
        at=10,
    )
    assert ledger.current(11) == ["Lyon"]


def test_a_superseded_record_gives_way_only_where_it_is_in_force(ledger: Ledger) -> None:
    ledger.load(
        [
            record("a", "Berlin", valid_from=1, superseded_by="b"),
            record("b", "Lyon", valid_from=5),
            record("c", "Oslo", valid_from=7, superseded_by="b"),
        ],
        at=10,
    )
    ledger.remember("Rome", at=11)
    assert ledger.one("Berlin").rev == ledger.one("Oslo").rev == 1
    ledger.remember("Bern", at=12, valid_from=2, valid_to=3)
    ledger.do("correct", "c", "OSLO", at=13)

    seen = [ledger.current(at) for at in (1, 2, 3, 5, 8, 11)]
    assert seen == [["Berlin"], ["Bern"], ["Berlin"], ["Lyon"], ["Lyon"], ["Rome"]]
    assert ledger.one("OSLO").superseded_by == "b"


def test_nothing_is_linked_to_a_record_that_is_never_in_force(ledger: Ledger) -> None:
    ledger.load(
        [record("a", "Lyon", valid_from=5, superseded_by="b"), record("b", "Oslo", valid_from=5)],
        at=10,
    )
    ledger.remember("Berlin", at=11, valid_from=2)

    assert ledger.one("Berlin").superseded_by == "b"


def test_a_resolved_question_leaves_room(ledger: Ledger) -> None:
    records = [
        record("a", "Where?", valid_from=1, type="open_question", resolved_at=4),
        record("b", "When?", valid_from=4, type="open_question"),
    ]
    assert ledger.load(records, at=10) == 2
    assert ledger.current(5) == ["When?"]


def test_the_past_is_written_only_where_nothing_came_after(ledger: Ledger) -> None:
    ledger.remember("Berlin", at=5)
    ledger.do("retract", SLOT, at=7, never_true=True)

    assert refused(ledger, record("a", "Lyon", recorded_at=6)).field == "recorded_at"
    assert ledger.load([record("a", "Lyon", recorded_at=7)], at=10) == 1


def test_a_record_that_supersedes_a_held_belief_closes_it(ledger: Ledger) -> None:
    old = ledger.remember("Redis", at=1, name="redis", attribute=None).belief
    assert old is not None
    ledger.load(
        [
            record(
                "a",
                "Valkey",
                canonical_name="valkey",
                attribute=None,
                valid_from=6,
                supersedes=old.id,
            )
        ],
        at=10,
    )

    assert ledger.one("Redis").superseded_by == "a"
    assert ledger.one("Redis").valid_to == day(6)
    assert ledger.current(5, name="redis", attribute=None) == ["Redis"]
    assert ledger.current(7, name="redis", attribute=None) == []


def test_a_backdated_successor_closes_in_the_same_past(ledger: Ledger) -> None:
    old = ledger.remember("Berlin", at=1).belief
    assert old is not None
    ledger.load([record("a", "Lyon", valid_from=3, recorded_at=4, supersedes=old.id)], at=10)

    for known in (4, 5, 9, 11):
        assert ledger.current(6, known=known) == ["Lyon"]
        assert ledger.current(2, known=known) == ["Berlin"]
    assert ledger.current(6, known=3) == ["Berlin"]


def test_members_of_a_slot_of_many_get_their_identity(ledger: Ledger) -> None:
    given = [record(id, id, attribute="child", cardinality="many") for id in ("Mia", "Noah")]
    assert ledger.load(given, at=10) == 2
    assert ledger.remember("MIA", at=11, attribute="child").action == "reinforced"
    assert ledger.load(given, at=12) == 0
    assert refused(ledger, record("x", "y", attribute="child"), at=13).field == "cardinality"


def test_a_version_that_is_over_cannot_have_the_highest_rev(ledger: Ledger) -> None:
    error = refused(
        ledger,
        record("a", "Berlin", rev=1),
        record("a", "Berlin", rev=2, recorded_at=3, retired_at=4),
    )
    assert error.field == "rev"


def test_what_is_loaded_takes_part_in_the_table(ledger: Ledger) -> None:
    ledger.load([record("a", "Berlin", rev=4, valid_from=1)], at=10)
    assert ledger.remember("Lyon", at=12).action == "superseded"
    assert ledger.one("Berlin").version_id == "a#5"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["remember", "correct", "retract"]),
            st.sampled_from("xyz"),
            st.integers(0, 9),
            st.none() | st.integers(1, 9),
            st.sets(st.sampled_from([A, B]), min_size=1).map(sorted),
        ),
        max_size=8,
    )
)
def test_every_history_the_rules_make_can_be_loaded_elsewhere(operations: list[Any]) -> None:
    ledger = Ledger()
    ledger.remember("w", at=0.5, scopes=[A, B], valid_from=0)
    for at, (verb, value, start, length, scopes) in enumerate(operations, start=1):
        end = None if length is None else start + length
        if verb == "remember":
            ledger.remember(value, at=at, valid_from=start, valid_to=end, scopes=scopes)
        elif verb == "correct":
            ledger.do("correct", SLOT, value, at=at, valid_from=start, valid_to=end, scopes=scopes)
        elif any(set(scopes) & set(v.scopes) for v in ledger.held()):
            ledger.do("retract", SLOT, at=at, valid_from=start, valid_to=end, scopes=scopes)
    copy = Ledger()
    exported = list(ledger.ever.values())
    assert copy.load([v.but(name_keys=()) for v in exported], at=50) == len(exported)
    assert copy.ever == ledger.ever
    assert copy.load(exported, at=51) == 0
