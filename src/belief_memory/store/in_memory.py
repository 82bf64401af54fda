"""A store in this process's memory: for tests and short scripts, and the oracle that the
others are compared with. It keeps every commit and derives every answer from them."""

from __future__ import annotations

import itertools
import os
import threading
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace

from belief_memory.errors import HandleClosed, StoreError, StoreReadOnly
from belief_memory.model.belief import Belief
from belief_memory.model.time import TICK
from belief_memory.ports import (
    Commit,
    Delta,
    Erased,
    Head,
    LedgerStats,
    LedgerStore,
    LostRace,
    Reinforcement,
    Store,
    VersionFilter,
)
from belief_memory.store.select import in_order, matches, unlinked
from belief_memory.text.anchors import anchors as anchors_of
from belief_memory.text.search import stored_terms

_incarnations = itertools.count(1)


@dataclass(slots=True)
class _Ledger:
    """One ledger's commits, and the versions as they now are."""

    head: Head
    incarnation: int = field(default_factory=lambda: next(_incarnations))
    seqs: set[int] = field(default_factory=set)
    plans: dict[str, Head] = field(default_factory=dict)
    versions: dict[str, Belief] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    retired: dict[str, int] = field(default_factory=dict)
    reinforced: dict[str, int] = field(default_factory=dict)
    erased: int = 0
    """The commit of the newest erasure, 0 if there was none."""

    def token(self) -> object:
        return self.incarnation, self.head.seq

    def apply(self, commit: Commit) -> None:
        head = commit.head
        for version in commit.writes:
            self.versions[version.version_id] = version
            self.written[version.version_id] = head.seq
        for retirement in commit.retirements:
            version = self.versions[retirement.version_id]
            if version.retired_at is None:
                self.versions[version.version_id] = version.but(retired_at=retirement.at)
                self.retired[version.version_id] = head.seq
        for reinforcement in commit.reinforcements:
            version = self.versions[reinforcement.version_id]
            self.versions[version.version_id] = version.but(
                reinforcement_count=reinforcement.count, last_reinforced_at=reinforcement.at
            )
            self.reinforced[version.version_id] = head.seq
        self.seqs.add(head.seq)
        self.plans[commit.plan_id] = head
        self.head = head

    def forget(self, belief_ids: frozenset[str]) -> Erased:
        gone = [version for version in self.versions.values() if version.id in belief_ids]
        for version in gone:
            for table in (self.versions, self.written, self.retired, self.reinforced):
                table.pop(version.version_id, None)
        for name, version in self.versions.items():
            self.versions[name] = unlinked(version, belief_ids.__contains__)
        self.erased = self.head.seq
        return Erased(len({version.id for version in gone}), len(gone), verified=True)


class _Data:
    """What the handles on one memory share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ledgers: dict[str, _Ledger] = {}
        self.episodes: dict[str, _Ledger] = {}


_named: dict[str, _Data] = {}
_named_lock = threading.Lock()


class InMemoryLedger(LedgerStore):
    """One user's ledger in memory."""

    def __init__(self, store: InMemoryStore, user_id: str, *, episodes: bool = False) -> None:
        self._store = store
        self._user_id = user_id
        self._episodes = episodes

    def _locked(self) -> AbstractContextManager[dict[str, _Ledger]]:
        return self._store.locked(episodes=self._episodes)

    def unchanged(self, token: object) -> bool | None:
        return self._token() == token

    async def token(self) -> object:
        return self._token()

    def _token(self) -> object:
        with self._locked() as ledgers:
            ledger = ledgers.get(self._user_id)
            return None if ledger is None else ledger.token()

    async def read(self, since: Head | None = None) -> Delta | None:
        with self._locked() as ledgers:
            ledger = ledgers.get(self._user_id)
            if ledger is None:
                return None
            held = tuple(v for v in ledger.versions.values() if v.retired_at is None)
            if since is None or since.seq not in ledger.seqs or ledger.erased > since.seq:
                return Delta(ledger.head, whole=True, held=held)
            return Delta(
                ledger.head,
                whole=False,
                held=tuple(v for v in held if ledger.written[v.version_id] > since.seq),
                retired=frozenset(v for v, seq in ledger.retired.items() if seq > since.seq),
                reinforcements=tuple(
                    Reinforcement(v.version_id, v.reinforcement_count, v.last_reinforced_at)
                    for v in held
                    if v.last_reinforced_at is not None
                    and ledger.reinforced.get(v.version_id, 0) > since.seq
                ),
            )

    async def exceeds(self, most: int) -> bool:
        return len(self._held()[1]) > most

    async def candidates(self, anchors: frozenset[str]) -> Delta | None:
        head, held = self._held()
        found = tuple(v for v in held if not anchors.isdisjoint(anchors_of(v)))
        return None if head is None else Delta(head, whole=False, held=found)

    async def find_text(self, terms: frozenset[str]) -> Delta | None:
        head, held = self._held()
        found = tuple(v for v in held if not terms or terms <= stored_terms(v))
        return None if head is None else Delta(head, whole=False, held=found)

    def _held(self) -> tuple[Head | None, list[Belief]]:
        with self._locked() as ledgers:
            ledger = ledgers.get(self._user_id)
            if ledger is None:
                return None, []
            return ledger.head, [v for v in ledger.versions.values() if v.retired_at is None]

    async def commit(self, commit: Commit) -> object | None:
        self._store.check_writable()
        with self._locked() as ledgers:
            ledger = ledgers.get(self._user_id)
            if ledger is not None and commit.plan_id in ledger.plans:
                return None
            if (None if ledger is None else ledger.head) != commit.base:
                raise LostRace
            _check(commit, ledger.versions if ledger is not None else {})
            if ledger is None:
                ledger = ledgers[self._user_id] = _Ledger(commit.head)
            ledger.apply(commit)
            return ledger.token()

    async def versions(self, which: VersionFilter) -> list[Belief]:
        with self._locked() as ledgers:
            ledger = ledgers.get(self._user_id)
            found = [] if ledger is None else list(ledger.versions.values())
        return in_order(version for version in found if matches(version, which))

    async def erase(self, belief_ids: frozenset[str] | None, commit: Commit) -> Erased:
        self._store.check_writable()
        with self._locked() as ledgers:
            ledger = ledgers.get(self._user_id)
            if ledger is None:
                return Erased(0, 0, verified=True)
            if belief_ids is None:
                return _dropped(ledgers, self._user_id)
            if ledger.head != commit.base:
                raise LostRace
            ledger.apply(commit)
            return ledger.forget(belief_ids)

    async def erase_beside(
        self, belief_ids: frozenset[str] | None, first: Callable[[], Awaitable[Erased]]
    ) -> tuple[Erased, Erased]:
        self._store.check_writable()
        done = await first()
        with self._locked() as ledgers:
            ledger = ledgers.get(self._user_id)
            if ledger is None:
                return Erased(0, 0, verified=True), done
            if belief_ids is None:
                return _dropped(ledgers, self._user_id), done
            head = Head(ledger.head.seq + 1, ledger.head.at + TICK)
            ledger.apply(Commit(ledger.head, head, uuid.uuid4().hex))
            return ledger.forget(belief_ids), done

    async def maintain(self) -> None:
        self._store.check_writable()

    def wants_maintenance(self) -> bool:
        return False

    async def stats(self) -> LedgerStats:
        with self._locked() as ledgers:
            ledger = ledgers.get(self._user_id)
            return LedgerStats(versions=0 if ledger is None else len(ledger.versions))


def _dropped(ledgers: dict[str, _Ledger], user_id: str) -> Erased:
    versions = ledgers.pop(user_id).versions
    return Erased(len({v.id for v in versions.values()}), len(versions), verified=True)


def _check(commit: Commit, versions: dict[str, Belief]) -> None:
    """Raises StoreError for a commit that no ledger could hold."""
    names = [version.version_id for version in commit.writes]
    if len(set(names)) != len(names) or not versions.keys().isdisjoint(names):
        raise StoreError("a version of the commit is already in the ledger")
    known = versions.keys() | set(names)
    targets = {item.version_id for item in commit.retirements}
    targets |= {item.version_id for item in commit.reinforcements}
    if not targets <= known:
        raise StoreError("the commit retires or reinforces a version that is not in the ledger")


class InMemoryStore(Store):
    """Ledgers in memory, gone with the process.

    ``memory://`` is this instance's own; ``memory://name`` is shared by every instance of
    that name in the process.
    """

    def __init__(self, uri: str = "memory://", *, read_only: bool = False) -> None:
        self.uri = uri
        self.read_only = read_only
        self._pid = os.getpid()
        self._closed = False
        name = uri.removeprefix("memory://")
        with _named_lock:
            self._data = _named.setdefault(name, _Data()) if name else _Data()

    @contextmanager
    def locked(self, *, episodes: bool = False) -> Iterator[dict[str, _Ledger]]:
        """The ledgers, for the time of a ``with`` block; raises HandleClosed."""
        self._check()
        with self._data.lock:
            yield self._data.episodes if episodes else self._data.ledgers

    def _check(self) -> None:
        if self._pid != os.getpid():
            raise HandleClosed("the memory was opened before this process was forked; open it here")
        if self._closed:
            raise HandleClosed("the memory is closed")

    def check_writable(self) -> None:
        """Raises HandleClosed, or StoreReadOnly for a store opened read-only."""
        self._check()
        if self.read_only:
            raise StoreReadOnly("the memory was opened with read_only=True")

    async def open(self) -> None:
        """Nothing to connect to."""

    def ledger(self, user_id: str) -> LedgerStore:
        return InMemoryLedger(self, user_id)

    def episodes(self, user_id: str) -> LedgerStore:
        return InMemoryLedger(self, user_id, episodes=True)

    async def users(self) -> AsyncIterator[str]:
        with self.locked() as ledgers:
            names = sorted({*ledgers, *self._data.episodes})
        for name in names:
            yield name

    async def copy_to(self, target: Store) -> int:
        async for _ in target.users():
            raise StoreError("the target of a copy must be empty")
        with self.locked():
            copies = [
                (user_id, tuple(ledger.versions.values()), ledger.head, episodes)
                for episodes, ledgers in ((False, self._data.ledgers), (True, self._data.episodes))
                for user_id, ledger in sorted(ledgers.items())
            ]
        for user_id, versions, head, episodes in copies:
            await target.adopt(user_id, versions, head, episodes=episodes)
        return len({user_id for user_id, *_ in copies})

    async def adopt(
        self, user_id: str, versions: Sequence[Belief], head: Head, *, episodes: bool = False
    ) -> None:
        self.check_writable()
        with self.locked(episodes=episodes) as ledgers:
            if user_id in ledgers:
                raise StoreError("the user has a ledger already")
            # A handle may remember the source's numbers from before an erasure.
            head = replace(head, seq=time.time_ns() // 1000)
            commit = Commit(None, head, plan_id="", writes=tuple(versions))
            _check(commit, {})
            ledgers[user_id] = _Ledger(head)
            ledgers[user_id].apply(commit)

    async def close(self) -> None:
        self._closed = True
