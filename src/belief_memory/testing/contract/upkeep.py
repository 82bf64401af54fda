"""Maintenance and erasure."""

from __future__ import annotations

import pytest

from belief_memory.model.belief import Belief
from belief_memory.ports import Head, LostRace
from belief_memory.testing.builders import Knowledge, Scribe, belief, day
from belief_memory.testing.contract.handles import Handles, Opened, by_id, held, history


@pytest.mark.asyncio
class UpkeepContract(Handles):
    """Maintenance and erasure."""

    async def test_maintenance_changes_nothing_that_can_be_read(self, opened: Opened) -> None:
        ledger, reader = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        heads: list[Head | None] = [None]
        live: list[Belief] = []
        for step in range(6):
            commit = await scribe.write(
                belief(f"name {step}"),
                retire=live[:1] if step % 2 else (),
                reinforce=[(version, step) for version in live[1:]],
            )
            live = [*live[step % 2 :], *commit.writes]
            heads.append(commit.head)

        async def everything() -> list[object]:
            found: list[object] = [await history(reader), await held(reader)]
            for head in heads:
                known = Knowledge(head=head, held=dict(await held(reader)) if head else {})
                known.learn(await reader.read(head))
                found.append(known)
            return found

        before = await everything()
        for _ in range(2):
            await ledger.maintain()
            assert await everything() == before
        after = await scribe.write(belief("afterwards"))
        assert set(await held(reader)) == {v.version_id for v in (*live, *after.writes)}

    async def test_maintenance_of_what_does_not_exist_is_nothing(self, opened: Opened) -> None:
        store = await opened()
        await store.ledger("nobody").maintain()
        assert [user async for user in store.users()] == []

    async def test_erased_beliefs_are_gone_with_every_link_to_them(self, opened: Opened) -> None:
        ours, theirs = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        scribe = Scribe(ours)
        linked = belief(
            "relation",
            id="keep",
            participants=["gone", "keep", "gone"],
            superseded_by="gone",
            supersedes="gone",
            conflicts_with="gone",
            resolved_by="gone",
        )
        first = await scribe.write(belief(id="gone"), linked, belief(id="gone but not"))
        second = await scribe.write(
            belief(id="gone", rev=2), retire=first.writes[:1], reinforce=[(linked, 3)]
        )
        known = Knowledge()
        known.learn(await theirs.read())
        erased = await scribe.erase("gone", "never was")
        assert (erased.beliefs, erased.versions) == (1, 2)
        kept = linked.but(
            recorded_at=first.head.at,
            participants=("keep",),
            superseded_by=None,
            # Nothing else said that it is not current: it must not come back.
            standing="retained",
            supersedes=None,
            conflicts_with=None,
            resolved_by=None,
            reinforcement_count=3,
            last_reinforced_at=second.head.at,
        )
        delta = await theirs.read(known.head)
        assert delta is not None
        assert delta.whole
        assert by_id(delta.held) == by_id([kept, first.writes[2]])
        assert by_id(await history(theirs)) == by_id([kept, first.writes[2]])
        await scribe.write(belief(id="gone", content="begun anew"))
        assert "gone#1" in await held(theirs)

    async def test_an_erasure_on_a_stale_head_loses(self, opened: Opened) -> None:
        ours, theirs = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        first = await Scribe(ours).write(belief(id="x"))
        stale = Scribe(ours, first.head)
        second = await Scribe(theirs, first.head).write(belief(id="y"))
        with pytest.raises(LostRace):
            await stale.erase("x")
        assert await held(ours) == by_id([*first.writes, *second.writes])

    async def test_an_erased_ledger_is_gone_and_can_begin_again(self, opened: Opened) -> None:
        store = await opened()
        ours, theirs = store.ledger("alice"), (await opened()).ledger("alice")
        await Scribe(store.ledger("bob")).write(belief(user_id="bob"))
        scribe = Scribe(ours)
        first = await scribe.write(belief(), belief("postgres"))
        assert await theirs.read() is not None
        erased = await scribe.erase_everything()
        assert (erased.beliefs, erased.versions) == (2, 2)
        for ledger in (ours, theirs):
            assert await ledger.read() is None
            assert await ledger.read(first.head) is None
            assert await history(ledger) == []
        assert [user async for user in store.users()] == ["bob"]
        late = Scribe(theirs, first.head)
        with pytest.raises(LostRace):
            await late.write(belief("late"))
        again = await scribe.write(belief("again"))
        delta = await theirs.read(first.head)
        assert delta is not None
        assert delta.whole
        assert by_id(delta.held) == by_id(again.writes)
        with pytest.raises(LostRace):
            await late.write(belief("late"))
        assert await held(ours) == by_id(again.writes)

    async def test_erasing_what_does_not_exist_is_nothing(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("nobody")
        scribe = Scribe(ledger, Head(5, day(0)))
        for erased in (await scribe.erase("x"), await scribe.erase_everything()):
            assert (erased.beliefs, erased.versions) == (0, 0)
