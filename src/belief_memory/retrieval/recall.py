"""Recall: from a question and the ledgers' indexes to routed beliefs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from belief_memory.ledger.reading import Reader
from belief_memory.model.belief import Belief
from belief_memory.model.context import Budget, Explanation, Route
from belief_memory.retrieval.budget import CountTokens, estimate_tokens, within_tokens
from belief_memory.retrieval.chains import Resolver
from belief_memory.retrieval.choosing import Place, by_attribute, longest, participants, place
from belief_memory.retrieval.echoes import About
from belief_memory.retrieval.explain import explanation
from belief_memory.retrieval.follow_up import points_back
from belief_memory.retrieval.index import RecallIndex
from belief_memory.retrieval.matching import Hit, Ledger, Matcher
from belief_memory.retrieval.query import Query
from belief_memory.retrieval.related import Likely, comparable
from belief_memory.retrieval.trace import Trace


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom, about when, and how much may come back."""

    query: str
    scopes: frozenset[str]
    """The active scopes, ``user:universal`` included."""
    valid_at: datetime
    agent_id: str | None = None
    budget: Budget = field(default_factory=Budget)
    types: frozenset[str] | None = None
    routes: frozenset[Route] | None = None
    previous: str | None = None
    """The user text of one turn before; opts in to carrying its names (follow-ups)."""
    count_tokens: Callable[[str], int] | None = None
    """For ``max_tokens``; the default is :func:`budget.estimate_tokens`."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The beliefs of each route, in order."""

    persona_beliefs: list[Belief]
    pinned: list[Belief]
    relevant: list[Belief]
    questions: list[Belief]
    trace: Trace = field(repr=False, compare=False)
    comparable: list[tuple[int, Belief]] = field(default_factory=list, repr=False, compare=False)
    """What may be related, each with its index's number, where that route was asked for."""
    room: tuple[int, int | None] = (0, 0)
    """Beliefs and tokens the budget has left for what is related."""

    def explain(self) -> Explanation:
        """For each belief returned or nearly returned, the rule and span that decided."""
        return explanation(self.trace)

    def about(self, user_id: str, known_at: datetime | None) -> About:
        """What of one ledger is returned or named, eligible or not, for the route evidence."""
        trace = self.trace
        beliefs = [belief for route in (*trace.returned, trace.related) for belief in route]
        beliefs += [hit.target for hit in trace.hits]
        beliefs += [miss.belief for miss in trace.misses if miss.rule == "R1"]
        mine = {id(belief): belief for belief in beliefs if belief.user_id == user_id}
        return About(tuple(mine.values()), trace.scopes, trace.agent_id, trace.valid_at, known_at)

    def tokens_left(self, count_tokens: CountTokens | None = None) -> int | None:
        """What the beliefs leave of the budget's tokens; None where it has no limit."""
        left = self.room[1]
        if left is None:
            return None
        return within_tokens(self.trace.related, left, count_tokens or estimate_tokens)[1]

    def related(self, likely: Likely, count_tokens: CountTokens | None = None) -> list[Belief]:
        """What is returned of the beliefs found alike: as many as there is room for."""
        most, tokens = self.room
        beliefs = [belief for belief, _ in likely.chosen[:most]]
        if tokens is not None:
            beliefs = within_tokens(beliefs, tokens, count_tokens or estimate_tokens)[0]
        self.trace.likely, self.trace.related = likely, beliefs
        return beliefs


def recall(question: Question, indexes: Sequence[RecallIndex]) -> Recalled:
    """The beliefs that belong before the model for this question (Rules R1 to R13).

    Args:
        question: the query and its bounds.
        indexes: the user's own index first, then those of ledgers read along.
    """
    ledgers = [
        Ledger(
            number,
            index,
            Resolver(Reader(index.held, question.valid_at, question.scopes, question.agent_id)),
        )
        for number, index in enumerate(indexes)
    ]
    persona: list[Belief] = []
    pinned: list[Belief] = []
    questions: list[Belief] = []
    for ledger in ledgers:
        standing = ledger.index.standing.of(ledger.resolver.reader)
        persona += standing.persona
        pinned += standing.pinned
        questions += standing.questions
    trace = Trace(question.scopes, question.valid_at, question.agent_id, ledgers)
    relevant = _relevant(question, ledgers, trace)
    found = _within_budget(question, trace, persona, pinned, questions, relevant)
    if question.routes is not None and "related" in question.routes:
        found.comparable.extend(comparable(ledgers, relevant, question.types))
    return found


def _relevant(question: Question, ledgers: list[Ledger], trace: Trace) -> list[Belief]:
    trace.query = query = Query(question.query)
    hits = _named(query, ledgers, trace)
    if not hits and question.previous is not None and points_back(query):
        trace.query = Query(question.previous)
        trace.carried = True
        hits = _named(trace.query, ledgers, trace)
    best: dict[Place, Hit] = {}
    for hit in hits:
        if hit.route != "relevant" or not _wanted(question, hit.target):
            continue
        where = place(hit.ledger, hit.target)
        known = best.get(where)
        if known is None or hit.order() < known.order():
            best[where] = hit
    named = sorted(best.values(), key=Hit.order)
    trace.named = named
    listed = set(best)
    trace.brought = [
        bringing
        for bringing in participants([(hit.ledger, hit.target) for hit in named], listed)
        if _wanted(question, bringing[1])
    ]
    found = [(hit.ledger, hit.target) for hit in named]
    found += [(ledger, belief) for ledger, belief, _ in trace.brought]
    return list(_with_alternatives(found, trace))


def _with_alternatives(found: list[tuple[Ledger, Belief]], trace: Trace) -> Iterator[Belief]:
    """Each belief, and after it the alternatives that were decided to stay beside it."""
    for ledger, belief in found:
        yield belief
        for _, alternative in sorted(ledger.index.beside.get(belief.id, {}).items()):
            if ledger.resolver.reader.beside(alternative):
                trace.beside.append((alternative, belief))
                yield alternative


def _named(query: Query, ledgers: list[Ledger], trace: Trace) -> list[Hit]:
    if not query.tokens:
        return []
    trace.matcher = matcher = Matcher(query, ledgers)
    trace.misses = matcher.misses
    hits = longest(matcher.hits, trace.misses)
    hits = by_attribute(hits, query, trace.misses)
    trace.hits = hits
    return hits


def _wanted(question: Question, belief: Belief) -> bool:
    return question.types is None or belief.type in question.types


def _within_budget(
    question: Question,
    trace: Trace,
    persona: list[Belief],
    pinned: list[Belief],
    questions: list[Belief],
    relevant: list[Belief],
) -> Recalled:
    budget = question.budget
    if question.types is not None:
        persona = [belief for belief in persona if _wanted(question, belief)]
        pinned = [belief for belief in pinned if _wanted(question, belief)]
        questions = [belief for belief in questions if _wanted(question, belief)]
    if (routes := question.routes) is not None:
        persona = persona if "persona" in routes else []
        pinned = pinned if "pinned" in routes else []
        questions = questions if "questions" in routes else []
        relevant = relevant if "relevant" in routes else []
    trace.candidates = (persona, pinned, questions, relevant)
    pinned = pinned[: min(budget.max_pinned, budget.max_beliefs)]
    wanted = len(relevant)
    relevant = relevant[: budget.max_beliefs - len(pinned)]
    tokens = budget.max_tokens
    if budget.max_tokens is not None:
        count = question.count_tokens or estimate_tokens
        fitting, tokens = within_tokens(pinned, budget.max_tokens, count)
        if len(fitting) < len(pinned):
            relevant = []
        else:
            relevant, tokens = within_tokens(relevant, tokens, count)
        pinned = fitting
    questions = questions[: budget.max_questions]
    trace.returned = (persona, pinned, questions, relevant)
    left = min(budget.max_related, budget.max_beliefs - len(pinned) - len(relevant))
    room = left if len(relevant) == wanted else 0, tokens
    return Recalled(list(persona), pinned, relevant, questions, trace, room=room)
