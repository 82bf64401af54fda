"""observe, end to end: modes, durability, aliases, promotion, duplicates and digests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from belief_memory import (
    AsyncBeliefMemory,
    BeliefMemory,
    InvalidQuery,
    Message,
    StoreReadOnly,
)
from belief_memory.learning import CompletionExtractor, DeterministicExtractor
from tests.conftest import SetClock
from tests.learning.messages import item, replaying

AT = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOME = item("user", "residence", "Lives in Ghent", "I live in Ghent")


def test_without_an_extractor_the_error_says_what_to_do() -> None:
    with BeliefMemory.open("memory://") as memory, pytest.raises(InvalidQuery, match="extractor"):
        memory.for_user("u").observe("I live in Ghent.")


def test_inject_only_learns_nothing_and_says_so() -> None:
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), mode="inject_only"
    ) as memory:
        user = memory.for_user("u")
        user.remember("redis", "Redis is the cache.")
        report = user.observe("I live in Ghent.")
        assert not report
        assert "inject_only" in report.note
        assert [b.content for b in user.beliefs(include_pending=True)] == ["Redis is the cache."]
        assert user.recall("What is redis for?")


def test_reflective_learns_and_injects_nothing() -> None:
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), mode="reflective"
    ) as memory:
        user = memory.for_user("u")
        assert user.observe("I live in Ghent.")
        assert [b.content for b in user.beliefs()] == ["Lives in Ghent."]
        context = user.recall("Where do I live?")
        assert not context
        assert context.render() == ""


def test_curated_waits_for_approval_and_keeps_the_dates() -> None:
    clock = SetClock(AT)
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), mode="curated", clock=clock
    ) as memory:
        user = memory.for_user("u")
        user.observe(
            [Message("user", "I moved to Ghent last week. My dentist is Dr. Okafor.", at=AT)]
        )
        assert user.beliefs() == []
        home, dentist = sorted(user.pending(), key=lambda b: b.slot, reverse=True)
        clock.advance(days=3)
        assert user.approve(home).action == "inserted"
        user.reject(dentist)
        (belief,) = user.beliefs()
        assert belief.content == "Lives in Ghent."
        assert belief.valid_from == datetime(2026, 3, 2, tzinfo=UTC)
        assert user.pending() == []


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(InvalidQuery, match="mode"):
        BeliefMemory.open("memory://", mode="wild")  # type: ignore[arg-type]
    with pytest.raises(InvalidQuery, match="extract"):
        BeliefMemory.open("memory://", extractor=object())  # type: ignore[arg-type]


async def test_the_async_verbs_take_an_async_model() -> None:
    async def complete(prompt: str, schema: dict) -> dict:
        assert schema["required"] == ["beliefs"]
        return {"beliefs": [HOME]}

    extractor = CompletionExtractor(complete)
    async with AsyncBeliefMemory.open("memory://", extractor=extractor) as memory:
        report = await memory.for_user("u").observe("I live in Ghent.")
        assert [b.content for b in report.beliefs] == ["Lives in Ghent"]


def test_a_read_only_memory_learns_nothing(tmp_path: Path) -> None:
    BeliefMemory.open(tmp_path / "m").close()
    with (
        BeliefMemory.open(
            tmp_path / "m", extractor=DeterministicExtractor(), read_only=True
        ) as memory,
        pytest.raises(StoreReadOnly),
    ):
        memory.for_user("u").observe("I live in Ghent.")


@pytest.mark.parametrize(
    "messages",
    [
        "I live in Ghent.",
        ["I live in Ghent."],
        [{"role": "user", "content": "I live in Ghent."}],
        [
            {
                "role": "human",
                "content": [
                    {"type": "text", "text": "I live in Ghent."},
                    {"type": "image_url", "image_url": "x"},
                ],
            }
        ],
        [{"role": "assistant", "content": None}, {"type": "human", "content": "I live in Ghent."}],
    ],
)
def test_messages_come_in_many_shapes(messages: object) -> None:
    with BeliefMemory.open("memory://", extractor=DeterministicExtractor()) as memory:
        report = memory.for_user("u").observe(messages)
        assert [b.content for b in report.beliefs] == ["Lives in Ghent."]


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([{"role": "martian", "content": "x"}], r"\[0\].role"),
        ([Message("user", "x", at=datetime(2026, 1, 1))], r"\[0\].at"),
        ([{"role": "user", "content": "x", "at": "yesterday"}], r"\[0\].at"),
        (7, "messages"),
    ],
)
def test_a_message_that_cannot_be_read_is_named(messages: object, field: str) -> None:
    with (
        BeliefMemory.open("memory://", extractor=DeterministicExtractor()) as memory,
        pytest.raises(InvalidQuery, match=field),
    ):
        memory.for_user("u").observe(messages)


def test_changes_in_one_call_keep_their_order_without_dates() -> None:
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), clock=SetClock(AT)
    ) as memory:
        user = memory.for_user("u")
        towns = ["Ghent", "Lyon", "Graz", "Ghent"]
        user.observe([f"I moved to {town}." for town in towns])
        assert [b.content for b in user.beliefs()] == ["Lives in Ghent."]
        told = [v for v in user.history(("user", "residence")) if v.retired_at is None]
        told.sort(key=lambda v: v.valid_from)
        assert [v.content for v in told] == [f"Lives in {town}." for town in towns]


def test_miss_clarification_hit() -> None:
    clarified = item(
        "redis_cache",
        None,
        "",
        "By the blue thing I mean Redis",
        act="alias",
        aliases=["the blue thing"],
    )
    extractor, _ = replaying([], [clarified])
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        user = memory.for_user("u")
        user.remember("redis_cache", "Redis is the cache.", aliases=["Redis"])
        asked = "Why is the blue thing so slow?"
        assert not user.recall(asked)
        user.observe(asked)
        user.observe("By the blue thing I mean Redis.")
        assert [b.canonical_name for b in user.recall(asked).relevant] == ["redis_cache"]


def test_an_alias_is_never_taken_from_another_belief_nor_from_nowhere() -> None:
    stolen = item(
        "lens", None, "The lens is new.", "The lens is new", aliases=["Marvin", "optic", "optic"]
    )
    extractor, _ = replaying([stolen])
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        user = memory.for_user("u")
        user.remember("telescope", "The telescope is ours.", aliases=["Marvin"])
        report = user.observe("The lens is new.")
        (lens,) = user.beliefs(slot="lens")
        assert lens.aliases == ("optic",)
        assert [skip.text for skip in report.skipped] == ["Marvin"]
        assert "telescope" in report.skipped[0].reason


def test_an_inferred_belief_is_promoted_by_spaced_restatement_only() -> None:
    guess = item("user", "diet", "Avoids meat", "I skip the meat", epistemic_status="inferred")
    clock = SetClock(AT)
    extractor, _ = replaying(*[[guess]] * 10)
    with BeliefMemory.open("memory://", extractor=extractor, clock=clock) as memory:
        user = memory.for_user("u")

        def status() -> str:
            user.observe("As always, I skip the meat.")
            return user.beliefs()[0].epistemic_status

        assert [status() for _ in range(5)] == ["inferred"] * 5
        spaced = []
        for _ in range(3):
            clock.advance(days=2)
            spaced.append(status())
        assert spaced == ["inferred", "inferred", "active"]


class ByLetters:
    """An embedder: texts with the same letters are alike."""

    name = "letters"

    async def embed(self, texts):
        return [[float(text.lower().count(chr(97 + i))) for i in range(26)] for text in texts]


@pytest.mark.parametrize(
    ("said", "restates"),
    [
        ("Runs every morning by the lake", True),
        ("Runs every morning by 2 lakes", False),
        ("Never runs every morning by the lake", False),
    ],
)
def test_an_embedder_sees_restatements_but_drops_no_changed_fact(said: str, restates: bool) -> None:
    extractor, _ = replaying(
        [item("user", "sport", said, "I run every morning by the lake, by 2 lakes, never")]
    )
    with BeliefMemory.open("memory://", extractor=extractor, embedder=ByLetters()) as memory:
        user = memory.for_user("u")
        user.remember(("user", "sport"), "Runs by the lake every morning")
        report = user.observe("I run every morning by the lake, by 2 lakes, never")
        assert ([o.action for o in report.outcomes] == ["reinforced"]) is restates
        assert len(user.beliefs(include_pending=True)) == 1 if restates else 2


def test_duplicates_are_proposed_and_merged_only_by_hand() -> None:
    with BeliefMemory.open("memory://", embedder=ByLetters()) as memory:
        user = memory.for_user("u")
        kept = user.remember("redis_cache", "Redis is the cache.", aliases=["Redis"]).belief
        same = user.remember("redis", "Redis caches sessions.").belief
        user.remember(("user", "residence"), "Lives in Ghent")
        user.remember(("user", "home_city"), "Lives in Lyon")
        user.remember("dome", "The dome is shut at night.")
        user.remember("roof", "At night the dome is shut.")
        pairs = {(d.keep.canonical_name, d.drop.canonical_name): d for d in user.duplicates()}
        assert set(pairs) == {("redis_cache", "redis"), ("user", "user"), ("dome", "roof")}
        assert "values differ" in pairs["user", "user"].reason
        assert len(user.beliefs()) == 6
        user.merge(kept, same)
        assert [b.id for b in user.recall("Is redis up?").relevant] == [kept.id]


def test_a_digest_tells_what_changed_and_what_waits() -> None:
    clock = SetClock(AT)
    extractor, _ = replaying(
        [item("user", "residence", "Lives in Ghent.", "I live in Ghent")],
        [item("user", "residence", "Lives in Lyon.", "I moved to Lyon")],
        [item("user", "employer", "Works for Vestas.", "I work for Vestas")],
    )
    with BeliefMemory.open("memory://", extractor=extractor, clock=clock) as memory:
        user = memory.for_user("u")
        user.observe("I live in Ghent.")
        user.remember("lens", "The lens is *new*.")
        clock.advance(days=1)
        user.observe("I moved to Lyon.")
        user.correct("lens", "The lens is old.")
        user.remember("mount", "Replace the mount?", type="open_question")
        user.observe("Yeah right, I work for Vestas.")
        first, second = user.digest("2026-03-10"), user.digest("2026-03-11")
        assert "## New" in first
        assert r"The lens is \*new\*." in first
        assert "Lives in Ghent. → Lives in Lyon." in second
        assert r"The lens is \*new\*. → The lens is old." in second
        assert "## Open questions" in second
        assert "## Waiting for review" in second
        assert "ironically" in second
        week = user.digest("2026-03-09", days=7)
        assert "2026-03-09 to 2026-03-15" in week
        assert user.digest("2026-03-01").endswith("Nothing changed, and nothing waits.\n")
        clock.advance(days=40)
        assert user.digest("2026-03-10") == first
        assert user.digest("2026-03-11") == second


def test_a_day_of_a_digest_is_the_day_of_its_time_zone() -> None:
    late = SetClock(datetime(2026, 3, 10, 23, 30, tzinfo=UTC))
    with BeliefMemory.open("memory://", clock=late) as memory:
        user = memory.for_user("u")
        user.remember("lens", "The lens is new.")
        assert "lens" in user.digest("2026-03-11", timezone="Asia/Tokyo")
        assert "lens" not in user.digest("2026-03-11")
        with pytest.raises(InvalidQuery, match="timezone"):
            user.digest("2026-03-11", timezone="Mars/Olympus")
        with pytest.raises(InvalidQuery, match="day"):
            user.digest("someday")


def test_a_day_passes_between_turns_and_the_ledger_has_both() -> None:
    clock = SetClock(AT)
    with BeliefMemory.open("memory://", extractor=DeterministicExtractor(), clock=clock) as memory:
        user = memory.for_user("u")
        user.observe([Message("user", "I live in Ghent.", at=AT)])
        clock.advance(days=30)
        user.observe([Message("user", "I live in Lyon since yesterday.", at=clock.at)])
        yesterday = (clock.at - timedelta(days=1)).replace(hour=0)
        assert [b.content for b in user.beliefs(valid_at=yesterday)] == ["Lives in Lyon."]
        assert [b.content for b in user.beliefs(valid_at=yesterday, known_at=yesterday)] == [
            "Lives in Ghent."
        ]


def test_an_alias_that_the_user_never_used_is_not_taken_up() -> None:
    made_up = item("redis_cache", None, "", "I mean Redis", act="alias", aliases=["memcached"])
    extractor, _ = replaying([made_up])
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        user = memory.for_user("u")
        user.remember("redis_cache", "Redis is the cache.", aliases=["Redis"])
        report = user.observe("By the blue thing I mean Redis.")
        assert user.beliefs()[0].aliases == ("Redis",)
        assert "memcached" in report.skipped[0].reason


def test_what_was_rejected_does_not_wait_again_and_another_value_does() -> None:
    clock = SetClock(AT)
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), mode="curated", clock=clock
    ) as memory:
        user = memory.for_user("u")
        user.observe("I live in Ghent.")
        user.reject(user.pending())
        clock.advance(days=1)
        report = user.observe("I live in Ghent.")
        assert [(skip.reason, skip.text) for skip in report.skipped] == [
            ("it was rejected in review", "I live in Ghent.")
        ]
        assert report.outcomes == []
        assert user.pending() == []
        user.observe("I live in Porto.")
        assert [belief.content for belief in user.pending()] == ["Lives in Porto."]
        work = memory.for_user("u", scopes=["domain:work"])
        assert len(work.observe("I live in Ghent.").pending) == 1, "it was rejected elsewhere"


def test_a_rejected_statement_is_not_learned_by_another_way_but_a_later_one_is() -> None:
    clock = SetClock(AT)
    uri = "memory://rejected-once"
    options = {"extractor": DeterministicExtractor(), "clock": clock}
    said = Message("user", "I live in Ghent.", at=AT)
    with BeliefMemory.open(uri, mode="curated", **options) as memory:
        user = memory.for_user("u")
        user.observe([said])
        clock.advance(days=1)
        user.reject(user.pending())
    with BeliefMemory.open(uri, **options) as memory:
        user = memory.for_user("u")
        assert [skip.reason for skip in user.observe([said]).skipped] == [
            "it was rejected in review"
        ]
        clock.advance(days=90)
        later = Message("user", "I live in Ghent.", at=clock())
        assert [belief.content for belief in user.observe([later]).beliefs] == ["Lives in Ghent."]


def test_why_a_belief_waited_is_gone_once_it_is_approved() -> None:
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), mode="curated"
    ) as memory:
        user = memory.for_user("u")
        user.observe("I live in Ghent.")
        (waiting,) = user.pending()
        assert waiting.metadata["waits_because"]
        belief = user.approve(waiting).belief
        assert belief is not None
        assert belief.metadata == {}
        assert [b.metadata for b in user.beliefs()] == [{}]
