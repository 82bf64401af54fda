"""A history that is asked about again is kept, and never answers for another one."""

from __future__ import annotations

from pathlib import Path

from belief_memory.ports import VersionFilter
from belief_memory.store.lance import LanceStore
from belief_memory.testing.builders import Scribe, belief


def names(versions) -> list[str]:
    return [version.version_id for version in versions]


async def test_a_kept_history_follows_commits_of_others_and_erasure(tmp_path: Path) -> None:
    store, other = LanceStore(str(tmp_path)), LanceStore(str(tmp_path))
    await store.open()
    await other.open()
    ours, theirs = store.ledger("alice"), other.ledger("alice")
    scribe = Scribe(theirs)
    first = await scribe.write(belief("tea", id="a"), belief("cake", id="b"))
    for _ in range(4):
        assert names(await ours.versions(VersionFilter())) == ["a#1", "b#1"]
        by_id = VersionFilter(belief_ids=frozenset({"b"}))
        assert names(await ours.versions(by_id)) == ["b#1"]
    await scribe.write(belief("tea", id="a", rev=2), retire=first.writes[:1])
    for _ in range(4):
        tea = VersionFilter(slot_keys=frozenset({"tea"}))
        assert names(await ours.versions(tea)) == ["a#1", "a#2"]
        assert (await ours.versions(tea))[0].retired_at is not None
        then = VersionFilter(known_at=first.head.at)
        assert names(await ours.versions(then)) == ["a#1", "b#1"]
    await scribe.erase("a")
    for _ in range(3):
        assert names(await ours.versions(VersionFilter())) == ["b#1"]


async def test_a_second_ledger_takes_the_place_of_the_first(tmp_path: Path) -> None:
    store = LanceStore(str(tmp_path))
    await store.open()
    for name in ("alice", "bob"):
        await Scribe(store.ledger(name)).write(belief("tea", id=name, user_id=name))
    for _ in range(3):
        for name in ("alice", "bob"):
            for _ in range(3):
                found = await store.ledger(name).versions(VersionFilter())
                assert names(found) == [f"{name}#1"]
