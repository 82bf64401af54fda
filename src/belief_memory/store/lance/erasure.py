"""Erasure: a commit that says so, then the files.

1. An intent is written: a table of its own that holds digests, never text. Until it is
   gone, opening the store finishes the erasure.
2. A header row takes the next place in the ledger, with the digests, and marks it as
   ``purging``. From here on no read shows what is erased, and no rival plan can commit.
3. The purge: rows and links are deleted, the digests too, every row is rewritten into new
   files, every other file is removed. Then the mark goes.
4. The intent goes.

Where the whole ledger is erased, the header of step 2 is the ledger's last, and step 3
removes the table and with it its name.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from operator import methodcaller
from typing import Any

import lancedb
import pyarrow as pa

from belief_memory.errors import StoreBusy, StoreError
from belief_memory.model.time import TICK
from belief_memory.ports import Commit, Erased, Head, LostRace
from belief_memory.store.lance import birth, driver_errors, files, fulltext
from belief_memory.store.lance.filters import one_of
from belief_memory.store.lance.fold import fold
from belief_memory.store.lance.intents import Intent, Intents
from belief_memory.store.lance.locks import locked
from belief_memory.store.lance.schema import FIELDS, META_LEDGER, batch, header_row
from belief_memory.store.lance.session import Session
from belief_memory.store.lance.snapshot import CHANGES, Erasure, Snapshot, digest, headers_of
from belief_memory.store.lance.table import LedgerTable, fenced, pause
from belief_memory.store.select import LINKS, ends_by_link_alone

_CHUNK = 400
_LINK_COLUMNS = ("id", "touched", *LINKS, "participants", "standing")
_MARK_COLUMNS = ("id", "purging", "digests", "salt")


class Eraser:
    """Erases from one ledger's table."""

    def __init__(self, session: Session, table: LedgerTable) -> None:
        self._session = session
        self._table = table
        self._folder = session.place.table(table.name)
        self._intents = Intents(session)

    async def _sweep(self) -> None:
        """A creator that died may have left the same text beside the table."""
        if self._session.place.folder is not None:
            await birth.sweep(self._session.place.folder)

    async def some(self, belief_ids: frozenset[str], commit: Commit) -> Erased:
        """Erase beliefs; LostRace as for any commit."""
        snapshot = await self._snapshot(CHANGES)
        if snapshot is None or snapshot.gone:
            return Erased(0, 0, verified=True)
        if commit.base != snapshot.head:
            raise LostRace
        found = await self._count(belief_ids)
        salt = secrets.token_hex(16)
        intent = Intent(
            table=self._table.name,
            ledger_id=snapshot.ledger_id,
            plan_id=commit.plan_id,
            bound=commit.head.seq,
            everything=False,
            salt=salt,
            digests=tuple(sorted(digest(salt, belief_id) for belief_id in belief_ids)),
        )
        async with self._intents.held(intent):
            await self._mark(intent, commit.head)
            verified = await self.purge()
        await self._sweep()
        return replace(found, verified=verified)

    async def everything(self, commit: Commit) -> Erased:
        """Erase the ledger and its name, with all that is in it by then."""
        found = await self._count(None)
        for attempt in range(64):
            snapshot = await self._snapshot(CHANGES)
            if snapshot is None:
                return replace(found, verified=self._session.remote.verifies_erasure)
            head = snapshot.checked_head()
            intent = Intent(
                table=self._table.name,
                ledger_id=snapshot.ledger_id,
                plan_id=commit.plan_id,
                bound=head.seq,
                everything=True,
            )
            try:
                async with self._intents.held(intent):
                    if not snapshot.gone:
                        await self._mark(intent, _after(head, commit.head))
                    verified = await self.purge()
            except LostRace:
                await pause(attempt)
                continue
            await self._sweep()
            return replace(found, verified=verified)
        raise StoreError("rival commits kept the ledger from being erased; it still stands")

    async def beside(
        self, belief_ids: frozenset[str] | None, first: Callable[[], Awaitable[Erased]]
    ) -> tuple[Erased, Erased]:
        """Erase what goes with an erasure elsewhere, once ``first`` has done that one; both
        are finished at the next open if the process dies between them."""
        snapshot = await self._snapshot(CHANGES)
        if snapshot is None or snapshot.gone:
            return Erased(0, 0, verified=True), await first()
        found = await self._count(belief_ids)
        salt = secrets.token_hex(16)
        intent = Intent(
            table=self._table.name,
            ledger_id=snapshot.ledger_id,
            plan_id=secrets.token_hex(16),
            bound=snapshot.checked_head().seq,
            everything=belief_ids is None,
            salt=salt,
            digests=tuple(sorted(digest(salt, belief_id) for belief_id in belief_ids or ())),
        )
        async with self._intents.held(intent):
            done = await first()
            if belief_ids is None:
                head = snapshot.checked_head()
                found = await self.everything(Commit(head, _after(head, head), intent.plan_id))
            else:
                verified = await self.resume(intent)
                found = replace(found, verified=verified)
        await self._sweep()
        return found, done

    async def resume(self, intent: Intent) -> bool:
        """Finish an erasure that was interrupted, unless that was before it was a commit
        and somebody has begun the ledger anew since; whether it is certainly done."""
        for attempt in range(64):
            snapshot = await self._snapshot("kind = 'commit'")
            if snapshot is None or snapshot.ledger_id != intent.ledger_id:
                return self._session.remote.verifies_erasure
            plans = {row["plan_id"] for row in snapshot.headers.values()}
            if intent.plan_id not in plans and not snapshot.gone:
                head = snapshot.checked_head()
                if intent.everything and head.seq > intent.bound:
                    # Somebody wrote after the intent: what they wrote stays.
                    intent = await self._narrowed(intent)
                try:
                    await self._mark(intent, _after(head, head))
                except LostRace:
                    await pause(attempt)
                    continue
            return await self.purge()
        raise StoreBusy("rival commits kept an erasure from being finished")

    async def _narrowed(self, intent: Intent) -> Intent:
        rows = await self._rows(f"kind = 'version' AND seq <= {intent.bound}", ["belief_id"])
        ids = set() if rows is None else set(rows.column("belief_id").to_pylist())
        salt = secrets.token_hex(16)
        return replace(
            intent,
            everything=False,
            salt=salt,
            digests=tuple(sorted(digest(salt, belief_id) for belief_id in ids)),
        )

    async def _mark(self, intent: Intent, head: Head) -> None:
        """Commit the erasure's header; LostRace if somebody has its place."""

        async def work(_: lancedb.AsyncTable) -> bool:
            async with locked(self._folder, alone=False):
                ready = await self._table.for_writing()
                if ready is None or ready[1].metadata[META_LEDGER].decode() != intent.ledger_id:
                    raise LostRace
                table, schema = ready
                row = header_row(
                    head,
                    intent.plan_id,
                    erasure="all" if intent.everything else "some",
                    purging=True,
                    count=intent.bound,
                    salt=intent.salt or None,
                    digests=list(intent.digests) or None,
                )
                try:
                    await fenced(table).execute(batch([row], (), head.seq, schema))
                except Exception as error:
                    if driver_errors.taken_id(error) is None:
                        raise
                    snapshot = await self._snapshot(headers_of(head.seq))
                    if snapshot is None or snapshot.planned(head.seq) != intent.plan_id:
                        raise LostRace from None
                return True

        if await self._table.call("erasing", work) is None:
            raise LostRace

    async def purge(self) -> bool:
        """Bring the erasures that are committed to the files; whether that is certain.
        Nothing to do is certain."""
        if not await self._pending():
            return True
        async with locked(self._folder, alone=True):
            self._table.forget()
            pending = await self._pending()
            clean = True
            if any(erasure.everything for erasure in pending):
                await self._drop()
            elif pending:
                # Scrubbing a row marks it as folded up to the erasure: nothing older may wait.
                while await self._table.call("erasing", partial(fold, self._session)) is False:
                    pass
                await self._delete(pending)
                await self._rewrite()
                clean = files.no_deletions(self._folder)
                await self._update(
                    [{"id": f"c{erasure.seq}"} for erasure in pending], ("id", "purging")
                )
        return clean and self._session.remote.verifies_erasure

    async def _pending(self) -> list[Erasure]:
        snapshot = await self._snapshot("purging")
        return [] if snapshot is None else snapshot.pending

    async def _drop(self) -> None:
        self._table.forget()
        if self._folder is not None:
            await files.remove_table(self._folder)
            return
        connection = await self._session.connection.get()
        if connection is None:
            return
        try:
            await connection.drop_table(self._table.name)
        except Exception as error:  # noqa: BLE001
            if driver_errors.kind_of(error) not in ("absent", "gone"):
                raise driver_errors.translated(error, "erasing a ledger") from None

    async def _delete(self, pending: list[Erasure]) -> None:
        columns = ["id", "kind", "seq", "belief_id", "target", *LINKS, "participants"]
        columns += ["valid_to", "standing"]
        rows = await self._rows("kind <> 'commit'", columns)
        listed: list[dict[str, Any]] = [] if rows is None else rows.to_pylist()
        doomed: set[str] = set()
        links: list[dict[str, Any]] = []
        for erasure in pending:
            if not erasure.digests:
                continue
            old = [row for row in listed if row["seq"] <= erasure.bound]
            versions = {
                row["id"]
                for row in old
                if row["kind"] == "version" and erasure.covers(row["belief_id"])
            }
            doomed |= versions
            doomed |= {row["id"] for row in old if f"v{row['target']}" in versions}
            links += _scrubbed(listed, erasure)
        names = sorted(doomed)
        for start in range(0, len(names), _CHUNK):
            where = one_of("id", names[start : start + _CHUNK])
            assert where is not None
            await self._table.call("erasing", methodcaller("delete", where))
        merged: dict[str, dict[str, Any]] = {}
        for link in links:
            merged[link["id"]] = link
        await self._update(
            [row for row in merged.values() if row["id"] not in doomed], _LINK_COLUMNS
        )
        await self._update(
            [{"id": f"c{erasure.seq}", "purging": True} for erasure in pending], _MARK_COLUMNS
        )

    async def _update(self, rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
        if not rows:
            return
        schema = pa.schema([field for field in FIELDS if field.name in columns])
        source = pa.Table.from_pylist(rows, schema=schema)

        async def work(table: lancedb.AsyncTable) -> bool:
            merge = table.merge_insert("id").when_matched_update_all().use_index(False)
            await merge.execute(source)
            return True

        await self._table.call("erasing", work)

    async def _rewrite(self) -> None:
        """Every row into new files, every other file away. Compaction alone leaves a file
        with few deleted rows as it is, and an update of some columns keeps the old ones."""

        async def work(table: lancedb.AsyncTable) -> bool:
            await fulltext.drop(table)
            await table.update(updates_sql={"kind": "kind"})
            await self._session.remote.compact(table, purge=True)
            return True

        await self._table.call("erasing", work)

    async def _count(self, belief_ids: frozenset[str] | None) -> Erased:
        where = "kind = 'version'"
        if belief_ids is not None:
            where += f" AND {one_of('belief_id', belief_ids) or 'true'}"
        rows = await self._rows(where, ["belief_id"])
        found = [] if rows is None else rows.column("belief_id").to_pylist()
        if belief_ids is not None:
            found = [belief_id for belief_id in found if belief_id in belief_ids]
        return Erased(len(set(found)), len(found), verified=True)

    async def _rows(self, where: str, columns: list[str]) -> pa.Table | None:
        async def work(table: lancedb.AsyncTable) -> pa.Table:
            return await self._session.remote.rows(table.query().where(where).select(columns))

        return await self._table.call("erasing", work)

    async def _snapshot(self, where: str) -> Snapshot | None:
        async def work(table: lancedb.AsyncTable) -> Snapshot:
            return Snapshot(await self._session.remote.rows(table.query().where(where)))

        return await self._table.call("erasing", work)


def _after(head: Head, asked: Head) -> Head:
    return Head(head.seq + 1, max(asked.at, head.at + TICK))


def _scrubbed(listed: list[dict[str, Any]], erasure: Erasure) -> list[dict[str, Any]]:
    """Rows that link to what is erased, in place, without those links."""
    found = []
    for row in listed:
        if row["kind"] != "version":
            continue
        changed = False
        for name in LINKS:
            if row[name] is not None and erasure.covers(row[name]):
                row[name] = None
                changed = True
                if name == "superseded_by" and ends_by_link_alone(row["valid_to"], row["standing"]):
                    row["standing"] = "retained"
        kept = [name for name in row["participants"] or () if not erasure.covers(name)]
        if len(kept) != len(row["participants"] or ()):
            row["participants"] = kept or None
            changed = True
        if changed:
            row["touched"] = erasure.seq
            found.append({name: row.get(name) for name in _LINK_COLUMNS})
    return found
