"""Full-text indexes on a folder: they may be absent, behind or of another release."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest
import pytest_asyncio
from lance.file import LanceFileReader

from belief_memory.ports import LedgerStore
from belief_memory.retrieval.anchors import query_anchors
from belief_memory.store.lance import LanceStore, fulltext
from belief_memory.store.lance.place import table_name
from belief_memory.testing.builders import Scribe, belief
from belief_memory.testing.contract import held
from belief_memory.testing.contract.lookups import check_lookups
from belief_memory.testing.strategies import HOSTILE
from belief_memory.text.anchors import ANCHORS_VERSION, anchors, id_anchor
from belief_memory.text.search import stored_terms, wanted_terms, wanted_words
from tests.store.raw import decoded

NAMES = [*HOSTILE[:8], "東京タワー", "레디스", "ไทยแลนด์", "Zürich", "C++", "dead letter queue"]


@pytest.fixture(autouse=True)
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "FROM", 10)


@pytest_asyncio.fixture
async def scribe(tmp_path: Path) -> AsyncIterator[Scribe]:
    store = LanceStore(str(tmp_path))
    await store.open()
    yield Scribe(store.ledger("alice"))
    await store.close()


async def raw_table(folder: Path) -> lancedb.AsyncTable:
    return await (await lancedb.connect_async(str(folder))).open_table(table_name("alice"))


async def found(ledger: LedgerStore, query: str) -> set[str]:
    delta = await ledger.candidates(query_anchors(query))
    assert delta is not None
    return {version.id for version in delta.held}


async def said(ledger: LedgerStore, text: str) -> set[str]:
    delta = await ledger.find_text(wanted_terms(wanted_words(text)))
    assert delta is not None
    return {version.id for version in delta.held}


async def test_lookups_are_exact_before_beside_and_after_an_index(
    tmp_path: Path, scribe: Scribe
) -> None:
    first = await scribe.write(*(belief(name, id=name, content=f"on {name}") for name in NAMES))
    await check_lookups(scribe.ledger)
    await scribe.ledger.maintain()
    assert await fulltext._indexed(await raw_table(tmp_path)) == {"anchors", "words"}
    await check_lookups(scribe.ledger)
    await scribe.write(
        belief("dead letter office", id="new", content="unlike the others"),
        *(belief(name, id=name, rev=2, content=f"again {name}") for name in NAMES[:6]),
        retire=first.writes[:6],
        reinforce=[(first.writes[7], 5)],
    )
    await check_lookups(scribe.ledger)
    assert await found(scribe.ledger, "the dead leter queue") == {"dead letter queue"}
    assert await found(scribe.ledger, "ask the dead letter office") == {"new"}
    assert await said(scribe.ledger, "unlike oth") == {"new"}
    await scribe.ledger.maintain()
    await check_lookups(scribe.ledger)
    assert await found(scribe.ledger, "ask the dead letter office") == {"new"}
    assert await found(scribe.ledger, "nothing of the kind") == set()
    await scribe.erase("new", NAMES[0])
    assert await fulltext._indexed(await raw_table(tmp_path)) == frozenset()
    await check_lookups(scribe.ledger)
    assert await found(scribe.ledger, "ask the dead letter office") == set()
    assert scribe.ledger.wants_maintenance()
    await scribe.ledger.maintain()
    await check_lookups(scribe.ledger)
    assert not scribe.ledger.wants_maintenance()


async def test_small_ledgers_have_neither_columns_nor_indexes(
    tmp_path: Path, scribe: Scribe
) -> None:
    await scribe.write(*(belief(f"name {n}") for n in range(10)))
    await scribe.ledger.maintain()
    assert "anchors" not in (await (await raw_table(tmp_path)).schema()).names
    await check_lookups(scribe.ledger)
    assert not scribe.ledger.wants_maintenance()


@pytest.mark.parametrize("release", ["NULL", str(ANCHORS_VERSION + 1)])
async def test_rows_without_anchors_of_this_release_are_never_missed(
    tmp_path: Path, scribe: Scribe, release: str
) -> None:
    """A release that does not know the columns leaves them empty; another may have other
    anchors in them."""
    await scribe.write(*(belief(name, id=name) for name in NAMES))
    await scribe.ledger.maintain()
    table = await raw_table(tmp_path)
    await table.update(
        where="belief_id = 'C++'",
        updates_sql={
            "anchors": "NULL",
            "words": "'x'",
            "anchors_version": f"CAST({release} AS INT)",
        },
    )
    await check_lookups(scribe.ledger)
    assert await found(scribe.ledger, "nothing of the kind") == {"C++"}
    await scribe.ledger.maintain()
    await check_lookups(scribe.ledger)
    assert await found(scribe.ledger, "nothing of the kind") == set()
    assert await found(scribe.ledger, "C++ it is") == {"C++"}


async def test_more_terms_than_fit_in_one_query_are_looked_up_all_the_same(
    scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "_TERMS", 7)
    monkeypatch.setattr(fulltext, "_ROWS", 50)
    await scribe.write(*(belief(f"thing number {n}", id=f"id {n}") for n in range(300)))
    await scribe.ledger.maintain()
    ids = [f"id {n}" for n in range(0, 300, 3)]
    delta = await scribe.ledger.candidates(frozenset(map(id_anchor, ids)))
    assert delta is not None
    assert {version.id for version in delta.held} == set(ids)


async def test_a_reader_meets_maintenance_and_writers(tmp_path: Path, scribe: Scribe) -> None:
    import asyncio

    await scribe.write(*(belief(f"thing number {n}", id=f"id {n}") for n in range(40)))
    store = LanceStore(str(tmp_path))
    await store.open()
    reader = store.ledger("alice")
    done = False

    async def write() -> None:
        nonlocal done
        current = (await scribe.ledger.read()).held[7]  # type: ignore[union-attr]
        for rev in range(2, 14):
            commit = await scribe.write(current.but(rev=rev, content=f"{rev}"), retire=[current])
            (current,) = commit.writes
            if rev % 3 == 0:
                await scribe.ledger.maintain()
        done = True

    async def look() -> int:
        looked = 0
        while not done:
            delta = await reader.candidates(frozenset((id_anchor("id 7"),)))
            assert delta is not None
            assert len([v for v in delta.held if v.id == "id 7"]) == 1
            looked += 1
        return looked

    looked = (await asyncio.gather(write(), look()))[1]
    assert looked > 2
    await store.close()


def tokens_indexed(folder: Path) -> list[int]:
    """How many different terms each index file on disk has. They are packed, so that no
    search for text would find them."""
    counts = []
    for place, _, names in os.walk(folder):
        for name in names:
            if "_indices" in place and name.endswith("tokens.lance"):
                rows: pa.Table = LanceFileReader(os.path.join(place, name)).read_all().to_table()
                counts += rows.column("_token_next_id").to_pylist()
    return sorted(counts)


async def test_what_was_erased_is_in_no_index_file(tmp_path: Path, scribe: Scribe) -> None:
    secret = belief("xylophone-7f3a", id="xylophone-id", content="zanzibar-9b", aliases=["quetzal"])
    others = [belief(f"name {n}", id=f"id {n}", content="plain") for n in range(40)]
    kept = [frozenset().union(*map(terms, others)) for terms in (anchors, stored_terms)]
    gone = [terms(secret) - left for terms, left in zip((anchors, stored_terms), kept, strict=True)]
    assert all(gone)
    await scribe.write(secret, *others)
    await scribe.ledger.maintain()
    before = await decoded(tmp_path)
    assert all(term in before for terms in gone for term in terms), "the control: it is there"
    both = [len(left) + len(lost) for left, lost in zip(kept, gone, strict=True)]
    assert tokens_indexed(tmp_path) == sorted(both), "the control: the indexes have it"
    assert "xylophone" in before
    assert (await scribe.erase("xylophone-id")).verified
    after = await decoded(tmp_path)
    assert tokens_indexed(tmp_path) == []
    assert not any(term in after for terms in gone for term in terms)
    assert not any(text in after for text in ("xylophone", "zanzibar", "quetzal"))
    await scribe.ledger.maintain()
    assert tokens_indexed(tmp_path) == sorted(map(len, kept)), "the indexes are there again"
    assert len(await held(scribe.ledger)) == 40
