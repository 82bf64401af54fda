"""explain() and what was returned say the same, whatever the world and the query."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.model.belief import Belief
from belief_memory.model.context import Budget
from tests.retrieval.world import BEGAN, NOW, SCOPE, UNIVERSAL, ask, belief

NAMES = (
    "Redis", "Redis Labs", "Labs", "Apollo", "Apollo Hospitals", "Spring", "spring", "C", "C++",
    "東京", "東京タワー", "서울", "Kubernetes", "Martha", "Marta", "ёлка", "user", "🚀", "Rave",
)  # fmt: skip
WORDS = (
    *NAMES, "kubernets", "Apolo", "rate", "서울에서", "my", "job", "where do I live", "phone",
    "colour", "it", "the", ".", ",", "\n", "elka", "```", "redis-labs", "REDIS'S", "東京都",
)  # fmt: skip
IDS = tuple("abcdefgh")
NEAR = {"R1", "R2", "R3", "R4b", "R9", "R12", "R13"}

fields = st.fixed_dictionaries(
    {
        "type": st.sampled_from(("fact", "preference", "open_question", "relation", "decision")),
        "pinned": st.booleans(),
        "scopes": st.sampled_from(((SCOPE,), (UNIVERSAL,), ("domain:other",))),
        "attribute": st.sampled_from((None, None, "job", "phone", "colour", "residence")),
        "subtype": st.sampled_from((None, None, None, "expertise")),
        "epistemic_status": st.sampled_from(("active", "inferred", "exploratory")),
        "superseded_by": st.sampled_from((None, None, None, *IDS)),
        "resolved_at": st.sampled_from((None, None, None, NOW - timedelta(days=1))),
        "valid_to": st.sampled_from((None, None, BEGAN + timedelta(days=1))),
        "agent_id": st.sampled_from((None, None, "bot", "other")),
        "participants": st.lists(st.sampled_from(IDS), max_size=3).map(tuple),
    }
)
named_beliefs = st.tuples(
    st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=2, unique=True), fields
)
worlds = st.lists(named_beliefs, max_size=len(IDS))
queries = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
budgets = st.builds(
    Budget,
    max_beliefs=st.integers(0, 6),
    max_pinned=st.integers(0, 3),
    max_questions=st.integers(0, 3),
    max_tokens=st.sampled_from((None, 0, 4, 100)),
)


def built(world: Sequence[tuple[str, list[str], dict[str, Any]]]) -> list[Belief]:
    made = []
    for id, (name, aliases, given_fields) in zip(IDS, world, strict=False):
        own = dict(given_fields)
        if own["type"] != "relation":
            own["participants"] = ()
        if own["superseded_by"] == id:
            own["superseded_by"] = None
        made.append(belief(name, *aliases, id=id, **own))
    return made


@settings(deadline=None, max_examples=100)
@given(worlds, queries, queries, budgets)
def test_reasons_are_given_for_exactly_what_is_returned_in_its_order(
    world: list[tuple[str, list[str], dict[str, Any]]], query: str, previous: str, budget: Budget
) -> None:
    beliefs = built(world)
    found = ask(query, *beliefs, budget=budget, previous=previous, agent_id="bot")
    reasons = found.explain()
    routes = {
        "persona": found.persona_beliefs,
        "pinned": found.pinned,
        "questions": found.questions,
        "relevant": found.relevant,
    }
    for route, returned in routes.items():
        explained = [reason.belief.id for reason in reasons if reason.route == route]
        assert explained == [one.id for one in returned]
    ids = [reason.belief.id for reason in reasons]
    assert len(ids) == len(set(ids))
    assert {reason.rule for reason in reasons if reason.route is None} <= NEAR
    for reason in reasons:
        if reason.span is not None:
            first, last = reason.span
            assert query[first:last].strip()
    assert len(found.pinned) <= min(budget.max_pinned, budget.max_beliefs)
    assert len(found.pinned) + len(found.relevant) <= budget.max_beliefs
    assert len(found.questions) <= budget.max_questions


@settings(deadline=None, max_examples=60)
@given(worlds, queries, st.randoms(use_true_random=False))
def test_the_order_in_which_beliefs_were_stored_does_not_matter(
    world: list[tuple[str, list[str], dict[str, Any]]], query: str, random: Any
) -> None:
    beliefs = built(world)
    shuffled = list(beliefs)
    random.shuffle(shuffled)
    one, other = ask(query, *beliefs), ask(query, *shuffled)
    assert [b.id for b in one.relevant] == [b.id for b in other.relevant]
    assert [(r.belief.id, r.rule, r.why) for r in one.explain() if r.route] == [
        (r.belief.id, r.rule, r.why) for r in other.explain() if r.route
    ]
