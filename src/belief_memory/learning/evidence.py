"""What a draft rests on: the user's own words, and what kind of words they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from belief_memory.learning.languages import folded, language_of, languages, spotter
from belief_memory.learning.sentences import (
    Kind,
    Sentence,
    clause_at,
    quoted,
    sentences,
    spoken,
    supposed,
)
from belief_memory.learning.templates import NOISE
from belief_memory.model.learning import Learned, Said
from belief_memory.text.normal import fold
from belief_memory.text.tokens import spaceless, spans, tokenise


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where the user says it."""

    said: Said
    sentence: Sentence
    at: int
    """Offset in the sentence around which the value stands."""
    kind: Kind


@dataclass(frozen=True, slots=True)
class NoEvidence:
    """Why a draft rests on nothing the user said."""

    reason: str
    said: Said | None = None


def find_evidence(learned: Learned, turns: Sequence[Said]) -> Evidence | NoEvidence:
    """The user's sentence that a draft rests on: where its quote stands, or without a
    quote the sentence that shares most with its content."""
    mine = [said for said in turns if said.role == "user"]
    mine.sort(key=lambda said: said.id != learned.message_id)
    if learned.quote is not None:
        return _by_quote(learned, learned.quote, mine, turns)
    words = value_words(learned)
    best: tuple[int, Evidence] | None = None
    for said in mine:
        for sentence in sentences(said.prose):
            shared = words & set(_words(sentence.text))
            if shared and (best is None or len(shared) > best[0]):
                best = len(shared), _evidence(said, sentence, learned)
    if best is None:
        return NoEvidence("it rests on nothing the user said")
    return best[1]


def _by_quote(
    learned: Learned, quote: str, mine: list[Said], turns: Sequence[Said]
) -> Evidence | NoEvidence:
    for said in mine:
        span = find_quote(said.text, quote)
        if span is None:
            continue
        if NOISE in said.prose[slice(*span)]:
            return NoEvidence("it rests on code or on a link", said)
        if any(start <= span[0] and span[1] <= end for start, end in quoted(said.prose)):
            return NoEvidence("it rests on a quotation", said)
        there = [s for s in sentences(said.prose) if s.start < span[1] and span[0] < s.end]
        if not there:
            continue
        words = value_words(learned)
        sentence = max(there, key=lambda s: (len(words & set(_words(s.text))), -s.start))
        return _evidence(said, sentence, learned, span[0])
    for said in turns:
        if said.role != "user" and find_quote(said.text, quote) is not None:
            return NoEvidence(f"only the {said.role} says it", said)
    return NoEvidence("its quote is not in the conversation")


def _evidence(said: Said, sentence: Sentence, learned: Learned, quote_at: int = 0) -> Evidence:
    at = _value_at(sentence.text, learned, max(0, quote_at - sentence.start))
    if at is None:
        at = max(0, min(quote_at - sentence.start, len(sentence.text) - 1))
    kind = sentence.kind
    place = sentence.start + at
    if any(start <= place < end for start, end in quoted(said.prose)):
        kind = "quotation"
    elif kind == "statement":
        begins = supposed(sentence.text)
        if begins is not None and begins <= at:
            kind = "hypothetical"
    return Evidence(said, sentence, at, kind)


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where the words of ``quote`` stand in ``text``, whatever stands between them."""
    words = tokenise(folded(quote))
    if not words:
        return None
    plain, offsets = _folded(text)
    gap = r"[\W_]{0,6}"
    match = re.search(gap.join(re.escape(word) for word in words), plain)
    if match is None:
        return None
    if offsets is None:
        return match.span()
    return offsets[match.start()], offsets[match.end()]


@lru_cache(maxsize=64)
def _folded(text: str) -> tuple[str, list[int] | None]:
    return fold(text)


def value_words(learned: Learned) -> set[str]:
    """The words of a draft's content that carry it, not those of its slot."""
    text = f"{learned.content} {learned.member or ''}" if learned.content else str(learned.slot)
    return set(_words(text)) - set(_words(f"{learned.slot} user"))


def _words(text: str) -> Iterable[str]:
    """Words that mean something: not the small words of the text's language. In scripts
    without spaces, pairs of characters."""
    plain = folded(text)
    language = language_of(plain)
    small: set[str] = set()
    if language is not None:
        for kind in ("function", "me", "others", "possessive", "negation"):
            small.update(language.words(kind))
    last: tuple[str, int] | None = None
    for start, end in spans(plain):
        token = plain[start:end]
        if spaceless(token):
            if last is not None and last[1] == start:
                yield last[0] + token
            last = token, end
        elif token not in small and (len(token) > 1 or token.isdigit()):
            yield token.removesuffix("'s")


def meaning(text: str) -> frozenset[str]:
    """The words of ``text`` that mean something."""
    return frozenset(_words(text))


def answers_a_question(evidence: Evidence, turns: Sequence[Said]) -> bool:
    """Whether the message before the user's is the assistant's and asks: "Porto." is then
    a statement, and about the user."""
    at = turns.index(evidence.said)
    before = turns[at - 1] if at else None
    return (
        before is not None and before.role == "assistant" and bool(re.search("[?？]", before.text))
    )


def first_word(text: str) -> str:
    """The first word of ``text`` that means something: what it is about, mostly."""
    return next(iter(_words(text)), "")


def says_too_little(evidence: Evidence, quote: str | None) -> bool:
    """Whether the words are no statement at all: thanks, a greeting, a single word."""
    text = evidence.sentence.text
    plain = folded(clause_at(text, evidence.at))
    if spoken("courtesy", plain):
        return True
    return (
        len(meaning(quote or text)) < 2
        and len(meaning(plain)) < 2
        and not any(spotter(kind).search(plain) for kind in ("me", "others", "negation"))
        and not re.search(r"\d", plain)
    )


def _value_at(sentence: str, learned: Learned, begin: int = 0) -> int | None:
    """Where in the sentence the draft's value stands: its last own word there, from the
    quote on where the quote has it."""
    plain, offsets = fold(sentence)
    if offsets is not None:
        begin = next((i for i, offset in enumerate(offsets) if offset >= begin), 0)
    found = [
        match.start()
        for word in value_words(learned)
        if (
            match := re.compile(rf"(?<!\w){re.escape(word)}").search(plain, begin)
            or re.search(rf"(?<!\w){re.escape(word)}", plain)
            or re.search(re.escape(word), plain)
        )
    ]
    if not found:
        return None
    at = max(found)
    return at if offsets is None else offsets[at]


@lru_cache(maxsize=16)
def _said_words(text: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """What is said, folded; its words; and the numbers that it has in words."""
    said = folded(text)
    words = _tokens(said)
    numbers = frozenset(
        str(value)
        for lang in languages()
        for word, value in lang.time.get("numbers", {}).items()
        if word in words or (lang.spaceless and word in said)
    )
    return said, words, numbers


def _tokens(plain: str) -> frozenset[str]:
    return frozenset(tokenise(plain)) | frozenset(re.findall(r"\d+", plain))


def ungrounded(
    learned: Learned,
    evidence: Evidence,
    turns: Sequence[Said],
    known: Iterable[str],
    copied: Iterable[str] = (),
) -> list[str]:
    """Numbers and names in a draft's content that neither the user nor what is known says.

    Names are compared only within one language: Köln is Cologne in another. Those that
    stand in ``copied`` (what is believed already) are compared in any.
    """
    said, words, numbers = _said_words("\n".join(one.text for one in turns if one.role == "user"))
    more = folded(" ".join((str(learned.slot), *known)))
    words = words | _tokens(more)
    allowed = f"{said} {more}"
    theirs = language_of(folded(evidence.said.prose))
    ours = language_of(folded(learned.content))
    suspects = _tokens(folded(" ".join(copied)))
    same = theirs is None or ours is None or theirs.code == ours.code
    latin = re.search(r"[a-z]", said) is not None
    missing: list[str] = []
    for at, match in enumerate(re.finditer(r"[^\W_][\w'’.-]*", learned.content)):
        word = match[0].rstrip(".'’-").removesuffix("'s").removesuffix("’s")
        plain = folded(word)
        if any(char.isdigit() for char in word):
            parts = re.findall(r"\d+", plain)
            if plain not in words and not all(
                p in words or p.lstrip("0") in words or p in numbers for p in parts
            ):
                missing.append(word)
        elif (
            (same or plain in suspects)
            and latin
            and at
            and word[:1].isupper()
            and len(word) > 1
            and plain not in words
        ):
            parts = tokenise(plain)
            if not all(part in words or part in allowed for part in parts):
                missing.append(word)
    return missing
