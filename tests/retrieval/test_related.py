"""Which scores are enough: the threshold follows what unrelated questions reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.retrieval.related import (
    LEAST,
    Likely,
    Likeness,
    asked,
    background,
    choose,
    likenesses,
    text_of,
    unit,
)
from belief_memory.retrieval.unrelated import UNRELATED
from tests.retrieval.world import belief

DIMENSIONS = 8
numbers = st.floats(-1, 1, width=32)
vectors = st.lists(numbers, min_size=DIMENSIONS, max_size=DIMENSIONS)
many = st.lists(vectors, min_size=1, max_size=12)
BACKGROUND = unit(np.random.default_rng(3).normal(size=(len(background()), DIMENSIONS)).tolist())
BELIEFS = [(0, belief(f"belief {number}")) for number in range(12)]


def known(rows: list[list[float]]) -> dict[tuple[int, str], Likeness]:
    found = likenesses(rows, BACKGROUND)
    return {
        (0, one.version_id): likeness for (_, one), likeness in zip(BELIEFS, found, strict=False)
    }


def chosen(query: list[float], rows: list[list[float]], threshold: float | None = None) -> Likely:
    return choose(query, BELIEFS[: len(rows)], known(rows), threshold)


@settings(deadline=None)
@given(vectors, many)
def test_nothing_at_or_below_the_threshold_is_returned_and_the_best_comes_first(
    query: list[float], rows: list[list[float]]
) -> None:
    found = chosen(query, rows)
    scores = [score for _, score in found.chosen]
    assert all(score > found.threshold >= LEAST for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert all(score <= found.threshold for _, score in found.near)
    assert len(found.chosen) + len(found.near) <= len(rows)


@settings(deadline=None)
@given(many)
def test_of_each_language_one_unrelated_question_at_most_is_answered(
    rows: list[list[float]],
) -> None:
    start = 0
    for questions in UNRELATED.values():
        group = BACKGROUND[start : start + len(questions)].tolist()
        assert sum(bool(chosen(question, rows).chosen) for question in group) <= 1
        start += len(questions)


@settings(deadline=None)
@given(vectors, many)
def test_more_beliefs_never_lower_the_threshold(
    query: list[float], rows: list[list[float]]
) -> None:
    assert chosen(query, rows[:-1] or rows).threshold <= chosen(query, rows).threshold


@settings(deadline=None)
@given(vectors, many, numbers, st.randoms(use_true_random=False))
def test_a_given_threshold_is_kept_and_the_order_of_beliefs_does_not_matter(
    query: list[float], rows: list[list[float]], threshold: float, chance: object
) -> None:
    found = chosen(query, rows, threshold)
    assert found.threshold == threshold
    shuffled = BELIEFS[: len(rows)]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose(query, shuffled, known(rows), threshold) == found


def test_a_vector_without_length_is_like_nothing() -> None:
    odd = [[0.0] * 8, [float("nan")] * 8, [float("inf")] * 8]
    assert unit(odd).tolist() == [[0.0] * 8] * 3
    assert chosen([1.0] * 8, odd).chosen == []
    assert chosen([0.0] * 8, [[1.0] * 8]).chosen == []


def test_vectors_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"length|inhomogeneous"):
        unit([[1.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="mismatch"):
        likenesses([[1.0, 2.0]], BACKGROUND)


def test_only_prose_is_compared() -> None:
    assert asked("what  about\nthis?\n```\ncode\n```") == "what about this?"
    assert asked("```\nonly code\n```") == ""
    assert asked(" ?! ") == ""


def test_a_belief_is_compared_by_its_names_and_what_it_says() -> None:
    one = belief("redis_cache", "Redis", attribute="max_memory", content="2 GB.")
    assert text_of(one) == "redis cache max memory, Redis: 2 GB."


def test_the_unrelated_questions_are_forty_of_each_language_and_all_different() -> None:
    assert {len(questions) for questions in UNRELATED.values()} == {40}
    assert len(set(background())) == len(background()) == 160
