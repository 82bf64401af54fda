"""Lookups in ledgers that nobody reads whole: more may come than was asked for, never less."""

from __future__ import annotations

import pytest

from belief_memory.ledger.held import key_of
from belief_memory.model.belief import Belief
from belief_memory.ports import Delta, LedgerStore
from belief_memory.testing.builders import Scribe, belief
from belief_memory.testing.contract.handles import Handles, Opened, by_id, held
from belief_memory.testing.strategies import HOSTILE
from belief_memory.text.anchors import STANDING, anchors, id_anchor, slot_anchor
from belief_memory.text.search import score, stored_terms, wanted_terms, wanted_words


async def check_lookups(ledger: LedgerStore) -> None:
    """Every anchor and some words of what is held find what has them, as it is held."""
    everything = await held(ledger)
    for wanted in everything.values():
        alone = {id_anchor(wanted.id)}, {slot_anchor(key_of(wanted))}
        for asked in (anchors(wanted), *alone):
            found = _checked(await ledger.candidates(frozenset((*asked, "nowhere"))), everything)
            assert {n for n, v in everything.items() if asked & anchors(v)} <= found.keys()
        words = wanted_words(wanted.content)
        found = _checked(await ledger.find_text(wanted_terms(words)), everything)
        assert {n for n, v in everything.items() if words and score(v, words)} <= found.keys()
        found = _checked(await ledger.find_text(stored_terms(wanted)), everything)
        assert wanted.version_id in found
    assert _checked(await ledger.find_text(frozenset()), everything) == everything
    head = (await ledger.read()).head  # type: ignore[union-attr]
    delta = await ledger.candidates(frozenset())
    assert delta is not None
    assert delta.head == head


def _checked(delta: Delta | None, everything: dict[str, Belief]) -> dict[str, Belief]:
    assert delta is not None
    assert not delta.whole
    found = by_id(delta.held)
    assert all(everything[name] == version for name, version in found.items())
    return found


@pytest.mark.asyncio
class LookupsContract(Handles):
    """Candidates by anchors and by words."""

    async def test_lookups_miss_nothing_that_is_held(self, opened: Opened) -> None:
        ledger, reader = (await opened()).ledger("alice"), (await opened()).ledger("alice")
        assert await reader.candidates(frozenset((STANDING,))) is None
        assert await reader.find_text(frozenset()) is None
        assert not await reader.exceeds(0)
        scribe = Scribe(ledger)
        first = await scribe.write(
            belief("Dead Letter Queue", aliases=["東京タワー", "레디스", "C++"], pinned=True),
            belief("user", attribute="job", attribute_aliases=["Beruf"], agent_id="scout"),
            *(belief(name, id=name, content=name, standing="pending") for name in HOSTILE[:4]),
            *(belief(name, aliases=[name[::-1]], content=name) for name in HOSTILE[4:]),
        )
        await check_lookups(reader)
        second = await scribe.write(
            belief("dead letter queue", content="Wörter in anderer Gestalt"),
            retire=first.writes[:1],
            reinforce=[(first.writes[1], 3)],
        )
        await check_lookups(reader)
        await ledger.maintain()
        await check_lookups(reader)
        await scribe.erase(second.writes[0].id)
        await check_lookups(reader)
        assert await reader.exceeds(len(first.writes) - 2)
        assert not await reader.exceeds(2 * len(first.writes))
        await scribe.erase_everything()
        assert await reader.candidates(frozenset((STANDING,))) is None
