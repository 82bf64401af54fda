"""Promises of the specification that once did not hold."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from belief_memory import BeliefMemory, InvalidBelief, UserMemory
from tests.conftest import SetClock


@pytest.fixture
def opened(clock: SetClock) -> BeliefMemory:
    return BeliefMemory.open("memory://", clock=clock)


@pytest.fixture
def alice(opened: BeliefMemory) -> UserMemory:
    return opened.for_user("alice")


def contents(user: UserMemory, **at: object) -> list[str]:
    return [belief.content for belief in user.beliefs(**at)]  # type: ignore[arg-type]


def disputed(user: UserMemory) -> str:
    start = "2020-01-01"
    user.remember("db", "Postgres", valid_from=start, provenance={"source": "user"})
    outcome = user.remember("db", "MySQL", valid_from=start, provenance={"source": "import"})
    assert outcome.belief is not None
    return outcome.belief.id


def test_an_annotated_alternative_is_seen_flagged_beside_the_value(alice: UserMemory) -> None:
    alternative = disputed(alice)
    assert contents(alice) == ["Postgres"]
    alice.resolve_conflict(alternative, "annotate")
    assert [(b.content, b.standing) for b in alice.beliefs(slot="db")] == [
        ("Postgres", "held"),
        ("MySQL", "annotated"),
    ]


def test_an_annotated_alternative_goes_with_the_value_it_contradicts(
    alice: UserMemory, clock: SetClock
) -> None:
    alternative = disputed(alice)
    before = clock()
    clock.advance(days=1)
    annotated = alice.resolve_conflict(alternative, "annotate").belief
    assert annotated is not None
    assert contents(alice, known_at=before) == ["Postgres"]
    assert contents(alice, valid_at="2019-01-01") == []
    clock.advance(days=1)
    alice.remember("db", "SQLite")
    assert contents(alice) == ["SQLite"]
    assert contents(alice, as_of=annotated.recorded_at) == ["Postgres", "MySQL"]
    alice.resolve_conflict(alternative, "retain")
    assert contents(alice, valid_at=annotated.recorded_at) == ["Postgres"]


def test_an_agent_exports_what_it_may_see_and_that_loads(
    opened: BeliefMemory, alice: UserMemory, clock: SetClock
) -> None:
    scout, clerk = (opened.for_user("alice", agent_id=name) for name in ("scout", "clerk"))
    shared = alice.remember("tone", "Formal").belief
    assert shared is not None
    scout.remember("mood", "Sour", supersedes=shared.id)
    clerk.remember("desk", "Tidy")
    records = clerk.export()
    assert {record["agent_id"] for record in records} == {None, "clerk"}
    assert "Sour" not in str(records)
    assert {record["agent_id"] for record in alice.export()} == {None, "clerk", "scout"}
    clock.advance(days=1)
    copy = BeliefMemory.open("memory://", clock=clock).for_user("alice", agent_id="clerk")
    assert copy.load(records) == len(records)


def test_a_slot_read_as_known_earlier_knows_successors_in_other_slots(
    alice: UserMemory,
) -> None:
    old = alice.remember("javascript", "The language", valid_from="2020-01-01").belief
    new = alice.remember("js", "JavaScript", valid_from="2025-01-01").belief
    assert old is not None
    assert new is not None
    merged = alice.merge(new, old).belief
    assert merged is not None
    alice.remember("other", "thing")
    then = {"valid_at": datetime(2021, 1, 1, tzinfo=UTC), "known_at": merged.recorded_at}
    assert contents(alice, **then) == ["The language"]
    assert contents(alice, slot="javascript", **then) == ["The language"]


def test_merging_what_is_merged_changes_and_counts_nothing(alice: UserMemory) -> None:
    keep = alice.remember("js", "JavaScript").belief
    drop = alice.remember("javascript", "The language").belief
    alice.remember("javascript", "The language")
    assert keep is not None
    assert drop is not None
    merged = alice.merge(keep, drop)
    assert merged.belief is not None
    assert merged.belief.reinforcement_count == 1
    again = alice.merge(keep, drop)
    assert again.action == "unchanged"
    assert alice.get(keep.id) == merged.belief


def test_a_corrected_member_said_again_is_not_a_second_one(
    alice: UserMemory, clock: SetClock
) -> None:
    alice.remember("child", "Bo", cardinality="many")
    clock.advance(days=1)
    alice.correct("child", "Bob", member="Bo")
    assert alice.remember("child", "Bob").action == "reinforced"
    assert contents(alice) == ["Bob"]
    assert alice.remember("child", "Ada").action == "inserted"
    assert sorted(contents(alice)) == ["Ada", "Bob"]


def test_members_named_apart_may_say_the_same(alice: UserMemory) -> None:
    alice.remember("training", "Gym at 6", cardinality="many", member="monday")
    assert alice.remember("training", "Gym at 6", member="tuesday").action == "inserted"
    assert alice.remember("training", "Gym at 6").action == "reinforced"
    assert contents(alice) == ["Gym at 6", "Gym at 6"]


def test_forgetting_a_merged_belief_does_not_bring_back_what_it_replaced(
    memory: BeliefMemory, clock: SetClock
) -> None:
    alice = memory.for_user("alice")
    keep = alice.remember("js", "JavaScript").belief
    drop = alice.remember("javascript", "The language").belief
    assert keep is not None
    assert drop is not None
    clock.advance(days=1)
    alice.merge(keep, drop)
    clock.advance(days=1)
    alice.remember("javascript", "again")
    alice.forget(keep)
    assert contents(alice) == ["again"]
    assert keep.id not in str(alice.export())


def test_forgetting_a_successor_named_by_id_does_not_bring_back_what_it_replaced(
    memory: BeliefMemory, clock: SetClock
) -> None:
    alice = memory.for_user("alice")
    old = alice.remember("old", "Redis").belief
    assert old is not None
    clock.advance(days=1)
    new = alice.remember("new", "Valkey", supersedes=old.id, valid_from="2020-01-01").belief
    assert new is not None
    alice.forget(new)
    assert contents(alice) == []
    assert not alice.recall("What is old?").relevant


def test_forgetting_a_loaded_successor_does_not_bring_back_what_it_replaced(
    memory: BeliefMemory,
) -> None:
    alice = memory.for_user("alice")
    alice.load(
        [
            {"id": "1", "canonical_name": "x", "content": "was", "superseded_by": "2"},
            {"id": "2", "canonical_name": "y", "content": "is"},
        ]
    )
    alice.forget("2")
    assert contents(alice) == []


def test_forgetting_the_newest_value_leaves_the_past_as_it_was(
    alice: UserMemory, clock: SetClock
) -> None:
    start = clock()
    alice.remember("city", "Oslo")
    clock.advance(days=1)
    newest = alice.remember("city", "Bergen").belief
    assert newest is not None
    alice.forget(newest)
    assert contents(alice) == []
    assert contents(alice, valid_at=start) == ["Oslo"]


def test_a_loaded_value_may_not_overlap_one_that_was_superseded_later(
    alice: UserMemory, clock: SetClock
) -> None:
    alice.remember("city", "Oslo", valid_from="2020-01-01")
    alice.remember("city", "Bergen", valid_from="2024-01-01")
    clock.advance(days=1)
    record = {"canonical_name": "city", "content": "Rome", "valid_from": "2022-01-01"}
    with pytest.raises(InvalidBelief, match="overlaps"):
        alice.load([{**record, "valid_to": "2023-01-01"}])
    assert contents(alice, valid_at="2022-06-01") == ["Oslo"]


def test_records_that_supersede_each_other_may_not_overlap_before(alice: UserMemory) -> None:
    records = [
        {"id": "1", "content": "Oslo", "valid_from": "2020-01-01", "superseded_by": "2"},
        {"id": "2", "content": "Bergen", "valid_from": "2024-01-01"},
    ]
    same = [{"canonical_name": "city", **record} for record in records]
    rival = {"canonical_name": "city", "content": "Rome", "valid_from": "2019-01-01"}
    with pytest.raises(InvalidBelief, match="overlaps"):
        alice.load([*same, {**rival, "valid_to": "2021-01-01"}])
    assert alice.load([*same, {**rival, "valid_to": "2020-01-01"}]) == 3


def test_a_forgotten_successor_leaves_history_that_loads_again(memory: BeliefMemory) -> None:
    user = memory.for_user("u")
    keep = user.remember("kept", "Kept.").belief
    drop = user.remember("dropped", "Dropped.").belief
    assert keep is not None
    assert drop is not None
    user.merge(keep.id, drop.id)
    user.remember("dropped", "Anew.")
    user.forget(keep.id)
    assert [b.content for b in user.beliefs()] == ["Anew."]
    records = user.export()
    with BeliefMemory.open("memory://") as other:
        copy = other.for_user("u")
        assert copy.load(records) == len(records)
        assert copy.export() == records


def test_an_annotated_alternative_is_recalled_beside_the_value_and_marked(
    memory: BeliefMemory,
) -> None:
    user = memory.for_user("u")
    user.remember("phone", "111", valid_from="2026-01-01", provenance={"source": "crm"})
    user.remember("phone", "222", valid_from="2026-01-01", provenance={"source": "mail"})
    assert [b.content for b in user.recall("the phone?").relevant] == ["111"]
    user.resolve_conflict(user.conflicts()[0], "annotate")
    context = user.recall("the phone?")
    assert [b.content for b in context.relevant] == ["111", "222"]
    assert "disputed" in context.render()
    assert "kept beside" in str(context.explain())
    user.retract("phone")
    assert not user.recall("the phone?")
