"""The routes that do not depend on the query, remembered until something changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from belief_memory.ledger.held import Held, key_of
from belief_memory.ledger.reading import Reader
from belief_memory.model.belief import Belief
from belief_memory.retrieval.routes import route_of

_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class Standing:
    """Persona, pinned beliefs and pinned questions of some scopes, oldest first."""

    persona: tuple[Belief, ...]
    pinned: tuple[Belief, ...]
    questions: tuple[Belief, ...]


class StandingRoutes:
    """The few versions that may come whatever is asked, and who saw which of them."""

    __slots__ = ("_candidates", "_held", "_remembered")

    def __init__(self, held: Held) -> None:
        self._held = held
        self._candidates: dict[str, Belief] = {}
        self._remembered: dict[
            tuple[frozenset[str] | None, str | None],
            tuple[datetime | None, datetime | None, Standing],
        ] = {}

    def add(self, version: Belief) -> None:
        self._candidates[version.version_id] = version

    def discard(self, version_id: str) -> None:
        self._candidates.pop(version_id, None)

    def touch(self) -> None:
        """Something held has changed: forget what was remembered."""
        if self._remembered:
            self._remembered.clear()

    def of(self, reader: Reader) -> Standing:
        """What this reader is always given, before any budget."""
        who = (reader.scopes, reader.agent_id)
        known = self._remembered.get(who)
        if known is not None:
            since, until, standing = known
            if (since is None or since <= reader.valid_at) and (
                until is None or reader.valid_at < until
            ):
                return standing
        standing = self._select(reader)
        if len(self._remembered) >= _REMEMBERED:
            self._remembered.clear()
        self._remembered[who] = (*self._steady(reader.valid_at), standing)
        return standing

    def _select(self, reader: Reader) -> Standing:
        persona: list[Belief] = []
        pinned: list[Belief] = []
        questions: list[Belief] = []
        routes = {"persona": persona, "pinned": pinned, "questions": questions}
        for version in sorted(self._candidates.values(), key=_oldest_first):
            route = route_of(version)
            if route is not None and route in routes and reader.eligible(version):
                routes[route].append(version)
        return Standing(tuple(persona), tuple(pinned), tuple(questions))

    def _steady(self, at: datetime) -> tuple[datetime | None, datetime | None]:
        """The interval around ``at`` in which no candidate starts or stops being true."""
        since: datetime | None = None
        until: datetime | None = None
        for candidate in self._candidates.values():
            slot = [candidate, *self._held.in_slot(key_of(candidate))]
            successors = [
                successor
                for version in slot
                if version.superseded_by is not None
                for successor in self._held.of_belief(version.superseded_by)
            ]
            for version in (*slot, *successors):
                for instant in (version.valid_from, version.valid_to, version.resolved_at):
                    if instant is None:
                        continue
                    if instant <= at:
                        since = instant if since is None else max(since, instant)
                    else:
                        until = instant if until is None else min(until, instant)
        return since, until


def _oldest_first(version: Belief) -> tuple[datetime, str, int]:
    return (version.valid_from, version.id, version.rev)
