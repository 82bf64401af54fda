"""What a draft rests on: the user's own words, and what kind of words they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from belief_memory.learning.heard import Heard, folded_once
from belief_memory.learning.languages import folded, language_of, spotter
from belief_memory.learning.sentences import (
    Kind,
    Sentence,
    clause_at,
    sentences,
    sentences_between,
    spoken,
    supposed,
    within_quotation,
)
from belief_memory.learning.templates import NOISE
from belief_memory.learning.words import all_tokens, meaning
from belief_memory.model.learning import Learned, Said
from belief_memory.text.normal import fold
from belief_memory.text.tokens import tokenise

_GAP = 6
"""Characters that may stand between two words of a quote."""


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


def find_evidence(learned: Learned, heard: Heard) -> Evidence | NoEvidence:
    """The user's sentence that a draft rests on: where its quote stands, or without a
    quote the sentence that shares most with its content."""
    if learned.quote is not None:
        return _by_quote(learned, learned.quote, heard)
    words = value_words(learned)
    best: tuple[int, Evidence] | None = None
    for said in heard.by_user(learned.message_id):
        for sentence, theirs in _with_words(said.prose):
            shared = words & theirs
            if shared and (best is None or len(shared) > best[0]):
                best = len(shared), _evidence(said, sentence, learned)
    if best is None:
        return NoEvidence("it rests on nothing the user said")
    return best[1]


@lru_cache(maxsize=64)
def _with_words(prose: str) -> tuple[tuple[Sentence, frozenset[str]], ...]:
    return tuple((one, meaning(one.text)) for one in sentences(prose))


def _by_quote(learned: Learned, quote: str, heard: Heard) -> Evidence | NoEvidence:
    for said in heard.by_user(learned.message_id):
        span = find_quote(said.text, quote)
        if span is None:
            continue
        if NOISE in said.prose[slice(*span)]:
            return NoEvidence("it rests on code or on a link", said)
        if within_quotation(said.prose, *span):
            return NoEvidence("it rests on a quotation", said)
        there = sentences_between(said.prose, *span)
        if not there:
            continue
        words = value_words(learned)
        sentence = max(there, key=lambda s: (len(words & meaning(s.text)), -s.start))
        return _evidence(said, sentence, learned, span[0])
    for said in heard.turns:
        if said.role != "user" and find_quote(said.text, quote) is not None:
            return NoEvidence(f"only the {said.role} says it", said)
    return NoEvidence("its quote is not in the conversation")


def _evidence(said: Said, sentence: Sentence, learned: Learned, quote_at: int = 0) -> Evidence:
    at = _value_at(sentence.text, learned, max(0, quote_at - sentence.start))
    if at is None:
        at = max(0, min(quote_at - sentence.start, len(sentence.text) - 1))
    kind = sentence.kind
    place = sentence.start + at
    if within_quotation(said.prose, place, place + 1):
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
    plain, offsets = folded_once(text)
    begin = _not_before(plain, words)
    if begin is None:
        return None
    gap = rf"[\W_]{{0,{_GAP}}}"
    match = re.compile(gap.join(re.escape(word) for word in words)).search(plain, begin)
    if match is None:
        return None
    if offsets is None:
        return match.span()
    return offsets[match.start()], offsets[match.end()]


def _not_before(plain: str, words: list[str]) -> int | None:
    """An offset before which the words cannot stand in this order; None if one of them
    stands nowhere. A pattern alone would go through all of a long text for every quote."""
    begin = ahead = 0
    for word in words:
        at = plain.find(word, begin)
        if at < 0:
            return None
        begin = max(begin, at - ahead)
        ahead += len(word) + _GAP
    return begin


def value_words(learned: Learned) -> set[str]:
    """The words of a draft's content that carry it, not those of its slot."""
    text = f"{learned.content} {learned.member or ''}" if learned.content else str(learned.slot)
    return set(meaning(text) - meaning(f"{learned.slot} user"))


def answers_a_question(evidence: Evidence, heard: Heard) -> bool:
    """Whether the message before the user's is the assistant's and asks: "Porto." is then
    a statement, and about the user."""
    before = heard.before(evidence.said)
    return (
        before is not None and before.role == "assistant" and bool(re.search("[?？]", before.text))
    )


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


def ungrounded(
    learned: Learned,
    evidence: Evidence,
    heard: Heard,
    known: Callable[[], Iterable[str]],
    copied: Callable[[], Iterable[str]],
) -> list[str]:
    """Numbers and names in a draft's content that neither the user nor what is known says.

    Names are compared only within one language: Köln is Cologne in another. Those that
    stand in ``copied`` (what is believed already) are compared in any. Both are asked for
    only where something is not said.
    """
    unsaid = [
        (word, folded(word))
        for at, word in enumerate(_content_words(learned.content))
        if any(char.isdigit() for char in word)
        or (at and heard.latin and word[:1].isupper() and len(word) > 1)
    ]
    slot = folded(str(learned.slot))
    unsaid = [one for one in unsaid if not _is_said(*one, heard, all_tokens(slot), slot)]
    if not unsaid:
        return []
    more = folded(" ".join((str(learned.slot), *known())))
    words = all_tokens(more)
    theirs = heard.language(evidence.said)
    ours = language_of(folded(learned.content))
    suspects = all_tokens(folded(" ".join(copied())))
    same = theirs is None or ours is None or theirs.code == ours.code
    return [
        word
        for word, plain in unsaid
        if (same or plain in suspects or any(char.isdigit() for char in word))
        and not _is_said(word, plain, heard, words, more)
    ]


def _content_words(content: str) -> Iterable[str]:
    for match in re.finditer(r"[^\W_][\w'’.-]*", content):
        yield match[0].rstrip(".'’-").removesuffix("'s").removesuffix("’s")


def _is_said(word: str, plain: str, heard: Heard, more: frozenset[str], text: str) -> bool:
    """Whether the user says a number or a name, or it is in ``text`` with the words ``more``."""
    words, numbers = heard.tokens, heard.numbers
    if plain in words or plain in more:
        return True
    if any(char.isdigit() for char in word):
        return all(
            part in words
            or part in more
            or part.lstrip("0") in words
            or part.lstrip("0") in more
            or part in numbers
            for part in re.findall(r"\d+", plain)
        )
    return all(heard.says(part) or part in more or part in text for part in tokenise(plain))
