"""Maintenance, and who else is about: cleanups by others, old handles, disk."""

from __future__ import annotations

import warnings
from datetime import timedelta
from pathlib import Path

import lancedb
import pytest

from belief_memory.errors import StoreCorrupt
from belief_memory.ports import VersionFilter
from belief_memory.store.lance import LanceStore, upkeep
from belief_memory.store.lance.durable import size
from belief_memory.store.lance.place import table_name
from belief_memory.testing.builders import Knowledge, Scribe, belief
from tests.store.buckets import Buckets


async def opened(uri: str, **options: object) -> LanceStore:
    store = LanceStore(uri, **options)
    await store.open()
    return store


async def clean_up_behind_our_back(uri: str, options: dict[str, str] | None = None) -> None:
    """What another program may do to the table at any time."""
    connection = await lancedb.connect_async(uri, storage_options=options)
    table = await connection.open_table(table_name("alice"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        await table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)


async def survive_foreign_cleanups(uri: str, options: dict[str, str] | None) -> None:
    store = await opened(uri, storage_options=options)
    other = await opened(uri, storage_options=options)
    writer, reader = store.ledger("alice"), other.ledger("alice")
    scribe, known = Scribe(writer), Knowledge()
    live = list((await scribe.write(belief())).writes)
    for step in range(4):
        known.learn(await reader.read(known.head))
        commit = await scribe.write(belief(f"name {step}"), retire=live[:1])
        live = [*live[1:], *commit.writes]
        await clean_up_behind_our_back(uri, options)
        if step % 2:
            assert len(await reader.versions(VersionFilter())) == step + 2
        known.learn(await reader.read(known.head))
        assert known.held == {version.version_id: version for version in live}
        assert (await reader.stats()).versions == step + 2
    await reader.maintain()
    await scribe.write(belief("last"))
    await store.close()
    await other.close()


async def test_foreign_cleanups_are_survived(tmp_path: Path) -> None:
    await survive_foreign_cleanups(str(tmp_path / "beliefs"), None)


async def test_foreign_cleanups_are_survived_on_object_storage(buckets: Buckets) -> None:
    await survive_foreign_cleanups(buckets.new(), buckets.options)


async def test_short_lived_processes_come_to_maintenance_too(tmp_path: Path) -> None:
    folder = str(tmp_path / "beliefs")
    scribe, maintained = Scribe((await opened(folder)).ledger("alice")), 0
    for number in range(150):
        store = await opened(folder)
        scribe.ledger = store.ledger("alice")
        await scribe.write(belief(f"name {number}"))
        if scribe.ledger.wants_maintenance():
            await scribe.ledger.maintain()
            assert not scribe.ledger.wants_maintenance()
            maintained += 1
        await store.close()
    assert maintained == 2


async def test_object_storage_comes_to_maintenance_too(
    buckets: Buckets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "EVERY", 8)
    store = await opened(buckets.new(), storage_options=buckets.options)
    scribe = Scribe(store.ledger("alice"))
    wanted = []
    for number in range(10):
        await scribe.write(belief(f"name {number}"))
        wanted.append(scribe.ledger.wants_maintenance())
    assert wanted.index(True) == 7
    await scribe.ledger.maintain()
    assert not scribe.ledger.wants_maintenance()
    await store.close()


@pytest.mark.slow
async def test_a_thousand_commits_leave_a_small_store(tmp_path: Path) -> None:
    folder = tmp_path / "beliefs"
    store = await opened(str(folder))
    ledger = store.ledger("alice")
    scribe = Scribe(ledger)
    live = list((await scribe.write(belief())).writes)
    largest = 0
    for number in range(1000):
        commit = await scribe.write(belief(f"name {number}"), retire=live[: number % 2])
        live = [*live[number % 2 :], *commit.writes]
        if ledger.wants_maintenance():
            await ledger.maintain()
        if number % 100 == 50:
            stats = await ledger.stats()
            assert stats.storage_versions is not None
            largest = max(largest, stats.storage_versions)
    assert largest < 100
    await ledger.maintain()
    source = await lancedb.connect_async(str(folder))
    rows = await (await source.open_table(table_name("alice"))).query().to_arrow()
    target = await lancedb.connect_async(str(tmp_path / "copy"))
    await target.create_table("copy", data=rows)
    assert size(folder) <= 2 * size(tmp_path / "copy")
    delta = await ledger.read()
    assert delta is not None
    assert {v.version_id for v in delta.held} == {v.version_id for v in live}
    await store.close()


def take_data_away(folder: Path) -> None:
    for path in folder.glob("*.lance/data/*"):
        path.unlink()


async def test_a_ledger_whose_files_were_taken_away_is_called_corrupt(tmp_path: Path) -> None:
    store = await opened(str(tmp_path))
    await Scribe(store.ledger("alice")).write(belief())
    take_data_away(tmp_path)
    fresh = await opened(str(tmp_path))
    with pytest.raises(StoreCorrupt, match="missing"):
        await fresh.ledger("alice").read()
    await store.close()
    await fresh.close()
