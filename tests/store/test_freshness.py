"""Whether a folder changed is told exactly, also where its clock cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from belief_memory.store.lance import LanceStore, freshness
from belief_memory.store.lance.place import table_name
from belief_memory.testing.builders import Scribe, belief


def manifest(folder: Path, version: int) -> None:
    (folder / f"{2**64 - 1 - version:020}.manifest").write_text(str(version))


def set_back(folder: Path, seconds: int) -> None:
    found = os.stat(folder)
    os.utime(folder, ns=(found.st_atime_ns, found.st_mtime_ns - seconds * 10**9))


def test_a_change_that_does_not_move_the_folders_time_is_seen(tmp_path: Path) -> None:
    manifest(tmp_path, 1)
    before = os.stat(tmp_path)
    token = freshness.look(tmp_path)
    assert freshness.unchanged(tmp_path, token)
    manifest(tmp_path, 2)
    os.utime(tmp_path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not freshness.unchanged(tmp_path, token)


def test_a_change_long_after_the_last_one_is_seen(tmp_path: Path) -> None:
    manifest(tmp_path, 1)
    set_back(tmp_path, 60)
    token = freshness.look(tmp_path)
    assert token.stat is not None, "an old time is trusted"
    assert freshness.unchanged(tmp_path, token)
    manifest(tmp_path, 2)
    assert not freshness.unchanged(tmp_path, token)


def test_a_cleanup_of_older_versions_is_no_change(tmp_path: Path) -> None:
    for version in (1, 2, 3):
        manifest(tmp_path, version)
    token = freshness.look(tmp_path)
    (tmp_path / f"{2**64 - 1 - 1:020}.manifest").unlink()
    assert freshness.unchanged(tmp_path, token)
    assert freshness.look(tmp_path) == token


def test_the_same_version_of_another_incarnation_is_a_change(tmp_path: Path) -> None:
    manifest(tmp_path, 1)
    token = freshness.look(tmp_path)
    (tmp_path / f"{2**64 - 1 - 1:020}.manifest").unlink()
    assert not freshness.unchanged(tmp_path, token)
    assert freshness.look(tmp_path).key is None
    manifest(tmp_path, 1)
    assert not freshness.unchanged(tmp_path, token)


def test_what_is_absent_stays_unchanged_until_it_exists(tmp_path: Path) -> None:
    folder = tmp_path / "none"
    token = freshness.look(folder)
    assert freshness.unchanged(folder, token)
    folder.mkdir()
    assert freshness.unchanged(folder, token)
    manifest(folder, 1)
    assert not freshness.unchanged(folder, token)


async def test_an_erased_and_begun_again_ledger_is_a_change(tmp_path: Path) -> None:
    store = LanceStore(str(tmp_path / "beliefs"))
    await store.open()
    scribe = Scribe(store.ledger("alice"))
    tokens = []
    for _ in range(8):
        await scribe.write(belief())
        token = await scribe.ledger.token()
        assert token not in tokens
        assert not any(scribe.ledger.unchanged(old) for old in tokens)
        tokens.append(token)
        await scribe.erase_everything()
    await store.close()


async def test_the_token_of_a_commit_is_not_that_of_a_rivals_after_it(tmp_path: Path) -> None:
    ours, theirs = (LanceStore(str(tmp_path / "beliefs")) for _ in range(2))
    for store in (ours, theirs):
        await store.open()
    scribe = Scribe(ours.ledger("alice"))
    await scribe.write(belief())
    token = await scribe.commit(scribe.plan(belief("postgres")))
    assert scribe.ledger.unchanged(token)
    await Scribe(theirs.ledger("alice"), scribe.head).write(belief("python"))
    assert not scribe.ledger.unchanged(token)
    for store in (ours, theirs):
        await store.close()


@pytest.mark.parametrize("versions", [1, 40])
async def test_manifests_are_named_as_the_check_expects(tmp_path: Path, versions: int) -> None:
    store = LanceStore(str(tmp_path))
    await store.open()
    scribe = Scribe(store.ledger("alice"))
    for number in range(versions):
        await scribe.write(belief(f"name {number}"))
    folder = tmp_path / f"{table_name('alice')}.lance" / "_versions"
    token = freshness.of_version(folder, versions)
    assert token == freshness.look(folder)
    assert freshness.count(folder) == versions
    await store.close()
