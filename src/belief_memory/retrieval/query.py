"""A query as matching sees it: tokens over the prose, and what stands around them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from itertools import accumulate

from belief_memory.retrieval.languages import likely_languages
from belief_memory.retrieval.noise import mask
from belief_memory.text.normal import fold
from belief_memory.text.tokens import breaks, joins, spaceless, spans, tokenise

_SENTENCE_END = re.compile(r"[.!?…。！？\n\x1e\u061f\u06d4\u0964]")
_QUOTATION = re.compile(r"[:,]\s+[\"'“„«‘‚「『]")
_ENUMERATION = re.compile(r"[.)\]:]")

_ABBREVIATED = """
al approx av b bzw ca cf dott dr dra e ej evtl ex fig fr g ggf hr incl inkl inz mgr mlle mme mr
mrs ms nr np orn prof resp sig sog sr sra srta st sw tel tzn tzw ud ul vgl vs
вул г е им к напр пер пл пр проф св см ср т ул κ κα π χ
"""
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
"""What a point may follow inside a sentence; the last letter of e.g., i.e. and z.B. too."""

_CONTRACTIONS = frozenset(("t", "ll", "re", "ve", "d", "m"))

_PARTICLES = re.compile(
    "(?:님|씨)?(?:께서는|께서|에게서|에게|한테서|한테|에서|에다가|에는|에도|에|으로써|으로서|으로|로써|로서|로"
    "|이라는|라는|이라고|라고|이라면|라면|이라도|라도|이라|이랑|랑|이나|이란|란|이든|든|이야|이고|이며"
    "|이죠|이지|입니까|입니다|이에요|예요|인가요|인가|인데|인지|인|은요|는요|은|는|이|가|을|를|의|와|과|도|만"
    "|까지|부터|마다|마저|조차|밖에|보다|처럼|같은|같이|하고|하며|만큼|대로|뿐|들|나|야|아|여|요)*"
)
_PARTICLES_LENGTH = 8
"""No chain of particles that people use is longer; it bounds the work on odd input."""


def is_hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"


class Query:
    """The tokens of a text, their gaps, and the surface they came from.

    Positions are token indexes; ``end`` is exclusive.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded, self._offsets = fold(mask(text))
        self.tokens = tokenise(self.folded)
        self.speakers: dict[int, frozenset[str]] = {}
        """The languages in which clauses refer to the speaker, by their first token."""

    def __len__(self) -> int:
        return len(self.tokens)

    def gap(self, at: int) -> str:
        """The folded text between token ``at`` and the next."""
        return self.folded[self._spans[at][1] : self._spans[at + 1][0]]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Character offsets in the original text of the tokens ``start`` to ``end``."""
        first, last = self._spans[start][0], self._spans[end - 1][1]
        if self._offsets is None:
            return first, last
        return self._offsets[first], self._offsets[last]

    def surface(self, at: int, length: int | None = None) -> str:
        """How a token was written; only the part that folds to ``length`` characters."""
        first, last = self._spans[at]
        if length is not None:
            last = first + length
        if self._offsets is None:
            return self.text[first:last]
        return self.text[self._offsets[first] : self._offsets[last]]

    def run(self, start: int, end: int) -> str:
        """The tokens from ``start`` to ``end`` joined by spaces."""
        joined, lengths = self._joined
        return joined[lengths[start] + start : lengths[end] + end - 1]

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return spans(self.folded)

    @cached_property
    def _joined(self) -> tuple[str, list[int]]:
        return " ".join(self.tokens), list(accumulate(map(len, self.tokens), initial=0))

    @cached_property
    def positions(self) -> dict[str, list[int]]:
        """Where each token stands."""
        where: defaultdict[str, list[int]] = defaultdict(list)
        for at, token in enumerate(self.tokens):
            where[token].append(at)
        return dict(where)

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages it is likely written in, if in Latin letters."""
        return likely_languages(self.tokens)

    def joined(self, start: int, end: int, joints: tuple[str, ...] | None) -> bool:
        """Whether the gaps between ``start`` and ``end`` are what a name asks for."""
        tokens = self.tokens
        for at in range(start, end - 1):
            left, right = tokens[at], tokens[at + 1]
            if joints is not None:
                wanted = joints[at - start]
            else:
                wanted = "" if spaceless(left) and spaceless(right) else " "
            if not joins(wanted, left, self.gap(at), right):
                return False
        return True

    def whole(self, start: int, end: int) -> bool:
        """Whether the tokens ``start`` to ``end`` are not a piece of something longer: a
        number, a katakana word, a Thai syllable, or a run of a script without spaces of
        which they are a single character."""
        first, last = self.tokens[start], self.tokens[end - 1]
        if last[-1] == "n" and self._negated(end - 1):
            return False
        if first.isalpha() and first < "\u0e00" and last.isalpha() and last < "\u0e00":
            return True
        if first[0].isdecimal() and start and self._decimal(start - 1):
            return False
        if last[-1].isdecimal() and end < len(self.tokens) and self._decimal(end - 1):
            return False
        if first < "\u0e00" and last < "\u0e00":
            return True
        before = self._touching(start - 1, spaceless(first))
        after = self._touching(end - 1, spaceless(last), ahead=True)
        if end - start == 1 and spaceless(first):
            return before is None and after is None
        return not (
            (before is not None and _katakana(before) and _katakana(first))
            or (after is not None and _katakana(after) and _katakana(last))
            or (after is not None and _thai_mark(after))
        )

    def _decimal(self, at: int) -> bool:
        """Whether the gap after ``at`` is a point or comma inside a number."""
        return (
            self.gap(at) in (".", ",")
            and self.tokens[at][-1].isdecimal()
            and self.tokens[at + 1][0].isdecimal()
        )

    def _touching(self, at: int, wanted: bool, *, ahead: bool = False) -> str | None:
        """The spaceless neighbour across the gap after ``at``, if nothing is between."""
        if not wanted or at < 0 or at + 1 >= len(self.tokens) or self.gap(at):
            return None
        neighbour = self.tokens[at + 1] if ahead else self.tokens[at]
        return neighbour if spaceless(neighbour) else None

    def starts_sentence(self, at: int) -> bool:
        """Whether the token stands first in its sentence, quotation or line."""
        while at:
            gap = self.gap(at - 1)
            before = self.tokens[at - 1]
            if _SENTENCE_END.search(gap):
                return not (gap.startswith(". ") and self._abbreviated(at - 1))
            if _QUOTATION.match(gap):
                return True
            numbered = before.isdecimal() or len(before) == 1
            if before.isalnum() and not (numbered and _ENUMERATION.match(gap)):
                return False
            at -= 1
        return True

    def _abbreviated(self, at: int) -> bool:
        token = self.tokens[at]
        return token in _ABBREVIATIONS or (token == "m" and self.surface(at) == "M")  # Monsieur

    def shouted(self, start: int, end: int) -> bool:
        """Whether the line is all capitals, judged by its other words."""
        first, last = self.span(start, end)
        line = bisect_right(self._lines[0], first) - 1
        lower, upper = self._lines[1][line]
        own = self.text[first:last]
        return lower == sum(map(str.islower, own)) and upper - sum(map(str.isupper, own)) > 1

    @cached_property
    def _lines(self) -> tuple[list[int], list[tuple[int, int]]]:
        """Where lines start, and how many lower-case and capital letters each has: scripts
        without case neither shout nor whisper."""
        lines = self.text.split("\n")
        starts = list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
        counts = [(sum(map(str.islower, line)), sum(map(str.isupper, line))) for line in lines]
        return starts, counts

    def clause(self, at: int) -> tuple[int, int]:
        """The tokens of the clause around ``at``: up to the next mark that ends a phrase."""
        clauses = self._clauses
        which = bisect_right(clauses, at)
        return clauses[which - 1], clauses[which] if which < len(clauses) else len(self.tokens)

    @cached_property
    def _clauses(self) -> list[int]:
        return [0, *(at + 1 for at in range(len(self.tokens) - 1) if breaks(self.gap(at)))]

    def letter_in_a_compound(self, at: int) -> bool:
        """Whether a single letter is joined to a neighbour by & + or an apostrophe, is the
        scale of a temperature (20 °C) or an initial (F.D.A., John F. Kennedy)."""
        before = self.gap(at - 1) if at else " "
        after = self.gap(at) if at + 1 < len(self.tokens) else " "
        if before.endswith("°") or any("&" in gap or gap in ("+", "'") for gap in (before, after)):
            return True
        if (before == "." and len(self.tokens[at - 1]) == 1) or (
            after == "." and len(self.tokens[at + 1]) == 1
        ):
            return True
        return (
            (before, after) == (" ", ". ")
            and not self.starts_sentence(at - 1)
            and self._capital(at - 1)
            and self._capital(at + 1)
        )

    def _capital(self, at: int) -> bool:
        written = self.surface(at)
        return len(written) > 1 and written[0].isupper() and written[1:].islower()

    def contracted(self, at: int) -> bool:
        """Whether the token is the stem of a contraction (wasn't, they'll)."""
        return (
            at + 1 < len(self.tokens)
            and self.tokens[at + 1] in _CONTRACTIONS
            and self.gap(at) == "'"
        )

    def _negated(self, at: int) -> bool:
        """Whether the token is all but the 't of a negation (won't), so no word."""
        return self.contracted(at) and self.tokens[at + 1] == "t"


def shorter_forms(token: str) -> tuple[tuple[str, bool], ...]:
    """What a token may stand for at the end of a name, and whether by dropping a plural s:
    without a possessive, a plural s, or Korean particles (Rule R3)."""
    last = token[-1]
    if last == "s":
        if token.endswith("'s"):
            return ((token[:-2], False),) if len(token) > 2 else ()
        return ((token[:-1], True),) if len(token) > 2 else ()
    if is_hangul(last):
        return tuple(
            (token[:at], False)
            for at in range(max(1, len(token) - _PARTICLES_LENGTH), len(token))
            if is_hangul(token[at]) and _PARTICLES.fullmatch(token, at)
        )
    return ()


def unsuffixed(token: str) -> str:
    """A token without what never belongs to a misspelt word: a possessive, and Korean
    particles after a word of another script."""
    if token.endswith("'s"):
        return token[:-2]
    if is_hangul(token[-1]) and not is_hangul(token[0]):
        at = next(at for at in range(1, len(token)) if is_hangul(token[at]))
        if len(token) - at <= _PARTICLES_LENGTH and _PARTICLES.fullmatch(token, at):
            return token[:at]
    return token


def _katakana(char: str) -> bool:
    return "\u30a1" <= char <= "\u30ff" or "\u31f0" <= char <= "\u31ff"


def _thai_mark(char: str) -> bool:
    return (
        char in "\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a" or "\u0e47" <= char <= "\u0e4e"
    )
