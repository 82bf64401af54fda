"""Episodes: turns that are kept, found again, and let go of; with either store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from belief_memory import (
    BeliefMemory,
    BeliefNotFound,
    Budget,
    Episodes,
    InvalidQuery,
    Message,
    UserMemory,
)
from belief_memory.learning import DeterministicExtractor
from tests.conftest import SetClock

Opened = Callable[..., BeliefMemory]
ALL = ["relevant", "evidence"]


@pytest.fixture(params=["memory", "folder"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, clock: SetClock) -> Iterator[Opened]:
    """Opens handles on one store, with episodes unless told otherwise."""
    uri = f"memory://{tmp_path}" if request.param == "memory" else str(tmp_path / "beliefs")
    handles: list[BeliefMemory] = []

    def one(**options: object) -> BeliefMemory:
        given = {"extractor": DeterministicExtractor(), "episodes": True, "clock": clock, **options}
        handles.append(BeliefMemory.open(uri, **given))
        return handles[-1]

    yield one
    for handle in handles:
        handle.close()


@pytest.fixture
def alice(opened: Opened) -> UserMemory:
    return opened().for_user("alice")


def texts(turns: object) -> list[str]:
    return [turn.text for turn in turns]  # type: ignore[attr-defined]


def found(user: UserMemory, query: str, **options: object) -> list[str]:
    return texts(user.recall(query, routes=ALL, **options).evidence)


def test_what_is_observed_is_kept_as_it_was_said(alice: UserMemory, clock: SetClock) -> None:
    said = clock() - timedelta(hours=1)
    alice.observe(
        [
            Message("user", "I live in Oslo.", said, "m1"),
            Message("assistant", "Noted.", said + timedelta(seconds=1), "m2"),
        ],
        session_id="s1",
    )
    first, second = alice.episodes()
    assert (first.id, first.role, first.text, first.at) == ("m1", "user", "I live in Oslo.", said)
    assert (first.session_id, first.user_id, first.scopes) == ("s1", "alice", ("user:universal",))
    assert first.recorded_at == clock()
    assert (second.id, second.role, second.text) == ("m2", "assistant", "Noted.")
    assert first.to_record()["at"] == said.isoformat()


def test_nothing_is_kept_unless_the_memory_was_opened_so(opened: Opened) -> None:
    with opened(episodes=False) as memory:
        memory.for_user("alice").observe("I live in Oslo.")
        assert memory.for_user("alice").episodes() == []
    assert opened().for_user("alice").episodes() == []


def test_turns_are_kept_without_an_extractor_and_the_report_says_so(opened: Opened) -> None:
    user = opened(extractor=None).for_user("alice")
    report = user.observe("I live in Oslo.")
    assert "nothing is learned" in report.note
    assert not user.beliefs()
    assert texts(user.episodes()) == ["I live in Oslo."]


def test_a_memory_that_only_injects_keeps_nothing(opened: Opened) -> None:
    user = opened(mode="inject_only").for_user("alice")
    user.observe("I live in Oslo.")
    assert user.episodes() == []


def test_a_belief_leads_to_the_turn_it_was_learned_from(alice: UserMemory, clock: SetClock) -> None:
    for text in ("I live in Oslo.", "The weather is awful.", "I moved to Porto."):
        alice.observe(text, session_id="same")
        clock.advance(days=1)
    (belief,) = alice.beliefs()
    assert texts(alice.evidence_of(belief)) == ["I moved to Porto."]
    assert texts(alice.evidence_of(("user", "residence"))) == [
        "I live in Oslo.",
        "I moved to Porto.",
    ]
    assert belief.provenance is not None
    assert texts(alice.episodes(ids=belief.provenance.message_ids)) == ["I moved to Porto."]
    with pytest.raises(BeliefNotFound):
        alice.evidence_of("nobody")


def test_numbered_messages_of_other_conversations_are_not_the_source(
    alice: UserMemory, clock: SetClock
) -> None:
    """Frameworks count from one again in every conversation."""
    for text in ("I live in Oslo.", "The weather is awful."):
        alice.observe([Message("user", text, clock(), "1")])
        clock.advance(days=1)
    (belief,) = alice.beliefs()
    assert texts(alice.evidence_of(belief)) == ["I live in Oslo."]
    assert len(alice.episodes(ids=["1"])) == 2
    assert alice.forget(belief).turns == 1
    assert texts(alice.episodes(ids=["1"])) == ["The weather is awful."]


def test_a_turn_without_a_time_that_is_learned_from_later_is_the_source(
    opened: Opened, clock: SetClock
) -> None:
    turn = Message("user", "I live in Oslo.", id="m1")
    opened(extractor=None).for_user("alice").observe([turn], session_id="s1")
    clock.advance(days=1)
    user = opened().for_user("alice")
    user.observe([turn], session_id="s1")
    (belief,) = user.beliefs()
    assert texts(user.evidence_of(belief)) == ["I live in Oslo."]


def test_turns_are_found_by_conversation_time_and_number(
    alice: UserMemory, clock: SetClock
) -> None:
    start = clock()
    for number in range(4):
        alice.observe(f"Note {number}.", session_id=f"s{number % 2}")
        clock.advance(days=1)
    assert texts(alice.episodes(session_id="s1")) == ["Note 1.", "Note 3."]
    assert texts(
        alice.episodes(since=start + timedelta(days=1), until=start + timedelta(days=3))
    ) == [
        "Note 1.",
        "Note 2.",
    ]
    assert texts(alice.episodes(limit=2)) == ["Note 2.", "Note 3."]
    assert alice.episodes(limit=0) == []
    with pytest.raises(InvalidQuery, match="ids"):
        alice.episodes(ids="m1")


def test_a_turn_observed_again_is_kept_once(alice: UserMemory, clock: SetClock) -> None:
    turn = Message("user", "I live in Oslo.", clock(), "m1")
    for _ in range(3):
        alice.observe([turn], session_id="s1")
        clock.advance(minutes=5)
    assert len(alice.episodes()) == 1
    alice.observe([Message("user", "I live in Oslo.", turn.at, "m1")], session_id="s2")
    assert len(alice.episodes()) == 2, "another conversation is another turn"


def test_secrets_and_our_own_injected_text_are_not_kept(alice: UserMemory) -> None:
    alice.observe(["My cat is called Yuki."])
    alice.remember("deploy", "Deploys on Fridays.", pinned=True)
    injected = alice.recall("anything").render()
    assert "Fridays" in injected
    alice.observe([f"{injected}\nMy password is hunter2!x, and I live in Oslo."])
    kept = " ".join(texts(alice.episodes()))
    assert "Oslo" in kept
    assert "hunter2" not in kept
    assert "Fridays" not in kept


def test_evidence_that_was_injected_teaches_nothing(alice: UserMemory) -> None:
    alice.observe("My cat is called Yuki.")
    context = alice.recall("What is my cat called?", routes=["evidence"])
    assert "Yuki" in context.render()
    before = alice.export()
    alice.observe([Message("user", context.render()), Message("assistant", context.render())])
    assert alice.export() == before
    assert len(alice.episodes()) == 1


def test_evidence_comes_only_where_it_is_asked_for(alice: UserMemory) -> None:
    alice.observe("The garage code is on the fridge.")
    query = "Where is the garage code?"
    assert alice.recall(query).evidence == []
    assert found(alice, query) == ["The garage code is on the fridge."]
    text = alice.recall(query, routes=["evidence"]).render()
    assert '<turn role="user">The garage code is on the fridge.</turn>' in text
    assert alice.recall(query, routes=["evidence"]).render(section="stable") == ""


def test_asking_for_evidence_where_none_is_kept_is_an_error(opened: Opened) -> None:
    with pytest.raises(InvalidQuery, match="episodes=True"):
        opened(episodes=False).for_user("alice").recall("x", routes=["evidence"])


def test_evidence_keeps_to_its_budget(alice: UserMemory) -> None:
    alice.observe([f"The garage holds item {n}." for n in range(8)])
    assert len(found(alice, "What does the garage hold? garage")) == 5
    assert len(found(alice, "garage", budget=Budget(max_evidence=2))) == 2
    assert found(alice, "garage", budget=Budget(max_evidence=0)) == []
    assert len(found(alice, "garage", budget=Budget(max_tokens=16))) == 2
    context = alice.recall("garage", routes=["evidence"], budget=Budget(max_evidence=1))
    told = context.explain()
    assert [one.returned for one in told.evidence] == [True] + [False] * 7
    assert {one.rule for one in told.evidence[1:]} == {"R9"}
    assert "garage" in str(told)


def test_the_same_question_gives_the_same_evidence(alice: UserMemory) -> None:
    alice.observe([f"Garage item {n} is a box." for n in range(9)])
    first = alice.recall("garage box", routes=["evidence"]).render()
    assert all(alice.recall("garage box", routes=["evidence"]).render() == first for _ in range(3))


def test_a_question_asked_before_is_no_evidence(alice: UserMemory) -> None:
    alice.observe(["What is the garage code?", "Is the garage code new?"])
    assert found(alice, "What is the garage code?") == []


def test_small_words_alone_find_nothing(alice: UserMemory) -> None:
    alice.observe("The weather is what it is, and I am where I was.")
    assert found(alice, "What is it that I was?") == []


def test_what_tools_and_developers_say_is_kept_but_is_no_evidence(alice: UserMemory) -> None:
    alice.observe(
        [
            Message("tool", "The garage code is 1234, says a web page."),
            Message("system", "Never tell the garage code."),
            Message("user", "Thanks."),
        ]
    )
    assert len(alice.episodes()) == 3
    assert found(alice, "What is the garage code?") == []


def test_a_turn_that_only_echoes_a_superseded_value_is_left_out(
    alice: UserMemory, clock: SetClock
) -> None:
    alice.observe(["I live in Oslo.", "In Oslo I live near the harbour. The harbour is loud."])
    clock.advance(days=1)
    alice.observe("I moved to Porto.")
    query = "Where do I live, near a harbour?"
    assert found(alice, query) == ["[…] The harbour is loud."]
    told = alice.recall(query, routes=ALL).explain().evidence
    assert [(one.turn.text, one.rule) for one in told if not one.returned] == [
        ("I live in Oslo.", "echo")
    ]
    assert found(alice, query, as_of=clock() - timedelta(hours=1)) == [
        "In Oslo I live near the harbour. The harbour is loud.",
        "I live in Oslo.",
    ]


def test_a_value_corrected_or_retracted_is_stale_too(alice: UserMemory, clock: SetClock) -> None:
    alice.observe("My phone number is 555 1234.")
    clock.advance(days=1)
    alice.correct(("user", "phone number"), "Phone number 555 9876.")
    assert found(alice, "What is my phone number?") == []
    alice.observe("My locker is number 17.")
    alice.remember(("user", "locker"), "Locker number 17.")
    assert found(alice, "Which locker is mine? locker") == ["My locker is number 17."]
    clock.advance(days=1)
    alice.retract(("user", "locker"))
    assert found(alice, "Which locker is mine? locker") == []


def test_a_turn_that_taught_what_is_no_longer_held_is_no_evidence_though_nothing_is_named(
    alice: UserMemory, clock: SetClock
) -> None:
    alice.observe("I live in Oslo, near the harbour.")
    query = "Which harbour was that?"
    assert found(alice, query) == ["I live in Oslo, near the harbour."]
    clock.advance(days=1)
    alice.retract(("user", "residence"), never_true=True)
    assert alice.recall(query).relevant == []
    assert found(alice, query) == []


def test_a_belief_that_took_another_s_place_makes_its_echoes_stale(
    alice: UserMemory, clock: SetClock
) -> None:
    alice.observe("Queues run on Kafka, the queue of choice.")
    old = alice.remember("kafka", "Queues run on Kafka.", aliases=["queue"]).belief
    assert found(alice, "Which queue do we use?") != []
    clock.advance(days=1)
    assert old is not None
    alice.remember("nats", "Queues run on NATS.", aliases=["queue"], supersedes=old.id)
    assert found(alice, "Which queue do we use?") == []


def test_turns_after_the_asked_instant_are_no_evidence(alice: UserMemory, clock: SetClock) -> None:
    start = clock()
    alice.observe("The garage is full.")
    clock.advance(days=1)
    alice.observe([Message("user", "The garage was painted.", start - timedelta(days=9))])
    middle = clock.advance(days=1)
    clock.advance(days=1)
    alice.observe("The garage is empty.")
    assert len(found(alice, "garage")) == 3
    assert found(alice, "garage", as_of=middle) == [
        "The garage was painted.",
        "The garage is full.",
    ]
    assert found(alice, "garage", valid_at=start - timedelta(days=1)) == ["The garage was painted."]
    assert found(alice, "garage", known_at=start) == ["The garage is full."]
    assert found(alice, "garage", as_of=start - timedelta(days=99)) == []


def test_turns_stay_within_the_scopes_in_which_they_were_observed(opened: Opened) -> None:
    memory = opened()
    home = memory.for_user("alice", scopes=["domain:home"])
    work = memory.for_user("alice", scopes=["domain:work"])
    anywhere = memory.for_user("alice")
    home.observe("The garage is full.")
    work.observe("The garage release ships today.")
    anywhere.observe("Garage doors are red.")
    assert sorted(found(home, "garage")) == ["Garage doors are red.", "The garage is full."]
    assert sorted(found(work, "garage")) == [
        "Garage doors are red.",
        "The garage release ships today.",
    ]
    assert found(anywhere, "garage") == ["Garage doors are red."]
    assert len(found(anywhere, "garage", scopes=["domain:home", "domain:work"])) == 3
    assert texts(anywhere.episodes()) == ["Garage doors are red."]
    assert texts(home.episodes()) == ["The garage is full.", "Garage doors are red."]


def test_turns_stay_with_the_agent_and_the_user_they_were_said_to(opened: Opened) -> None:
    memory = opened()
    cook = memory.for_user("alice", agent_id="cook")
    coach = memory.for_user("alice", agent_id="coach")
    cook.observe("The oven is broken.")
    memory.for_user("alice").observe("The oven is new.")
    memory.for_user("bob").observe("The oven is mine.")
    assert sorted(found(cook, "oven")) == ["The oven is broken.", "The oven is new."]
    assert found(coach, "oven") == ["The oven is new."]
    assert texts(coach.episodes()) == ["The oven is new."]
    assert found(memory.for_user("alice"), "oven") == ["The oven is new."]
    assert found(memory.for_user("carol", also=["alice", "bob"]), "oven") == []


def test_what_others_said_does_not_move_the_ranking(opened: Opened) -> None:
    memory = opened()
    mine = memory.for_user("alice", scopes=["domain:home"])
    mine.observe(
        [f"Garage note {n}, about a bicycle." for n in range(2)] + ["A bicycle, a garage."]
    )
    before = found(mine, "garage bicycle")
    theirs = memory.for_user("alice", scopes=["domain:work"])
    theirs.observe([f"Bicycle {n}." for n in range(30)])
    assert found(mine, "garage bicycle") == before


def test_old_turns_are_seen_by_nobody_and_leave_the_disk(opened: Opened, clock: SetClock) -> None:
    memory = opened(episodes=Episodes(keep_for=timedelta(days=10)))
    user = memory.for_user("alice")
    user.observe("The garage is full.")
    clock.advance(days=10, seconds=1)
    assert user.episodes() == []
    assert found(user, "garage") == []
    user.observe("The garage is empty.")
    assert texts(opened().for_user("alice").episodes()) == [
        "The garage is full.",
        "The garage is empty.",
    ], "within a tenth more, no write takes them from disk"
    memory.maintain()
    assert texts(opened().for_user("alice").episodes()) == ["The garage is empty."]
    clock.advance(days=12)
    user.observe("The garage is red.")
    assert texts(opened().for_user("alice").episodes()) == ["The garage is red."]


def test_no_more_turns_are_kept_than_the_limit_says(opened: Opened) -> None:
    user = opened(episodes=Episodes(max_turns=10)).for_user("alice")
    for number in range(25):
        user.observe(f"Note {number}.")
        assert texts(user.episodes()) == [
            f"Note {n}." for n in range(max(0, number - 9), number + 1)
        ]
    assert len(opened().for_user("alice").episodes()) <= 11


def test_the_limits_hold_for_who_only_observes(opened: Opened, clock: SetClock) -> None:
    limits = Episodes(keep_for=timedelta(days=10), max_turns=20)
    user = opened(episodes=limits, extractor=None).for_user("alice")
    for number in range(30):
        user.observe(f"Note {number}.")
    assert len(opened().for_user("alice").episodes()) <= 22
    for _ in range(24):
        clock.advance(days=1)
        user.observe("Another day.")
        kept = opened(extractor=None).for_user("alice").episodes()
        assert all(turn.recorded_at >= clock() - timedelta(days=12) for turn in kept)
    assert texts(kept) == ["Another day."] * len(kept)


@pytest.mark.parametrize("bad", [1, "yes", None, {"max_turns": 5}])
def test_an_option_that_is_none_is_refused(opened: Opened, bad: object) -> None:
    with pytest.raises(InvalidQuery, match="episodes"):
        opened(episodes=bad)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_turns": 0},
        {"max_turns": True},
        {"max_turns": 10**9},
        {"keep_for": timedelta(0)},
        {"keep_for": 30},
    ],
)
def test_limits_that_mean_nothing_are_refused(limits: dict[str, object]) -> None:
    with pytest.raises(InvalidQuery):
        Episodes(**limits)  # type: ignore[arg-type]


def test_handles_see_each_other_s_turns_at_once(opened: Opened) -> None:
    one, other = opened().for_user("alice"), opened().for_user("alice")
    for number in range(3):
        one.observe(f"The garage holds {number}.")
        assert len(found(other, "garage")) == number + 1
        other.observe(f"The attic holds {number}.")
        assert len(one.episodes()) == 2 * number + 2
    other.forget(everything=True)
    assert one.episodes() == []


def test_nothing_is_lost_and_nothing_is_twice_where_several_observe_at_once(
    opened: Opened,
) -> None:
    users = [opened(extractor=None).for_user("alice") for _ in range(3)]
    shared = Message("user", "All of them hear this.", id="shared")

    def observe(number: int) -> None:
        for turn in range(6):
            users[number].observe([f"Note {number}-{turn}.", shared], session_id="s")

    with ThreadPoolExecutor() as pool:
        list(pool.map(observe, range(3)))
    expected = {f"Note {n}-{turn}." for n in range(3) for turn in range(6)} | {shared.text}
    for user in users:
        assert sorted(texts(user.episodes())) == sorted(expected)


def test_forgetting_a_belief_erases_the_turns_it_came_from(
    alice: UserMemory, clock: SetClock
) -> None:
    alice.observe(["I live in Oslo.", "The garden is wet."])
    clock.advance(days=1)
    alice.observe([Message("user", "As I said: I live in Oslo. All fine.")])
    receipt = alice.forget(("user", "residence"))
    assert (receipt.turns, receipt.verified) == (2, True)
    assert texts(alice.episodes()) == ["The garden is wet."]


def test_forgetting_by_id_keeps_what_other_agents_heard(opened: Opened) -> None:
    memory = opened()
    cook, coach = (memory.for_user("alice", agent_id=name) for name in ("cook", "coach"))
    cook.observe("I live in Oslo.")
    coach.observe("I live in Oslo.")
    (belief,) = cook.beliefs()
    assert cook.forget(belief).turns == 1
    assert cook.episodes() == []
    assert texts(coach.episodes()) == ["I live in Oslo."]


def test_forgetting_everything_erases_every_turn_whoever_opens_the_memory(opened: Opened) -> None:
    opened().for_user("alice", scopes=["domain:home"], agent_id="cook").observe("Hello there.")
    plain = opened(episodes=False, extractor=None)
    assert plain.users() == ["alice"]
    receipt = plain.for_user("alice").forget(everything=True)
    assert (receipt.beliefs, receipt.turns) == (0, 1)
    assert plain.users() == []


def test_a_backup_has_the_turns_and_an_export_has_not(
    opened: Opened, tmp_path: Path, clock: SetClock
) -> None:
    memory = opened()
    memory.for_user("alice").observe("I live in Oslo.")
    memory.for_user("bob").observe("Hello there.")
    assert memory.backup(tmp_path / "backup") == 2
    options = {"extractor": DeterministicExtractor(), "episodes": True, "clock": clock}
    with BeliefMemory.open(tmp_path / "copy", **options) as copy:
        assert copy.restore(tmp_path / "backup") == 2
        assert copy.users() == memory.users()
        for name in ("alice", "bob"):
            assert copy.for_user(name).episodes() == memory.for_user(name).episodes()
        copied = copy.for_user("alice")
        (belief,) = copied.beliefs()
        assert texts(copied.evidence_of(belief)) == ["I live in Oslo."]
        copied.observe("I like tea.")
        assert len(copied.episodes()) == 2
    records = memory.for_user("alice").export()
    assert [record["content"] for record in records] == ["Lives in Oslo."]


def test_statistics_count_the_turns(alice: UserMemory) -> None:
    assert "episodes" not in alice.stats().extra
    alice.observe(["I live in Oslo.", "Hello there."])
    stats = alice.stats()
    assert (stats.versions, stats.extra["episodes"]) == (1, 2)


def test_text_that_cannot_be_stored_is_kept_as_well_as_it_can(alice: UserMemory) -> None:
    alice.observe([Message("tool", "broken \ud800 half"), Message("tool", "next\x00line")])
    assert texts(alice.episodes()) == ["broken ? half", "next\x00line"]


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("車庫の暗証は冷蔵庫にある。", "車庫の暗証はどこ？"),
        ("Der Schlüssel liegt unter der Matte.", "Wo ist der Schlüssel?"),
        ("Ключ лежит под ковриком.", "Где ключ?"),
        ("المفتاح تحت السجادة.", "أين المفتاح؟"),
        ("열쇠 는 화분 밑에 있다.", "열쇠 어디 있어?"),
        ("กุญแจอยู่ใต้พรม", "กุญแจอยู่ไหน"),
    ],
)
def test_evidence_is_found_in_every_script(alice: UserMemory, said: str, query: str) -> None:
    alice.observe([said, "Something else entirely."])
    assert found(alice, query) == [said]


def test_a_long_turn_is_cut_to_what_bears_on_the_query(alice: UserMemory) -> None:
    filler = "Nothing of note happened here. " * 80
    alice.observe(f"{filler}The garage is full. {filler}")
    (text,) = found(alice, "garage")
    assert text.startswith("[…] The garage is full.")
    assert len(text) < 1300


def test_without_episodes_no_table_is_made(tmp_path: Path, clock: SetClock) -> None:
    options = {"extractor": DeterministicExtractor(), "clock": clock}
    with BeliefMemory.open(tmp_path / "m", **options) as memory:
        user = memory.for_user("alice")
        user.observe("I live in Oslo.")
        user.episodes()
        user.stats()
        memory.maintain()
        memory.stats()
        user.forget(("user", "residence"))
        assert not [name for name in os.listdir(tmp_path / "m") if name.startswith("episodes")]
    with BeliefMemory.open(tmp_path / "m", episodes=True, **options) as memory:
        user = memory.for_user("alice")
        user.remember("tea", "Likes tea.")
        user.recall("tea", routes=ALL)
        assert not [name for name in os.listdir(tmp_path / "m") if name.startswith("episodes")]


def test_a_read_only_memory_finds_evidence(opened: Opened) -> None:
    opened().for_user("alice").observe("The garage is full.")
    reader = opened(read_only=True, extractor=None).for_user("alice")
    assert found(reader, "garage") == ["The garage is full."]


def test_a_failing_extractor_keeps_the_turns(opened: Opened) -> None:
    class Broken:
        name = "broken"

        async def extract(self, lesson: object) -> object:
            raise RuntimeError("down")

    user = opened(extractor=Broken()).for_user("alice")
    with pytest.raises(Exception, match="down"):
        user.observe("I live in Oslo.")
    assert texts(user.episodes()) == ["I live in Oslo."]
