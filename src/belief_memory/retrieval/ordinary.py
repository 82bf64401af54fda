"""Ordinary words: what is too frequent in a language to be taken for something else.

The words are wordfreq's small lists, frozen data, read when the first question needs
them and kept as one text per first letters, which is a tenth of the size of a set.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.metadata import version

from belief_memory.text.normal import fold

_LANGUAGES = {
    "latin": ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr"),
    "cyrillic": ("ru", "uk", "bg"),
    "greek": ("el",),
    "arabic": ("ar", "fa", "ur"),
    "hebrew": ("he",),
}
_SPOKEN_BY_MOST = 5
"""How many languages of a script decide what is common (Rule R13)."""

_COMMON = 500
"""Frequency bins (hundredths of a decade below certainty) of zipf 4.0 and more."""

_INFLECTIONS = ("s", "es", "ed", "d", "ing", "ly", "ness")
_ABROAD = 560
_PROPER_SPREAD = 150
"""A name is nearly as frequent abroad; a word of one language is far rarer there."""


def script(token: str) -> str | None:
    """The alphabet a folded token is written in; None where typos are not judged."""
    code = ord(token[0])
    if code < 0x250:
        return "latin"
    if 0x370 <= code < 0x400:
        return "greek"
    if 0x400 <= code < 0x530:
        return "cyrillic"
    if 0x590 <= code < 0x600:
        return "hebrew"
    if 0x600 <= code < 0x780:
        return "arabic"
    if 0x530 <= code < 0x590 or 0x10A0 <= code < 0x1100:
        return "other"
    return None


def lists_version() -> str:
    """Names the word lists in use: answers can only change when this does."""
    return f"wordfreq {version('wordfreq')} small"


@lru_cache(maxsize=8192)
def is_ordinary(token: str) -> bool:
    """Whether a folded token is a frequent word (zipf 3.0 or more) of a language of its
    script (Rule R4b)."""
    kind = script(token)
    return kind is not None and f"\n{token}\n" in _words(kind).get(token[:2], "")


def is_common(token: str) -> bool:
    """Whether a folded token is an ordinary word for Rule R13: zipf 4.0 or more in a
    language of its script, and not used like a proper noun."""
    kind = script(token)
    return kind is not None and token in _common_words(kind)


@cache
def _words(kind: str) -> dict[str, str]:
    groups: dict[str, set[str]] = {}
    for language in _LANGUAGES.get(kind, ()):
        for words in _bins(language):
            for word in words:
                folded = word if word.isascii() else fold(word)[0]
                groups.setdefault(folded[:2], set()).add(folded)
    return {start: "\n".join(("", *sorted(words), "")) for start, words in groups.items()}


@cache
def _common_words(kind: str) -> frozenset[str]:
    ranks = [_ranks(language) for language in _LANGUAGES.get(kind, ())[:_SPOKEN_BY_MOST]]
    return frozenset(
        word
        for words in ranks
        for word, rank in words.items()
        if rank <= _COMMON and not (kind == "latin" and _proper(word, ranks))
    )


def _proper(word: str, ranks: list[dict[str, int]]) -> bool:
    """Whether a word behaves like a name: frequent in nearly every language, and without
    the inflections of an English word."""
    english = ranks[0]
    if len(word) < 4 or any(word + ending in english for ending in _INFLECTIONS):
        return False
    found = sorted(rank for words in ranks if (rank := words.get(word, 999)) <= _ABROAD)
    return len(found) >= 4 and found[len(found) // 2] - found[0] < _PROPER_SPREAD


def _ranks(language: str) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for rank, words in enumerate(_bins(language)):
        for word in words:
            ranks.setdefault(word if word.isascii() else fold(word)[0], rank)
    return ranks


def _bins(language: str) -> list[list[str]]:
    from wordfreq import available_languages, read_cBpack

    bins: list[list[str]] = read_cBpack(available_languages("small")[language])
    return bins
