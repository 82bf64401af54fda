"""LangGraph's store, kept in users' ledgers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from belief_memory import (
    AsyncUserMemory,
    BeliefNotFound,
    Budget,
    InvalidQuery,
)
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)

from langchain_belief_memory.identity import Memory, asynchronous
from langchain_belief_memory.store import filters
from langchain_belief_memory.store.items import (
    TYPE,
    ItemVersion,
    Stored,
    differs,
    draft,
    slot_of,
    stored,
    versions,
)
from langchain_belief_memory.store.namespaces import (
    Namespace,
    listed,
    named_by,
    owner_of,
    user_of,
)
from langchain_belief_memory.store.words import share, words_of

R = TypeVar("R")

NAMED, WORDED = 1.0, 0.5
"""Scores of what a query names, and of what only has all of its words."""

_ALL = 1_000_000


class BeliefStore(BaseStore):
    """A LangGraph store in which every item is a belief of the user its namespace names.

    A value that is put supersedes the one before it; a deletion ends it. So an item has a
    past: see :meth:`history` and :meth:`get_as_of`. A search finds what its query names by
    key, then what has at least half of its words; nothing else, however much was asked for.

    Args:
        memory: an open ``BeliefMemory`` or ``AsyncBeliefMemory``; not closed by this.
        user_position: which label of a namespace names the user: 0 for
            ``("alice", "memories")``, 1 for ``("memories", "alice")``. An id that may hold
            a "." goes through :func:`namespace_label`.
        across_users: allow searches and listings whose namespace names no user.
        scope: the scope items are kept in. They come up in a recall only where this is
            among the active scopes.
        fields: JSON paths of the values to search by; None: all of a value.
        ttl: LangGraph's settings for items that expire, in minutes.
        erase_deleted: a deletion also erases the item's past from disk.
        clock: returns the current aware datetime; default: the machine's clock. Give it
            where the memory was opened with one.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        user_position: int = 0,
        across_users: bool = False,
        scope: str = "store:items",
        fields: list[str] | None = None,
        ttl: TTLConfig | None = None,
        erase_deleted: bool = False,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        if isinstance(user_position, bool) or user_position < 0:
            raise InvalidQuery("user_position", "must be 0 or more")
        self.ttl_config = ttl
        self._memory = asynchronous(memory)
        self._position = user_position
        self._across_users = across_users
        self._scope = scope
        self._fields = fields
        self._erase_deleted = erase_deleted
        self._clock = clock

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Runs the operations: reads see what was there before, then for each user the last
        put of each key is written in one commit, and the deletions in one."""
        return self._wait(self.abatch(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Runs the operations: reads see what was there before, then for each user the last
        put of each key is written in one commit, and the deletions in one."""
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            if isinstance(op, GetOp):
                results.append(await self._get(op))
            elif isinstance(op, SearchOp):
                results.append(await self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(await self._list(op))
            elif isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            else:
                raise ValueError(f"Unknown operation type: {type(op)}")
        await self._put(puts.values())
        return results

    def history(self, namespace: Namespace, key: str) -> list[ItemVersion]:
        """Every value that was put for an item, oldest first, deleted ones too."""
        return self._wait(self.ahistory(namespace, key))

    async def ahistory(self, namespace: Namespace, key: str) -> list[ItemVersion]:
        """Every value that was put for an item, oldest first, deleted ones too."""
        user = self._user(owner_of(namespace, self._position))
        return versions(await user.history(slot_of(namespace, key)))

    def get_as_of(self, namespace: Namespace, key: str, at: datetime | str) -> Item | None:
        """The item as it stood, and as it was known, at an instant."""
        return self._wait(self.aget_as_of(namespace, key, at))

    async def aget_as_of(self, namespace: Namespace, key: str, at: datetime | str) -> Item | None:
        """The item as it stood, and as it was known, at an instant."""
        user = self._user(owner_of(namespace, self._position))
        found = await user.beliefs(slot=slot_of(namespace, key), as_of=at)
        return next((item.item() for item in map(stored, found) if item is not None), None)

    def sweep_ttl(self, namespace_prefix: Namespace = ()) -> int:
        """Deletes the expired items under a prefix, which no read returns any more.

        Returns:
            How many.
        """
        return self._wait(self.asweep_ttl(namespace_prefix))

    async def asweep_ttl(self, namespace_prefix: Namespace = ()) -> int:
        """Deletes the expired items under a prefix, which no read returns any more.

        Returns:
            How many.
        """
        now = self._now()
        swept = 0
        for user_id in await self._users(user_of(namespace_prefix, self._position)):
            gone = [
                item for item in await self._all(user_id, namespace_prefix) if item.expired(now)
            ]
            await self._delete(self._user(user_id), gone)
            swept += len(gone)
        return swept

    async def _get(self, op: GetOp) -> Item | None:
        user = self._user(owner_of(op.namespace, self._position))
        found = await self._current(user, op.namespace, op.key)
        if found is None or found.expired(self._now()):
            return None
        if op.refresh_ttl:
            await self._refresh(user, [found])
        return found.item()

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        filters.check(op.filter)
        if op.limit < 0 or op.offset < 0:
            raise InvalidQuery("limit" if op.limit < 0 else "offset", "may not be negative")
        now = self._now()
        found: list[tuple[str, Stored, float | None]] = []
        for user_id in await self._users(user_of(op.namespace_prefix, self._position)):
            items = [
                item
                for item in await self._all(user_id, op.namespace_prefix)
                if not item.expired(now) and filters.passes(item.value, op.filter)
            ]
            scores = await self._scores(user_id, op.query, items) if op.query else None
            found += [
                (user_id, item, None if scores is None else scores[item.belief.id])
                for item in items
                if scores is None or item.belief.id in scores
            ]
        found.sort(key=lambda each: (-(each[2] or 0), each[1].order))
        page = found[op.offset : op.offset + op.limit]
        if op.refresh_ttl:
            for user_id, item, _ in page:
                await self._refresh(self._user(user_id), [item])
        return [item.search_item(score) for _, item, score in page]

    async def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        now = self._now()
        namespaces: set[Namespace] = set()
        for user_id in await self._users(named_by(op.match_conditions or (), self._position)):
            namespaces.update(
                item.namespace for item in await self._all(user_id, ()) if not item.expired(now)
            )
        return listed(namespaces, op)

    async def _put(self, ops: Iterable[PutOp]) -> None:
        by_user: dict[str, list[PutOp]] = {}
        for op in ops:
            by_user.setdefault(owner_of(op.namespace, self._position), []).append(op)
        for user_id, mine in by_user.items():
            user = self._user(user_id)
            now = self._now()
            drafts: list[dict[str, Any]] = []
            deleted: list[Stored] = []
            for op in mine:
                before = await self._current(user, op.namespace, op.key)
                if op.value is None:
                    deleted += [] if before is None else [before]
                else:
                    living = None if before is None or before.expired(now) else before
                    drafts.append(draft(op, self._fields, living, now))
            if drafts:
                await self._assert(user, drafts)
            await self._delete(user, deleted)

    async def _assert(self, user: AsyncUserMemory, drafts: list[dict[str, Any]]) -> None:
        outcomes = await user.remember_many(drafts)
        for outcome, asserted in zip(outcomes, drafts, strict=True):
            belief = outcome.belief
            if belief is not None and differs(belief, asserted):
                await user.update(belief.id, metadata=asserted["metadata"])

    async def _delete(self, user: AsyncUserMemory, items: list[Stored]) -> None:
        delete = user.forget if self._erase_deleted else user.retract
        slots: list[Any] = [slot_of(item.namespace, item.key) for item in items]
        try:
            if slots:
                await delete(slots)
            return
        except BeliefNotFound:
            pass
        # Somebody else deleted one of them: that is what was asked for, and stops no other.
        for slot in slots:
            with suppress(BeliefNotFound):
                await delete(slot)

    async def _refresh(self, user: AsyncUserMemory, items: list[Stored]) -> None:
        for item in items:
            metadata = item.refreshed(self._now())
            if metadata is not None:
                try:
                    await user.update(item.belief.id, metadata=metadata)
                except BeliefNotFound:
                    continue  # deleted meanwhile

    async def _current(
        self, user: AsyncUserMemory, namespace: Namespace, key: str
    ) -> Stored | None:
        found = await user.beliefs(slot=slot_of(namespace, key))
        return next((item for item in map(stored, found) if item is not None), None)

    async def _all(self, user_id: str, prefix: Namespace) -> list[Stored]:
        found = map(stored, await self._user(user_id).beliefs(types=[TYPE]))
        return [
            item
            for item in found
            if item is not None
            and item.namespace[: len(prefix)] == prefix
            and user_of(item.namespace, self._position) == user_id
        ]

    async def _scores(self, user_id: str, query: str, items: list[Stored]) -> dict[str, float]:
        budget = Budget(max_beliefs=_ALL, max_pinned=0, max_questions=0)
        recalled = await self._user(user_id).recall(
            query, types=[TYPE], routes=["relevant"], budget=budget
        )
        named = {belief.id for belief in recalled.relevant}
        words = words_of(query)
        scores: dict[str, float] = {}
        for item in items:
            if item.indexed:
                score = NAMED if item.belief.id in named else WORDED * share(item.words, words)
                if score:
                    scores[item.belief.id] = score
        return scores

    async def _users(self, user_id: str | None) -> list[str]:
        if user_id is not None:
            return [user_id]
        if not self._across_users:
            raise InvalidQuery(
                "namespace_prefix",
                f"label {self._position} must name a user; to reach across users, make the "
                "store with across_users=True",
            )
        return await self._memory.users()

    def _now(self) -> datetime:
        return datetime.now(UTC) if self._clock is None else self._clock().astimezone(UTC)

    def _user(self, user_id: str) -> AsyncUserMemory:
        return self._memory.for_user(user_id, scopes=(self._scope,))

    def _wait(self, work: Coroutine[Any, Any, R]) -> R:
        return self._memory.engine.drive(work)
