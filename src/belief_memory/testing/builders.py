"""Beliefs, and commits of them, with as little as a test has to say."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from belief_memory.model.belief import Belief
from belief_memory.model.draft import to_belief
from belief_memory.model.time import TICK
from belief_memory.ports import (
    Commit,
    Delta,
    Erased,
    Head,
    LedgerStore,
    Reinforcement,
    Retirement,
)

START = datetime(2024, 1, 1, tzinfo=UTC)
_numbers = itertools.count(1)


def day(number: float) -> datetime:
    """So many days after :data:`START`."""
    return START + timedelta(days=number)


def belief(canonical_name: str = "redis_cache", **fields: Any) -> Belief:
    """A valid belief. Anything not given has a default; the id is new every time."""
    return to_belief(
        {
            "id": f"belief-{next(_numbers)}",
            "user_id": "alice",
            "scopes": ["user:universal"],
            "canonical_name": canonical_name,
            "content": f"Something about {canonical_name}.",
            "valid_from": START,
            "recorded_at": START,
            **fields,
        }
    )


@dataclass(slots=True)
class Scribe:
    """Writes to one ledger, as an engine does: every commit on the last one's head."""

    ledger: LedgerStore
    head: Head | None = None
    at: datetime = START

    def plan(
        self,
        *writes: Belief,
        retire: Iterable[Belief] = (),
        reinforce: Iterable[tuple[Belief, int]] = (),
    ) -> Commit:
        """A commit on the head, one second after it. Beliefs are recorded at its instant,
        unless they say otherwise."""
        at = self.at if self.head is None else max(self.at, self.head.at) + timedelta(seconds=1)
        seq = time.time_ns() // 1000 if self.head is None else self.head.seq + 1
        return Commit(
            base=self.head,
            head=Head(seq, at),
            plan_id=uuid.uuid4().hex,
            writes=tuple(
                write.but(recorded_at=at) if write.recorded_at == START else write
                for write in writes
            ),
            retirements=tuple(Retirement(old.version_id, at) for old in retire),
            reinforcements=tuple(
                Reinforcement(version.version_id, count, at) for version, count in reinforce
            ),
        )

    async def write(
        self,
        *writes: Belief,
        retire: Iterable[Belief] = (),
        reinforce: Iterable[tuple[Belief, int]] = (),
    ) -> Commit:
        """Plan and commit; returns the commit."""
        commit = self.plan(*writes, retire=retire, reinforce=reinforce)
        await self.commit(commit)
        return commit

    async def commit(self, commit: Commit) -> object | None:
        """Commit a plan, and stand on its head; returns the token."""
        token = await self.ledger.commit(commit)
        self.head = commit.head
        return token

    async def erase(self, *belief_ids: str) -> Erased:
        """Erase beliefs."""
        commit = self.plan()
        erased = await self.ledger.erase(frozenset(belief_ids), commit)
        self.head = commit.head
        return erased

    async def erase_everything(self) -> Erased:
        """Erase the ledger; the next commit begins it anew."""
        erased = await self.ledger.erase(None, self.plan())
        self.head = None
        return erased

    async def catch_up(self) -> Delta | None:
        """Stand on the ledger's head, whoever wrote it; returns everything held."""
        delta = await self.ledger.read()
        self.head = None if delta is None else delta.head
        return delta


@dataclass(slots=True)
class Knowledge:
    """What a reader knows of a ledger who only ever asks what has changed."""

    head: Head | None = None
    held: dict[str, Belief] = field(default_factory=dict)

    def learn(self, delta: Delta | None) -> None:
        """Apply what a read said."""
        if delta is None:
            self.head, self.held = None, {}
            return
        if delta.whole:
            self.held = {}
        for version_id in delta.retired:
            self.held.pop(version_id, None)
        for version in delta.held:
            self.held[version.version_id] = version
        for change in delta.reinforcements:
            known = self.held.get(change.version_id)
            if known is not None:
                self.held[change.version_id] = known.but(
                    reinforcement_count=change.count, last_reinforced_at=change.at
                )
        self.head = delta.head


def just_after(at: datetime) -> datetime:
    """The next instant there is."""
    return at + TICK
