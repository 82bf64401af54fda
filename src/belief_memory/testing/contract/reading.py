"""Changes, tokens and filters."""

from __future__ import annotations

import pytest

from belief_memory.ledger.held import key_of
from belief_memory.model.belief import Belief, Provenance
from belief_memory.ports import Delta, Head, VersionFilter
from belief_memory.testing.builders import Knowledge, Scribe, belief, day, just_after
from belief_memory.testing.contract.handles import Handles, Opened, by_id, held, history
from belief_memory.testing.strategies import HOSTILE


@pytest.mark.asyncio
class ReadingContract(Handles):
    """Changes, tokens and filters."""

    async def test_changes_since_a_head_lead_to_what_a_whole_read_says(
        self, opened: Opened
    ) -> None:
        ledger, reader = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        readers = [Knowledge() for _ in range(4)]
        live: list[Belief] = []
        for step in range(12):
            retired = live[: step % 3]
            kept = live[step % 3 :]
            commit = await scribe.write(
                *(belief(f"name {step} {n}") for n in range(2)),
                retire=retired,
                reinforce=[(version, step) for version in kept[:2]],
            )
            live = [*kept, *commit.writes]
            if step == 7:
                await ledger.maintain()
            for n, known in enumerate(readers):
                if step % (n + 1) == 0:
                    known.learn(await reader.read(known.head))
                    assert known.held == await held(reader), f"reader {n} at step {step}"
                    assert known.head == commit.head

    async def test_changes_since_the_newest_head_are_none(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        commit = await Scribe(ledger).write(belief())
        assert await ledger.read(commit.head) == Delta(commit.head, whole=False)

    async def test_a_head_of_another_ledger_reads_the_whole(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        stranger = scribe.plan().head
        commit = await scribe.write(belief())
        for seq in (1, stranger.seq - 1000, commit.head.seq + 1000):
            delta = await ledger.read(Head(seq, day(0)))
            assert delta is not None
            assert delta.whole
            assert by_id(delta.held) == by_id(commit.writes)

    async def test_tokens_tell_whether_anything_was_committed(self, opened: Opened) -> None:
        ours, theirs = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        absent = await ours.token()
        scribe = Scribe(theirs)
        tokens = [absent]
        for step in range(3):
            committed = await scribe.commit(scribe.plan(belief(f"name {step}")))
            token = await ours.token()
            assert token not in tokens
            assert committed is None or committed == token
            assert token == await theirs.token()
            assert ours.unchanged(token) in (True, None)
            assert ours.unchanged(tokens[-1]) in (False, None)
            tokens.append(token)
        await scribe.erase_everything()
        assert ours.unchanged(tokens[-1]) in (False, None)
        assert await ours.token() not in tokens[1:]
        await scribe.write(belief())
        assert ours.unchanged(tokens[-1]) in (False, None)
        assert await ours.token() not in tokens

    async def test_other_ledgers_do_not_move_a_token(self, opened: Opened) -> None:
        store = await opened()
        ledger = store.ledger("alice")
        await Scribe(ledger).write(belief())
        token = await ledger.token()
        await Scribe(store.ledger("bob")).write(belief(user_id="bob"))
        assert ledger.unchanged(token) in (True, None)
        assert await ledger.token() == token

    async def test_conditions_of_a_filter_all_hold(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        first = await scribe.write(
            belief("Redis Cache", id="a"), belief("user", attribute="job", id="b"), belief(id="c")
        )
        a, b, c = first.writes
        second = await scribe.write(belief("redis_cache", id="a", rev=2), retire=[a])
        a_retired, (a2,) = a.but(retired_at=second.head.at), second.writes

        async def found(**conditions: object) -> list[Belief]:
            return await ledger.versions(VersionFilter(**conditions))  # type: ignore[arg-type]

        assert await found() == [a_retired, b, c, a2]
        assert await found(belief_ids=frozenset("ab")) == [a_retired, b, a2]
        assert await found(version_ids=frozenset(["a#2", "c#1", "z#1"])) == [c, a2]
        assert await found(slot_keys=frozenset([key_of(b)])) == [b]
        assert await found(slot_keys=frozenset([key_of(a)])) == [a_retired, c, a2]
        assert await found(belief_ids=frozenset("bc"), slot_keys=frozenset([key_of(a)])) == [c]
        for nothing in ("belief_ids", "version_ids", "slot_keys", "message_ids"):
            assert await found(**{nothing: frozenset()}) == []

    async def test_versions_are_found_by_the_messages_they_came_from(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        names = ["m1", "m11", *HOSTILE]
        told = [Provenance(message_ids=(name, f"after {name}")) for name in names]
        writes = [belief(id=f"b{n}", provenance=one) for n, one in enumerate(told)]
        await Scribe(ledger).write(*writes, belief(id="z", provenance=Provenance(quote="m1")))

        async def found(*ids: str) -> list[str]:
            which = VersionFilter(message_ids=frozenset(ids))
            return [version.id for version in await ledger.versions(which)]

        for _ in range(3):
            assert [await found(name) for name in names] == [[one.id] for one in writes]
            assert await found("m1", "after m11") == ["b0", "b1"]

    async def test_known_at_and_window_are_half_open(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        first = await scribe.write(belief(id="a"))
        second = await scribe.write(belief(id="a", rev=2), retire=first.writes)
        third = await scribe.write(retire=second.writes)
        one, two, three = (commit.head.at for commit in (first, second, third))

        async def known(at: object) -> list[str]:
            which = VersionFilter(known_at=at)  # type: ignore[arg-type]
            return [version.version_id for version in await ledger.versions(which)]

        async def within(*window: object) -> list[str]:
            which = VersionFilter(window=window)  # type: ignore[arg-type]
            return [version.version_id for version in await ledger.versions(which)]

        for _ in range(2):
            assert await known(day(-1)) == []
            assert await known(one) == ["a#1"]
            assert await known(two) == ["a#2"]
            assert await known(just_after(two)) == ["a#2"]
            assert await known(three) == []
            assert await within(one, two) == ["a#1"]
            assert await within(two, three) == ["a#1", "a#2"]
            assert await within(just_after(two), three) == []
            assert await within(just_after(two), None) == ["a#2"]
            assert await within(three, just_after(three)) == ["a#2"]
            assert await within(just_after(three), None) == []
            await ledger.maintain()

    async def test_versions_come_in_the_order_they_were_recorded(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger, at=day(9))
        await scribe.write(
            belief(id="b", recorded_at=day(3)),
            belief(id="b", rev=10, recorded_at=day(2), retired_at=day(3)),
            belief(id="b", rev=9, recorded_at=day(2), retired_at=day(3)),
            belief(id="a", recorded_at=day(2)),
        )
        await scribe.write(belief(id="c", recorded_at=day(1)))
        order = [version.version_id for version in await history(ledger)]
        assert order == ["c#1", "a#1", "b#9", "b#10", "b#1"]

    async def test_long_lists_and_large_commits_are_no_limit(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        first = await scribe.write(*(belief(f"name {n}", id=f"id {n}") for n in range(2000)))
        ids = frozenset(f"id {n}" for n in range(600, 3000))
        assert len(await ledger.versions(VersionFilter(belief_ids=ids))) == 1400
        slots = frozenset(key_of(version) for version in first.writes[:700])
        assert len(await ledger.versions(VersionFilter(slot_keys=slots))) == 700
        await scribe.write(retire=first.writes[:1900])
        assert await held(ledger) == by_id(first.writes[1900:])
        await ledger.maintain()
        assert await held(ledger) == by_id(first.writes[1900:])
        assert len(await history(ledger)) == 2000
