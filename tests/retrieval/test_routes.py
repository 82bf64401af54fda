"""Rules R1, R2, R5 to R9: eligibility, routes, relations, chains and budgets."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.ledger.held import HeldIndex
from belief_memory.ledger.reading import Reader
from belief_memory.model.context import Budget
from belief_memory.retrieval.budget import estimate_tokens
from belief_memory.retrieval.chains import Resolver
from belief_memory.retrieval.recall import Question, recall
from tests.retrieval.world import BEGAN, NOW, SCOPE, UNIVERSAL, ask, belief, index_of, named

LATER = NOW + timedelta(days=30)


@pytest.mark.parametrize(
    "fields",
    [
        {"scopes": ("domain:other",)},
        {"agent_id": "somebody"},
        {"valid_from": LATER},
        {"valid_to": BEGAN + timedelta(days=1)},
        {"resolved_at": NOW - timedelta(days=1)},
        {"superseded_by": "nobody"},
        {"standing": "pending"},
        {"standing": "conflict"},
    ],
)
def test_what_is_not_eligible_is_in_no_route(fields: dict[str, object]) -> None:
    beliefs = [
        belief("Redis", **fields),
        belief("Kafka", pinned=True, **fields),
        belief("Tone", type="preference", **{"scopes": (UNIVERSAL,), **fields}),
        belief("Which?", type="open_question", pinned=True, **fields),
    ]
    found = ask("Redis and Kafka and Tone", *beliefs)
    assert [found.persona_beliefs, found.pinned, found.relevant, found.questions] == [[]] * 4


@pytest.mark.parametrize(
    ("fields", "route"),
    [
        ({"type": "preference", "scopes": (UNIVERSAL,)}, "persona"),
        ({"type": "instruction", "scopes": (UNIVERSAL,), "pinned": True}, "persona"),
        ({"type": "preference", "subtype": "expertise"}, "persona"),
        ({"type": "preference", "subtype": "expertise", "epistemic_status": "inferred"}, "persona"),
        ({"subtype": "expertise", "epistemic_status": "exploratory"}, "relevant"),
        ({"type": "preference"}, "relevant"),
        ({"type": "fact", "scopes": (UNIVERSAL,)}, "relevant"),
        ({"type": "preference", "pinned": True}, "pinned"),
        ({"type": "open_question", "pinned": True}, "questions"),
        ({"type": "open_question"}, None),
    ],
)
def test_a_belief_that_is_named_takes_exactly_one_route(
    fields: dict[str, object], route: str | None
) -> None:
    found = ask("tell me of Redis", belief("Redis", **fields))
    routes = {
        "persona": found.persona_beliefs,
        "pinned": found.pinned,
        "questions": found.questions,
        "relevant": found.relevant,
    }
    assert [name for name, beliefs in routes.items() if beliefs] == ([route] if route else [])


def test_payload_is_never_matched() -> None:
    told = belief("x1", content="Redis is the cache", why_it_matters="Kafka")
    assert named("Redis and Kafka", told) == []


def test_a_relation_brings_its_participants_one_hop_in_its_order_and_last() -> None:
    beliefs = [
        belief("checkout flow", type="relation", participants=("c", "b", "gone", "pin", "old")),
        belief("zz", id="b"),
        belief("yy", id="c", type="relation", participants=("far",)),
        belief("xx", id="far"),
        belief("pinned one", id="pin", pinned=True),
        belief("old one", id="old", superseded_by="new"),
        belief("new one", id="new"),
        belief("Kafka"),
    ]
    found = named("does the checkout flow use Kafka", *beliefs)
    assert found == ["checkout flow", "Kafka", "c", "b", "new"]


def test_a_participant_does_not_bring_the_relation() -> None:
    relation = belief("flow of goods", type="relation", participants=("Kafka",))
    assert named("is Kafka up", belief("Kafka"), relation) == ["Kafka"]


def test_an_old_name_leads_to_the_end_of_its_chain() -> None:
    chain = [
        belief("TSLint", superseded_by="ESLint"),
        belief("ESLint", superseded_by="Biome"),
        belief("Biome"),
    ]
    assert named("the TSLint rules", *chain) == ["Biome"]
    assert named("TSLint, ESLint or Biome?", *chain) == ["Biome"]


def test_an_old_name_out_of_scope_leads_nowhere() -> None:
    old = belief("Jenkins", superseded_by="new", scopes=("domain:other",))
    assert named("is Jenkins up", old, belief("Tekton", id="new")) == []


def test_an_end_that_has_another_route_does_not_come_twice() -> None:
    old = belief("Jenkins", superseded_by="new")
    found = ask("is Jenkins up", old, belief("Tekton", id="new", pinned=True))
    assert (found.relevant, [one.id for one in found.pinned]) == ([], ["new"])


def test_a_circle_of_successors_ends() -> None:
    circle = [belief("Alpha9", superseded_by="Beta9"), belief("Beta9", superseded_by="Alpha9")]
    assert named("is Alpha9 up", *circle) == []


def test_a_past_instant_is_asked_as_it_was() -> None:
    moved = NOW - timedelta(days=10)
    versions = [
        belief("home", id="old", valid_to=moved, superseded_by="new"),
        belief("home", id="new", valid_from=moved),
    ]
    assert named("is home far", *versions) == ["new"]
    assert named("is home far", *versions, valid_at=moved - timedelta(days=1)) == ["old"]
    assert named("is home far", *versions, valid_at=moved) == ["new"]


def test_an_agents_own_value_shadows_the_shared_one() -> None:
    versions = [belief("tone", id="shared"), belief("tone", id="own", agent_id="a")]
    assert named("which tone", *versions) == ["shared"]
    assert named("which tone", *versions, agent_id="a") == ["own"]
    assert named("which tone", *versions, agent_id="b") == ["shared"]


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([None, *"abcdefx"])))
def test_ends_remembered_are_the_ends_walked(links: dict[str, str | None]) -> None:
    versions = [
        belief(id, rev=n + 1, superseded_by=to, scopes=(SCOPE,))
        for n, (id, to) in enumerate(links.items())
    ]
    held = HeldIndex(versions)
    reader = Reader(held, NOW, frozenset({SCOPE}))
    resolver = Resolver(reader)
    for version in versions:
        if not reader.current(version) and reader.superseded(version):
            assert resolver.target(version) is reader.active_end(version)


def test_several_ledgers_are_read_together_and_each_by_its_own_links() -> None:
    own = index_of([belief("Redis", id="own"), belief("Jenkins", superseded_by="new")])
    team = index_of(
        [belief("Redis", id="team"), belief("Tekton", id="new"), belief("Rules", pinned=True)]
    )
    question = Question("Redis or Jenkins?", frozenset({SCOPE, UNIVERSAL}), NOW)
    found = recall(question, [own, team])
    assert [one.id for one in found.relevant] == ["own", "team"]
    assert [one.id for one in found.pinned] == ["Rules"]


def test_the_order_is_exact_long_canonical_then_id() -> None:
    beliefs = [
        belief("Zig", id="short"),
        belief("Kubernetes", id="long"),
        belief("x2", "Gleam", id="a-alias"),
        belief("Gleam", id="z-canonical"),
        belief("Terraform", id="typo"),
    ]
    found = named("Zig, Gleam, Kubernetes or terrafrom", *beliefs)
    assert found == ["long", "z-canonical", "a-alias", "short", "typo"]


def test_pinned_beliefs_use_up_the_budget_first() -> None:
    beliefs = [belief(f"pin{n}", pinned=True) for n in range(3)] + [belief("Redis"), belief("Zig")]
    asked = "Redis, Zig"
    assert len(ask(asked, *beliefs, budget=Budget(max_beliefs=4)).relevant) == 1
    assert ask(asked, *beliefs, budget=Budget(max_beliefs=3)).relevant == []
    few = ask(asked, *beliefs, budget=Budget(max_beliefs=3, max_pinned=1))
    assert (len(few.pinned), len(few.relevant)) == (1, 2)
    none = ask(asked, *beliefs, budget=Budget(max_beliefs=0))
    assert (none.pinned, none.relevant) == ([], [])


def test_questions_have_a_budget_of_their_own() -> None:
    asked = [belief(f"q{n}", type="open_question", pinned=True) for n in range(4)]
    assert len(ask("", *asked, budget=Budget(max_questions=3)).questions) == 3
    assert ask("", *asked, budget=Budget(max_questions=0)).questions == []


def test_tokens_are_spent_in_order_and_the_first_too_large_ends_it() -> None:
    beliefs = [
        belief("pin", pinned=True, content="a" * 40),
        belief("Kubernetes", content="b" * 400),
        belief("Zig", content="c"),
    ]
    found = ask("Kubernetes, Zig", *beliefs, budget=Budget(max_tokens=50), count_tokens=len)
    assert ([one.id for one in found.pinned], found.relevant) == (["pin"], [])
    assert ask("", *beliefs, budget=Budget(max_tokens=0)).pinned == []


def test_the_estimate_counts_dense_scripts_higher() -> None:
    assert estimate_tokens("abcdefgh") == 2
    assert estimate_tokens("東京都庁") == 4
    assert estimate_tokens("") == 0


def test_types_and_routes_narrow_what_comes() -> None:
    beliefs = [
        belief("Redis", type="entity"),
        belief("Zig", type="decision"),
        belief("pin", pinned=True),
    ]
    found = ask("Redis, Zig", *beliefs, types=frozenset({"decision"}))
    assert ([one.id for one in found.relevant], found.pinned) == (["Zig"], [])
    only = ask("Redis, Zig", *beliefs, routes=frozenset({"pinned"}))
    assert ([one.id for one in only.pinned], only.relevant) == (["pin"], [])


@pytest.mark.parametrize(
    "query",
    ["and how do I scale it?", "und wie skaliere ich das?", "¿y cómo lo escalo?", "それはどう？",
     "它怎么扩容", "а как его масштабировать?", "그거 어떻게 늘려?", "그것은 어때?",
     "ואיך מרחיבים אותו?", "وماذا عنه؟", "ondan ne haber?"],
)  # fmt: skip
def test_a_follow_up_carries_the_names_of_the_turn_before_when_asked_to(query: str) -> None:
    redis = belief("Redis")
    assert named(query, redis) == []
    assert named(query, redis, previous="how is Redis doing?") == ["Redis"]


def test_a_follow_up_that_names_something_or_points_nowhere_carries_nothing() -> None:
    beliefs = [belief("Redis"), belief("Kafka"), belief("pin", "Zig", pinned=True)]
    assert named("is it like Kafka?", *beliefs, previous="Redis?") == ["Kafka"]
    assert named("is it like Zig?", *beliefs, previous="Redis?") == []
    assert named("how to deploy on friday", *beliefs, previous="Redis?") == []
