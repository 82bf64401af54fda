"""What in a text is a plain statement, and who it is about.

Questions, quotations, hypotheticals and irony are told apart by their marks (in every
language there is a file for); where marks are missing, nothing here can see them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
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
Speaker = Literal["self", "other", "unknown"]

_END = re.compile(
    r"(?<!\b[A-Z])(?<!\b(?:Mr|Dr|St|vs|Sr|Jr|ca|Nr|No))(?<!\b(?:Mrs|etc|bzw|z\.B|e\.g|i\.e))"
    r"[.!?…]+[\"'”’»)]*(?=\s|$)|[。！？]+[」』”]?|\n+|(?<=\S)(?=\s+[🙄😒🙃])"
)
_CLAUSE = re.compile(
    r"[,;:—–、，；：]\s*|\s+-\s+|\s+(?:and|but|while|und|aber|während|et|mais|y|pero|e|ma|mas|maar|и|но|а)\s+"
)
_QUOTED = re.compile(
    r"\"[^\"\n]+\"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|「[^」\n]+」|『[^』\n]+』|‘[^’\n]+’"
)
_BLOCKQUOTE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_ROLL = re.compile("[🙄😒🙃]")
_ASKS = re.compile(r"[?？][\"'”’»)]*\s*$|(?:か|の|吗|呢)[。？]?\s*$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NAMED = re.compile(r"^\W*([A-ZÀ-ÖØ-ÞА-ЯЁ][\w'’-]*)\s+([A-ZÀ-ÖØ-ÞА-ЯЁ])?")


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


@lru_cache(maxsize=64)
def quoted(text: str) -> tuple[tuple[int, int], ...]:
    """Spans in which somebody else's words stand: quotations of several words, and lines
    that start with ``>``. A quoted name is a name."""
    spans = [m.span() for m in _BLOCKQUOTE.finditer(text)]
    for match in _QUOTED.finditer(text):
        inner = match.group()[1:-1]
        wordy = len(_WORD.findall(inner)) > 3
        if wordy or re.search(r"[.!?。！？,]$|、", inner) or (len(inner) > 8 and "は" in inner):
            spans.append(match.span())
    return (*spans, *_material(text))


def _material(text: str) -> list[tuple[int, int]]:
    """Spans that are only given to be worked on, or are made up: what follows the colon of
    "translate this:" or "in my novel:", and the sentence that tells a story."""
    plain, offsets = fold(text)
    found = []
    for match in spotter("task").finditer(plain):
        colon = re.compile(r"[^.!?。！？\n]{0,80}?[:：]").match(plain, match.end())
        if colon is not None:
            found.append((colon.end(), len(plain)))
    for match in spotter("fiction").finditer(plain):
        end = re.compile(r"[.!?。！？\n]|$").search(plain, match.end())
        found.append((match.start(), len(plain) if end is None else end.end()))
    if offsets is None:
        return found
    return [(offsets[start], offsets[end]) for start, end in found]


def clauses(sentence: str) -> list[tuple[int, str]]:
    """The clauses of a sentence with their offsets in it."""
    found: list[tuple[int, str]] = []
    at = 0
    for match in _CLAUSE.finditer(sentence):
        if match.start() > at:
            found.append((at, sentence[at : match.start()]))
        at = match.end()
    if at < len(sentence):
        found.append((at, sentence[at:]))
    return found


def clause_at(sentence: str, at: int) -> str:
    """The clause around an offset."""
    return next((text for start, text in reversed(clauses(sentence)) if start <= at), sentence)


def owned_subject(clause: str) -> tuple[str, Language] | None:
    """What a clause is about that only belongs to the speaker ("my office", "our intern"):
    the words behind the possessive, and their language; None where the speaker is the
    subject."""
    plain = folded(clause)
    language = language_of(plain)
    if language is None or language.spaceless:
        return None
    first = spotter("possessive", language.code).search(plain)
    if first is None or first.start() > 12:
        return None
    owners = set(language.words("possessive"))
    others = [m for m in spotter("me", language.code).finditer(plain) if m[0] not in owners]
    if others:
        return None
    return " ".join(_WORD.findall(plain[first.end() :])[:3]), language


def spoken(kind: str, clause: str) -> bool:
    """Whether a clause has a word of this kind in its own language: past, future,
    negation, negative."""
    plain = folded(clause)
    language = language_of(plain)
    return spotter(kind, None if language is None else language.code).search(plain) is not None


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


def speaker(sentence: str, at: int, names: frozenset[str] = frozenset()) -> Speaker:
    """Whom the clause around offset ``at`` is about: the speaker, or somebody else.

    A clause without a subject of its own goes on about that of the clause before.

    Args:
        names: folded names of people known by name.
    """
    notes = spotter("noting").search(folded(sentence))
    if notes is not None and notes.end() <= at:
        sentence, at = sentence[notes.end() :], at - notes.end()
    before = [(start, text) for start, text in clauses(sentence) if start <= at]
    for start, clause in reversed(before):
        found = _subject(clause, names, begins=start == 0)
        if found != "unknown":
            return found
    return "unknown"


def _subject(clause: str, names: frozenset[str], *, begins: bool) -> Speaker:
    plain = folded(clause)
    language = language_of(plain)
    code = None if language is None else language.code
    people = [m.start() for m in spotter("people", code).finditer(plain)]
    possessed = {
        m.end()
        for m in spotter("possessive", code).finditer(plain)
        if any(
            0 <= start - m.end() <= 16 and " " not in plain[m.end() : start].strip()
            for start in people
        )
    }
    mine = [m for m in spotter("me", code).finditer(plain) if m.end() not in possessed]
    theirs = [
        *people,
        *(m.start() for m in spotter("others", code).finditer(plain)),
        *(m.start() for m in spotter("reported", code).finditer(plain)),
    ]
    theirs += [
        plain.find(name) for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", plain)
    ]
    first_mine = min((m.start() for m in mine), default=None)
    first_theirs = min(theirs, default=None)
    if first_mine is not None and (first_theirs is None or first_mine <= first_theirs):
        return "self"
    if first_theirs is not None:
        return "other"
    if begins and language is not None and not language.spaceless:
        # "The new hire lives in Cork"; further on, an article may begin an apposition.
        first = _WORD.search(plain)
        if first is not None and first[0] in language.words("articles") and len(plain.split()) > 2:
            return "other"
    return "other" if _about_a_name(clause, plain) else "unknown"


def _about_a_name(clause: str, plain: str) -> bool:
    """ "Tom lives in Oslo": begins with a name, in a language whose verbs need a subject."""
    match = _NAMED.match(clause)
    if match is None:
        return False
    if match[2]:
        return True
    language = language_of(plain)
    if language is None or language.drops_subject:
        return False
    small = {
        word for kind in ("function", "me", "question", "negation") for word in language.words(kind)
    }
    return folded(match[1]) not in small and len(_WORD.findall(clause)) > 2


def _kind(sentence: str) -> Kind:
    if sentence.startswith(">"):
        return "quotation"
    plain = folded(sentence)
    notes = spotter("noting").search(plain) is not None
    if _ASKS.search(sentence) and not notes:
        return "question"
    if _ROLL.search(sentence) or spotter("irony").search(plain) or _mock_praise().search(plain):
        return "irony"
    first = _WORD.search(plain)
    if first is not None and not notes and not re.search(r"[.!。！]\W*$", sentence):
        language = language_of(plain)
        if language and not language.spaceless and first[0] in language.words("question"):
            return "question"
    return "hypothetical" if supposed(sentence) == 0 else "statement"


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
            if not language.spaceless:
                pairs.append(rf"^(?:{praise})[,!.…]\s[^.!?]{{0,60}}\b(?:{_repeats(language)})\b")
    return re.compile("|".join(pairs))


def _repeats(language: Language) -> str:
    return any_of(word for word in language.words("again") if " " not in word)


def _with_irony(found: list[Sentence]) -> list[Sentence]:
    """Irony colours what stands beside it: "Lovely. Just kidding.", "Oh great. I love it"."""
    marked = {i for i, one in enumerate(found) if one.kind == "irony"}
    beside = {i + step for i in marked for step in (-1, 1)}
    return [
        Sentence(one.text, one.start, "irony") if i in beside and one.kind == "statement" else one
        for i, one in enumerate(found)
    ]
