"""The anchors of a query: whatever matching could make of it has one of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from belief_memory.retrieval.follow_up import points_back
from belief_memory.retrieval.query import Query, shorter_forms, unsuffixed
from belief_memory.retrieval.runs import forgives
from belief_memory.retrieval.user_attributes import names_of_attribute, phrases
from belief_memory.text.anchors import (
    LEADING,
    STANDING,
    halves,
    run_anchor,
    typo_anchor,
    user_anchor,
)


def asked_anchors(text: str, previous: str | None = None) -> frozenset[str]:
    """The anchors of a query, and of the turn before where the query points back to it."""
    found = query_anchors(text)
    if previous is not None and points_back(Query(text)):
        found |= query_anchors(previous)
    return found


@lru_cache(maxsize=16)
def query_anchors(text: str) -> frozenset[str]:
    """Anchors such that a belief that this text names by any rule, or that may come
    whatever is asked, has at least one of them."""
    return frozenset((STANDING, *_of_names(Query(text))))


def _of_names(query: Query) -> Iterator[str]:
    tokens = query.tokens
    forms = [(token, *(form for form, _ in shorter_forms(token))) for token in tokens]
    misspelt = [list(_misspellings(token)) for token in tokens]
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + LEADING, len(tokens)) + 1):
            head = query.run(start, end - 1) + " " if end - start > 1 else ""
            for last in forms[end - 1]:
                yield run_anchor(head + last)
            for at in range(start, end):
                if misspelt[at]:
                    yield from _with_a_typo(query, start, at, end, misspelt[at], forms)
    yield from _about_the_user(query, forms)


def _with_a_typo(
    query: Query,
    start: int,
    at: int,
    end: int,
    misspelt: list[tuple[str, bool]],
    forms: list[tuple[str, ...]],
) -> Iterator[str]:
    """The runs from ``start`` to ``end`` whose token ``at`` is meant to be another."""
    before = query.run(start, at) + " " if at > start else ""
    if at == end - 1:
        afters = [""]
    else:
        middle = " " + query.run(at + 1, end - 1) if end - 1 > at + 1 else ""
        afters = [f"{middle} {last}" for last in forms[end - 1]]
    for after in afters:
        for part, whole in misspelt:
            yield run_anchor(before + part + after) if whole else typo_anchor(before, part, after)


def _misspellings(token: str) -> Iterator[tuple[str, bool]]:
    """Halves of the words that the token may be a typo of (Rule R4), and the one word
    that shares neither half with it: its letters at the middle swapped."""
    written = unsuffixed(token)
    if not forgives(written):
        return
    for length in range(max(4, len(written) - 1), len(written) + 2):
        for half in halves(written, length):
            yield half, False
    middle = len(written) // 2
    yield f"{written[:middle]}{written[middle + 1 : middle - 1 : -1]}{written[middle + 2 :]}", True


def _about_the_user(query: Query, forms: list[tuple[str, ...]]) -> Iterator[str]:
    shipped = phrases()
    attributes: set[str] = set()
    for start, starts in enumerate(forms):
        for length in {length for form in starts for length in shipped.lengths.get(form, ())}:
            end = start + length
            if end > len(forms):
                continue
            head = query.run(start, end - 1) + " " if length > 1 else ""
            for last in forms[end - 1]:
                for phrase in shipped.by_run.get(head + last, ()):
                    attributes.update(phrase.attributes)
    for attribute in attributes:
        for name in names_of_attribute(attribute):
            yield user_anchor(name)
