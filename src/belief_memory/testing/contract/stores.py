"""Users, copies and the life of a handle."""

from __future__ import annotations

import pytest

from belief_memory.errors import HandleClosed, StoreError, StoreReadOnly
from belief_memory.ports import VersionFilter
from belief_memory.testing.builders import Scribe, belief, day
from belief_memory.testing.contract.handles import Handles, MakeStore, Opened, by_id, held, history
from belief_memory.testing.strategies import HOSTILE


@pytest.mark.asyncio
class StoresContract(Handles):
    """Users, copies and the life of a handle."""

    async def test_all_users_are_listed_whatever_their_ids(self, opened: Opened) -> None:
        store = await opened()
        users = [*HOSTILE, *(f"user {n}" for n in range(25)), "Alice", "alice", "x" * 1000]
        for user in users:
            await Scribe(store.ledger(user)).write(belief(user_id=user))
        first = [user async for user in store.users()]
        assert sorted(first) == sorted(users)
        assert [user async for user in (await opened()).users()] == first

    async def test_a_ledger_never_shows_another_users_beliefs(self, opened: Opened) -> None:
        store = await opened()
        for user in ("acme", "acme-corp", "ACME", "acm_"):
            await Scribe(store.ledger(user)).write(belief(id="same", user_id=user))
        for user in ("acme", "acme-corp", "ACME", "acm_"):
            assert [v.user_id for v in await history(store.ledger(user))] == [user]
        await Scribe(store.ledger("acme")).erase_everything()
        assert sorted([user async for user in store.users()]) == ["ACME", "acm_", "acme-corp"]

    async def test_a_copied_ledger_is_the_same_under_new_numbers(self, opened: Opened) -> None:
        store = await opened()
        scribe = Scribe(store.ledger("alice"))
        first = await scribe.write(belief(), belief("postgres", recorded_at=day(-3)))
        await scribe.write(retire=first.writes[:1], reinforce=[(first.writes[1], 2)])
        versions = await history(store.ledger("alice"))
        assert scribe.head is not None
        await store.adopt("carol", versions, scribe.head)
        copy = store.ledger("carol")
        assert await history(copy) == versions
        assert await held(copy) == await held(store.ledger("alice"))
        delta = await copy.read(scribe.head)
        assert delta is not None
        assert delta.whole
        assert delta.head.at == scribe.head.at
        assert delta.head.seq != scribe.head.seq
        with pytest.raises(StoreError):
            await store.adopt("alice", versions, scribe.head)
        with pytest.raises(StoreError):
            await store.copy_to(await opened())

    async def test_a_read_only_handle_reads_and_refuses_to_write(self, opened: Opened) -> None:
        scribe = Scribe((await opened()).ledger("alice"))
        first = await scribe.write(belief())
        store = await opened(read_only=True)
        ledger = store.ledger("alice")
        assert store.read_only
        assert await held(ledger) == by_id(first.writes)
        late = Scribe(ledger, first.head)
        for refused in (
            late.write(belief()),
            late.erase("x"),
            late.erase_everything(),
            ledger.maintain(),
            store.adopt("bob", first.writes, first.head),
        ):
            with pytest.raises(StoreReadOnly):
                await refused
        assert not ledger.wants_maintenance()
        assert await held(ledger) == by_id(first.writes)

    async def test_a_closed_handle_says_so(self, make_store: MakeStore) -> None:
        store = make_store()
        await store.open()
        ledger = store.ledger("alice")
        scribe = Scribe(ledger)
        await scribe.write(belief())
        token = await ledger.token()
        await store.close()
        await store.close()
        for refused in (
            ledger.read(),
            ledger.token(),
            ledger.versions(VersionFilter()),
            ledger.stats(),
            scribe.write(belief()),
            scribe.erase("x"),
            ledger.maintain(),
        ):
            with pytest.raises(HandleClosed):
                await refused
        with pytest.raises(HandleClosed):
            ledger.unchanged(token)

    async def test_statistics_count_the_versions(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        first = await scribe.write(belief(), belief("postgres"))
        await scribe.write(retire=first.writes)
        assert (await ledger.stats()).versions == 2
