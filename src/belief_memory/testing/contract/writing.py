"""Committing, and reading it back."""

from __future__ import annotations

import pytest

from belief_memory.ledger.held import key_of
from belief_memory.model.belief import Provenance
from belief_memory.ports import Commit, Head, LostRace, VersionFilter
from belief_memory.testing.builders import Scribe, belief, day
from belief_memory.testing.contract.handles import Handles, Opened, by_id, held, history
from belief_memory.testing.strategies import HOSTILE


@pytest.mark.asyncio
class WritingContract(Handles):
    """Committing, and reading it back."""

    async def test_a_ledger_that_does_not_exist_is_absent_everywhere(self, opened: Opened) -> None:
        store = await opened()
        ledger = store.ledger("nobody")
        assert await ledger.read() is None
        assert await ledger.read(Head(7, day(0))) is None
        assert await history(ledger) == []
        assert await ledger.token() == await ledger.token()
        assert ledger.unchanged(await ledger.token()) in (True, None)
        assert (await ledger.stats()).versions == 0
        assert [user async for user in store.users()] == []
        assert not ledger.wants_maintenance()

    async def test_a_commit_to_a_ledger_that_is_gone_loses(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("nobody")
        commit = Commit(Head(7, day(0)), Head(8, day(1)), "plan", writes=(belief(),))
        with pytest.raises(LostRace):
            await ledger.commit(commit)
        assert await ledger.read() is None

    async def test_what_was_committed_is_read_by_every_handle(self, opened: Opened) -> None:
        ours, theirs = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        scribe = Scribe(ours)
        first = await scribe.write(belief(), belief("postgres"))
        for ledger in (ours, theirs):
            delta = await ledger.read()
            assert delta is not None
            assert delta.head == first.head
            assert by_id(delta.held) == by_id(first.writes)
        second = await scribe.write(belief("python"))
        assert await held(theirs) == by_id([*first.writes, *second.writes])

    async def test_every_field_is_kept(self, opened: Opened) -> None:
        full = belief(
            "redis_cache",
            id="an id",
            rev=3,
            agent_id="coder",
            scopes=["project:apollo", "user:universal"],
            type="relation",
            subtype="expertise",
            attribute="owner",
            cardinality="many",
            member="infra team",
            aliases=["Redis", "redis-server"],
            attribute_aliases=["maintainer"],
            why_it_matters="Ask them first.",
            participants=["b", "a"],
            relation_type="owned_by",
            epistemic_status="inferred",
            confidence=0.1,
            pinned=True,
            user_edited=True,
            metadata={"a": [1, 2.5, None, {"b": "é"}], "": True},
            provenance=Provenance(source="import", message_ids=("m1", "m2"), at=day(0.123456789)),
            standing="conflict",
            conflicts_with="other",
            reinforcement_count=4,
            last_reinforced_at=day(2),
            superseded_by="next",
            supersedes="before",
            resolved_at=day(5),
            resolved_by="answer",
            valid_from=day(-70000),
            valid_to=day(70000),
            recorded_at=day(1.000000001),
            name_keys=("redis", "cache"),
        )
        bare = belief(attribute_aliases=[])
        store = await opened()
        commit = await Scribe(store.ledger("alice")).write(full, bare)
        found = await held((await opened()).ledger("alice"))
        assert found == by_id(commit.writes)
        for version in commit.writes:
            assert found[version.version_id].to_record() == version.to_record()
            assert found[version.version_id].name_keys == version.name_keys

    @pytest.mark.parametrize("text", HOSTILE)
    async def test_any_text_is_kept_and_found_and_selects_nothing_else(
        self, opened: Opened, text: str
    ) -> None:
        ledger = (await opened()).ledger(text)
        strange = belief(text, id=text, user_id=text, attribute=text, content=text, aliases=[text])
        other = belief("other", user_id=text)
        scribe = Scribe(ledger)
        first = await scribe.write(strange, other)
        await scribe.write(strange.but(rev=2), retire=[strange])
        for which in (
            VersionFilter(belief_ids=frozenset([text])),
            VersionFilter(slot_keys=frozenset([key_of(strange)])),
        ):
            assert [version.version_id for version in await ledger.versions(which)] == [
                f"{text}#1",
                f"{text}#2",
            ]
        (found,) = await ledger.versions(VersionFilter(version_ids=frozenset([f"{text}#1"])))
        assert found.but(retired_at=None) == first.writes[0]
        erased = await scribe.erase(text)
        assert (erased.beliefs, erased.versions) == (1, 2)
        assert await held(ledger) == by_id(first.writes[1:])

    async def test_a_retired_version_is_history_and_keeps_its_values(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        first = await scribe.write(belief(id="b"))
        second = await scribe.write(belief(id="b", rev=2, content="New."), retire=first.writes)
        assert await held(ledger) == by_id(second.writes)
        assert await history(ledger) == [
            first.writes[0].but(retired_at=second.head.at),
            second.writes[0],
        ]

    async def test_a_version_written_as_retired_is_history_only(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        old = belief(recorded_at=day(1), retired_at=day(2))
        await Scribe(ledger, at=day(9)).write(old)
        assert await held(ledger) == {}
        assert await history(ledger) == [old]

    async def test_the_newest_reinforcement_counts(self, opened: Opened) -> None:
        ledger = (await opened()).ledger("alice")
        scribe = Scribe(ledger)
        (version,) = (await scribe.write(belief())).writes
        await scribe.write(reinforce=[(version, 1)])
        commit = await scribe.write(reinforce=[(version, 5)])
        expected = version.but(reinforcement_count=5, last_reinforced_at=commit.head.at)
        assert await held(ledger) == by_id([expected])
        assert await history(ledger) == [expected]
