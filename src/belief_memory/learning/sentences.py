"""What in a text is a plain statement, and who it is about.

Questions, quotations, hypotheticals and irony are told apart by their marks (in every
language there is a file for); where marks are missing, nothing here can see them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice, takewhile
from typing import Literal

from belief_memory.learning.languages import (
    Language,
    any_of,
    folded,
    language_of,
    languages,
    spotter,
)
from belief_memory.text.normal import fold

Kind = Literal["statement", "question", "quotation", "hypothetical", "irony"]

_END = re.compile(
    # Only where a run of marks begins, or each mark of a long run would look for its end.
    r"(?<![.!?…])(?:(?<!\b[A-Z])(?<!\b(?:Mr|Ms|Dr|St|vs|Sr|Jr|ca|Nr|No))"
    r"(?<!\b(?:Mrs|Mme|Sra|etc|bzw|z\.B|e\.g|i\.e))[.!?…]|[.!?…](?=[.!?…]))"
    r"[.!?…]*+[\"'”’»)]*+(?=\s|$)|[。！？]+[」』”]?|\n+|(?<=\S)(?=\s+[🙄😒🙃])"
)
_BREAK = r"[,;:—–、，；：]\s*|\s+-\s+"
_CLOSING = {
    '"': re.compile(r'["\n]'),
    "“": re.compile(r"[”\n]"),
    "„": re.compile(r"[“”\n]"),
    "«": re.compile(r"[»\n]"),
    "「": re.compile(r"[」\n]"),
    "『": re.compile(r"[』\n]"),
    "‘": re.compile(r"[’\n]"),
}
"""What ends a quotation, or shows that it has no end, by the mark that opens it."""
_OPENING = re.compile(f"[{''.join(_CLOSING)}]")
_BLOCKQUOTE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_TRANSCRIPT = re.compile(
    r"^[ \t]*[*_#]*(?:user|human|assistant|ai|bot|system)[*_]*[ \t]*:", re.MULTILINE
)
"""A conversation pasted into a message: who says what in it is nobody we know."""
_ASSIGNS = re.compile("[=({]")
_ROLL = re.compile("[🙄😒🙃]")
_SCARE = re.compile(r"(?i:\b(?:i|we|ich|wir|je|ik|jag|yo|io|eu|я|мы))\s+[\"“„«'‘]\w+[\"”“»'’]\s")
_ASKS = re.compile(r"[?？][\"'”’»)]*\s*$|(?:か|の|吗|呢)[。？]?\s*$")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, where it stands, and what it is."""

    text: str
    start: int
    kind: Kind

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@lru_cache(maxsize=64)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of ``text`` (prose: code and links blanked), each with its kind."""
    found: list[Sentence] = []
    at = 0
    for match in [*_END.finditer(text), None]:
        end = len(text) if match is None else match.end()
        piece = text[at:end]
        stripped = piece.strip()
        if stripped:
            found.append(Sentence(stripped, at + piece.index(stripped[0]), _kind(stripped)))
        at = end
    return tuple(_with_irony(found))


def sentences_between(text: str, start: int, end: int) -> list[Sentence]:
    """The sentences of ``text`` that a span has a part of."""
    found = sentences(text)
    first = bisect_right(found, start, key=lambda one: one.end)
    return list(takewhile(lambda one: one.start < end, islice(found, first, None)))


def within_quotation(text: str, start: int, end: int) -> bool:
    """Whether a span lies in one of the spans that :func:`quoted` finds."""
    starts, ends = _furthest(text)
    at = bisect_right(starts, start)
    return at > 0 and end <= ends[at - 1]


@lru_cache(maxsize=64)
def _furthest(text: str) -> tuple[list[int], list[int]]:
    """Where quotations begin, in order, and how far those up to there reach."""
    spans = sorted(quoted(text))
    return [start for start, _ in spans], list(accumulate((end for _, end in spans), max))


@lru_cache(maxsize=64)
def quoted(text: str) -> tuple[tuple[int, int], ...]:
    """Spans in which somebody else's words stand: quotations of several words, and lines
    that start with ``>``. A quoted name is a name."""
    spans = [m.span() for m in _BLOCKQUOTE.finditer(text)]
    for start, end in _marked(text):
        inner = text[start + 1 : end - 1]
        wordy = len(WORD.findall(inner)) > 3
        if wordy or re.search(r"[.!?。！？,]$|、", inner) or (len(inner) > 8 and "は" in inner):
            spans.append((start, end))
    return (*spans, *_material(text))


def _marked(text: str) -> Iterator[tuple[int, int]]:
    """What stands in quotation marks on one line."""
    at = 0
    without_end: dict[str, int] = {}
    while (opening := _OPENING.search(text, at)) is not None:
        mark, at = opening[0], opening.end()
        if at <= without_end.get(mark, 0):
            continue
        closing = _CLOSING[mark].search(text, at)
        if closing is None or closing[0] == "\n":
            without_end[mark] = len(text) if closing is None else closing.start()
        elif closing.start() > at:
            yield opening.start(), closing.end()
            at = closing.end()


def _material(text: str) -> list[tuple[int, int]]:
    """Spans that are only given to be worked on, or are made up: what follows the colon of
    "translate this:" or "in my novel:", and the sentence that tells a story."""
    plain, offsets = fold(text)
    found = []
    for match in spotter("task").finditer(plain):
        colon = re.compile(r"[^.!?。！？\n]{0,80}?[:：]").match(plain, match.end())
        if colon is not None:
            found.append((colon.end(), len(plain)))
            break
    found += _code_lines(plain)
    if (talk := _TRANSCRIPT.search(plain)) is not None:
        found.append((talk.start(), len(plain)))
    if (letter := _salutation().search(plain)) is not None:
        found.append((letter.start(), len(plain)))
    told = 0
    for match in spotter("fiction").finditer(plain):
        if match.start() < told:
            continue
        end = re.compile(r"[.!?。！？\n]|$").search(plain, match.end())
        told = len(plain) if end is None else end.end()
        found.append((match.start(), told))
    if offsets is None:
        return found
    return [(offsets[start], offsets[end]) for start, end in found]


def _code_lines(plain: str) -> Iterator[tuple[int, int]]:
    """Lines that end like code, with brackets or an assignment in them."""
    start = 0
    for line in plain.split("\n"):
        body = line.rstrip(" \t")
        head, last = body[:-1], body[-1:]
        ends = last and last in ";{})" and _ASSIGNS.search(head) is not None
        if ends and (last != ")" or _closed_before(head)):
            yield start, start + len(line)
        start += len(line) + 1


def _closed_before(head: str) -> bool:
    closed = re.search("[;{}]", head)
    return closed is not None and _ASSIGNS.search(head, closed.end()) is not None


@lru_cache(maxsize=1)
def _salutation() -> re.Pattern[str]:
    """A line that only addresses somebody: a letter follows, and whose it is is not said."""
    words = [word for language in languages() for word in language.words("salutation")]
    return re.compile(rf"^[ \t]*(?:{any_of(words)})\b[^\n:;]{{0,50}}[,:!]?[ \t]*\n", re.MULTILINE)


def clauses(sentence: str) -> list[tuple[int, str]]:
    """The clauses of a sentence with their offsets in it."""
    found: list[tuple[int, str]] = []
    at = 0
    language = language_of(folded(sentence))
    for match in _clause_end(None if language is None else language.code).finditer(sentence):
        if match.start() > at:
            found.append((at, sentence[at : match.start()]))
        at = match.end()
    if at < len(sentence):
        found.append((at, sentence[at:]))
    return found


@lru_cache(maxsize=32)
def _clause_end(code: str | None) -> re.Pattern[str]:
    """Marks, and the words between clauses in one language ("mais" is no "but" in all)."""
    words = [
        word
        for language in languages()
        if code in (None, language.code)
        for word in language.words("conjunctions")
    ]
    joined = rf"|\s+(?:{any_of(words)})\s+" if words else ""
    return re.compile(_BREAK + joined, re.IGNORECASE)


def clause_at(sentence: str, at: int) -> str:
    """The clause around an offset."""
    return next((text for start, text in reversed(clauses(sentence)) if start <= at), sentence)


def agrees_with_nobody(sentence: str) -> bool:
    """ "Sure, I have all day", "yes, and I am the pope": begins by agreeing, and goes on
    about the speaker."""
    plain = folded(sentence)
    language = language_of(plain)
    if language is None:
        return False
    agreeing, yes, joined = (
        any_of(language.words(kind)) or "(?!)" for kind in ("agreeing", "yes", "conjunctions")
    )
    opened = rf"\W*(?:(?:{agreeing})(?!\w)\W*|(?:(?:{yes})(?!\w)\W*)+(?:{joined})\s)"
    match = re.match(opened, plain)
    return match is not None and spotter("me", language.code).search(plain, match.end()) is not None


def spoken(kind: str, clause: str) -> bool:
    """Whether a clause has a word of this kind in its own language: past, future,
    negation, negative."""
    plain = folded(clause)
    language = language_of(plain)
    return spotter(kind, None if language is None else language.code).search(plain) is not None


def begins_with(kind: str, clause: str) -> bool:
    """Whether a clause begins with a word of this kind in its own language."""
    plain = folded(clause).lstrip()
    language = language_of(plain)
    return language is not None and bool(spotter(kind, language.code).match(plain))


def supposed(sentence: str) -> int | None:
    """Where a sentence begins to be about what is not so; None: nowhere."""
    plain, offsets = fold(sentence)
    language = language_of(plain)
    notes = spotter("noting").search(plain)
    begin = 0 if notes is None else notes.end()
    code = None if language is None else language.code
    starts = [match.start() for match in spotter("hypothetical", code).finditer(plain, begin)]
    for start in starts:
        at = start if offsets is None else offsets[start]
        if at and sentence[at].isupper() and not sentence.isupper():
            continue  # a name: "Alta IF"
        return 0 if not begin and start <= max(12, len(sentence) // 3) else at
    exact = spotter("hypothetical_exact", code).search(sentence.lower())
    if exact is not None:
        return 0 if not begin and exact.start() <= max(12, len(sentence) // 3) else exact.start()
    return None


def _kind(sentence: str) -> Kind:
    if sentence.startswith(">"):
        return "quotation"
    plain = folded(sentence)
    notes = spotter("noting").search(plain) is not None
    if not notes and (_ASKS.search(sentence) or _inverted(plain)):
        return "question"
    if (
        _ROLL.search(sentence)
        or _SCARE.search(sentence)
        or spotter("irony").search(plain)
        or _mock_praise().search(plain)
    ):
        return "irony"
    if not notes and not _is_closed(sentence):
        language = language_of(plain)
        if language is not None and not language.spaceless:
            asks = spotter("question", language.code).search(plain)
            if asks is not None and not re.search(r"\w", plain[: asks.start()]):
                return "question"
    return "hypothetical" if supposed(sentence) == 0 else "statement"


def _is_closed(sentence: str) -> bool:
    """Whether a mark that states or calls stands behind the last word."""
    for char in reversed(sentence):
        if char in ".!。！":
            return True
        if char == "_" or char.isalnum():
            return False
    return False


def _inverted(plain: str) -> bool:
    """ "Were I to move", "sollte ich umziehen": a verb before the speaker at the very start
    asks or supposes, whatever stands at the end."""
    language = language_of(plain)
    words = WORD.findall(plain)[:2]
    return (
        language is not None
        and len(words) == 2
        and words[0] in language.words("inverted")
        and words[1] in language.words("me")
        and words[1] not in language.words("possessive")
    )


@lru_cache(maxsize=1)
def _mock_praise() -> re.Pattern[str]:
    """ "Great, another delay": praise, and then once more of it."""
    pairs = []
    for language in languages():
        praise, again = any_of(language.words("praise")), any_of(language.words("again"))
        if praise and again:
            edge = "" if language.spaceless else r"\b"
            # Right behind it, or somewhere in what is so praised.
            pairs.append(rf"{edge}(?:{praise})[\s,.!…、，。]+(?:{again}){edge}")
            if language.spaceless:
                pairs.append(rf"(?:{again})[^。！？.!?]{{0,12}}(?:{praise})")
            loving = any_of(language.words("loving"))
            if loving:
                pairs.append(rf"^\W*(?:{praise})[,!.…]+\s(?:{loving})\b")
            if not language.spaceless:
                pairs.append(rf"^(?:{praise})[,!.…]\s[^.!?]{{0,60}}\b(?:{_repeats(language)})\b")
    return re.compile("|".join(pairs))


def _repeats(language: Language) -> str:
    return any_of(word for word in language.words("again") if " " not in word)


def _with_irony(found: list[Sentence]) -> list[Sentence]:
    """Irony colours what stands beside it: "Lovely. Just kidding.", "Oh great. I love it"."""
    marked = {i for i, one in enumerate(found) if one.kind == "irony"}
    beside = {i + step for i in marked for step in (-1, 1)}
    beside |= {i - 1 for i, one in enumerate(found) if _takes_back(one.text)}
    return [
        Sentence(one.text, one.start, "irony") if i in beside and one.kind == "statement" else one
        for i, one in enumerate(found)
    ]


def _takes_back(sentence: str) -> bool:
    """ "I love rain. Not.": nothing but a negation, which is meant for what stands before."""
    return len(WORD.findall(sentence)) == 1 and bool(
        spotter("negation").fullmatch(folded(sentence).strip(" .!…。！"))
    )
