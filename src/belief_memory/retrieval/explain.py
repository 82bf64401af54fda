"""Why each belief was returned, or nearly was."""

from __future__ import annotations

from collections.abc import Iterator

from belief_memory.model.belief import Belief
from belief_memory.model.context import Explanation, Reason, Route
from belief_memory.retrieval.matching import Hit, Miss
from belief_memory.retrieval.trace import Trace

_STANDING: tuple[tuple[Route, str], ...] = (
    ("persona", "a universal preference, instruction or active expertise"),
    ("pinned", "pinned, in an active scope"),
    ("questions", "a pinned open question, in an active scope"),
)


def explanation(trace: Trace) -> Explanation:
    """Reasons, returned beliefs first, in the order of the routes; then near misses."""
    reasons = Explanation()
    persona, pinned, questions, relevant = trace.returned
    for (route, why), beliefs in zip(_STANDING, (persona, pinned, questions), strict=True):
        reasons.extend(Reason(belief, route, "R2", why) for belief in beliefs)
    returned = {id(belief) for beliefs in (*trace.returned, trace.related) for belief in beliefs}
    asked = _relevant(trace)
    reasons.extend(asked[id(belief)] for belief in relevant)
    reasons.extend(_alike(trace, returned=True))
    for beliefs in trace.candidates:
        reasons.extend(
            Reason(belief, None, "R9", "the budget was used up")
            for belief in beliefs
            if id(belief) not in returned
        )
    reasons.extend(_alike(trace, returned=False))
    known = {id(reason.belief) for reason in reasons}
    for hit in trace.hits:
        if hit.route is None and id(hit.target) not in known:
            known.add(id(hit.target))
            why = "an open question that is not pinned is in no route"
            reasons.append(Reason(hit.target, None, "R2", why, hit.name, _span(trace, hit)))
    if trace.matcher is not None:
        trace.matcher.refused_typos(trace.ledgers)
    for miss in trace.misses:
        if id(miss.belief) not in known:
            known.add(id(miss.belief))
            reasons.append(_missed(trace, miss))
    return reasons


def _relevant(trace: Trace) -> dict[int, Reason]:
    reasons = {id(hit.target): _named(trace, hit) for hit in trace.named}
    for _, belief, relation in trace.brought:
        why = f"a participant of {relation.canonical_name!r}"
        reasons[id(belief)] = Reason(belief, "relevant", "R6", why)
    for alternative, belief in trace.beside:
        why = f"a disputed alternative, kept beside {belief.canonical_name!r}"
        reasons[id(alternative)] = Reason(alternative, "relevant", "conflict", why)
    return reasons


def _alike(trace: Trace, *, returned: bool) -> Iterator[Reason]:
    """The route ``related``: how alike, and what had to be beaten."""
    likely = trace.likely
    if likely is None:
        return
    count = len(trace.related)
    for belief, score in likely.chosen[:count] if returned else likely.chosen[count:]:
        why = f"likeness {score:.4f}, above {likely.threshold:.4f}"
        if returned:
            yield Reason(belief, "related", "related", why)
        else:
            yield Reason(belief, None, "R9", f"{why}, but the budget was used up")
    for belief, score in () if returned else likely.near:
        why = f"likeness {score:.4f}, not above {likely.threshold:.4f}"
        yield Reason(belief, None, "related", why)


def _named(trace: Trace, hit: Hit) -> Reason:
    rule, why = "R3", f"named as {hit.name!r}"
    if hit.typo:
        rule, why = "R4", f"named as {hit.name!r}, with one edit"
    if hit.source is not hit.target:
        rule, why = "R8", f"{why}, which it has superseded"
    if trace.carried:
        why += " in the turn before"
    return Reason(hit.target, "relevant", rule, why, hit.name, _span(trace, hit))


def _missed(trace: Trace, miss: Miss) -> Reason:
    why = miss.why or _ineligible(trace, miss.belief)
    return Reason(miss.belief, None, miss.rule, why, miss.name, _span(trace, miss))


def _ineligible(trace: Trace, belief: Belief) -> str:
    """Rule R1 in words: which of its conditions the belief does not meet."""
    if belief.agent_id not in (None, trace.agent_id):
        return "it belongs to another agent"
    if trace.scopes.isdisjoint(belief.scopes):
        return "out of scope"
    if belief.resolved_at is not None and belief.resolved_at <= trace.valid_at:
        return "resolved"
    if belief.superseded_by is not None:
        return "superseded, and its chain has no eligible end"
    if not belief.valid_at(trace.valid_at):
        return "not true at the asked instant"
    return "the agent has a value of its own"


def _span(trace: Trace, found: Hit | Miss) -> tuple[int, int] | None:
    """Where the name stands in the query; None if it was the turn before's."""
    if trace.query is None or trace.carried:
        return None
    return trace.query.span(found.start, found.end)
