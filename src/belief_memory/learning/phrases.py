"""Time phrases as they are written, in any language there is a file for; no clock yet."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from belief_memory.learning.languages import any_of, languages
from belief_memory.learning.phrase_patterns import (
    UNITS,
    LanguageReader,
    Phrase,
    Reader,
    around_han,
    relation_han,
)
from belief_memory.text.normal import fold

_ISO = re.compile(
    r"(?<![\w-])(\d{4})-(\d{2})(?:-(\d{2}))?(?:t[\d:.]+(?:z|[+-]\d\d:?\d\d)?)?(?![\w-])"
)
_DOTTED = re.compile(r"(?<![\w.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\w])")
_SLASHED = re.compile(r"(?<![\w/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])")
_HAN = re.compile(
    r"(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})[日号])?)?|(?<!\d)(\d{1,2})月(\d{1,2})[日号]"
)


@lru_cache(maxsize=1024)
def phrases(text: str) -> tuple[Phrase, ...]:
    """The time phrases in ``text``, in order and without overlaps, longest first."""
    lower, offsets = fold(text)
    if not _may_hold_one(lower):
        return ()
    found: list[Phrase] = []
    for pattern, read in _readers():
        for match in pattern.finditer(lower):
            phrase = read(match)
            if phrase is not None:
                found.append(replace(phrase, span=match.span()))
    found.sort(key=lambda p: (p.span[0] - p.span[1], p.span[0]))
    kept: list[Phrase] = []
    for phrase in found:
        if all(phrase.span[1] <= k.span[0] or k.span[1] <= phrase.span[0] for k in kept):
            kept.append(phrase)
    kept.sort(key=lambda p: p.span)
    if offsets is None:
        return tuple(kept)
    return tuple(replace(p, span=(offsets[p.span[0]], offsets[p.span[1]])) for p in kept)


def _may_hold_one(lower: str) -> bool:
    """Whether there is a digit or a word that time phrases are made of: most texts have
    none, and need no pattern tried."""
    spaced, spaceless = _time_words()
    return (
        any(char.isdigit() for char in lower)
        or not spaced.isdisjoint(re.findall(r"[^\W_]+", lower))
        or any(word in lower for word in spaceless)
    )


@lru_cache(maxsize=1)
def _time_words() -> tuple[frozenset[str], tuple[str, ...]]:
    spaced: set[str] = set()
    spaceless: set[str] = set()
    for language in languages():
        listed = [*language.time.get("days", ()), *language.time.get("periods", ())]
        for unit in UNITS:
            listed += language.time.get(unit, ())
        for kind in ("months", "weekdays"):
            listed += [word for words in language.time.get(kind, ()) for word in words]
        if language.spaceless:
            spaceless.update(listed)
        else:
            spaced.update(re.findall(r"[^\W_]+", " ".join(listed)))
    return frozenset(spaced), tuple(sorted(spaceless))


@lru_cache(maxsize=1)
def _readers() -> tuple[tuple[re.Pattern[str], Reader], ...]:
    readers: list[tuple[re.Pattern[str], Reader]] = []
    leads = _leads()
    for pattern, read in (
        (_ISO, _ymd),
        (_DOTTED, lambda m: _date(int(m[3]), int(m[2]), int(m[1]))),
        (_SLASHED, _slashed),
    ):
        readers.append((re.compile(leads + pattern.pattern), _led(read)))
    readers.append((re.compile(rf"{around_han()[0]}(?:{_HAN.pattern}){around_han()[1]}"), _han))
    for language in languages():
        readers += LanguageReader(language).readers()
    return tuple(readers)


def _leads() -> str:
    named = []
    for relation in ("until", "from", "since"):
        words = [word for lang in languages() for word in lang.time.get(relation, ())]
        named.append(rf"(?P<{relation}>{any_of(words)})")
    return rf"(?:(?<!\w)(?:{'|'.join(named)})\s*)?"


def _led(read: Reader) -> Reader:
    def with_relation(match: re.Match[str]) -> Phrase | None:
        groups = match.groupdict()
        relation = next((name for name in ("until", "from", "since") if groups.get(name)), "at")
        inner = [value for index, value in enumerate(match.groups()) if index >= 3]
        phrase = read(_Groups(match[0], inner))  # type: ignore[arg-type]
        return None if phrase is None else replace(phrase, relation=relation)  # type: ignore[arg-type]

    return with_relation


class _Groups:
    """The groups behind the three of the lead, numbered from 1."""

    def __init__(self, text: str, groups: list[str | None]) -> None:
        self._all = [text, *groups]

    def __getitem__(self, index: int) -> str | None:
        return self._all[index]


def _date(year: int, month: int | None, day: int | None) -> Phrase | None:
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    return Phrase((0, 0), year=year, month=month, day=day)


def _ymd(match: re.Match[str]) -> Phrase | None:
    return _date(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)


def _slashed(match: re.Match[str]) -> Phrase | None:
    first, second, year = int(match[1]), int(match[2]), int(match[3])
    if first > 12 or first == second:
        return _date(year, second, first)
    # 3/4/2026 is two dates: which one depends on the country, so it is none.
    return _date(year, first, second) if second > 12 else None


def _han(match: re.Match[str]) -> Phrase | None:
    year, month, day, only_month, only_day = match.groups()[2:7]
    phrase = (
        _date(int(year), int(month) if month else None, int(day) if day else None)
        if year
        else _date(1, int(only_month), int(only_day))
    )
    if phrase is None:
        return None
    relation = relation_han(match)
    return replace(phrase, relation=relation, year=phrase.year if year else None)
