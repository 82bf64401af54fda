"""The route ``related``: alike, never mixed with what is named, silent below its threshold."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from belief_memory import (
    AsyncBeliefMemory,
    BeliefMemory,
    Budget,
    InvalidQuery,
    UserMemory,
)
from belief_memory.engine import partial
from belief_memory.model.belief import Belief
from belief_memory.retrieval.unrelated import UNRELATED
from belief_memory.testing.embedders import NgramEmbedder

ROUTES = ["persona", "pinned", "relevant", "questions", "related"]
QUERY = "where do the goldfish swim in their aquarium"


def ids(beliefs: Sequence[Belief]) -> list[str]:
    return [belief.canonical_name for belief in beliefs]


@pytest.fixture
def embedder() -> NgramEmbedder:
    return NgramEmbedder()


@pytest.fixture
def alice(embedder: NgramEmbedder, clock):
    with BeliefMemory.open("memory://", embedder=embedder, clock=clock) as memory:
        yield filled(memory.for_user("alice"))


def filled(user: UserMemory) -> UserMemory:
    user.remember_many(
        [
            {"canonical_name": "fish_tank", "content": "The goldfish swim in the big aquarium."},
            {"canonical_name": "aquarium", "content": "The aquarium holds 200 litres of water."},
            {"canonical_name": "tax_office", "content": "The declaration is due in July."},
        ]
    )
    return user


def test_the_route_is_off_until_it_is_asked_for(alice: UserMemory, embedder: NgramEmbedder) -> None:
    context = alice.recall(QUERY)
    assert ids(context.relevant) == ["aquarium"]
    assert context.related == []
    assert embedder.asked == []


def test_what_is_alike_comes_without_being_named_and_what_is_named_does_not_come_twice(
    alice: UserMemory,
) -> None:
    context = alice.recall(QUERY, routes=ROUTES)
    assert ids(context.relevant) == ["aquarium"]
    assert ids(context.related) == ["fish_tank"]
    only = alice.recall(QUERY, routes=["related"])
    assert only.relevant == []
    assert ids(only.related) == ["fish_tank"]


@pytest.mark.parametrize("query", ["quarterly synthesis of polymers", "", "...", "```\n" + QUERY])
def test_a_query_alike_to_nothing_gets_nothing(alice: UserMemory, query: str) -> None:
    assert alice.recall(query, routes=["related"]).related == []


def test_no_question_that_calibrates_the_threshold_beats_it_but_one_a_language(
    alice: UserMemory,
) -> None:
    for language, questions in UNRELATED.items():
        answered = [q for q in questions if alice.recall(q, routes=["related"]).related]
        assert len(questions) == 40
        assert len(answered) <= 1, language


def test_an_embedder_that_finds_everything_alike_is_told_nothing_by() -> None:
    class Constant:
        name = "constant"

        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[0.5, 0.5] for _ in texts]

    with BeliefMemory.open("memory://", embedder=Constant()) as memory:
        assert filled(memory.for_user("alice")).recall(QUERY, routes=["related"]).related == []


def test_a_threshold_of_ones_own_is_kept(embedder: NgramEmbedder) -> None:
    for threshold, expected in [(-1, 2), (1, 0)]:
        with BeliefMemory.open(
            "memory://", embedder=embedder, related_threshold=threshold
        ) as memory:
            user = filled(memory.for_user("alice"))
            assert len(user.recall(QUERY, routes=["related"]).related) == expected


@pytest.mark.parametrize("threshold", [2, "0.5", True, float("nan")])
def test_a_threshold_that_is_no_similarity_is_refused(threshold: object) -> None:
    with pytest.raises(InvalidQuery, match="related_threshold"):
        BeliefMemory.open("memory://", related_threshold=threshold)  # type: ignore[arg-type]


def test_asking_for_it_without_an_embedder_says_what_is_missing() -> None:
    with BeliefMemory.open("memory://") as memory, pytest.raises(InvalidQuery, match="embedder"):
        memory.for_user("alice").recall("x", routes=["related"])


def test_only_what_is_eligible_is_compared(alice: UserMemory, clock) -> None:
    elsewhere = {"scopes": ["project:other"]}
    words = "The goldfish swim in their aquarium"
    alice.remember("other project", f"{words}.", **elsewhere)
    alice.remember("question", f"{words}?", type="open_question")
    alice.remember("wish", f"{words}!", type="preference")
    alice.remember("pin", f"{words}, pinned.", pinned=True)
    alice.remember("gone", f"{words} no more.")
    alice.retract("gone")
    clock.advance(days=1)
    context = alice.recall(QUERY, routes=ROUTES, budget=Budget(max_related=100))
    assert ids(context.related) == ["fish_tank"]
    assert ids(context.pinned) == ["pin"]
    assert ids(alice.recall(QUERY, routes=["related"], types=["goal"]).related) == []


def test_it_takes_what_the_budget_leaves(alice: UserMemory) -> None:
    def related(**budget: int) -> list[str]:
        found = alice.recall(QUERY, routes=ROUTES, budget=Budget(**budget))
        return ids(found.related)

    assert related(max_related=0) == []
    assert related(max_beliefs=1) == []
    assert related(max_beliefs=2) == ["fish_tank"]
    assert related(max_tokens=11) == []
    assert related(max_tokens=100) == ["fish_tank"]
    # Named beliefs that did not fit come before what is merely alike.
    assert related(max_beliefs=0) == []
    with pytest.raises(InvalidQuery, match="max_related"):
        Budget(max_related=-1)


def test_a_text_is_embedded_once_and_again_when_it_changes(
    alice: UserMemory, embedder: NgramEmbedder
) -> None:
    alice.recall(QUERY, routes=["related"])
    first = len(embedder.asked)
    alice.recall(QUERY, routes=["related"])
    assert embedder.asked[first:] == [QUERY]
    alice.remember("tax_office", "The declaration is due in July.")
    alice.recall(QUERY, routes=["related"])
    assert embedder.asked[first + 1 :] == [QUERY]
    alice.remember("tax_office", "The declaration is due in May.")
    alice.recall(QUERY, routes=["related"])
    # The retired text was recorded anew, with an end; it is no longer current, nor compared.
    assert embedder.asked[first + 2 :] == ["tax office: The declaration is due in May.", QUERY]


def test_it_follows_both_clocks(alice: UserMemory, clock) -> None:
    before = clock.at
    clock.advance(days=1)
    alice.remember("fish_tank", "It is empty: everybody has moved to the pond.")
    assert alice.recall(QUERY, routes=["related"]).related == []
    for then in ({"as_of": before}, {"valid_at": before}):
        assert ids(alice.recall(QUERY, routes=["related"], **then).related) == ["fish_tank"]


def test_ledgers_read_along_are_compared_too(embedder: NgramEmbedder) -> None:
    with BeliefMemory.open("memory://", embedder=embedder) as memory:
        filled(memory.for_user("org:acme"))
        alice = memory.for_user("alice", also=["org:acme"])
        assert ids(alice.recall(QUERY, routes=["related"]).related) == ["fish_tank"]
        assert memory.for_user("bob").recall(QUERY, routes=["related"]).related == []


def test_a_ledger_too_large_to_keep_is_not_compared(
    tmp_path: Path, embedder: NgramEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial, "MAX_RESIDENT_BELIEFS_PER_USER", 2)
    with BeliefMemory.open(tmp_path / "m", embedder=embedder) as memory:
        filled(memory.for_user("alice"))
    with BeliefMemory.open(tmp_path / "m", embedder=embedder) as memory:
        alice = memory.for_user("alice")
        # Whatever was looked up before must not decide what is alike.
        assert ids(alice.recall("fish tank").relevant) == ["fish_tank"]
        context = alice.recall(QUERY, routes=ROUTES)
        assert ids(context.relevant) == ["aquarium"]
        assert context.related == []


def test_it_says_how_alike_and_what_had_to_be_beaten(alice: UserMemory) -> None:
    reasons = alice.recall(QUERY, routes=ROUTES).explain()
    by_name = {reason.belief.canonical_name: reason for reason in reasons}
    assert by_name["fish_tank"].route == "related"
    assert "above" in by_name["fish_tank"].why
    assert by_name["tax_office"].route is None
    assert "not above" in by_name["tax_office"].why
    assert by_name["aquarium"].rule == "R3"


def test_an_embedder_that_fails_takes_nothing_named_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken:
        name = "broken"

        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            raise OSError("no route to host")

    class Short(Broken):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[1.0]]

    class Ragged(Broken):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[1.0] * (1 + len(text) % 2) for text in texts]

    for embedder in (Broken(), Short(), Ragged()):
        caplog.clear()
        with (
            BeliefMemory.open("memory://", embedder=embedder) as memory,
            caplog.at_level(logging.WARNING, logger="belief_memory"),
        ):
            context = filled(memory.for_user("alice")).recall(QUERY, routes=ROUTES)
            assert ids(context.relevant) == ["aquarium"]
            assert context.related == []
            assert "broken" in caplog.text


def test_vectors_that_are_no_numbers_are_like_nothing() -> None:
    class Odd:
        name = "odd"

        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[float("nan"), 1.0] if "tax" in text else [0.0, 0.0] for text in texts]

    with BeliefMemory.open("memory://", embedder=Odd()) as memory:
        assert filled(memory.for_user("alice")).recall(QUERY, routes=["related"]).related == []


def test_what_was_erased_is_forgotten_here_too(alice: UserMemory) -> None:
    assert alice.recall(QUERY, routes=["related"]).related
    alice.forget("fish_tank")
    assert alice.recall(QUERY, routes=["related"]).related == []


def test_vectors_outlive_maintenance_by_another_process(
    tmp_path: Path, embedder: NgramEmbedder
) -> None:
    uri = str(tmp_path / "m")
    with BeliefMemory.open(uri, embedder=embedder) as memory, BeliefMemory.open(uri) as other:
        alice = filled(memory.for_user("alice"))
        assert ids(alice.recall(QUERY, routes=["related"]).related) == ["fish_tank"]
        first = len(embedder.asked)
        other.for_user("alice").remember("new", "Something else.")
        other.maintain()
        assert ids(alice.recall(QUERY, routes=["related"]).related) == ["fish_tank"]
        assert embedder.asked[first:] == ["new: Something else.", QUERY]


async def test_it_answers_the_same_on_an_event_loop(embedder: NgramEmbedder) -> None:
    async with AsyncBeliefMemory.open("memory://", embedder=embedder) as memory:
        alice = memory.for_user("alice")
        await alice.remember("fish_tank", "The goldfish swim in the big aquarium.")
        context = await alice.recall(QUERY, routes=["related"])
        assert ids(context.related) == ["fish_tank"]
        assert '<related authority="low">' in context.render()


def test_a_recall_without_the_route_loads_no_numbers() -> None:
    script = (
        "import sys\n"
        "from belief_memory import BeliefMemory\n"
        "from belief_memory.testing.embedders import NgramEmbedder\n"
        "memory = BeliefMemory.open('memory://', embedder=NgramEmbedder())\n"
        "user = memory.for_user('alice')\n"
        "user.remember('tea', 'Green.')\n"
        "assert user.recall('tea?').relevant\n"
        "print('numpy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("False\n", 0), done.stderr
