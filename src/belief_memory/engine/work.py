"""Calls that write, as units of work that a desk plans and commits."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Generic, TypeVar

from belief_memory.engine.bulk import collector_paused
from belief_memory.engine.partial import PartialHeld
from belief_memory.errors import InvalidBelief
from belief_memory.ledger.held import HeldIndex, key_of
from belief_memory.ledger.planner import Plan, Planner
from belief_memory.model.belief import Belief, OnConflict
from belief_memory.model.draft import to_belief
from belief_memory.model.slot import Slot, SlotLike, to_slot
from belief_memory.model.time import to_instant
from belief_memory.ports import LedgerStore, VersionFilter
from belief_memory.text.keys import name_keys

R = TypeVar("R")

CLOCK_SKEW = timedelta(days=1)
"""How far the clock of the machine that recorded a record may be ahead of ours."""

Target = SlotLike | Belief
"""What an operation is about: a belief, its id, or a slot."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Whose ledger is written, by which agent, into which scopes by default."""

    user_id: str
    agent_id: str | None
    scopes: tuple[str, ...]
    on_conflict: OnConflict

    def planner(self, held: HeldIndex, at: datetime) -> Planner:
        return Planner(
            held,
            at=at,
            user_id=self.user_id,
            agent_id=self.agent_id,
            scopes=self.scopes,
            new_id=partial(held.make, new_id) if isinstance(held, PartialHeld) else new_id,
            name_keys=name_keys,
            on_conflict=self.on_conflict,
        )


@dataclass(slots=True)
class Operations(Generic[R]):
    """Some operations of the ledger, in one commit."""

    writer: Writer
    operate: Callable[[Planner, HeldIndex], R]
    size: int = 1

    async def prepare(self, held: HeldIndex, at: datetime) -> datetime:
        """Operations need nothing but what is held."""
        return at

    def plan(self, held: HeldIndex, at: datetime) -> tuple[Plan, R]:
        planner = self.writer.planner(held, at)
        result = self.operate(planner, held)
        return planner.plan(), result


class Loading:
    """Records to be written verbatim, in one commit."""

    def __init__(
        self, writer: Writer, ledger: LedgerStore, records: Sequence[dict[str, Any] | Belief]
    ) -> None:
        self._writer = writer
        self._ledger = ledger
        self._records = records
        self._existing: dict[str, Belief] = {}
        self._last_change: dict[str, datetime] = {}
        self._beliefs: list[Belief] = []
        self.size = len(records)

    async def prepare(self, held: HeldIndex, at: datetime) -> datetime:
        self._beliefs = await asyncio.to_thread(self._validated, at)
        given = frozenset(
            belief.id
            for belief, record in zip(self._beliefs, self._records, strict=True)
            if isinstance(record, Belief) or record.get("id")
        )
        past = frozenset(key_of(belief) for belief in self._beliefs if belief.recorded_at < at)
        if given:
            found = await self._ledger.versions(VersionFilter(belief_ids=given))
            self._existing = {version.version_id: version for version in found}
        self._last_change = {}
        if past:
            for version in await self._ledger.versions(VersionFilter(slot_keys=past)):
                key, changed = key_of(version), version.retired_at or version.recorded_at
                self._last_change[key] = max(changed, self._last_change.get(key, changed))
        return max((at, *_recent(self._beliefs, at)))

    def plan(self, held: HeldIndex, at: datetime) -> tuple[Plan, int]:
        planner = self._writer.planner(held, at)
        with collector_paused(self.size):
            loaded = planner.load(
                self._beliefs, existing=self._existing, last_change=self._last_change
            )
            return planner.plan(), loaded

    def _validated(self, at: datetime) -> list[Belief]:
        with collector_paused(self.size):
            return [self._belief(index, record, at) for index, record in enumerate(self._records)]

    def _belief(self, index: int, record: dict[str, Any] | Belief, at: datetime) -> Belief:
        owner = self._writer.user_id
        if isinstance(record, Belief):
            # A copy with changes was never validated, and has the name keys of its original.
            belief = to_belief({**record.__dict__, "name_keys": ()}, index)
            if belief.user_id != owner:
                raise InvalidBelief("user_id", "the record belongs to another user", index=index)
            return belief
        if not isinstance(record, dict):
            raise InvalidBelief(
                "record", f"expected a dict or a Belief, got {record!r:.80}", index=index
            )
        if record.get("name_keys"):
            raise InvalidBelief("name_keys", "is computed from the names, not given", index=index)
        if record.get("user_id", owner) != owner:
            raise InvalidBelief("user_id", "the record belongs to another user", index=index)
        recorded_at = record.get("recorded_at") or at
        if recorded_at is not at:
            try:
                recorded_at = to_instant(recorded_at, "recorded_at")
            except InvalidBelief as error:
                raise InvalidBelief(error.field, error.rule, index=index) from None
        filled = {
            "id": None,
            "scopes": self._writer.scopes,
            "agent_id": self._writer.agent_id,
            **record,
            "user_id": owner,
            "recorded_at": recorded_at,
        }
        filled["id"] = filled["id"] or new_id()
        filled["valid_from"] = filled.get("valid_from") or recorded_at
        return to_belief(filled, index)


def _recent(beliefs: Sequence[Belief], at: datetime) -> Iterator[datetime]:
    """Instants of the records that are ahead of our clock by no more than clocks differ:
    the ledger's clock moves up to them. Anything further ahead is an error of the record."""
    for belief in beliefs:
        for recorded in (belief.recorded_at, belief.retired_at):
            if recorded is not None and at < recorded <= at + CLOCK_SKEW:
                yield recorded


def new_id() -> str:
    """A new belief id."""
    return secrets.token_hex(16)


def resolve(target: object, held: HeldIndex) -> Slot | str:
    """The id or slot a target names: a string is an id where a belief held has it."""
    if isinstance(target, Belief):
        return target.id
    if isinstance(target, str) and held.of_belief(target):
        return target
    return to_slot(target)
