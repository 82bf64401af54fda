"""explain(): the rule and the span that decided, near misses included."""

from __future__ import annotations

from datetime import timedelta

from belief_memory.model.context import Budget
from tests.retrieval.world import NOW, UNIVERSAL, ask, belief


def test_every_returned_belief_has_its_rule_route_and_span() -> None:
    query = "does Łukasz’s kubernets run TSLint on the checkout flow"
    beliefs = [
        belief("lukasz"),
        belief("Kubernetes"),
        belief("TSLint", superseded_by="Biome"),
        belief("Biome"),
        belief("checkout flow", type="relation", participants=("Redis",)),
        belief("Redis"),
        belief("Rules", pinned=True),
        belief("Tone", type="preference", scopes=(UNIVERSAL,)),
        belief("Why?", type="open_question", pinned=True),
    ]
    explained = {reason.belief.id: reason for reason in ask(query, *beliefs).explain()}
    assert {id: (reason.rule, reason.route) for id, reason in explained.items()} == {
        "lukasz": ("R3", "relevant"),
        "Kubernetes": ("R4", "relevant"),
        "Biome": ("R8", "relevant"),
        "checkout flow": ("R3", "relevant"),
        "Redis": ("R6", "relevant"),
        "Rules": ("R2", "pinned"),
        "Tone": ("R2", "persona"),
        "Why?": ("R2", "questions"),
    }
    spans = {id: query[slice(*reason.span)] for id, reason in explained.items() if reason.span}
    assert spans["lukasz"].startswith("Łukasz")
    assert spans["Kubernetes"] == "kubernets"
    assert spans["Biome"] == "TSLint"
    assert explained["Biome"].name == "TSLint"


def test_near_misses_say_what_was_in_the_way() -> None:
    yesterday = NOW - timedelta(days=1)
    beliefs = [
        belief("Spring"),
        belief("Apollo"),
        belief("Apollo Hospitals"),
        belief("Redis", scopes=("domain:other",)),
        belief("Kafka", resolved_at=yesterday),
        belief("Hadoop", valid_to=yesterday),
        belief("Rave"),
        belief("Bun", type="open_question"),
        belief("Zig"),
        belief("Acme", attribute="ceo"),
        belief("Acme", attribute="address"),
    ]
    query = "spring at Apollo Hospitals: rate Redis, Kafka, Hadoop, a Bun, Zig and the ceo of Acme"
    found = ask(query, *beliefs, budget=Budget(max_beliefs=2))
    misses = {
        reason.belief.id: (reason.rule, reason.why)
        for reason in found.explain()
        if reason.route is None
    }
    assert {id: rule for id, (rule, _) in misses.items()} == {
        "Spring": "R13",
        "Apollo": "R12",
        "Redis": "R1",
        "Kafka": "R1",
        "Hadoop": "R1",
        "Rave": "R4b",
        "Bun": "R2",
        "Zig": "R9",
        "Acme/address": "R3",
    }
    assert misses["Redis"][1] == "out of scope"
    assert misses["Kafka"][1] == "resolved"
    assert misses["Hadoop"][1] == "not true at the asked instant"


def test_carried_names_say_so_and_have_no_span() -> None:
    found = ask("how do I scale it?", belief("Redis"), previous="Redis is slow")
    (reason,) = found.explain()
    assert (reason.rule, reason.span) == ("R3", None)
    assert "turn before" in reason.why


def test_an_explanation_prints_a_line_for_each_belief() -> None:
    text = str(ask("Redis", belief("Redis"), belief("Rules", pinned=True)).explain())
    assert [line.split()[0] for line in text.splitlines()] == ["pinned", "relevant"]


def test_explaining_twice_gives_the_same() -> None:
    found = ask("the rate of Redis", belief("Redis"), belief("Rave"))
    assert list(found.explain()) == list(found.explain())
