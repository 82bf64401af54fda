"""An erasure that stops half way: what is seen until it is finished, and what it must not
take with it then. (Kills at every step of it are in test_kills.)"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from belief_memory.model.belief import Belief
from belief_memory.ports import VersionFilter
from belief_memory.store.lance import LanceStore
from belief_memory.store.lance.erasure import Eraser
from belief_memory.testing.builders import Scribe, belief
from belief_memory.testing.contract import by_id, held
from tests.store.buckets import Buckets
from tests.store.raw import decoded

SECRET = "xylophone"


class Interrupted(Exception):
    pass


async def opened(folder: Path, *, read_only: bool = False) -> LanceStore:
    store = LanceStore(str(folder), read_only=read_only)
    await store.open()
    return store


async def interrupt(
    monkeypatch: pytest.MonkeyPatch, scribe: Scribe, step: str, *belief_ids: str
) -> None:
    """Erase, but stop before ``step`` (a method of Eraser)."""

    async def stop(*_: object) -> None:
        raise Interrupted

    with monkeypatch.context() as patched:
        patched.setattr(Eraser, step, stop)
        erasure = scribe.erase(*belief_ids) if belief_ids else scribe.erase_everything()
        with pytest.raises(Interrupted):
            await erasure


def intents(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith("_erasure")]


async def begun(folder: Path) -> tuple[Scribe, list[Belief]]:
    store = await opened(folder)
    scribe = Scribe(store.ledger("alice"))
    commit = await scribe.write(
        belief(SECRET, id="gone"), belief("linked", id="kept", participants=["gone"])
    )
    return scribe, list(commit.writes)


async def test_what_is_erased_but_still_on_disk_is_seen_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe, (_, linked) = await begun(tmp_path)
    base = scribe.head
    await interrupt(monkeypatch, scribe, "_delete", "gone")
    assert SECRET in await decoded(tmp_path), "the control: it is still there"
    assert SECRET not in "".join(intents(tmp_path))
    reader = (await opened(tmp_path, read_only=True)).ledger("alice")
    expected = linked.but(participants=())
    assert await held(reader) == by_id([expected])
    assert await reader.versions(VersionFilter()) == [expected]
    assert await reader.versions(VersionFilter(belief_ids=frozenset(["gone"]))) == []
    delta = await reader.read(base)
    assert delta is not None
    assert delta.whole
    assert by_id(delta.held) == by_id([expected])
    await opened(tmp_path)
    assert SECRET not in await decoded(tmp_path)
    assert intents(tmp_path) == []
    assert await held(reader) == by_id([expected])


async def test_a_writer_that_comes_upon_an_unfinished_erasure_finishes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe, (_, linked) = await begun(tmp_path)
    await interrupt(monkeypatch, scribe, "_delete", "gone")
    await scribe.catch_up()
    later = await scribe.write(belief("later", id="gone"))
    assert SECRET not in await decoded(tmp_path)
    await opened(tmp_path)
    assert intents(tmp_path) == []
    assert await held(scribe.ledger) == by_id([linked.but(participants=()), *later.writes])


async def test_an_erased_ledger_still_on_disk_does_not_exist_for_anybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe, _ = await begun(tmp_path)
    await interrupt(monkeypatch, scribe, "_drop")
    store = await opened(tmp_path, read_only=True)
    assert await store.ledger("alice").read() is None
    assert await store.ledger("alice").versions(VersionFilter()) == []
    assert [user async for user in store.users()] == []
    assert SECRET in await decoded(tmp_path), "the control: it is still there"
    await opened(tmp_path)
    assert os.listdir(tmp_path) == []


async def test_what_was_written_after_the_intent_survives_the_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe, (_, linked) = await begun(tmp_path)
    head = scribe.head
    await interrupt(monkeypatch, scribe, "_mark", "gone")
    scribe.head = head
    await scribe.write()
    later = await scribe.write(belief("later", id="gone", rev=2), belief("other"))
    await opened(tmp_path)
    assert SECRET not in await decoded(tmp_path)
    assert intents(tmp_path) == []
    assert await held(scribe.ledger) == by_id([linked.but(participants=()), *later.writes])


async def test_a_ledger_written_to_after_the_intent_to_erase_it_keeps_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe, _ = await begun(tmp_path)
    head = scribe.head
    await interrupt(monkeypatch, scribe, "_mark")
    scribe.head = head
    later = await scribe.write(belief("later"))
    store = await opened(tmp_path)
    assert await held(store.ledger("alice")) == by_id(later.writes)
    assert SECRET not in await decoded(tmp_path)
    assert intents(tmp_path) == []


@pytest.mark.parametrize("belief_ids", [(), ("gone",)])
async def test_a_ledger_begun_anew_after_the_intent_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, belief_ids: tuple[str, ...]
) -> None:
    scribe, _ = await begun(tmp_path)
    await interrupt(monkeypatch, scribe, "_mark", *belief_ids)
    fresh = Scribe(scribe.ledger)
    await fresh.catch_up()
    await fresh.erase_everything()
    anew = await fresh.write(belief("anew", id="gone"))
    store = await opened(tmp_path)
    assert await held(store.ledger("alice")) == by_id(anew.writes)
    assert intents(tmp_path) == []


@pytest.mark.parametrize(
    ("step", "belief_ids"),
    [("_mark", ("gone",)), ("_delete", ("gone",)), ("_rewrite", ("gone",)), ("_drop", ())],
)
async def test_an_interrupted_erasure_is_finished_on_object_storage_too(
    buckets: Buckets, monkeypatch: pytest.MonkeyPatch, step: str, belief_ids: tuple[str, ...]
) -> None:
    uri = buckets.new()

    async def another() -> LanceStore:
        store = LanceStore(uri, storage_options=buckets.options)
        await store.open()
        return store

    scribe = Scribe((await another()).ledger("alice"))
    await scribe.write(belief(SECRET, id="gone"), belief("kept", id="kept"))
    await interrupt(monkeypatch, scribe, step, *belief_ids)
    assert any(SECRET.encode() in body for body in buckets.objects(uri).values())
    store = await another()
    if belief_ids:
        assert {v.id for v in (await held(store.ledger("alice"))).values()} == {"kept"}
    else:
        assert await store.ledger("alice").read() is None
    assert not any(SECRET.encode() in body for body in buckets.objects(uri).values())
    assert not any("_erasure" in name for name in buckets.objects(uri))
    if not belief_ids:
        assert buckets.objects(uri) == {}
