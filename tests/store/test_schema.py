"""Tables of earlier releases, and of later ones."""

from __future__ import annotations

import asyncio
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

from belief_memory.errors import StoreError
from belief_memory.ports import Commit, LostRace
from belief_memory.store.lance import LanceStore
from belief_memory.store.lance.place import table_name
from belief_memory.store.lance.schema import (
    META_SCHEMA,
    PRIMARY_KEY,
    SCHEMA_VERSION,
    commit_rows,
    ledger_schema,
)
from belief_memory.testing.builders import Scribe, belief
from belief_memory.testing.contract import held

LATER = ("name_keys", "keys_version", "member", "salt", "digests")
"""Columns that the earlier table of these tests does not have."""


async def earlier_table(folder: Path, **metadata: str) -> Commit:
    """A ledger as an earlier release would have begun it: columns missing, and killed
    before it had set the key."""
    store = LanceStore(str(folder))
    await store.open()
    commit = Scribe(store.ledger("alice")).plan(belief(id="old", member=None))
    schema = ledger_schema("alice", "some-ledger")
    rows = pa.Table.from_batches([commit_rows(commit, schema)])
    old = pa.schema(
        [field.remove_metadata() for field in schema if field.name not in LATER],
        metadata={**schema.metadata, **{key.encode(): v.encode() for key, v in metadata.items()}},
    )
    connection = await lancedb.connect_async(str(folder))
    await connection.create_table(table_name("alice"), data=rows.select(old.names).cast(old))
    await store.close()
    return commit


async def the_schema(folder: Path) -> pa.Schema:
    connection = await lancedb.connect_async(str(folder))
    return await (await connection.open_table(table_name("alice"))).schema()


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_table_of_an_earlier_release_is_read_as_it_is(
    tmp_path: Path, read_only: bool
) -> None:
    commit = await earlier_table(tmp_path)
    before = await the_schema(tmp_path)
    store = LanceStore(str(tmp_path), read_only=read_only)
    await store.open()
    ledger = store.ledger("alice")
    assert list((await held(ledger)).values()) == list(commit.writes)
    assert await the_schema(tmp_path) == before
    await store.close()


async def test_the_first_write_brings_an_earlier_table_up_to_date_and_fences_it(
    tmp_path: Path,
) -> None:
    commit = await earlier_table(tmp_path)
    stores = [LanceStore(str(tmp_path)) for _ in range(2)]
    scribes = []
    for store in stores:
        await store.open()
        scribes.append(Scribe(store.ledger("alice"), commit.head))
    plans = [scribe.plan(belief(f"of {n}", member="m")) for n, scribe in enumerate(scribes)]
    done = await asyncio.gather(
        *(scribe.commit(plan) for scribe, plan in zip(scribes, plans, strict=True)),
        return_exceptions=True,
    )
    assert sum(isinstance(result, LostRace) for result in done) == 1, done
    winner = next(n for n, result in enumerate(done) if not isinstance(result, LostRace))
    assert await held(stores[0].ledger("alice")) == {
        version.version_id: version for version in (*commit.writes, *plans[winner].writes)
    }
    schema = await the_schema(tmp_path)
    assert set(LATER) <= set(schema.names)
    assert any(name.startswith(PRIMARY_KEY) for name in schema.field("id").metadata)
    await scribes[winner].ledger.maintain()
    await scribes[winner].erase("old")
    assert len(await held(stores[1].ledger("alice"))) == 1
    for store in stores:
        await store.close()


async def test_a_table_of_a_later_release_is_not_written_to(tmp_path: Path) -> None:
    later = {META_SCHEMA.decode(): str(SCHEMA_VERSION + 1)}
    commit = await earlier_table(tmp_path, **later)
    store = LanceStore(str(tmp_path))
    await store.open()
    scribe = Scribe(store.ledger("alice"), commit.head)
    for refused in (scribe.write(belief()), scribe.ledger.read(), scribe.ledger.maintain()):
        with pytest.raises(StoreError, match="later release"):
            await refused
    await store.close()


async def test_columns_that_this_release_does_not_know_are_left_alone(tmp_path: Path) -> None:
    store = LanceStore(str(tmp_path))
    await store.open()
    scribe = Scribe(store.ledger("alice"))
    first = await scribe.write(belief())
    connection = await lancedb.connect_async(str(tmp_path))
    table = await connection.open_table(table_name("alice"))
    await table.add_columns(pa.schema([pa.field("mood", pa.string())]))
    second = await scribe.write(belief("postgres"), reinforce=[(first.writes[0], 2)])
    await scribe.ledger.maintain()
    assert set(await held(scribe.ledger)) == {
        version.version_id for version in (*first.writes, *second.writes)
    }
    assert "mood" in (await the_schema(tmp_path)).names
    await store.close()
