"""After an erasure nothing of the text is in any file, compressed or not."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import lancedb
import pytest

from belief_memory.model.belief import Belief, Provenance
from belief_memory.ports import VersionFilter
from belief_memory.store.lance import LanceStore
from belief_memory.testing.builders import Scribe, belief
from tests.store.buckets import Buckets
from tests.store.raw import decoded

SECRET = "xylophone-" + uuid.UUID(int=7).hex


def secretive(number: int = 0, **fields: object) -> Belief:
    """Every text of it is the secret."""
    mark = f"{SECRET}-{number}"
    return belief(
        mark,
        **{
            "id": mark,
            "attribute": mark,
            "content": mark,
            "why_it_matters": mark,
            "aliases": [mark],
            "metadata": {mark: mark},
            "provenance": Provenance(quote=mark),
            "name_keys": (mark,),
            **fields,
        },
    )


def plain(number: int) -> Belief:
    return belief(f"name {number}", content=f"Statement {number} of no interest.")


async def written(store: LanceStore, rows: int) -> Scribe:
    """A ledger of so many rows: bulk, single commits, changes, with and without
    maintenance, so that the secret gets into files of all kinds."""
    scribe = Scribe(store.ledger("alice"))
    first = await scribe.write(secretive(0), *(plain(n) for n in range(rows)))
    await scribe.write(secretive(1), belief("link", id="link", participants=[SECRET + "-1", "z"]))
    await scribe.ledger.maintain()
    await scribe.write(
        secretive(0, rev=2), retire=first.writes[:1], reinforce=[(first.writes[-1], 3)]
    )
    await scribe.write(secretive(2))
    return scribe


IDS = [f"{SECRET}-{n}" for n in range(3)]


@pytest.mark.parametrize("rows", [1, 500, pytest.param(20_000, marks=pytest.mark.slow)])
async def test_erased_beliefs_are_in_no_file(tmp_path: Path, rows: int) -> None:
    folder = tmp_path / "beliefs"
    store = LanceStore(str(folder))
    await store.open()
    scribe = await written(store, rows)
    assert SECRET in await decoded(folder), "the control: the search would find it"
    erased = await scribe.erase(*IDS)
    assert (erased.beliefs, erased.versions, erased.verified) == (3, 4, True)
    assert SECRET not in await decoded(folder)
    assert "name 0" in await decoded(folder), "the control: the search still reads the rest"
    left = await store.ledger("alice").versions(VersionFilter())
    assert len(left) == rows + 1
    assert [v.participants for v in left if v.id == "link"] == [("z",)]
    await scribe.write(plain(-1))
    await store.close()


async def test_one_erased_belief_of_many_in_one_file_is_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "beliefs"
    store = LanceStore(str(folder))
    await store.open()
    scribe = Scribe(store.ledger("alice"))
    await scribe.write(*(plain(n) for n in range(700)), secretive(0))
    assert (await scribe.erase(IDS[0])).verified
    assert SECRET not in await decoded(folder)
    await store.close()


@pytest.mark.parametrize("rows", [1, 500])
async def test_an_erased_ledger_leaves_neither_text_nor_name(tmp_path: Path, rows: int) -> None:
    folder = tmp_path / "beliefs"
    store = LanceStore(str(folder))
    await store.open()
    await Scribe(store.ledger("bob")).write(plain(0))
    before = set(os.listdir(folder))
    scribe = Scribe(store.ledger(SECRET))
    await scribe.write(secretive(0, user_id=SECRET), *(plain(n) for n in range(rows)))
    (name,) = set(os.listdir(folder)) - before
    erased = await scribe.erase_everything()
    assert erased.verified
    assert set(os.listdir(folder)) == before
    everything = await decoded(folder)
    assert SECRET not in everything
    assert name.removesuffix(".lance") not in everything
    await store.close()


async def test_erased_beliefs_are_in_no_object(buckets: Buckets) -> None:
    uri = buckets.new()
    store = LanceStore(uri, storage_options=buckets.options)
    await store.open()
    scribe = await written(store, 50)
    assert any(SECRET.encode() in body for body in buckets.objects(uri).values())
    erased = await scribe.erase(*IDS)
    assert (erased.beliefs, erased.versions) == (3, 4)
    assert not any(SECRET.encode() in body for body in buckets.objects(uri).values())
    table = await lancedb.connect_async(uri, storage_options=buckets.options)
    for name in (await table.list_tables()).tables:
        rows = (await (await table.open_table(name)).query().to_arrow()).to_pylist()
        assert SECRET not in repr(rows)
    await scribe.erase_everything()
    assert buckets.objects(uri) == {}
    await store.close()


async def test_a_rivals_file_survives_a_purge(tmp_path: Path) -> None:
    """A purge removes files that no version refers to; a commit under way has some."""
    import asyncio

    folder = tmp_path / "beliefs"
    stores = [LanceStore(str(folder)) for _ in range(2)]
    for store in stores:
        await store.open()
    eraser, writer = (Scribe(store.ledger("alice")) for store in stores)
    await eraser.write(*(secretive(n) for n in range(6)))
    written: list[str] = []

    async def write() -> None:
        from belief_memory.ports import LostRace

        while len(written) < 25:
            await writer.catch_up()
            plan = writer.plan(plain(len(written)))
            try:
                await writer.commit(plan)
            except LostRace:
                continue
            written.append(plan.writes[0].id)

    async def erase() -> None:
        from belief_memory.ports import LostRace

        for number in range(6):
            while True:
                await eraser.catch_up()
                try:
                    await eraser.erase(f"{SECRET}-{number}")
                except LostRace:
                    continue
                break

    await asyncio.gather(write(), erase())
    found = {version.id for version in await stores[0].ledger("alice").versions(VersionFilter())}
    assert found == set(written)
    assert SECRET not in await decoded(folder)
    for store in stores:
        await store.close()
