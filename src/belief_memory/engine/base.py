"""What every family of verbs stands on: whose memory, and how to reach its ledgers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from belief_memory.engine.desk import Desk, Work
from belief_memory.engine.state import State
from belief_memory.engine.thread import EngineThread
from belief_memory.engine.work import Operations, Target, Writer
from belief_memory.errors import InvalidBelief, InvalidQuery
from belief_memory.ledger.held import HeldIndex
from belief_memory.ledger.planner import Planner
from belief_memory.ledger.reading import Reader
from belief_memory.model.belief import Belief
from belief_memory.model.scope import UNIVERSAL, check_scopes
from belief_memory.model.slot import to_slot
from belief_memory.model.time import to_instant
from belief_memory.ports import VersionFilter
from belief_memory.text.fold import slot_key

if TYPE_CHECKING:
    from datetime import datetime

    from belief_memory.engine.memory import AsyncBeliefMemory

R = TypeVar("R")


class Verbs:
    """One user's memory, bound to scopes, an agent and the ledgers read along."""

    def __init__(
        self,
        memory: AsyncBeliefMemory,
        user_id: str,
        *,
        scopes: tuple[str, ...],
        agent_id: str | None,
        also: tuple[str, ...],
    ) -> None:
        self._memory = memory
        self._user_id = user_id
        self._scopes = scopes
        self._active = frozenset((*scopes, UNIVERSAL))
        self._agent_id = agent_id
        self._also = also

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._user_id!r}, scopes={list(self._scopes)!r})"

    @property
    def user_id(self) -> str:
        """Whose memory this is."""
        return self._user_id

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that are active in reads and given to what is written."""
        return self._scopes

    @property
    def agent_id(self) -> str | None:
        """The agent whose own beliefs are seen beside the shared ones."""
        return self._agent_id

    @property
    def engine(self) -> EngineThread:
        """Where the verbs' waiting parts run."""
        return self._memory.engine

    @property
    def _desk(self) -> Desk:
        return self._memory.desk(self._user_id)

    def _desks(self) -> list[Desk]:
        return [self._memory.desk(user_id) for user_id in (self._user_id, *self._also)]

    def _writer(self) -> Writer:
        return Writer(self._user_id, self._agent_id, self._scopes, self._memory.on_conflict)

    async def _write(self, work: Work[R]) -> R:
        await self._memory.ready(writing=True)
        return await self._desk.write(work)

    async def _operate(self, operate: Callable[[Planner, HeldIndex], R], size: int = 1) -> R:
        return await self._write(Operations(self._writer(), operate, size))

    async def _fresh(self) -> State:
        await self._memory.ready()
        return await self._desk.fresh()

    def _reader(
        self,
        state: State,
        *,
        held: HeldIndex | None = None,
        valid_at: datetime | None = None,
        scopes: frozenset[str] | None = None,
    ) -> Reader:
        return Reader(
            held=state.held if held is None else held,
            valid_at=self._desk.now(state) if valid_at is None else valid_at,
            scopes=scopes,
            agent_id=self._agent_id,
        )

    async def _recorded(self, target: Target) -> list[Belief]:
        """Every version recorded under an id or, where no belief has that id, in a slot."""
        ledger = self._desk.ledger
        versions: list[Belief] = []
        if isinstance(target, (Belief, str)):
            id = target.id if isinstance(target, Belief) else target
            versions = await ledger.versions(VersionFilter(belief_ids=frozenset((id,))))
        if not versions and not isinstance(target, Belief):
            key = slot_key(*to_slot(target))
            versions = await ledger.versions(VersionFilter(slot_keys=frozenset((key,))))
        return [version for version in versions if self._mine(version)]

    def _mine(self, version: Belief) -> bool:
        """Whether this handle's agent may see it; without an agent, all of the user's are."""
        return self._agent_id is None or version.agent_id in (None, self._agent_id)

    def _active_scopes(self, scopes: Sequence[str] | None) -> frozenset[str]:
        if scopes is None:
            return self._active
        return frozenset((*check_scopes(scopes, error=InvalidQuery), UNIVERSAL))


def instants(
    valid_at: object, known_at: object, as_of: object
) -> tuple[datetime | None, datetime | None]:
    """The two asked instants; ``as_of`` sets both."""
    if as_of is not None:
        if valid_at is not None or known_at is not None:
            raise InvalidQuery("as_of", "sets both instants; give it alone")
        at = to_instant(as_of, "as_of", InvalidQuery)
        return at, at
    return (
        None if valid_at is None else to_instant(valid_at, "valid_at", InvalidQuery),
        None if known_at is None else to_instant(known_at, "known_at", InvalidQuery),
    )


def each(targets: Target | list[Target]) -> tuple[list[Target], bool]:
    """The targets as a list, and whether the caller gave a list."""
    if isinstance(targets, list):
        if not targets:
            raise InvalidQuery("target", "the list is empty: it would mean nothing")
        return targets, True
    return [targets], False


def id_of(target: object, field: str) -> str:
    """The id of a belief that is given itself or by its id; raises InvalidQuery."""
    if isinstance(target, Belief):
        return target.id
    if isinstance(target, str):
        return target
    raise InvalidQuery(field, f"expected a belief or its id, got {target!r:.80}")


def listed(values: object, field: str) -> list[Any]:
    """The values of an iterable that is no text and no mapping; raises InvalidBelief."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InvalidBelief(field, f"expected a list, got {type(values).__name__}")
    return list(values)


def whole_number(value: object, field: str, *, least: int = 0) -> int:
    """``value`` if it is a whole number of at least ``least``; raises InvalidQuery."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidQuery(field, f"expected a whole number, got {value!r:.80}")
    if value < least:
        raise InvalidQuery(field, f"must be at least {least}")
    return value
