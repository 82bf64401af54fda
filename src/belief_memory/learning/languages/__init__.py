"""What is known of each language: one file a language, read when first needed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from belief_memory.text.normal import fold

MARKS = "\u064b-\u065f\u0900-\u0903\u093a-\u094f"
"""Vowel signs, which a pattern takes for no part of a word: Arabic, Devanagari."""

_WORD = re.compile(rf"(?:[^\W\d_][{MARKS}]*)+(?:'[^\W\d_]+)?")


@dataclass(frozen=True)
class Language:
    """One language file, folded: words for the speaker, for others, for time."""

    code: str
    spaceless: bool
    suffixed: bool
    """Its words are endings of longer ones, once it is known to be the language."""
    drops_subject: bool
    """A first person may be in the verb alone ("Vivo en Madrid")."""
    script: str
    """A pattern of letters that only this language is written with, of those here."""
    topic: str
    """A pattern for what a clause is marked to be about."""
    speech: dict[str, tuple[str, ...]]
    time: dict[str, Any]

    def words(self, kind: str) -> tuple[str, ...]:
        """The folded words of one kind of the ``[speech]`` table."""
        return self.speech.get(kind, ())


@lru_cache(maxsize=1)
def languages() -> tuple[Language, ...]:
    """Every language there is a file for, in a stable order."""
    folder = files(__name__)
    return tuple(
        _language(entry.name.removesuffix(".toml"), entry.read_text(encoding="utf-8"))
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    )


@lru_cache(maxsize=256)
def spotter(kind: str, code: str | None = None) -> re.Pattern[str]:
    """Finds a language's words of one kind in folded text, as whole words; any language's
    without ``code``."""
    spaced: list[str] = []
    spaceless: list[str] = []
    for language in languages():
        if code not in (None, language.code):
            continue
        (spaceless if language.spaceless else spaced).extend(language.words(kind))
        if language.suffixed and code is not None:
            ends = any_of(spaced)
            return re.compile(rf"(?:{ends})(?![\w])" if ends else r"(?!)")
    return re.compile("|".join(filter(None, (whole(spaced), any_of(spaceless)))) or r"(?!)")


@lru_cache(maxsize=256)
def language_of(text: str) -> Language | None:
    """The language that most of the small words of folded ``text`` belong to; None if none."""
    words = set(_WORD.findall(text))
    counts = [(_count(language, words, text), language) for language in languages()]
    most = max(count for count, _ in counts)
    if not most:
        written = [one for one in languages() if one.script and re.search(one.script, text)]
        return written[0] if written else None
    best = [language for count, language in counts if count == most]
    return best[0] if len(best) == 1 else max(best, key=lambda one: _usual(one, words))


def _count(language: Language, words: set[str], text: str) -> int:
    if language.spaceless:
        kinds = ("me", "others", "possessive")
        return sum(word in text for kind in kinds for word in language.words(kind))
    if language.suffixed:
        return sum(word.endswith(language.words("me")) for word in words)
    return len(words.intersection(_small_words(language.code)))


def _usual(language: Language, words: set[str]) -> tuple[int, float]:
    """How usual the words are in a language: what decides where its small words do not.
    Those for the speaker tell more than any other."""
    own = len(words.intersection(language.words("me")))
    if language.spaceless:
        return own, 0.0
    from wordfreq import zipf_frequency

    return own, sum(zipf_frequency(word, language.code, wordlist="small") for word in words)


@lru_cache(maxsize=32)
def _small_words(code: str) -> frozenset[str]:
    language = next(one for one in languages() if one.code == code)
    kinds = ("function", "me", "others", "people", "question", "negation")
    return frozenset(word for kind in kinds for word in language.words(kind))


def whole(words: Iterable[str]) -> str:
    """A pattern for any of the words, not inside longer ones; ``""`` for none."""
    listed = any_of(words)
    return rf"(?<![\w'{MARKS}])(?:{listed})(?![\w{MARKS}])" if listed else ""


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, longest first; a space stands for any white space."""
    unique = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in unique)


def folded(text: str) -> str:
    """``text`` folded for comparing."""
    return fold(text)[0]


def _language(code: str, text: str) -> Language:
    raw = tomllib.loads(text)
    speech = raw.get("speech", {})
    return Language(
        code=code,
        spaceless=bool(speech.get("spaceless", False)),
        suffixed=bool(speech.get("suffixed", False)),
        drops_subject=bool(speech.get("drops_subject", False)),
        script=str(speech.get("script", "")),
        topic=str(speech.get("topic", "")),
        speech={
            kind: tuple(
                word if kind.endswith(("_exact", "_endings")) else folded(word) for word in words
            )
            for kind, words in speech.items()
            if isinstance(words, list)
        },
        time=_folded(raw.get("time", {})),
    )


def _folded(value: Any) -> Any:
    if isinstance(value, str):
        return folded(value)
    if isinstance(value, list):
        return [_folded(item) for item in value]
    if isinstance(value, dict):
        return {folded(key): _folded(item) for key, item in value.items()}
    return value
