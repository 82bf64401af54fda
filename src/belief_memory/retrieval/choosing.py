"""From names found to beliefs named: longest name, attributes, relations (R3, R6, R12)."""

from __future__ import annotations

from collections.abc import Iterable

from belief_memory.model.belief import Belief
from belief_memory.retrieval.matching import Hit, Ledger, Miss
from belief_memory.retrieval.query import Query, shorter_forms
from belief_memory.retrieval.routes import route_of
from belief_memory.retrieval.user_attributes import is_user
from belief_memory.text.fold import fold_slot
from belief_memory.text.keys import name_keys, split_key

Place = tuple[int, str]
"""Identifies a version among several ledgers."""


def place(ledger: Ledger, belief: Belief) -> Place:
    return ledger.number, belief.version_id


def longest(hits: list[Hit], misses: list[Miss]) -> list[Hit]:
    """Rule R12: without the hits strictly inside a longer name of another belief whose
    route is pinned or relevant. What is left out is added to ``misses``."""
    covers: dict[int, list[Hit]] = {}
    for hit in hits:
        if hit.end - hit.start > 1 and hit.route in ("pinned", "relevant"):
            for at in range(hit.start, hit.end):
                covers.setdefault(at, []).append(hit)
    if not covers:
        return hits
    kept: list[Hit] = []
    for hit in hits:
        around = next(
            (longer for longer in covers.get(hit.start, ()) if _inside(hit, longer)), None
        )
        if around is None:
            kept.append(hit)
        else:
            why = f"it stands inside the longer name {around.name!r}"
            misses.append(Miss(hit.target, "R12", why, hit.name, hit.start, hit.end))
    return kept


def _inside(hit: Hit, longer: Hit) -> bool:
    return (
        longer.start <= hit.start
        and hit.end <= longer.end
        and longer.end - longer.start > hit.end - hit.start
        and not (longer.target is hit.target and longer.ledger is hit.ledger)
    )


def by_attribute(hits: list[Hit], query: Query, misses: list[Miss]) -> list[Hit]:
    """Rule R3: of several slots of one subject, only those whose attribute is named too;
    all of them if none is."""
    if len(hits) < 2:
        return hits
    subjects: dict[tuple[int, str], list[Hit]] = {}
    for hit in hits:
        if not is_user(hit.target):
            key = hit.ledger.number, fold_slot(hit.target.canonical_name)
            subjects.setdefault(key, []).append(hit)
    dropped: set[int] = set()
    for group in subjects.values():
        if len(group) < 2 or len({hit.target.attribute for hit in group}) < 2:
            continue
        named = {id(hit) for hit in group if _names_attribute(query, hit, group)}
        slots = {hit.target.attribute for hit in group if id(hit) in named}
        if not slots:
            continue
        for hit in group:
            if hit.target.attribute not in slots:
                dropped.add(id(hit))
                why = "another attribute of the same subject is named"
                misses.append(Miss(hit.target, "R3", why, hit.name, hit.start, hit.end))
    return [hit for hit in hits if id(hit) not in dropped] if dropped else hits


def _names_attribute(query: Query, hit: Hit, group: list[Hit]) -> bool:
    target = hit.target
    if target.attribute is None:
        return False
    keys = (target.name_keys or name_keys(target))[1 + len(target.aliases) :]
    spans = [(one.start, one.end) for one in group]
    return any(_occurs(query, key, spans) for key in keys if key)


def _occurs(query: Query, key: str, names: list[tuple[int, int]]) -> bool:
    """Whether an attribute stands in the query, outside the subject's names."""
    run, joints = split_key(key)
    tokens = run.split(" ")
    if len(tokens) == 1:
        starts: Iterable[int] = _where(query, run)
    else:
        starts = query.positions.get(tokens[0], ())
    for start in starts:
        end = start + len(tokens)
        if end > len(query) or any(first <= start and end <= last for first, last in names):
            continue
        last = query.tokens[end - 1]
        if (
            query.tokens[start : end - 1] == tokens[:-1]
            and (last == tokens[-1] or any(form == tokens[-1] for form, _ in shorter_forms(last)))
            and query.joined(start, end, joints)
            and query.whole(start, end)
        ):
            return True
    return False


def _where(query: Query, token: str) -> Iterable[int]:
    exact = query.positions.get(token, ())
    if exact:
        return exact
    return [
        at
        for at, other in enumerate(query.tokens)
        if other.startswith(token) and any(form == token for form, _ in shorter_forms(other))
    ]


def participants(
    relations: Iterable[tuple[Ledger, Belief]], listed: set[Place]
) -> list[tuple[Ledger, Belief, Belief]]:
    """Rule R6: what relevant relations bring along, each with the relation that did."""
    brought: list[tuple[Ledger, Belief, Belief]] = []
    for ledger, relation in relations:
        if relation.type != "relation":
            continue
        for id in relation.participants:
            for belief in ledger.resolver.of_id(id):
                where = place(ledger, belief)
                if where not in listed and route_of(belief) == "relevant":
                    listed.add(where)
                    brought.append((ledger, belief, relation))
    return brought
