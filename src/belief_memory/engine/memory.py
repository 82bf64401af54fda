"""The handle on a store of ledgers, async."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from belief_memory.engine.base import whole_number
from belief_memory.engine.desk import Desk
from belief_memory.engine.diaries import Diaries
from belief_memory.engine.diary import Diary
from belief_memory.engine.learning import Learning
from belief_memory.engine.names import checked_also, checked_id
from belief_memory.engine.personas import Personas
from belief_memory.engine.related import Related
from belief_memory.engine.stores import open_store
from belief_memory.engine.thread import EngineThread, on_engine
from belief_memory.engine.user import AsyncUserMemory
from belief_memory.errors import (
    HandleClosed,
    InvalidBelief,
    InvalidQuery,
    StoreError,
    StoreReadOnly,
)
from belief_memory.model.belief import OnConflict
from belief_memory.model.episode import Episodes, to_episodes
from belief_memory.model.learning import Mode
from belief_memory.model.scope import UNIVERSAL, check_scopes
from belief_memory.model.time import to_instant
from belief_memory.ports import Clock, Embedder, Extractor, Store

if TYPE_CHECKING:
    from belief_memory.sync import BeliefMemory

MAX_RESIDENT_USERS = 512
MAX_RESIDENT_BELIEFS = 500_000


def system_clock() -> datetime:
    """The machine's clock, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Sizes of a memory."""

    users: int
    """Ledgers in the store."""
    resident_users: int
    """Ledgers kept in this process's memory."""
    resident_beliefs: int
    """Versions held in them."""


class AsyncBeliefMemory:
    """Ledgers of many users in one store. Open with :meth:`open`, bind a user with
    :meth:`for_user`. Usable from any thread and any event loop."""

    def __init__(
        self,
        store: Store,
        *,
        on_conflict: OnConflict = "record",
        clock: Clock | None = None,
        freshness: timedelta = timedelta(0),
        count_tokens: Callable[[str], int] | None = None,
        learning: Learning | None = None,
        related_threshold: float | None = None,
        episodes: bool | Episodes = False,
    ) -> None:
        if on_conflict not in get_args(OnConflict):
            raise InvalidBelief("on_conflict", f"no such policy: {on_conflict!r:.80}")
        if not isinstance(freshness, timedelta) or freshness < timedelta(0):
            raise InvalidQuery("freshness", f"a timedelta, not negative; got {freshness!r:.80}")
        for option, given in (("clock", clock), ("count_tokens", count_tokens)):
            if given is not None and not callable(given):
                raise InvalidQuery(option, f"expected a callable, got {given!r:.80}")
        self.on_conflict: OnConflict = on_conflict
        self.count_tokens = count_tokens
        self.learning = learning or Learning()
        self.related = Related(self.learning.embedder, related_threshold)
        self._store = store
        self._freshness = freshness
        self._desks: dict[str, Desk] = {}
        self.episodes = to_episodes(episodes)
        self._uses = 0
        self.personas = Personas()
        self._engine = EngineThread.shared()
        self._pid = os.getpid()
        self._state: Literal["new", "open", "closed"] = "new"
        self._opening: asyncio.Lock | None = None
        read = clock or system_clock
        self.now: Clock = lambda: to_instant(read(), "clock", InvalidQuery)
        self._diaries = Diaries(self.episodes, self.now, store.episodes)

    @classmethod
    def open(
        cls,
        uri: str | os.PathLike[str],
        *,
        extractor: Extractor | None = None,
        embedder: Embedder | None = None,
        related_threshold: float | None = None,
        mode: Mode = "autonomous",
        redact: bool = True,
        background: bool = False,
        queue: str | os.PathLike[str] | None = None,
        episodes: bool | Episodes = False,
        on_conflict: OnConflict = "record",
        clock: Clock | None = None,
        freshness: timedelta = timedelta(0),
        durability: Literal["process", "power"] = "process",
        read_only: bool = False,
        storage_options: Mapping[str, str] | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> Self:
        """A handle on the store at ``uri``; connects at first use, or when awaited or
        entered: ``async with AsyncBeliefMemory.open("./beliefs") as memory``.

        Args:
            uri: a folder; ``s3://bucket/prefix``; ``db://name`` (LanceDB Cloud or
                Enterprise); ``memory://`` (gone with the process).
            extractor: what ``observe`` learns with; default: nothing.
            embedder: finds restatements and duplicates by likeness, and serves ``related``.
            related_threshold: cosine similarity that ``related`` has to beat; default:
                calibrated with questions that are unrelated to anything.
            mode: ``autonomous``; ``curated`` (what is learned waits for review);
                ``inject_only`` (no learning); ``reflective`` (learning, empty recalls).
            redact: take secrets out of what is observed.
            background: ``observe`` only queues; see ``flush``, which ``close`` does too.
            queue: folder for turns that wait; default: in the store's, if it is one.
            episodes: keep the turns that are observed, within the limits of an
                :class:`Episodes`; True for its defaults. ``evidence`` is found in them.
            on_conflict: what to do where time cannot decide between two values.
            clock: returns the current aware datetime; default: the machine's clock.
            freshness: how long a read may go without looking for other processes' writes;
                default: not at all.
            durability: ``process`` survives a crash of the process, ``power`` also flushes
                each commit to the disk (folders only).
            read_only: refuse every write.
            storage_options: credentials and settings of the object store.
            count_tokens: how ``Budget.max_tokens`` counts; default: an estimate.

        Raises:
            InvalidQuery: an option is not one of those above.
        """
        store = open_store(
            uri, durability=durability, read_only=read_only, storage_options=storage_options
        )
        return cls(
            store,
            on_conflict=on_conflict,
            clock=clock,
            freshness=freshness,
            count_tokens=count_tokens,
            learning=Learning(extractor, embedder, mode, redact, background, queue, place=uri),
            related_threshold=related_threshold,
            episodes=episodes,
        )

    @property
    def uri(self) -> str:
        """Where the ledgers are kept."""
        return self._store.uri

    @property
    def engine(self) -> EngineThread:
        """Where waiting happens."""
        return self._engine

    @property
    def sync(self) -> BeliefMemory:
        """The same handle with blocking verbs."""
        from belief_memory.sync import BeliefMemory

        return BeliefMemory(self)

    def for_user(
        self,
        user_id: str,
        *,
        scopes: Sequence[str] = (UNIVERSAL,),
        agent_id: str | None = None,
        also: Iterable[str] = (),
    ) -> AsyncUserMemory:
        """One user's memory.

        Args:
            user_id: the owner; a hard boundary.
            scopes: active in reads, and given to what is written.
            agent_id: see this agent's own beliefs beside the shared ones; what is written
                is then the agent's own.
            also: further ledgers (user ids) read along and never written, for example a
                team's.

        Raises:
            InvalidQuery: an id is empty, too long or cannot be stored; a malformed scope.
        """
        return AsyncUserMemory(
            self,
            checked_id(user_id, "user_id"),
            scopes=check_scopes(scopes, error=InvalidQuery),
            agent_id=None if agent_id is None else checked_id(agent_id, "agent_id"),
            also=checked_also(also, user_id),
        )

    @on_engine
    async def users(self, *, after: str | None = None, limit: int | None = None) -> list[str]:
        """User ids that have a ledger or episodes, in a stable order.

        Args:
            after: continue behind this id of an earlier answer.
            limit: at most this many.

        Raises:
            InvalidQuery: ``after`` has no ledger (any more): what follows it is unknown.
        """
        most = None if limit is None else whole_number(limit, "limit", least=1)
        await self.ready()
        found: list[str] = []
        skipping = after is not None
        async for user_id in self._store.users():
            if not skipping:
                found.append(user_id)
            skipping = skipping and user_id != after
            if most is not None and len(found) == most:
                break
        if skipping:
            raise InvalidQuery("after", "no user with that id is left; begin again")
        return found

    @on_engine
    async def stats(self) -> MemoryStats:
        """How many ledgers there are and how many are resident here."""
        await self.ready()
        users = len([user_id async for user_id in self._store.users()])
        resident = [desk.state for desk in self._desks.values() if desk.state is not None]
        return MemoryStats(users, len(resident), sum(len(state.held) for state in resident))

    @on_engine
    async def maintain(self) -> int:
        """Compact every ledger's storage now; returns how many. Also happens by itself."""
        await self.ready(writing=True)
        for user_id in (users := [user_id async for user_id in self._store.users()]):
            await self.desk(user_id).maintain()
            await self.diary(user_id).maintain()
        return len(users)

    @on_engine
    async def backup(self, to: str | os.PathLike[str]) -> int:
        """Copy every ledger, history and all, and all episodes into an empty store at ``to``.

        Each ledger is copied at one commit; writers may go on meanwhile.

        Args:
            to: a folder or URI, as for :meth:`open`.

        Returns:
            How many ledgers were copied.

        Raises:
            StoreError: the target is not empty.
        """
        await self.ready()
        target = open_store(to)
        await target.open()
        try:
            return await self._store.copy_to(target)
        finally:
            await target.close()

    @on_engine
    async def restore(self, source: str | os.PathLike[str]) -> int:
        """Copy every ledger and all episodes of a backup into this store, which must be empty.

        Args:
            source: where the backup is.

        Returns:
            How many ledgers were copied.

        Raises:
            StoreError: this store is not empty, or there is no folder ``source``.
        """
        place = os.fspath(source)
        if "://" not in place and not await asyncio.to_thread(os.path.isdir, place):
            raise StoreError(f"there is nothing to restore at {place!r:.200}")
        await self.ready(writing=True)
        origin = open_store(source, read_only=True)
        await origin.open()
        try:
            return await origin.copy_to(self._store)
        finally:
            await origin.close()

    async def close(self) -> None:
        """Finish maintenance and let go of the store; safe to call twice, and in a child
        that was forked, which only lets go of the handle."""
        if self._engine.pid == os.getpid():
            await self._close()

    @on_engine
    async def _close(self) -> None:
        if self._state == "closed":
            return
        await self.learning.settled()
        was_open, self._state = self._state == "open", "closed"
        if was_open:
            for desk in list(self._desks.values()):
                await desk.settle()
            await self._diaries.settle()
            await self._store.close()
        self._desks.clear()

    def __await__(self) -> Generator[Any, Any, Self]:
        return self._connected().__await__()

    async def __aenter__(self) -> Self:
        return await self._connected()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.uri!r})"

    @on_engine
    async def _connected(self) -> Self:
        await self.ready()
        return self

    def is_ready(self) -> bool:
        """Whether the store is open, here in this process."""
        return self._state == "open" and self._pid == os.getpid()

    async def ready(self, *, writing: bool = False) -> None:
        """Connect if need be; raises HandleClosed, or StoreReadOnly when ``writing``."""
        self._engine.check_process()
        if self._state == "closed":
            raise HandleClosed("this memory was closed; open it again")
        if writing and self._store.read_only:
            raise StoreReadOnly("the memory was opened with read_only=True; nothing was written")
        if self._state == "new":
            self._opening = self._opening or asyncio.Lock()
            async with self._opening:
                if self._state == "new":
                    await self._store.open()
                    self._state = "open"

    def desk(self, user_id: str) -> Desk:
        """The desk that keeps this user's ledger."""
        desk = self._desks.get(user_id)
        if desk is None:
            fresh = Desk(self._store.ledger(user_id), self.now, self._freshness)
            desk = self._desks.setdefault(user_id, fresh)
            self._evict()
        self._uses += 1
        desk.used = self._uses
        return desk

    def diary(self, user_id: str) -> Diary:
        """What keeps this user's turns."""
        return self._diaries.of(user_id)

    def _evict(self) -> None:
        """Let go of the least recently used ledgers. Whoever still works with one of their
        desks can go on: the store, not the desk, keeps writers apart."""
        sizes = {
            user_id: (desk.used, 0 if (state := desk.state) is None else state.size())
            for user_id, desk in list(self._desks.items())
        }
        count, beliefs = len(sizes), sum(size for _, size in sizes.values())
        if count <= MAX_RESIDENT_USERS and beliefs <= MAX_RESIDENT_BELIEFS:
            return
        for user_id, (_, size) in sorted(sizes.items(), key=lambda item: item[1])[:-1]:
            if count <= MAX_RESIDENT_USERS * 7 // 8 and beliefs <= MAX_RESIDENT_BELIEFS:
                break
            desk = self._desks.get(user_id)
            if desk is not None and not desk.busy():
                del self._desks[user_id]
                count, beliefs = count - 1, beliefs - size
