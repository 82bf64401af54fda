"""What the verbs promise, on both stores."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from belief_memory import (
    BeliefMemory,
    BeliefNotFound,
    Budget,
    ConflictPending,
    InvalidBelief,
    InvalidQuery,
    UserMemory,
)
from tests.conftest import SetClock


@pytest.fixture
def alice(memory: BeliefMemory) -> UserMemory:
    return memory.for_user("alice")


def contents(user: UserMemory, **at: object) -> list[str]:
    return [belief.content for belief in user.beliefs(**at)]  # type: ignore[arg-type]


def test_a_batch_is_one_commit(alice: UserMemory) -> None:
    alice.remember_many(
        [{"canonical_name": f"topic {n}", "content": f"About {n}."} for n in range(5)]
    )
    assert len({belief.recorded_at for belief in alice.beliefs()}) == 1


def test_a_bad_draft_in_a_batch_names_its_place_and_writes_nothing(alice: UserMemory) -> None:
    with pytest.raises(InvalidBelief, match=r"\[1\]\.content") as caught:
        alice.remember_many([{"canonical_name": "a", "content": "b"}, {"canonical_name": "c"}])
    assert (caught.value.index, caught.value.field) == (1, "content")
    assert alice.export() == []


BAD = [
    ({"content": ""}, "content"),
    ({"canonical_name": " "}, "canonical_name"),
    ({"canonical_name": "x" * 1001}, "canonical_name"),
    ({"content": "half \ud83d"}, "content"),
    ({"canonical_name": "half \ud83d"}, "canonical_name"),
    ({"aliases": ["ok", ""]}, "aliases"),
    ({"aliases": "not a list"}, "aliases"),
    ({"scopes": []}, "scopes"),
    ({"scopes": ["no kind"]}, "scopes"),
    ({"scopes": "domain:code"}, "scopes"),
    ({"scopes": ["domain:\ud83d"]}, "scopes"),
    ({"type": "feeling"}, "type"),
    ({"confidence": 1.5}, "confidence"),
    ({"confidence": float("nan")}, "confidence"),
    ({"metadata": {"x": float("nan")}}, "metadata"),
    ({"valid_from": datetime(2026, 1, 1)}, "valid_from"),
    ({"valid_from": "2026-01-01T00:00:00"}, "valid_from"),
    ({"valid_from": "soon"}, "valid_from"),
    ({"valid_from": 1700000000}, "valid_from"),
    ({"valid_from": date(2026, 1, 2), "valid_to": date(2026, 1, 2)}, "valid_to"),
    ({"valid_from": date(2026, 1, 2), "valid_to": date(2026, 1, 1)}, "valid_to"),
    ({"on_conflict": "shrug"}, "on_conflict"),
    ({"cardinality": "few"}, "cardinality"),
]


@pytest.mark.parametrize(("fields", "named"), BAD)
def test_bad_input_is_refused_naming_the_field(
    alice: UserMemory, fields: dict[str, object], named: str
) -> None:
    with pytest.raises(InvalidBelief) as caught:
        alice.remember(**{"canonical_name": "x", "content": "y", **fields})  # type: ignore[arg-type]
    assert caught.value.field.split(".")[0] == named
    assert isinstance(caught.value, ValueError)
    assert alice.export() == []


def test_an_interval_that_ends_before_now_begins_is_refused(
    alice: UserMemory, clock: SetClock
) -> None:
    with pytest.raises(InvalidBelief, match="valid_to"):
        alice.remember("x", "y", valid_to=clock.at - timedelta(days=1))
    assert alice.export() == []


def test_unknown_arguments_are_refused(alice: UserMemory) -> None:
    with pytest.raises(TypeError):
        alice.remember("x", "y", importance=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        alice.beliefs(limit=3)  # type: ignore[call-arg]
    with pytest.raises(InvalidBelief, match="importance"):
        alice.remember_many([{"canonical_name": "x", "content": "y", "importance": 3}])
    alice.remember("x", "y")
    with pytest.raises(InvalidBelief, match="importance"):
        alice.update("x", importance=3)


@pytest.mark.parametrize("user_id", ["", "  ", None, 7, "half \ud83d", "x" * 1001])
def test_a_bad_user_id_is_refused(memory: BeliefMemory, user_id: object) -> None:
    with pytest.raises(InvalidQuery, match="user_id"):
        memory.for_user(user_id)  # type: ignore[arg-type]


def test_empty_scopes_are_refused(memory: BeliefMemory, alice: UserMemory) -> None:
    with pytest.raises(InvalidQuery, match="scopes"):
        memory.for_user("alice", scopes=[])
    with pytest.raises(InvalidQuery, match="scopes"):
        alice.recall("x", scopes=[])


HOSTILE = [
    "o'brien",
    'quote " double',
    "back\\slash",
    "new\nline",
    "nul\0byte",
    "'; DROP TABLE x; --",
    "100%_like",
    "a_b",
    "aXb",
    "../../etc/passwd",
    "CON",
    "emoji 🦀",
    "日本語",
    "x" * 1000,
    "Alice",
    "alice",
    "ALICE",
    "a#1",
    "$eq",
]


def test_hostile_names_round_trip_and_stay_apart(memory: BeliefMemory) -> None:
    for text in HOSTILE:
        user = memory.for_user(text)
        user.remember(text, f"About {text}", aliases=[text], metadata={text: text})
    assert sorted(memory.users()) == sorted(HOSTILE)
    for text in HOSTILE:
        user = memory.for_user(text)
        (belief,) = user.beliefs(slot=text)
        assert belief.content == f"About {text}"
        assert belief.metadata == {text: text}
        assert [version.id for version in user.history(text)] == [belief.id]
        assert user.get(belief.id) == belief
        user.recall(text).render()


def test_hostile_scopes_are_a_hard_boundary(memory: BeliefMemory) -> None:
    control = {"\n", "\0"}
    labels = [f"project:{text}" for text in HOSTILE if len(text) < 500 and not control & set(text)]
    for label in labels:
        memory.for_user("u", scopes=[label]).remember("thing", f"In {label}")
    for label in labels:
        assert contents(memory.for_user("u", scopes=[label])) == [f"In {label}"]


def test_the_history_of_a_slot_stays_within_the_active_scopes(memory: BeliefMemory) -> None:
    ours = memory.for_user("u", scopes=["project:a_b"])
    theirs = memory.for_user("u", scopes=["project:aXb"])
    ours.remember("database", "PostgreSQL.")
    other = theirs.remember("database", "MySQL.").belief
    assert [version.content for version in ours.history("database")] == ["PostgreSQL."]
    assert len(ours.history("database", scopes=["project:a_b", "project:aXb"])) == 2
    assert other is not None
    assert [version.content for version in ours.history(other.id)] == ["MySQL."]


def test_a_hundred_kilobytes_round_trip(alice: UserMemory) -> None:
    text = "żółć 🦀 " * 12_000
    alice.remember("long", text)
    assert contents(alice) == [text]
    assert alice.export()[0]["content"] == text


def test_users_never_see_each_other(memory: BeliefMemory) -> None:
    for name in ("acme", "acme-corp", "acme_corp", "acmeXcorp"):
        memory.for_user(name).remember("secret", f"Of {name}.", aliases=["acme"])
    for name in ("acme", "acme-corp", "acme_corp", "acmeXcorp"):
        user = memory.for_user(name)
        assert contents(user) == [f"Of {name}."]
        assert [b.content for b in user.recall("acme secret").relevant] == [f"Of {name}."]
        assert [b.content for b in user.search("of")] == [f"Of {name}."]
        assert {record["content"] for record in user.export()} == {f"Of {name}."}
        assert len(user.changes("2020-01-01")) == 1


def test_an_agents_value_shadows_the_shared_one(memory: BeliefMemory) -> None:
    memory.for_user("u").remember("tone", "Formal.")
    coder = memory.for_user("u", agent_id="coder")
    coder.remember("tone", "Terse.")
    assert contents(coder) == ["Terse."]
    assert contents(memory.for_user("u")) == ["Formal."]
    assert contents(memory.for_user("u", agent_id="cook")) == ["Formal."]
    assert [b.content for b in coder.recall("which tone?").relevant] == ["Terse."]


def test_ledgers_read_along_are_seen_and_never_written(memory: BeliefMemory) -> None:
    memory.for_user("org:acme").remember("deploy_day", "Deploys on Tuesdays.")
    bob = memory.for_user("bob", also=["org:acme"])
    bob.remember("tea", "Likes tea.")
    assert sorted(contents(bob)) == ["Deploys on Tuesdays.", "Likes tea."]
    assert [b.content for b in bob.recall("deploy day?").relevant] == ["Deploys on Tuesdays."]
    bob.remember("deploy_day", "Mine is Friday.")
    assert contents(memory.for_user("org:acme")) == ["Deploys on Tuesdays."]
    with pytest.raises(BeliefNotFound):
        bob.get(memory.for_user("org:acme").beliefs()[0].id)


def test_one_target_gives_one_outcome_and_a_list_a_list(alice: UserMemory) -> None:
    for name in ("a", "b", "c"):
        alice.remember(name, f"About {name}.")
    assert alice.retract("a").action == "retracted"
    assert [outcome.action for outcome in alice.retract(["b", "c"])] == ["retracted"] * 2
    assert contents(alice) == []
    with pytest.raises(InvalidQuery):
        alice.retract([])


def test_a_list_with_one_unknown_target_changes_nothing(alice: UserMemory) -> None:
    alice.remember("a", "About a.")
    with pytest.raises(BeliefNotFound, match="nowhere"):
        alice.retract(["a", "nowhere"])
    assert contents(alice) == ["About a."]


def test_unknown_ids_are_named(alice: UserMemory) -> None:
    for call in (
        lambda: alice.get("nope"),
        lambda: alice.update("nope", pinned=True),
        lambda: alice.retract("nope"),
        lambda: alice.resolve("nope"),
        lambda: alice.forget("nope"),
        lambda: alice.add_aliases("nope", ["x"]),
        lambda: alice.correct("nope", "x"),
        lambda: alice.remember("a", "b", supersedes="nope"),
    ):
        with pytest.raises(BeliefNotFound, match="nope"):
            call()
    assert alice.export() == []


def test_an_unknown_slot_is_named_as_slots_are(alice: UserMemory) -> None:
    with pytest.raises(BeliefNotFound, match="'nowhere'"):
        alice.forget(("nowhere", None))
    with pytest.raises(BeliefNotFound, match="'user / shoe size'"):
        alice.forget(("user", "shoe size"))


def test_update_keeps_what_it_does_not_name(alice: UserMemory) -> None:
    alice.remember("a", "About a.", aliases=["z"], metadata={"k": [1, {"x": None}]}, confidence=0.5)
    before = alice.beliefs()[0]
    alice.update("a", pinned=True)
    after = alice.beliefs()[0]
    changed = {"pinned", "rev", "recorded_at"}
    assert after.pinned
    assert before.model_dump(exclude=changed) == after.model_dump(exclude=changed)
    with pytest.raises(InvalidQuery):
        alice.update("a")


def test_a_conflict_waits_and_is_decided(alice: UserMemory) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    crm, mail = {"source": "crm"}, {"source": "mail"}
    alice.remember("phone", "111", valid_from=start, provenance=crm)
    assert alice.remember("phone", "222", valid_from=start, provenance=mail).action == "conflict"
    assert contents(alice) == ["111"]
    (conflict,) = alice.conflicts()
    assert (conflict.alternative.content, conflict.held and conflict.held.content) == ("222", "111")
    with pytest.raises(ConflictPending):
        alice.remember(
            "phone", "333", valid_from=start, provenance={"source": "x"}, on_conflict="raise"
        )
    alice.resolve_conflict(conflict, "supersede")
    assert contents(alice) == ["222"]
    assert alice.conflicts() == []


def test_export_and_load_are_inverse(memory: BeliefMemory, clock: SetClock) -> None:
    alice = memory.for_user("alice")
    alice.remember("city", "Oslo", aliases=["home"], metadata={"a": [1, "é"]})
    clock.advance(days=1)
    alice.remember("city", "Bergen")
    alice.remember("city", "Bergen")
    alice.remember("tea", "Likes tea.", pinned=True, provenance={"source": "chat", "quote": "hm"})
    alice.correct("tea", "Likes green tea.")
    alice.retract("tea")
    records = alice.export()
    with BeliefMemory.open("memory://", clock=clock) as other:
        copy = other.for_user("alice")
        assert copy.load(records) == len(records)
        assert copy.export() == records
        assert copy.load(records) == 0
        assert copy.beliefs() == alice.beliefs()


def test_a_bad_record_is_named_and_nothing_is_loaded(alice: UserMemory) -> None:
    good = {"canonical_name": "a", "content": "b"}
    for bad, field in (
        ({"canonical_name": "a"}, "content"),
        ({**good, "user_id": "bob"}, "user_id"),
        ({**good, "recorded_at": "2026-01-01T00:00"}, "recorded_at"),
        ({**good, "superseded_by": "nowhere"}, "superseded_by"),
        ("text", "record"),
    ):
        with pytest.raises(InvalidBelief) as caught:
            alice.load([good, bad])  # type: ignore[list-item]
        assert (caught.value.index, caught.value.field) == (1, field)
    assert alice.export() == []


def test_changes_come_in_commit_order_and_resume(alice: UserMemory, clock: SetClock) -> None:
    alice.remember("a", "one")
    clock.advance(days=1)
    alice.remember("a", "two")
    clock.advance(days=1)
    alice.retract("a")
    everything = alice.changes("2025-01-01")
    assert [(c.kind, c.belief.content) for c in everything] == [
        ("recorded", "one"),
        ("retired", "one"),
        *[(c.kind, c.belief.content) for c in everything[2:]],
    ]
    assert [c.at for c in everything] == sorted(c.at for c in everything)
    first = alice.changes("2025-01-01", limit=1)
    rest = alice.changes(first.cursor)
    assert [*first, *rest] == list(everything)
    assert alice.changes(rest.cursor) == []
    clock.advance(days=1)
    alice.remember("b", "three")
    assert [c.belief.content for c in alice.changes(rest.cursor)] == ["three"]
    window = alice.changes("2026-01-02", "2026-01-03")
    assert {c.at for c in window} == {datetime(2026, 1, 2, tzinfo=UTC)}


def test_bad_reads_are_refused(alice: UserMemory) -> None:
    for call in (
        lambda: alice.beliefs(valid_at=datetime(2026, 1, 1)),
        lambda: alice.beliefs(as_of="2026-01-01", known_at="2026-01-01"),
        lambda: alice.beliefs(types=["feeling"]),  # type: ignore[list-item]
        lambda: alice.beliefs(slot=""),
        lambda: alice.recall(None),  # type: ignore[arg-type]
        lambda: alice.recall("x", routes=["all"]),  # type: ignore[list-item]
        lambda: alice.recall("x", known_at="yesterday"),
        lambda: alice.search("x", limit=0),
        lambda: alice.search("x", limit="5"),  # type: ignore[arg-type]
        lambda: alice.changes("2026-01-02", "2026-01-01"),
        lambda: alice.forget(),
        lambda: Budget(max_beliefs=-1),
        lambda: alice.recall("x").render("html"),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidQuery):
            call()


def test_recall_can_ask_about_the_past(alice: UserMemory, clock: SetClock) -> None:
    alice.remember("city", "Oslo")
    clock.advance(days=10)
    alice.remember("city", "Bergen")
    clock.advance(days=10)
    alice.correct("city", "Stavanger")

    def recalled(**at: object) -> list[str]:
        return [b.content for b in alice.recall("which city?", **at).relevant]  # type: ignore[arg-type]

    assert recalled() == ["Stavanger"]
    assert recalled(valid_at="2026-01-05") == ["Oslo"]
    assert recalled(as_of="2026-01-15") == ["Bergen"]
    assert recalled(valid_at="2026-01-15") == ["Stavanger"]


def test_forgetting_removes_history_too(alice: UserMemory, clock: SetClock) -> None:
    alice.remember("city", "Oslo")
    clock.advance(days=1)
    alice.remember("city", "Bergen")
    alice.remember("tea", "Likes tea.")
    receipt = alice.forget("city")
    assert (receipt.beliefs, receipt.verified) == (2, True)
    assert receipt.versions == 3
    assert alice.history("city") == []
    assert contents(alice) == ["Likes tea."]
    assert "Oslo" not in repr(receipt)
    assert alice.forget(everything=True).beliefs == 1
    assert alice.beliefs() == []


def test_a_forgotten_user_is_gone_and_can_begin_again(memory: BeliefMemory) -> None:
    alice = memory.for_user("alice")
    alice.remember("city", "Oslo")
    other_handle = memory.for_user("alice")
    other_handle.recall("city?")
    alice.forget(everything=True)
    assert memory.users() == []
    assert not other_handle.recall("city?")
    alice.remember("city", "Bergen")
    assert [b.content for b in other_handle.recall("city?").relevant] == ["Bergen"]


def test_backup_and_restore_keep_everything(
    memory: BeliefMemory, tmp_path, clock: SetClock
) -> None:
    for name in ("alice", "bob"):
        memory.for_user(name).remember("city", f"Of {name}.")
    clock.advance(days=1)
    memory.for_user("bob").remember("city", "Moved.")
    assert memory.backup(tmp_path / "backup") == 2
    with pytest.raises(Exception, match="empty"):
        memory.backup(tmp_path / "backup")
    with BeliefMemory.open(tmp_path / "restored", clock=clock) as copy:
        assert copy.restore(tmp_path / "backup") == 2
        for name in ("alice", "bob"):
            assert copy.for_user(name).export() == memory.for_user(name).export()
        copy.for_user("bob").remember("city", "Again.")
        with pytest.raises(Exception, match="empty"):
            copy.restore(tmp_path / "backup")


def test_more_users_than_stay_resident_are_all_answered(
    memory: BeliefMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("belief_memory.engine.memory.MAX_RESIDENT_USERS", 8)
    for number in range(30):
        memory.for_user(f"u{number}").remember("city", f"City {number}.")
    assert memory.stats().resident_users <= 8
    for number in range(30):
        found = memory.for_user(f"u{number}").recall("city?").relevant
        assert [belief.content for belief in found] == [f"City {number}."]
    assert memory.stats().users == 30
