"""Turns of conversations, kept beside the ledgers."""

from __future__ import annotations

import pytest

from belief_memory.errors import StoreReadOnly
from belief_memory.ports import Erased, LostRace
from belief_memory.testing.builders import Scribe, belief
from belief_memory.testing.contract.handles import Handles, Opened, by_id, held, history


async def nothing_more() -> Erased:
    """An erasure elsewhere that has nothing to erase."""
    return Erased(0, 0, verified=True)


@pytest.mark.asyncio
class EpisodesContract(Handles):
    """Turns of conversations, kept beside the ledgers."""

    async def test_turns_are_apart_from_beliefs(self, opened: Opened) -> None:
        store = await opened()
        turn = belief("user", id="turn", content="I use Redis.")
        await Scribe(store.episodes("alice")).write(turn)
        assert await store.ledger("alice").read() is None
        await Scribe(store.ledger("alice")).write(belief(id="held"))
        await Scribe(store.episodes("bob")).write(turn.but(user_id="bob"))
        other = await opened()
        assert [v.id for v in await history(other.ledger("alice"))] == ["held"]
        assert [v.content for v in await history(other.episodes("alice"))] == ["I use Redis."]
        assert [v.user_id for v in await history(other.episodes("bob"))] == ["bob"]

    async def test_who_only_has_turns_is_listed_once_like_everybody(self, opened: Opened) -> None:
        store = await opened()
        for user in ("alice", "bob"):
            await Scribe(store.episodes(user)).write(belief(user_id=user))
        await Scribe(store.ledger("bob")).write(belief(user_id="bob"))
        assert sorted([user async for user in store.users()]) == ["alice", "bob"]
        await store.episodes("alice").erase_beside(None, nothing_more)
        assert [user async for user in store.users()] == ["bob"]

    async def test_what_goes_with_an_erasure_is_erased_after_it(self, opened: Opened) -> None:
        ours, theirs = (await opened()).episodes("alice"), (await opened()).episodes("alice")
        scribe = Scribe(ours)
        first = await scribe.write(belief(id="gone"), belief(id="kept"))

        async def elsewhere() -> Erased:
            assert len(await history(theirs)) == 2
            # Whoever writes meanwhile does not keep it from being erased.
            await Scribe(theirs, first.head).write(belief(id="later"))
            return Erased(7, 9, verified=True)

        erased, done = await ours.erase_beside(frozenset(["gone", "nobody"]), elsewhere)
        assert (erased.beliefs, erased.versions) == (1, 1)
        assert (done.beliefs, done.versions) == (7, 9)
        assert {v.id for v in await history(theirs)} == {"kept", "later"}
        delta = await theirs.read(first.head)
        assert delta is not None
        assert delta.whole
        await scribe.catch_up()
        await scribe.write(belief(id="gone"))
        assert {v.id for v in (await held(theirs)).values()} == {"kept", "later", "gone"}

    async def test_a_race_lost_elsewhere_erases_nothing_here(self, opened: Opened) -> None:
        kept = (await opened()).episodes("alice")
        first = await Scribe(kept).write(belief(id="kept"))

        async def lost() -> Erased:
            raise LostRace

        for ids in (frozenset(["kept"]), None):
            with pytest.raises(LostRace):
                await kept.erase_beside(ids, lost)
        assert await held(kept) == by_id(first.writes)
        await (await opened()).close()
        assert await held((await opened()).episodes("alice")) == by_id(first.writes)

    async def test_turns_that_do_not_exist_erase_only_elsewhere(self, opened: Opened) -> None:
        store = await opened()
        for ids in (frozenset(["x"]), None):
            erased, _ = await store.episodes("nobody").erase_beside(ids, nothing_more)
            assert (erased.beliefs, erased.versions, erased.verified) == (0, 0, True)
        assert [user async for user in store.users()] == []

    async def test_copied_turns_are_the_same(self, opened: Opened) -> None:
        store = await opened()
        scribe = Scribe(store.episodes("alice"))
        await scribe.write(belief(id="first"), belief(id="second"))
        versions = await history(store.episodes("alice"))
        assert scribe.head is not None
        await store.adopt("carol", versions, scribe.head, episodes=True)
        assert await history(store.episodes("carol")) == versions
        assert await store.ledger("carol").read() is None

    async def test_a_read_only_handle_erases_no_turns(self, opened: Opened) -> None:
        first = await Scribe((await opened()).episodes("alice")).write(belief())
        kept = (await opened(read_only=True)).episodes("alice")
        with pytest.raises(StoreReadOnly):
            await kept.erase_beside(None, nothing_more)
        assert await held(kept) == by_id(first.writes)
