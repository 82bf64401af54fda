"""Where a store may be, and what a handle may not be used for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from belief_memory.errors import HandleClosed, StoreCorrupt, StoreError
from belief_memory.ports import VersionFilter
from belief_memory.store.in_memory import InMemoryStore
from belief_memory.store.lance import LanceStore
from belief_memory.store.lance.place import place_of, table_name
from belief_memory.testing.builders import Scribe, belief
from belief_memory.testing.contract import held


def every_file(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        os.path.join(place, name): (found.st_size, found.st_mtime_ns)
        for place, _, names in os.walk(folder)
        for name in names
        for found in [os.stat(os.path.join(place, name))]
    }


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    before = os.getcwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


@pytest.mark.parametrize("uri", ["db", "s3", "./db", "memory"])
async def test_a_folder_named_like_a_scheme_is_a_folder(elsewhere: Path, uri: str) -> None:
    store = LanceStore(uri)
    await store.open()
    await Scribe(store.ledger("alice")).write(belief())
    assert os.listdir(elsewhere / uri) == [f"{table_name('alice')}.lance"]
    await store.close()


def test_uris_name_folders_objects_and_the_cloud() -> None:
    assert place_of("s3://bucket/x").kind == "objects"
    assert place_of("gs://bucket/x").kind == "objects"
    assert place_of("db://beliefs").kind == "cloud"
    assert place_of("file:///tmp/x").folder == Path("/tmp/x")
    assert place_of("~/beliefs").folder == Path.home() / "beliefs"


async def test_a_relative_folder_stays_the_same_when_the_process_moves(elsewhere: Path) -> None:
    store = LanceStore("beliefs")
    await store.open()
    (elsewhere / "other").mkdir()
    os.chdir(elsewhere / "other")
    await Scribe(store.ledger("alice")).write(belief())
    assert (elsewhere / "beliefs").is_dir()
    await store.close()


@pytest.mark.parametrize("read_only", [False, True])
async def test_opening_and_reading_create_nothing(tmp_path: Path, read_only: bool) -> None:
    folder = tmp_path / "beliefs"
    store = LanceStore(str(folder), read_only=read_only)
    await store.open()
    ledger = store.ledger("alice")
    assert await ledger.read() is None
    assert await ledger.versions(VersionFilter()) == []
    assert [user async for user in store.users()] == []
    await ledger.token()
    await ledger.stats()
    assert os.listdir(tmp_path) == []
    await store.close()


async def test_a_handle_on_an_absent_folder_sees_what_comes_into_being(tmp_path: Path) -> None:
    early, late = (LanceStore(str(tmp_path / "beliefs")) for _ in range(2))
    await early.open()
    await late.open()
    token = await early.ledger("alice").token()
    assert early.ledger("alice").unchanged(token)
    commit = await Scribe(late.ledger("alice")).write(belief())
    assert not early.ledger("alice").unchanged(token)
    assert set(await held(early.ledger("alice"))) == {commit.writes[0].version_id}
    await early.close()
    await late.close()


async def test_reading_changes_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "beliefs"
    writer = LanceStore(str(folder))
    await writer.open()
    scribe = Scribe(writer.ledger("alice"))
    first = await scribe.write(belief())
    await scribe.write(retire=first.writes)
    before = every_file(tmp_path)
    store = LanceStore(str(folder), read_only=True)
    await store.open()
    ledger = store.ledger("alice")
    await ledger.read()
    await ledger.read(first.head)
    await ledger.versions(VersionFilter())
    await ledger.stats()
    ledger.unchanged(await ledger.token())
    assert [user async for user in store.users()] == ["alice"]
    assert await store.copy_to(InMemoryStore()) == 1
    assert every_file(tmp_path) == before
    await store.close()
    await writer.close()


async def test_a_store_copies_into_any_other_and_back(tmp_path: Path) -> None:
    first, second = LanceStore(str(tmp_path / "a")), LanceStore(str(tmp_path / "b"))
    memory = InMemoryStore()
    for store in (first, second):
        await store.open()
    for user in ("alice", "bob", "O'Brien"):
        scribe = Scribe(first.ledger(user))
        commit = await scribe.write(belief(user_id=user), belief("postgres", user_id=user))
        await scribe.write(retire=commit.writes[:1], reinforce=[(commit.writes[1], 2)])
    assert await first.copy_to(memory) == 3
    assert await memory.copy_to(second) == 3
    for user in ("alice", "bob", "O'Brien"):
        versions = await first.ledger(user).versions(VersionFilter())
        for store in (memory, second):
            assert await store.ledger(user).versions(VersionFilter()) == versions
            assert await held(store.ledger(user)) == await held(first.ledger(user))
    with pytest.raises(StoreError, match="empty"):
        await first.copy_to(second)


def said_by(script: str) -> str:
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_use_after_a_fork_is_refused(tmp_path: Path) -> None:
    """In a process of its own: forking this one would fork the test runner."""
    script = f"""
import asyncio, os
from belief_memory.errors import HandleClosed
from belief_memory.store.lance import LanceStore
from belief_memory.testing.builders import Scribe, belief

async def main():
    store = LanceStore({str(tmp_path / "beliefs")!r})
    await store.open()
    ledger = store.ledger("alice")
    await Scribe(ledger).write(belief())
    return store, ledger, await ledger.token()

store, ledger, token = asyncio.run(main())
child = os.fork()
if child == 0:
    refused = 0
    for call in (lambda: ledger.unchanged(token), lambda: store.ledger("bob"),
                 lambda: ledger.read().send(None), lambda: ledger.token().send(None),
                 lambda: ledger.maintain().send(None), lambda: ledger.stats().send(None)):
        try:
            call()
        except HandleClosed as error:
            refused += "fork" in str(error)
    os._exit(refused)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "6", done.stderr


def test_importing_the_store_does_not_import_the_driver() -> None:
    script = (
        "import sys, belief_memory.store.lance as store; store.LanceStore('x');"
        "print([name for name in ('lancedb', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]", done.stderr


async def test_a_store_that_was_not_opened_says_so(tmp_path: Path) -> None:
    with pytest.raises(HandleClosed, match="not open"):
        LanceStore(str(tmp_path)).ledger("alice")


async def test_a_strangers_table_is_no_user_and_is_not_written_to(tmp_path: Path) -> None:
    import lancedb

    connection = await lancedb.connect_async(str(tmp_path))
    await connection.create_table(table_name("alice"), data=[{"id": "x"}])
    await connection.create_table("notes", data=[{"id": "x"}])
    store = LanceStore(str(tmp_path))
    await store.open()
    assert [user async for user in store.users()] == []
    with pytest.raises((StoreCorrupt, StoreError)):
        await store.ledger("alice").read()
    assert await (await connection.open_table("notes")).count_rows() == 1
    await store.close()


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("place", ["a file", "a file/within"])
async def test_a_place_that_is_no_folder_is_an_error_of_ours(
    tmp_path: Path, place: str, read_only: bool
) -> None:
    (tmp_path / "a file").write_text("in the way")
    store = LanceStore(str(tmp_path / place), read_only=read_only)
    with pytest.raises(StoreError, match="opening the store failed: NotADirectoryError"):
        await store.open()


def cut(folder: Path, pattern: str, left: float) -> None:
    for path in folder.glob(pattern):
        whole = path.read_bytes()
        path.write_bytes(whole[: int(len(whole) * left)])


@pytest.mark.parametrize("kind", ["_versions", "data"])
@pytest.mark.parametrize("left", [0, 0.5])
async def test_damaged_files_are_told_from_a_driver_that_fails(
    tmp_path: Path, kind: str, left: float
) -> None:
    store = LanceStore(str(tmp_path))
    await store.open()
    await Scribe(store.ledger("alice")).write(belief())
    await store.close()
    cut(tmp_path, f"*.lance/{kind}/*", left)
    store = LanceStore(str(tmp_path))
    await store.open()
    with pytest.raises(StoreCorrupt) as caught:
        await store.ledger("alice").read()
    assert ".rs:" not in str(caught.value)
