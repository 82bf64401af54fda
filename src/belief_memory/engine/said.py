"""What the route ``evidence`` needs to know beside the turns themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from belief_memory.learning.languages import folded, language_of
from belief_memory.ledger.held import key_of
from belief_memory.model.episode import Episode
from belief_memory.ports import LedgerStore, VersionFilter
from belief_memory.retrieval.echoes import About, SlotValues, values_of

LINKS = 8
"""How far a chain of supersession is followed into other slots."""

_SMALL = ("function", "me", "possessive", "others", "question", "copula", "articles")


@lru_cache(maxsize=1024)
def small_words(text: str) -> frozenset[str]:
    """The words of the text's language that say nothing by themselves; none for a language
    that is not known."""
    language = language_of(folded(text))
    if language is None:
        return frozenset()
    return frozenset(word for kind in _SMALL for word in language.words(kind))


async def slot_values(
    ledger: LedgerStore, about: About, turns: Sequence[Episode] = ()
) -> list[SlotValues]:
    """What the slots that a recall is about say, and what they said before; also those of
    what was learned from the turns, whether or not the query names it."""
    if turns:
        named = {(turn.session_id, turn.id) for turn in turns}
        which = VersionFilter(message_ids=frozenset(turn.id for turn in turns))
        learned = (
            version
            for version in await ledger.versions(which)
            if (told := version.provenance) is not None
            and any((told.session_id, id) in named for id in told.message_ids)
        )
        about = replace(about, beliefs=(*about.beliefs, *learned))
    keys = frozenset(map(key_of, about.beliefs))
    if not keys:
        return []
    versions = await ledger.versions(VersionFilter(slot_keys=keys))
    known = {version.id for version in versions}
    for _ in range(LINKS):
        linked = frozenset(v.supersedes for v in versions if v.supersedes) - known
        if not linked:
            break
        versions += await ledger.versions(VersionFilter(belief_ids=linked))
        known |= linked
    return values_of(about, versions)
