"""What the route ``evidence`` needs to know beside the turns themselves."""

from __future__ import annotations

from functools import lru_cache

from belief_memory.learning.languages import folded, language_of
from belief_memory.ledger.held import key_of
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


async def slot_values(ledger: LedgerStore, about: About) -> list[SlotValues]:
    """What the slots that a recall is about say, and what they said before."""
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
