"""One user's ledger in a LanceDB table."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import lancedb
import pyarrow as pa

from belief_memory.errors import StoreError
from belief_memory.model.belief import Belief
from belief_memory.ports import (
    Commit,
    Delta,
    Erased,
    Head,
    LedgerStats,
    LedgerStore,
    LostRace,
    VersionFilter,
)
from belief_memory.store.lance import birth, driver_errors, durable, freshness, upkeep
from belief_memory.store.lance.erasure import Eraser
from belief_memory.store.lance.filters import of_versions
from belief_memory.store.lance.fulltext import Finder
from belief_memory.store.lance.locks import locked
from belief_memory.store.lance.place import episodes_name, table_name
from belief_memory.store.lance.recent import narrowed
from belief_memory.store.lance.schema import META_LEDGER, commit_id, commit_rows, ledger_schema
from belief_memory.store.lance.session import Session
from belief_memory.store.lance.snapshot import CHANGES, WHOLE, Snapshot, headers_of
from belief_memory.store.lance.table import LedgerTable, fenced
from belief_memory.store.select import in_order, matches


class LanceLedger(LedgerStore):
    """One user's ledger. Used from one event loop, except for :meth:`unchanged`."""

    def __init__(self, session: Session, user_id: str, *, episodes: bool = False) -> None:
        self._session = session
        self._user_id = user_id
        name = episodes_name(user_id) if episodes else table_name(user_id)
        self._table = LedgerTable(session.connection, name)
        self._folder = session.place.table(self._table.name)
        self._versions = None if self._folder is None else self._folder / "_versions"
        self._eraser = Eraser(session, self._table)
        self._finder = Finder(session, self._table)
        self._flusher = (
            durable.Flusher(self._folder)
            if self._folder is not None and session.durability == "power"
            else None
        )
        self._known: tuple[str, int] | None = None
        """Incarnation and number of a commit that is known to be in the table."""
        self._version = 0
        self._due = False

    def unchanged(self, token: object) -> bool | None:
        self._session.check()
        if self._versions is None or not isinstance(token, freshness.FolderToken):
            return None
        return freshness.unchanged(self._versions, token)

    async def token(self) -> object:
        self._session.check()
        if self._versions is not None:
            return freshness.look(self._versions)
        return await self._table.call("asking for the version", self._remote_token)

    async def _remote_token(self, table: lancedb.AsyncTable) -> object:
        version = await table.version()
        schema = await table.schema()
        self._seen(version)
        return schema.metadata[META_LEDGER].decode(), version

    async def read(self, since: Head | None = None) -> Delta | None:
        self._session.check()
        if since is not None:
            where = f"seq > {since.seq} OR touched > {since.seq} OR id = '{commit_id(since.seq)}'"
            changes = await self._snapshot(f"{where} OR purging")
            if changes is None or changes.gone:
                return None
            delta = changes.since(since.seq) if changes.head is not None else None
            if delta is not None:
                self._learn(changes)
                return delta
        snapshot = await self._snapshot(WHOLE)
        if snapshot is None or snapshot.gone:
            return None
        self._learn(snapshot)
        return snapshot.whole()

    def _learn(self, snapshot: Snapshot) -> None:
        head = snapshot.checked_head()
        self._known = None if snapshot.pending else (snapshot.ledger_id, head.seq)

    async def _snapshot(self, where: str | None) -> Snapshot | None:
        async def rows(table: lancedb.AsyncTable) -> Snapshot:
            query = table.query()
            if where is not None:
                query = query.where(where)
            return Snapshot(await self._session.remote.rows(query))

        return await self._table.call("reading a ledger", rows)

    async def versions(self, which: VersionFilter) -> list[Belief]:
        self._session.check()
        snapshot = await self._past(which)
        if snapshot is None or snapshot.gone:
            return []
        found = {version.version_id: version for version in snapshot.versions()}
        if which.window is not None:
            # Of these the rows do not say yet that they were retired, and when.
            waiting = snapshot.retired.keys() - found.keys()
            if waiting:
                of_these = replace(which, window=None, version_ids=frozenset(waiting))
                found |= {v.version_id: v for v in await self.versions(of_these)}
        return in_order(version for version in found.values() if matches(version, which))

    async def _past(self, which: VersionFilter) -> Snapshot | None:
        if self._versions is not None and which.window is None:
            whole = partial(self._snapshot, None)
            kept = await self._session.recent.of(self._versions, whole)
            if kept is not None:
                return narrowed(kept, which)
        return await self._snapshot(f"{of_versions(which)} OR {CHANGES}")

    async def exceeds(self, most: int) -> bool:
        self._session.check()
        return await self._finder.exceeds(most)

    async def candidates(self, anchors: frozenset[str]) -> Delta | None:
        self._session.check()
        return await self._finder.find("anchors", anchors, every=False)

    async def find_text(self, terms: frozenset[str]) -> Delta | None:
        self._session.check()
        return await self._finder.find("words", terms, every=True)

    async def everything(self) -> tuple[Head, list[Belief]] | None:
        """The head and every version, of one instant; None if there is no ledger."""
        snapshot = await self._snapshot(None)
        if snapshot is None or snapshot.gone:
            return None
        return snapshot.checked_head(), in_order(snapshot.versions())

    async def commit(self, commit: Commit) -> object | None:
        self._session.check(write=True)
        if commit.base is None:
            token = await self._begin(commit)
        else:
            done = await self._table.call("committing", partial(self._append, commit))
            if done is None:
                raise LostRace
            (token,) = done
        await self._settle()
        return token

    async def _append(self, commit: Commit, _: lancedb.AsyncTable) -> tuple[object | None]:
        assert commit.base is not None
        if await self._already(commit):
            return (None,)
        async with locked(self._folder, alone=False):
            ready = await self._table.for_writing()
            if ready is None:
                raise LostRace
            table, schema = ready
            ledger_id = schema.metadata[META_LEDGER].decode()
            if self._known != (ledger_id, commit.base.seq):
                raise LostRace
            try:
                done = await fenced(table).execute(commit_rows(commit, schema))
            except Exception as error:
                if driver_errors.kind_of(error) != "other":
                    raise
                if await self._written(commit):
                    return (None,)
                if driver_errors.taken_id(error) is not None:
                    raise StoreError("a version of the commit is already in the ledger") from None
                raise
        self._known = ledger_id, commit.head.seq
        return (self._token_of(ledger_id, done.version),)

    async def _already(self, commit: Commit) -> bool:
        """Whether the commit is in the ledger, in doubt after an error or a crash. Raises
        LostRace if its base is not the head of this incarnation of the ledger."""
        assert commit.base is not None
        if self._known is not None and self._known[1] == commit.base.seq:
            return False
        while True:
            snapshot = await self._snapshot(headers_of(commit.base.seq, commit.head.seq))
            if snapshot is None or snapshot.gone:
                raise LostRace
            if snapshot.planned(commit.head.seq) == commit.plan_id:
                return True
            if commit.head.seq in snapshot.headers or commit.base.seq not in snapshot.headers:
                raise LostRace
            if not snapshot.pending:
                self._known = snapshot.ledger_id, commit.base.seq
                return False
            # A purge deletes files that no version refers to: not ours, if we wait for it.
            await self._eraser.purge()

    async def _written(self, commit: Commit) -> bool:
        """Whether this very commit is in the table; LostRace if a rival has its place."""
        snapshot = await self._snapshot(headers_of(commit.head.seq))
        plan = None if snapshot is None else snapshot.planned(commit.head.seq)
        if plan is not None and plan != commit.plan_id:
            raise LostRace
        return plan is not None

    async def _begin(self, commit: Commit) -> object | None:
        ledger_id = uuid.uuid4().hex
        if await self._create(commit, ledger_id):
            self._known = ledger_id, commit.head.seq
            return self._token_of(ledger_id, 1)
        snapshot = await self._snapshot(CHANGES)
        if snapshot is not None and snapshot.gone:
            await self._eraser.purge()
        elif snapshot is not None and any(
            row["plan_id"] == commit.plan_id for row in snapshot.headers.values()
        ):
            return None
        raise LostRace

    async def _create(self, commit: Commit, ledger_id: str) -> bool:
        """Creates the table with the commit's rows; False if it exists."""
        rows = commit_rows(commit, ledger_schema(self._user_id, ledger_id))
        self._table.forget()
        return await birth.create(self._session, self._table.name, pa.Table.from_batches([rows]))

    def _token_of(self, ledger_id: str, version: int) -> object | None:
        self._seen(version)
        if self._versions is not None:
            return freshness.of_version(self._versions, version)
        return ledger_id, version

    async def _settle(self) -> None:
        if self._flusher is not None:
            await self._flusher.flush()

    async def adopt(self, versions: Sequence[Belief], head: Head) -> None:
        """Begin the ledger with these versions; StoreError if there is one already."""
        self._session.check(write=True)
        # A handle may remember the source's numbers from before an erasure.
        renumbered = Head(time.time_ns() // 1000, head.at)
        commit = Commit(None, renumbered, uuid.uuid4().hex, writes=tuple(versions))
        if not await self._create(commit, uuid.uuid4().hex):
            raise StoreError("the user has a ledger already")
        await self._settle()

    async def erase(self, belief_ids: frozenset[str] | None, commit: Commit) -> Erased:
        self._erasing()
        erased = (
            await self._eraser.everything(commit)
            if belief_ids is None
            else await self._eraser.some(belief_ids, commit)
        )
        await self._settle()
        return erased

    async def erase_beside(
        self, belief_ids: frozenset[str] | None, first: Callable[[], Awaitable[Erased]]
    ) -> tuple[Erased, Erased]:
        self._erasing()
        erased = await self._eraser.beside(belief_ids, first)
        await self._settle()
        return erased

    def _erasing(self) -> None:
        self._session.check(write=True)
        self._session.recent.drop()
        self._known = None

    async def maintain(self) -> None:
        self._session.check(write=True)
        await upkeep.maintain(self._session, self._table, self._eraser)
        self._due = self._finder.wanting = False
        await self._settle()

    def _seen(self, version: int) -> None:
        if self._version and version // upkeep.EVERY > self._version // upkeep.EVERY:
            self._due = True
        self._version = version

    def wants_maintenance(self) -> bool:
        if self._session.read_only:
            return False
        if self._finder.wanting:
            return True
        if self._versions is not None:
            return freshness.count(self._versions) >= upkeep.EVERY
        return self._due

    async def stats(self) -> LedgerStats:
        self._session.check()

        async def count(table: lancedb.AsyncTable) -> dict[str, Any]:
            return {
                "versions": await table.count_rows("kind = 'version'"),
                "rows": await table.count_rows(),
            }

        rows = await self._table.call("counting", count)
        if rows is None:
            return LedgerStats(versions=0)
        if self._folder is None or self._versions is None:
            return LedgerStats(versions=rows["versions"], extra={"rows": rows["rows"]})
        return LedgerStats(
            versions=rows["versions"],
            bytes_on_disk=durable.size(self._folder),
            storage_versions=freshness.count(self._versions),
            extra={"rows": rows["rows"]},
        )
