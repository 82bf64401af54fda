"""Ordinary words: what is too frequent in a language to be taken for something else.

The words are wordfreq's small lists, frozen data, read when the first question needs
them and kept as one text per first letters, which is a tenth of the size of a set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.resources import files

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

_LESS_FREQUENT = {"latin": ("en", 700)}
"""Where a longer list is read for Rule R4b, and the bins of zipf 2.0 and more."""

_PROPER, _PROPER_MORE = "proper_nouns.txt", "proper_nouns_more.txt"


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


@cache
def lists_version() -> str:
    """Names the word lists in use: answers can only change when this does."""
    ours = hashlib.sha256("".join(map(_text, (_PROPER, _PROPER_MORE))).encode()).hexdigest()[:8]
    return f"wordfreq {version('wordfreq')} small, en large; proper nouns {ours}"


@lru_cache(maxsize=8192)
def is_ordinary(token: str) -> bool:
    """Whether a folded token is a frequent word (zipf 3.0 or more) of a language of its
    script (Rule R4b)."""
    kind = script(token)
    return kind is not None and f"\n{token}\n" in _words(kind).get(token[:2], "")


def is_less_frequent(token: str) -> bool:
    """Whether a folded token is an English word of zipf 2.0 or more.

    In prose, words of zipf 2 to 3 in lower case (taut, mirth, smartly) were half of all
    false typos; with a capital they are names as often as not (Mongoose).
    """
    kind = script(token)
    return kind is not None and f"\n{token}\n" in _rarer_words(kind).get(token[:2], "")


def is_common(token: str) -> bool:
    """Whether a folded token is an ordinary word for Rule R13: zipf 4.0 or more in a
    language of its script, and no proper noun.

    Lower would be no better: "is slack down", "a rust service" and "insulin" in lower case
    mean the name far more often than not, in the memory of somebody who has one so called.
    """
    kind = script(token)
    return kind is not None and token in _common_words(kind)


def is_common_in(language: str, token: str) -> bool:
    """Whether a folded token is as frequent in a language that is not of those every
    query is read by: Turkish "git" (go) is ordinary where Turkish is spoken."""
    return language in _LANGUAGES["latin"][_SPOKEN_BY_MOST:] and token in _common_of(language)


@cache
def _common_of(language: str) -> frozenset[str]:
    common = set(_folded(_bins(language)[: _COMMON + 1]))
    return frozenset(common - _listed(_PROPER) - _listed(_PROPER_MORE))


@cache
def _words(kind: str) -> dict[str, str]:
    return _by_start(words for one in _LANGUAGES.get(kind, ()) for words in _bins(one))


@cache
def _rarer_words(kind: str) -> dict[str, str]:
    if kind not in _LESS_FREQUENT:
        return {}
    language, last = _LESS_FREQUENT[kind]
    return _by_start(_bins(language, "large")[: last + 1])


def _by_start(bins: Iterable[list[str]]) -> dict[str, str]:
    groups: dict[str, set[str]] = {}
    for word in _folded(bins):
        groups.setdefault(word[:2], set()).add(word)
    return {start: "\n".join(("", *sorted(words), "")) for start, words in groups.items()}


@cache
def _common_words(kind: str) -> frozenset[str]:
    languages = _LANGUAGES.get(kind, ())[:_SPOKEN_BY_MOST]
    bins = (words for one in languages for words in _bins(one)[: _COMMON + 1])
    return frozenset(set(_folded(bins)) - _listed(_PROPER))


def _folded(bins: Iterable[list[str]]) -> Iterator[str]:
    return (word if word.isascii() else fold(word)[0] for words in bins for word in words)


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _listed(name: str) -> frozenset[str]:
    lines = (line for line in _text(name).splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


def _bins(language: str, size: str = "small") -> list[list[str]]:
    from wordfreq import available_languages, read_cBpack

    bins: list[list[str]] = read_cBpack(available_languages(size)[language])
    return bins
