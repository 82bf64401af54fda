"""Beliefs that may be one: they share a name, or say the same. Only ever proposed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from belief_memory.learning.keys import USER, SameAttribute
from belief_memory.learning.restating import facts
from belief_memory.model.belief import Belief
from belief_memory.model.learning import Duplicate
from belief_memory.text.fold import slot_key, value_key
from belief_memory.text.keys import name_key

LIKENESS = 0.9
"""Similarity from which two contents with the same facts are proposed."""


def find_duplicates(
    beliefs: Sequence[Belief],
    *,
    same_attribute: SameAttribute = lambda name: None,
    alike: Callable[[str, str], float] | None = None,
) -> list[Duplicate]:
    """Pairs of current beliefs to look at, each once, in a stable order.

    Args:
        beliefs: what is current.
        alike: similarity of two contents by an embedder.
    """
    by_name: dict[str, list[Belief]] = {}
    for belief in beliefs:
        for name in _names(belief, same_attribute):
            by_name.setdefault(name, []).append(belief)
    found: dict[tuple[str, str], Duplicate] = {}
    for name, sharing in by_name.items():
        for one, other in combinations(sharing, 2):
            if _comparable(one, other):
                _propose(found, one, other, f"both are called {name.split(chr(31))[-1]!r}")
    if alike is not None:
        for one, other in combinations(beliefs, 2):
            if (
                _comparable(one, other)
                and facts(one.content) == facts(other.content)
                and alike(one.content, other.content) >= LIKENESS
            ):
                _propose(found, one, other, "they say the same")
    return sorted(found.values(), key=lambda pair: (pair.keep.id, pair.drop.id))


def _names(belief: Belief, same_attribute: SameAttribute) -> Iterable[str]:
    """Keys that two beliefs about one thing share: subject and aspect by any of its names."""
    if belief.canonical_name == USER and belief.attribute is not None:
        own = {name_key(one) for one in (belief.attribute, *belief.attribute_aliases)}
        known = same_attribute(belief.attribute)
        return {f"user\x1f{one}" for one in own if one} | ({f"user\x1f{known}"} if known else set())
    aspect = "" if belief.attribute is None else name_key(belief.attribute)
    names = {name_key(one) for one in (belief.canonical_name, *belief.aliases)}
    return {f"{aspect}\x1f{one}" for one in names if one}


def _comparable(one: Belief, other: Belief) -> bool:
    return (
        one.id != other.id
        and one.agent_id == other.agent_id
        and not set(one.scopes).isdisjoint(other.scopes)
        and slot_key(*one.slot) != slot_key(*other.slot)
        and one.type == other.type
    )


def _propose(
    found: dict[tuple[str, str], Duplicate], one: Belief, other: Belief, reason: str
) -> None:
    keep, drop = sorted((one, other), key=lambda b: (-b.reinforcement_count, b.recorded_at, b.id))
    if value_key(one.content) != value_key(other.content):
        reason = f"{reason}; their values differ"
    pair = (min(one.id, other.id), max(one.id, other.id))
    found.setdefault(pair, Duplicate(keep, drop, reason))
