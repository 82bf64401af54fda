"""The handle on a store of ledgers, blocking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from types import TracebackType
from typing import Literal, Self

from belief_memory.engine import AsyncBeliefMemory, MemoryStats
from belief_memory.model.belief import OnConflict
from belief_memory.model.episode import Episodes
from belief_memory.model.learning import Mode
from belief_memory.model.scope import UNIVERSAL
from belief_memory.ports import Clock, Embedder, Extractor
from belief_memory.sync.user import UserMemory


class BeliefMemory:
    """Ledgers of many users in one store. Open with :meth:`open`, bind a user with
    :meth:`for_user`. Usable from any thread, and from notebooks."""

    def __init__(self, asynchronous: AsyncBeliefMemory) -> None:
        self._async = asynchronous
        self._engine = asynchronous.engine

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
        """Open the store at ``uri``; a context manager, and safe to leave open.

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
            StoreError: the store cannot be opened.
        """
        handle = AsyncBeliefMemory.open(
            uri,
            extractor=extractor,
            embedder=embedder,
            related_threshold=related_threshold,
            mode=mode,
            redact=redact,
            background=background,
            queue=queue,
            episodes=episodes,
            on_conflict=on_conflict,
            clock=clock,
            freshness=freshness,
            durability=durability,
            read_only=read_only,
            storage_options=storage_options,
            count_tokens=count_tokens,
        )
        memory = cls(handle)
        memory._engine.wait(handle.ready())
        return memory

    @property
    def uri(self) -> str:
        """Where the ledgers are kept."""
        return self._async.uri

    @property
    def asynchronous(self) -> AsyncBeliefMemory:
        """The same handle with async verbs."""
        return self._async

    def for_user(
        self,
        user_id: str,
        *,
        scopes: Sequence[str] = (UNIVERSAL,),
        agent_id: str | None = None,
        also: Iterable[str] = (),
    ) -> UserMemory:
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
        return UserMemory(
            self._async.for_user(user_id, scopes=scopes, agent_id=agent_id, also=also)
        )

    def users(self, *, after: str | None = None, limit: int | None = None) -> list[str]:
        """User ids that have a ledger or episodes, in a stable order; see the async twin."""
        return self._engine.drive(self._async.users(after=after, limit=limit))

    def stats(self) -> MemoryStats:
        """How many ledgers there are and how many are resident here."""
        return self._engine.drive(self._async.stats())

    def maintain(self) -> int:
        """Compact every ledger's storage now; returns how many. Also happens by itself."""
        return self._engine.drive(self._async.maintain())

    def backup(self, to: str | os.PathLike[str]) -> int:
        """Copy every ledger, history and all, and all episodes into an empty store at ``to``.

        Each ledger is copied at one commit; writers may go on meanwhile.

        Raises:
            StoreError: the target is not empty.
        """
        return self._engine.drive(self._async.backup(to))

    def restore(self, source: str | os.PathLike[str]) -> int:
        """Copy every ledger and all episodes of a backup into this store, which must be empty.

        Raises:
            StoreError: this store is not empty.
        """
        return self._engine.drive(self._async.restore(source))

    def close(self) -> None:
        """Finish maintenance and let go of the store; safe to call twice."""
        self._engine.drive(self._async.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.uri!r})"
