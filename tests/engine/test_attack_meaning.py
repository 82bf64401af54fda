"""Promises of the specification that once did not hold."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from belief_memory import BeliefMemory, UserMemory
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
