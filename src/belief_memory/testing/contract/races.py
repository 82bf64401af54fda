"""Rivals: one wins, the others leave nothing."""

from __future__ import annotations

import asyncio

import pytest

from belief_memory.errors import StoreError
from belief_memory.ports import LedgerStore, LostRace
from belief_memory.testing.builders import Scribe, belief
from belief_memory.testing.contract.handles import Handles, Opened, by_id, held, history


@pytest.mark.asyncio
class RacesContract(Handles):
    """Rivals: one wins, the others leave nothing."""

    async def test_of_two_plans_on_one_head_the_second_loses_and_leaves_nothing(
        self, opened: Opened
    ) -> None:
        ours, theirs = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        base = await Scribe(ours).write(belief(id="x"), belief(id="y"))
        rival = Scribe(theirs, base.head)
        winning = rival.plan(belief("winner", rev=2, id="x"), retire=base.writes[:1])
        losing = Scribe(ours, base.head).plan(
            *(belief(f"loser {n}") for n in range(5)),
            retire=base.writes,
            reinforce=[(base.writes[1], 9)],
        )
        await theirs.commit(winning)
        before = await history(theirs)
        with pytest.raises(LostRace):
            await ours.commit(losing)
        for ledger in (ours, theirs):
            assert await history(ledger) == before
            assert await held(ledger) == by_id([base.writes[1], *winning.writes])

    async def test_of_two_first_commits_one_loses_and_leaves_nothing(self, opened: Opened) -> None:
        ours, theirs = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        assert await ours.read() is None
        assert await theirs.read() is None
        losing = Scribe(theirs).plan(belief("late"))
        first = await Scribe(ours).write(belief("early"))
        with pytest.raises(LostRace):
            await theirs.commit(losing)
        assert await held(theirs) == by_id(first.writes)

    async def test_many_rivals_at_once_each_win_once(self, opened: Opened) -> None:
        ledgers = [(await opened()).ledger("alice") for _ in range(3)]
        await Scribe(ledgers[0]).write(belief())
        won: list[int] = []

        async def rival(ledger: LedgerStore, size: int) -> None:
            scribe = Scribe(ledger)
            for _ in range(200):
                await scribe.catch_up()
                plan = scribe.plan(*(belief(f"of {size}") for _ in range(size)))
                try:
                    await ledger.commit(plan)
                except LostRace:
                    await asyncio.sleep(0)
                    continue
                won.append(plan.head.seq)
                if won.count(plan.head.seq) != 1 or len(won) >= 9:
                    return

        await asyncio.gather(*(rival(ledger, n + 1) for n, ledger in enumerate(ledgers)))
        assert len(set(won)) == len(won)
        sizes: dict[str, int] = {}
        for version in await history(ledgers[0]):
            sizes[version.canonical_name] = sizes.get(version.canonical_name, 0) + 1
        assert sizes.pop("redis_cache") == 1
        assert sum(count // int(name.removeprefix("of ")) for name, count in sizes.items()) == len(
            won
        )

    async def test_a_commit_in_doubt_counts_once_when_it_is_tried_again(
        self, opened: Opened
    ) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        first = scribe.plan(belief())
        for handle in (ledger, ledger, (await opened()).ledger("alice")):
            await handle.commit(first)
        scribe.head = first.head
        second = scribe.plan(belief("postgres"))
        for handle in (ledger, ledger, (await opened()).ledger("alice")):
            await handle.commit(second)
        assert await held(ledger) == by_id([*first.writes, *second.writes])

    async def test_a_version_that_is_there_already_is_refused_without_its_text(
        self, opened: Opened
    ) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        first = await scribe.write(belief(id="secret"))
        again = scribe.plan(belief("new"), belief(id="secret", content="hidden"))
        with pytest.raises(StoreError) as refused:
            await ledger.commit(again)
        assert "secret" not in str(refused.value)
        assert "hidden" not in str(refused.value)
        assert await history(ledger) == list(first.writes)
        assert refused.value.__cause__ is None
        await scribe.write(belief("afterwards"))
