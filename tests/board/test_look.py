"""What the board gathers: everything of one user, and nothing of another."""

from __future__ import annotations

import json

import pytest

from belief_memory import BeliefMemory, InvalidQuery
from belief_memory.board import look
from tests.conftest import SetClock


def test_every_scope_and_agent_is_in_it_and_no_other_user(memory: BeliefMemory) -> None:
    memory.for_user("alice").remember("city", "Oslo")
    memory.for_user("alice", scopes=["domain:code"]).remember("editor", "Vim", type="decision")
    memory.for_user("alice", scopes=["domain:code", "x:y"]).remember("shell", "Fish")
    memory.for_user("alice", agent_id="helper").remember("tone", "Dry")
    memory.for_user("alice", agent_id="helper").remember("city", "Rome")
    memory.for_user("alic").remember("secret", "Not Alice's")
    board = look(memory, "alice")
    shown = [
        (scopes, kind, sorted(belief.content for belief in beliefs))
        for scopes, kinds in board.groups()
        for kind, beliefs in kinds
    ]
    assert shown == [
        (("domain:code",), "decision", ["Vim"]),
        (("domain:code", "x:y"), "fact", ["Fish"]),
        (("user:universal",), "fact", ["Dry", "Oslo", "Rome"]),
    ]
    assert "Not Alice's" not in json.dumps(board.to_json())


def test_what_waits_disagrees_or_is_open_is_told_apart(memory: BeliefMemory) -> None:
    alice = memory.for_user("alice", scopes=["domain:code"])
    alice.remember("phone", "111", valid_from="2020-01-01", provenance={"source": "crm"})
    alice.remember("phone", "222", valid_from="2020-01-01", provenance={"source": "mail"})
    alice.remember("shards", "Do we shard?", type="open_question")
    alice.remember("host", "Where does it run?", type="open_question")
    alice.resolve("host", by=alice.remember("server", "In Oslo.").belief)
    alice.remember_many([{"canonical_name": "lang", "content": "Go?", "pending": True}])
    board = look(memory, "alice")
    (conflict,) = board.conflicts
    assert conflict.held is not None
    assert (conflict.held.content, conflict.alternative.content) == ("111", "222")
    assert [belief.content for belief in board.pending] == ["Go?"]
    assert [belief.content for belief in board.questions] == ["Do we shard?"]
    counts = board.counts()
    assert counts["conflicts"] == counts["waiting for review"] == counts["open questions"] == 1
    assert counts["current beliefs"] == len(board.current) == 3
    assert board.types() == {"fact": 2, "open_question": 1}


def test_history_holds_what_is_over_and_what_never_was_true(
    memory: BeliefMemory, clock: SetClock
) -> None:
    alice = memory.for_user("alice")
    alice.remember("city", "Oslo")
    clock.advance(days=1)
    alice.correct("City", "Bergen")
    clock.advance(days=1)
    alice.retract("city", never_true=True)
    board = look(memory, "alice")
    assert board.current == []
    (story,) = board.stories
    assert {version.content for version in story.versions} == {"Oslo", "Bergen"}
    assert all(version.retired_at is not None for version in story.versions)


def test_an_earlier_moment_knows_nothing_of_what_came_later(
    memory: BeliefMemory, clock: SetClock
) -> None:
    alice = memory.for_user("alice")
    alice.remember("city", "Oslo")
    alice.remember_many([{"canonical_name": "lang", "content": "Go?", "pending": True}])
    then = clock.advance(days=1)
    before = look(memory, "alice")
    clock.advance(days=1)
    alice.remember("city", "Bergen")
    alice.reject(alice.pending()[0])
    alice.remember("editor", "Vim")
    board = look(memory, "alice", as_of=then)
    assert (board.current, board.pending) == (before.current, before.pending)
    assert (board.stories, board.digest) == (before.stories, before.digest)
    assert look(memory, "alice", as_of="2000-01-01").stories == []


def test_the_digest_ends_with_the_last_day_on_which_anything_changed(
    memory: BeliefMemory, clock: SetClock
) -> None:
    alice = memory.for_user("alice")
    alice.remember("city", "Oslo")
    clock.advance(days=10)
    alice.remember("tea", "Likes it")
    clock.advance(days=100)
    week = look(memory, "alice")
    assert "Likes it" in week.digest
    assert "Oslo" not in week.digest
    assert week.days == ("2026-01-05", 7)
    assert "Oslo" in look(memory, "alice", days=11).digest


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"days": 0}, "days"),
        ({"days": 10**7}, "days"),
        ({"as_of": "then"}, "as_of"),
        ({"user_id": ""}, "user_id"),
    ],
)
def test_a_bad_question_names_its_field(
    memory: BeliefMemory, options: dict[str, object], field: str
) -> None:
    memory.for_user("alice").remember("city", "Oslo")
    with pytest.raises(InvalidQuery, match=field):
        look(memory, **{"user_id": "alice", **options})


def test_what_is_loaded_with_old_dates_is_shown(memory: BeliefMemory) -> None:
    memory.for_user("alice").load(
        [
            {
                "canonical_name": "city",
                "content": "Oslo",
                "valid_from": "0001-01-01",
                "recorded_at": "1850-01-01",
            }
        ]
    )
    board = look(memory, "alice")
    assert [belief.content for belief in board.current] == ["Oslo"]
    assert len(board.stories) == 1
    assert json.loads(json.dumps(board.to_json()))["counts"]["versions"] == 1
