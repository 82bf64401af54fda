"""What callers get wrong is refused by the name of the field, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from belief_memory import BeliefMemory, Draft, InvalidBelief, InvalidQuery, Message, UserMemory
from belief_memory.learning import DeterministicExtractor
from tests.conftest import SetClock

NO_LIST: list[Any] = [None, 5, "text", b"bytes", {"a": 1}]
NO_ID: list[Any] = [None, 5, b"x", [["x"]], {"a": 1}, ("a", "b")]


@pytest.fixture
def alice(clock: SetClock) -> UserMemory:
    user = BeliefMemory.open("memory://", clock=clock).for_user("alice")
    user.remember("city", "Oslo", aliases=["home town"])
    user.remember("child", "Ada", cardinality="many")
    return user


def refused(
    user: UserMemory, error: type[InvalidBelief] | type[InvalidQuery], field: str
) -> Callable[[Callable[[], object]], None]:
    def check(call: Callable[[], object]) -> None:
        before = user.export()
        with pytest.raises(error) as caught:
            call()
        assert caught.value.field.split(".")[0] == field
        assert user.export() == before

    return check


@pytest.mark.parametrize("given", NO_LIST)
def test_a_list_of_drafts_records_or_names_is_a_list(alice: UserMemory, given: Any) -> None:
    refused(alice, InvalidBelief, "drafts")(lambda: alice.remember_many(given))
    refused(alice, InvalidBelief, "records")(lambda: alice.load(given))
    refused(alice, InvalidBelief, "aliases")(lambda: alice.add_aliases("city", given))
    refused(alice, InvalidBelief, "aliases")(lambda: alice.correct("city", "Bergen", aliases=given))
    refused(alice, InvalidBelief, "attribute_aliases")(
        lambda: alice.add_aliases("city", [], attribute_aliases=given)
    )


@pytest.mark.parametrize("given", NO_ID)
def test_what_is_no_id_is_refused_as_such(alice: UserMemory, given: Any) -> None:
    held = alice.beliefs(slot="city")[0]
    refused(alice, InvalidQuery, "keep")(lambda: alice.merge(given, held))
    refused(alice, InvalidQuery, "drop")(lambda: alice.merge(held, given))
    refused(alice, InvalidQuery, "conflict")(lambda: alice.resolve_conflict(given, "retain"))
    refused(alice, InvalidQuery, "target")(lambda: alice.approve([given]))
    refused(alice, InvalidQuery, "target")(lambda: alice.reject([given]))
    if given is not None:
        refused(alice, InvalidQuery, "by")(lambda: alice.resolve(held, by=given))


@pytest.mark.parametrize("member", [5, b"x", [], "", "  "])
def test_a_member_is_a_string_that_is_not_blank(alice: UserMemory, member: Any) -> None:
    refused(alice, InvalidBelief, "member")(lambda: alice.retract("child", member=member))
    refused(alice, InvalidBelief, "member")(lambda: alice.correct("child", "Eve", member=member))


@pytest.mark.parametrize("budget", [5, "20", {"max_beliefs": 3}])
def test_a_budget_is_a_budget(alice: UserMemory, budget: Any) -> None:
    refused(alice, InvalidQuery, "budget")(lambda: alice.recall("city", budget=budget))


@pytest.mark.parametrize("given", [5, "fact", object()])
def test_types_and_routes_are_lists(alice: UserMemory, given: Any) -> None:
    refused(alice, InvalidQuery, "types")(lambda: alice.beliefs(types=given))
    refused(alice, InvalidQuery, "types")(lambda: alice.recall("city", types=given))
    refused(alice, InvalidQuery, "routes")(lambda: alice.recall("city", routes=given))


@pytest.mark.parametrize("cursor", ["c", "c--5", "c²", "c" + "9" * 30, "c-" + "9" * 30, "c1.5"])
def test_a_cursor_that_nothing_gave_is_refused(alice: UserMemory, cursor: str) -> None:
    refused(alice, InvalidQuery, "since")(lambda: alice.changes(cursor))


@pytest.mark.parametrize("freshness", [5, 0.5, "1s", None, timedelta(seconds=-1)])
def test_freshness_is_a_duration(freshness: Any) -> None:
    with pytest.raises(InvalidQuery, match="freshness"):
        BeliefMemory.open("memory://", freshness=freshness)


@pytest.mark.parametrize(
    "field",
    ["canonical_name", "attribute", "content", "why_it_matters", "subtype", "supersedes", "member"],
)
def test_bytes_are_not_text(alice: UserMemory, field: str) -> None:
    draft = {"canonical_name": "pet", "content": "Rex", field: b"bytes"}
    refused(alice, InvalidBelief, field)(lambda: alice.remember_many([draft]))


@pytest.mark.parametrize("field", ["canonical_name", "attribute", "content", "why_it_matters"])
def test_half_a_character_is_called_that_whatever_the_field(alice: UserMemory, field: str) -> None:
    draft = {"canonical_name": "pet", "content": "Rex", field: "half \ud83d"}
    with pytest.raises(InvalidBelief, match=f"{field}: may not hold lone surrogates"):
        alice.remember_many([draft])


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_metadata_without_end_is_refused_in_one_line(alice: UserMemory, depth: int) -> None:
    metadata: dict[str, Any] = {}
    for _ in range(depth):
        metadata = {"a": metadata}
    with pytest.raises(InvalidBelief, match=r"^metadata\.") as caught:
        alice.remember("pet", "Rex", metadata=metadata)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("scope", ["Kind:name", "kind: name", "kind:name ", "kind:", ":name", "x"])
def test_how_a_scope_looks_is_said(alice: UserMemory, scope: str) -> None:
    with pytest.raises(InvalidBelief, match="the kind in lower case and no blanks around"):
        alice.remember("pet", "Rex", scopes=[scope])


@pytest.mark.parametrize("agent", ["", " ", "\ud83d", b"x", 5])
def test_an_agent_named_by_a_draft_or_record_is_an_id(alice: UserMemory, agent: Any) -> None:
    record = {"canonical_name": "pet", "content": "Rex", "agent_id": agent}
    refused(alice, InvalidBelief, "agent_id")(lambda: alice.remember_many([record]))
    refused(alice, InvalidBelief, "agent_id")(lambda: alice.load([record]))


def test_an_instant_in_the_provenance_is_named_with_its_place(alice: UserMemory) -> None:
    with pytest.raises(InvalidBelief) as caught:
        alice.remember("pet", "Rex", provenance={"at": datetime(2020, 1, 1)})
    assert caught.value.field == "provenance.at"


def test_paging_users_does_not_end_in_silence_at_one_who_was_forgotten(clock: SetClock) -> None:
    memory = BeliefMemory.open("memory://", clock=clock)
    for name in "abc":
        memory.for_user(name).remember("city", "Oslo")
    first = memory.users(limit=2)
    assert first + memory.users(after=first[-1]) == memory.users()
    memory.for_user(first[-1]).forget(everything=True)
    with pytest.raises(InvalidQuery, match="after"):
        memory.users(after=first[-1])


@pytest.mark.parametrize("days", [1, 10**9, 10**30])
def test_a_digest_ends_within_the_calendar(alice: UserMemory, days: int) -> None:
    with pytest.raises(InvalidQuery, match="day"):
        alice.digest("9999-12-31", days=days)


UNCHECKED: list[tuple[dict[str, Any], str]] = [
    ({"valid_from": datetime(2020, 1, 1)}, "valid_from"),
    ({"recorded_at": datetime(2020, 1, 1)}, "recorded_at"),
    ({"scopes": ()}, "scopes"),
    ({"confidence": 7.0}, "confidence"),
    ({"content": " "}, "content"),
    ({"id": ""}, "id"),
    ({"canonical_name": "half \ud83d"}, "canonical_name"),
]


@pytest.mark.parametrize(("changes", "field"), UNCHECKED)
def test_a_changed_copy_of_a_belief_is_checked_before_it_is_loaded(
    alice: UserMemory, changes: dict[str, Any], field: str
) -> None:
    copy = alice.beliefs(slot="city")[0].but(**{"id": "copy", "canonical_name": "town", **changes})
    refused(alice, InvalidBelief, field)(lambda: alice.load([copy]))
    assert len(alice.beliefs()) == 2


def test_a_copy_under_another_name_is_found_by_that_name_only(alice: UserMemory) -> None:
    city = alice.beliefs(slot="city")[0]
    alice.load([city.but(id="copy", canonical_name="kennel", aliases=("doghouse",), content="Rex")])
    assert [b.content for b in alice.recall("Where is the doghouse?").relevant] == ["Rex"]
    assert [b.content for b in alice.recall("Which home town?").relevant] == ["Oslo"]


def test_a_record_cannot_say_what_it_is_found_by(alice: UserMemory) -> None:
    record = {"canonical_name": "pet", "content": "Rex", "name_keys": ["the"]}
    refused(alice, InvalidBelief, "name_keys")(lambda: alice.load([record]))


def test_a_changed_copy_of_a_draft_is_checked_before_it_is_remembered(alice: UserMemory) -> None:
    draft = Draft(canonical_name="pet", content="Rex")
    for changes, field in (
        ({"content": ""}, "content"),
        ({"valid_from": datetime(2020, 1, 1)}, "valid_from"),
        ({"scopes": ()}, "scopes"),
    ):
        copy = draft.model_copy(update=changes)
        refused(alice, InvalidBelief, field)(lambda copy=copy: alice.remember_many([copy]))


def test_an_instant_at_the_ends_of_the_calendar_is_an_instant(alice: UserMemory) -> None:
    first = datetime.min.replace(tzinfo=UTC)
    alice.remember("earth", "was", valid_from=first)
    alice.remember("earth", "is", valid_from=first + timedelta(microseconds=1))
    assert [b.content for b in alice.beliefs(slot="earth", valid_at=first)] == ["was"]
    assert [b.content for b in alice.beliefs(slot="earth")] == ["is"]
    assert alice.changes(first, datetime.max.replace(tzinfo=UTC))


WEST = timezone(timedelta(hours=-9))
NO_TEXT: list[Any] = [5, b"x", ["x"], {"a": 1}, "half \ud83d", "x" * 1001]


@pytest.mark.parametrize("session", NO_TEXT)
def test_a_session_is_text_and_a_wrong_one_leaves_no_turns_waiting(session: Any) -> None:
    memory = BeliefMemory.open("memory://", extractor=DeterministicExtractor(), episodes=True)
    alice = memory.for_user("alice")
    with pytest.raises(InvalidQuery) as caught:
        alice.observe("I live in Oslo.", session_id=session)
    assert caught.value.field == "session_id"
    assert (alice.flush().outcomes, alice.episodes(), alice.beliefs()) == ([], [], [])


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (Message("user", None), "text"),  # type: ignore[arg-type]
        (Message("user", ["I live in Oslo."]), "text"),  # type: ignore[arg-type]
        (Message("user", "I live in Oslo.", at=5), "at"),  # type: ignore[arg-type]
        (Message("user", "I live in Oslo.", at=date(2026, 1, 1)), "at"),  # type: ignore[arg-type]
        (Message("user", "I live in Oslo.", at=datetime(2026, 1, 1)), "at"),
        (Message("user", "I live in Oslo.", at=datetime.max.replace(tzinfo=WEST)), "at"),
        (Message("user", "I live in Oslo.", id="half \ud83d"), "id"),
        ({"role": "user", "content": "I live in Oslo.", "id": "half \ud83d"}, "id"),
        ({"role": "user", "contents": "I live in Oslo."}, "content"),
        ({"type": "human", "data": {"content": "I live in Oslo."}}, "content"),
    ],
)
def test_a_message_that_cannot_be_read_is_named_and_none_is_learned(
    message: Any, field: str
) -> None:
    memory = BeliefMemory.open("memory://", extractor=DeterministicExtractor(), episodes=True)
    alice = memory.for_user("alice")
    with pytest.raises(InvalidQuery) as caught:
        alice.observe(["My name is Ada.", message])
    assert (caught.value.index, caught.value.field) == (1, field)
    assert (alice.flush().outcomes, alice.episodes(), alice.beliefs()) == ([], [], [])


@pytest.mark.parametrize("given", [5, "now", datetime(2026, 1, 1, tzinfo=UTC)])
@pytest.mark.parametrize("option", ["clock", "count_tokens", "embedder", "extractor"])
def test_what_is_called_later_is_looked_at_when_the_memory_is_opened(
    option: str, given: Any
) -> None:
    with pytest.raises(InvalidQuery, match=option):
        BeliefMemory.open("memory://", **{option: given})


@pytest.mark.parametrize("uri", ["", " ", "a\x00b", "half \ud83d"])
def test_a_uri_names_a_place(uri: str) -> None:
    with pytest.raises(InvalidQuery, match="uri"):
        BeliefMemory.open(uri)


@pytest.mark.parametrize("zone", [None, 5, b"UTC", ("a", "b"), [], "", "Mars/Base", "../x"])
def test_a_time_zone_that_there_is_not_is_refused(alice: UserMemory, zone: Any) -> None:
    refused(alice, InvalidQuery, "timezone")(lambda: alice.digest(timezone=zone))


@pytest.mark.parametrize("content", ["Oslo", "Bergen"])
def test_nothing_begins_at_the_end_of_time(alice: UserMemory, content: str) -> None:
    end = datetime.max.replace(tzinfo=UTC)
    refused(alice, InvalidBelief, "valid_from")(
        lambda: alice.remember("city", content, valid_from=end)
    )
    assert alice.remember("city", content, valid_from=end - timedelta(microseconds=1))


def test_a_ledger_whose_time_is_used_up_says_so() -> None:
    end = datetime.max.replace(tzinfo=UTC)
    alice = BeliefMemory.open("memory://", clock=lambda: end).for_user("alice")
    refused(alice, InvalidBelief, "valid_from")(lambda: alice.remember("city", "Oslo"))
    alice.remember("city", "Oslo", valid_from="2020-01-01")
    refused(alice, InvalidQuery, "clock")(lambda: alice.correct("city", "Bergen"))
