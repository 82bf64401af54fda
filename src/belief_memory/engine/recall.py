"""Recall: the verb that runs before inference. No model, no network, nothing written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from belief_memory.engine.base import instants
from belief_memory.engine.desk import Desk
from belief_memory.engine.learn import LearnVerbs
from belief_memory.engine.reads import checked_types
from belief_memory.engine.said import slot_values, small_words
from belief_memory.engine.state import State
from belief_memory.errors import InvalidQuery
from belief_memory.injection.render import render
from belief_memory.model.belief import Belief, BeliefType
from belief_memory.model.context import Budget, Context, Explanation, Route, TurnReason
from belief_memory.model.episode import Episode
from belief_memory.model.time import Instant
from belief_memory.ports import VersionFilter
from belief_memory.retrieval.anchors import asked_anchors
from belief_memory.retrieval.budget import estimate_tokens
from belief_memory.retrieval.evidence import ROLES, Room, chosen, wanted
from belief_memory.retrieval.recall import Question, Recalled, recall

Evidence = tuple[list[Episode], list[TurnReason]]

DEFAULT_BUDGET = Budget()
_ROUTES = frozenset(get_args(Route))


@dataclass(frozen=True, slots=True)
class _Ask:
    """A checked request, before it meets a ledger."""

    query: str
    scopes: frozenset[str]
    budget: Budget
    types: frozenset[str] | None
    routes: frozenset[Route] | None
    previous: str | None
    valid_at: datetime | None
    known_at: datetime | None

    @property
    def related(self) -> bool:
        return self.routes is not None and "related" in self.routes

    @property
    def evidence(self) -> bool:
        return self.routes is not None and "evidence" in self.routes


class RecallVerb(LearnVerbs):
    """Recall by identity, precision first."""

    async def recall(
        self,
        query: str,
        *,
        scopes: Sequence[str] | None = None,
        budget: Budget | None = None,
        types: Iterable[BeliefType] | None = None,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        as_of: Instant | None = None,
        routes: Iterable[Route] | None = None,
        previous: str | None = None,
    ) -> Context:
        """The beliefs that belong before the model for this query: the right ones or none.

        A belief is relevant when the query names it, by canonical name or alias; pinned
        beliefs, pinned open questions and the persona of the active scopes always come.

        Args:
            query: what the user said.
            scopes: active scopes; default: the handle's own (``user:universal`` always is).
            budget: how much may come; default: :class:`Budget`'s defaults.
            types: only these types.
            valid_at: about what was true at this instant; default: now.
            known_at: as the ledger knew it at this instant; default: now.
            as_of: sets both instants.
            routes: only these routes; default: all but ``related``, which is what is alike
                to the query without being named, and needs an embedder, and ``evidence``,
                which is what was said about it, and needs episodes.
            previous: the user text of one turn before, whose names are carried when the
                query itself names nothing and points back with a pronoun.

        Raises:
            InvalidQuery: a naive instant, an unknown type or route, a malformed scope,
                ``related`` without an embedder, ``evidence`` without episodes.
        """
        if not isinstance(query, str):
            raise InvalidQuery("query", f"expected a string, got {query!r:.80}")
        if previous is not None and not isinstance(previous, str):
            raise InvalidQuery("previous", f"expected a string, got {previous!r:.80}")
        if budget is not None and not isinstance(budget, Budget):
            raise InvalidQuery("budget", f"expected a Budget, got {budget!r:.80}")
        if valid_at is None and known_at is None and as_of is None:
            valid = known = None
        else:
            valid, known = instants(valid_at, known_at, as_of)
        ask = _Ask(
            query=query,
            scopes=self._active_scopes(scopes),
            budget=DEFAULT_BUDGET if budget is None else budget,
            types=checked_types(types),
            routes=_checked_routes(routes),
            previous=previous,
            valid_at=valid,
            known_at=known,
        )
        if ask.related:
            self._memory.related.check()
        if ask.evidence and self._memory.episodes is None:
            raise InvalidQuery(
                "routes", "'evidence' needs episodes: open the memory with episodes=True"
            )
        if self._memory.learning.mode == "reflective":
            return Context(renderer=render)
        if not self._memory.is_ready():
            await self.engine.run(self._memory.ready())
        desks = self._desks()
        states: list[State] = []
        if known is not None:
            states = await self.engine.run(self._past(desks, known))
        elif self._memory.is_ready():
            states = [state for desk in desks if (state := desk.warm()) is not None]
        if len(states) < len(desks):
            states = await self.engine.run(self._states(desks))
        found = self._found(ask, desks, states)
        while any(state.lacking for state in states):
            states = await self.engine.run(self._completed(desks, states))
            found = self._found(ask, desks, states)
        related = await self._related(ask, found, states) if ask.related else []
        evidence = await self.engine.run(self._evidence(ask, found)) if ask.evidence else None
        return self._context(desks, found, related, evidence)

    async def _related(self, ask: _Ask, found: Recalled, states: list[State]) -> list[Belief]:
        # Of a ledger too large to keep, what is at hand depends on earlier questions; the
        # answer to this one may not.
        beliefs = [one for one in found.comparable if states[one[0]].partial is None]
        likely = await self.engine.run(self._memory.related.find(ask.query, beliefs, states))
        return [] if likely is None else found.related(likely, self._memory.count_tokens)

    async def _evidence(self, ask: _Ask, found: Recalled) -> Evidence:
        looked_for = wanted(ask.query, small_words(ask.query))

        def visible(turn: Episode) -> bool:
            return (
                turn.role in ROLES
                and turn.agent_id in (None, self._agent_id)
                and not ask.scopes.isdisjoint(turn.scopes)
                and (ask.valid_at is None or turn.at <= ask.valid_at)
                and (ask.known_at is None or turn.recorded_at <= ask.known_at)
            )

        diary = self._memory.diary(self._user_id)
        ranked = await diary.consult(lambda turns: turns.ranked(looked_for, visible))
        if not ranked:
            return [], []
        values = [
            one
            for user_id in (self._user_id, *self._also)
            for one in await slot_values(
                self._memory.desk(user_id).ledger,
                found.about(user_id, ask.known_at),
                ranked if user_id == self._user_id else (),
            )
        ]
        room = Room(
            ask.budget.max_evidence,
            found.tokens_left(self._memory.count_tokens),
            self._memory.count_tokens or estimate_tokens,
        )
        return await asyncio.to_thread(chosen, ranked, ask.query, looked_for, values, room)

    async def _states(self, desks: list[Desk]) -> list[State]:
        await self._memory.ready()
        return [await desk.at_hand() for desk in desks]

    @staticmethod
    async def _completed(desks: list[Desk], states: list[State]) -> list[State]:
        """The states with what the last attempt found that they lack."""
        return [
            await desk.complete(state) if state.lacking else state
            for desk, state in zip(desks, states, strict=True)
        ]

    async def _past(self, desks: list[Desk], known: datetime) -> list[State]:
        """The slow path: what was held at an earlier system time, read from the store."""
        states = await self._states(desks)
        past: list[State] = []
        for desk, state in zip(desks, states, strict=True):
            if state.head is None or known >= state.head.at:
                past.append(state)
                continue
            then = State(head=state.head, token=None, checked=0.0)
            for version in await desk.ledger.versions(VersionFilter(known_at=known)):
                then.add(version)
            then.take_vectors(state)
            past.append(then)
        return past

    def _found(self, ask: _Ask, desks: list[Desk], states: list[State]) -> Recalled:
        valid_at = ask.valid_at or max(
            desk.now(state) for desk, state in zip(desks, states, strict=True)
        )
        question = Question(
            query=ask.query,
            scopes=ask.scopes,
            valid_at=valid_at,
            agent_id=self._agent_id,
            budget=ask.budget,
            types=ask.types,
            routes=ask.routes,
            previous=ask.previous,
            count_tokens=self._memory.count_tokens,
        )
        with _gates(desks):
            for state in states:
                if state.partial is not None:
                    state.partial.need(asked_anchors(ask.query, ask.previous))
            return recall(question, [state.index for state in states])

    def _context(
        self,
        desks: list[Desk],
        found: Recalled,
        related: list[Belief],
        evidence: Evidence | None,
    ) -> Context:
        turns, reasons = evidence or ([], [])

        def explain() -> Explanation:
            with _gates(desks):
                explanation = found.explain()
            explanation.evidence = tuple(reasons)
            return explanation

        persona, told_of = self._memory.personas.of(found.persona_beliefs)
        return Context(
            persona=persona,
            persona_beliefs=told_of,
            pinned=found.pinned,
            relevant=found.relevant,
            questions=found.questions,
            related=related,
            evidence=turns,
            renderer=render,
            reasons=explain,
        )


def _gates(desks: list[Desk]) -> AbstractContextManager[object]:
    """The gates of all desks, always taken in the same order: two recalls that read each
    other's ledgers along would otherwise wait for each other for ever."""
    return desks[0].gate if len(desks) == 1 else _several(desks)


@contextmanager
def _several(desks: list[Desk]) -> Iterator[None]:
    with ExitStack() as gates:
        for desk in sorted(desks, key=id):
            gates.enter_context(desk.gate)
        yield


def _checked_routes(routes: Iterable[Route] | None) -> frozenset[Route] | None:
    if routes is None:
        return None
    if isinstance(routes, str) or not isinstance(routes, Iterable):
        raise InvalidQuery("routes", f"expected a list of routes, got {routes!r:.80}")
    wanted = frozenset(routes)
    if unknown := wanted - _ROUTES:
        raise InvalidQuery("routes", f"no such route: {', '.join(sorted(map(repr, unknown)))}")
    return wanted
