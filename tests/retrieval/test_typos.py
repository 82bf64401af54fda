"""Rules R4 and R4b: one edit after two right letters, and never a word of its own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from belief_memory.retrieval.runs import Words, forgives
from tests.retrieval.world import ask, belief, named

FORGIVEN = [
    ("is kubernets up", "Kubernetes"),
    ("is kuberentes up", "Kubernetes"),
    ("terrafrom's plan", "Terraform"),
    ("amlodipin 5 mg", "amlodipine"),
    ("eror handling", "error handling"),
    ("error handing", "error handling"),
    ("do we have Pyhton 3.12 wheels", "Python 3.12"),
    ("the Apollo Hospital bill", "Apollo Hospitals"),
    ("typsecript types", "TypeScript"),
    ("all the eror handlers", "error handler"),
    ("the Pyhton Club's wheels", "Python Club"),
]

REFUSED = [
    ("ukbernetes up", "Kubernetes"),
    ("kubrntes up", "Kubernetes"),
    ("reach out", "react"),
    ("the rate is fine", "Rave"),
    ("ask Maria", "Marta"),
    ("k9s", "k8s"),
    ("rus", "rust"),
    ("sqlte", "sql"),
    ("eror handlng", "error handling"),
    ("Python 3.13", "Python 3.12"),
    ("it wasn't there", "wasm"),
    ("東亰タワー", "東京タワー"),
    ("letzte Reise", "Reist"),
    ("it hung there, taut and ready", "Tact"),
    ("smartly done", "Smarty"),
    ("é mais caro", "E-mail"),
]


@pytest.mark.parametrize(("query", "name"), FORGIVEN)
def test_one_edit_is_forgiven(query: str, name: str) -> None:
    assert named(query, belief(name)) == [name]


@pytest.mark.parametrize(("query", "name"), REFUSED)
def test_what_is_no_typo_names_nothing(query: str, name: str) -> None:
    assert named(query, belief(name)) == []


def test_another_eligible_name_is_not_a_typo() -> None:
    assert named("ask Zorbas", belief("Zorban"), belief("Zorbas")) == ["Zorbas"]


def test_a_name_out_of_reach_does_not_stop_a_typo() -> None:
    elsewhere = belief("Zorbas", scopes=("domain:other",))
    assert named("ask Zorbas", belief("Zorban"), elsewhere) == ["Zorban"]


def test_exact_names_come_before_misspelt_ones() -> None:
    beliefs = [belief("a long name for Kubernetes", "Kubernetes"), belief("Zig")]
    assert named("kubernets or Zig", *beliefs)[0] == "Zig"


def test_a_refused_typo_is_explained() -> None:
    explained = ask("the rate is fine", belief("Rave")).explain()
    assert [(reason.rule, reason.route) for reason in explained] == [("R4b", None)]


WORDS = st.text(alphabet="abc", min_size=4, max_size=8)


@settings(deadline=None)
@given(st.sets(WORDS, max_size=30), WORDS)
def test_the_buckets_find_every_word_one_edit_away(words: set[str], token: str) -> None:
    index = Words()
    for word in words:
        index.count(word, 1)
    near = {word for word in words if word[:2] == token[:2] and OSA.distance(word, token) == 1}
    assert set(index.one_edit_from(token)) == near
    gone = set(sorted(words)[::2])
    for word in gone:
        index.count(word, -1)
    assert set(index.one_edit_from(token)) == near - gone


def test_only_words_of_alphabets_are_forgiven() -> None:
    assert forgives("kafka")
    assert forgives("кафка")
    assert not forgives("k8s-cluster")
    assert not forgives("서울특별시")
    assert not forgives("abc")


def test_an_answer_that_is_remembered_follows_the_words() -> None:
    words = Words()
    for number in range(40):
        # All in one bucket: the same head and length, another end.
        words.count(f"kuber{chr(97 + number % 26)}{chr(97 + number // 26)}", 1)
    before = words.one_edit_from("kuberqx")
    words.count("kuberqy", 1)
    assert words.one_edit_from("kuberqx") == tuple(sorted((*before, "kuberqy")))
    words.count("kuberqy", -1)
    assert words.one_edit_from("kuberqx") == before
