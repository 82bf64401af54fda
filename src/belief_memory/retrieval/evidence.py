"""The route ``evidence``: turns that bear on a query, best first. Pure.

Turns are ranked by BM25 among those that the reader may see, so that what others said
moves nothing. What a turn only asks, and what it says that is no longer so (``echoes``),
is no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from belief_memory.model.context import TurnReason
from belief_memory.model.episode import Episode
from belief_memory.retrieval.echoes import SlotValues, echoed, joined, left
from belief_memory.retrieval.related import asked
from belief_memory.text.normal import fold
from belief_memory.text.sentences import asks, sentence_spans
from belief_memory.text.tokens import spaceless, spans

_K1, _B = 1.2, 0.75
"""BM25's usual saturation and length normalisation."""

_FEW = 8
"""Turns from which a word that most of them have says nothing beside one that few have."""

LONGEST = 1200
"""Characters of one turn that are shown: those around what bears on the query."""

MOST_RANKED = 100
"""Turns that are looked at, best first, until there are enough."""

ROLES = ("user", "assistant")
"""Who may give evidence. Tools and web pages that they fetch say what others want said."""


def terms(text: str) -> Iterator[str]:
    """The words of ``text`` as they are ranked: folded; in scripts without spaces, pairs of
    characters."""
    plain = fold(text)[0]
    last: tuple[str, int] | None = None
    for start, end in spans(plain):
        token = plain[start:end]
        if not spaceless(token):
            yield token.removesuffix("'s")
            continue
        if last is not None and last[1] == start:
            yield last[0] + token
        last = token, end


def wanted(query: str, small: frozenset[str]) -> frozenset[str]:
    """What of a query is looked for: the words of its prose (Rule R10) that are not
    ``small`` ones."""
    return frozenset(term for term in terms(asked(query)) if term not in small)


class Turns:
    """Turns in the order in which they were observed, and where their words are."""

    def __init__(self) -> None:
        self._turns: list[Episode] = []
        self._lengths: list[int] = []
        self._places: dict[str, dict[int, int]] = {}
        self._first = 0

    def add(self, turns: Iterable[Episode]) -> None:
        """Take in later turns."""
        for turn in turns:
            place = len(self._turns)
            self._turns.append(turn)
            length = 0
            for term in terms(turn.text) if turn.role in ROLES else ():
                found = self._places.setdefault(term, {})
                found[place] = found.get(place, 0) + 1
                length += 1
            self._lengths.append(length)

    def skip(self, first: int) -> None:
        """Show nothing of so many of the oldest turns."""
        self._first = first

    def __iter__(self) -> Iterator[Episode]:
        return iter(self._turns[self._first :])

    def ranked(
        self, looked_for: frozenset[str], visible: Callable[[Episode], bool]
    ) -> list[Episode]:
        """The visible turns with any of the terms, best first; of equals, the newest."""
        if not looked_for:
            return []
        seen = {
            place for place in range(self._first, len(self._turns)) if visible(self._turns[place])
        }
        if not seen:
            return []
        average = sum(self._lengths[place] for place in seen) / len(seen) or 1.0
        places = {
            term: {p: n for p, n in self._places.get(term, {}).items() if p in seen}
            for term in sorted(looked_for)
        }
        telling = {term: found for term, found in places.items() if 2 * len(found) <= len(seen)}
        if len(seen) >= _FEW and any(telling.values()):
            places = telling
        scores: dict[int, float] = {}
        for found in places.values():
            weight = math.log(1 + (len(seen) - len(found) + 0.5) / (len(found) + 0.5))
            for place, count in found.items():
                length = self._lengths[place] / average
                gain = count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length))
                scores[place] = scores.get(place, 0.0) + weight * gain
        order = sorted(scores, key=lambda place: (-scores[place], -place))
        return [self._turns[place] for place in order[:MOST_RANKED]]


@dataclass(frozen=True, slots=True)
class Room:
    """How much evidence may be returned; ``tokens`` None is unlimited."""

    turns: int
    tokens: int | None
    count: Callable[[str], int]


def chosen(
    ranked: Sequence[Episode],
    query: str,
    looked_for: frozenset[str],
    values: Sequence[SlotValues],
    room: Room,
) -> tuple[list[Episode], list[TurnReason]]:
    """The turns that are returned, and why these and not others.

    A sentence that echoes a superseded value is left out of its turn, ``[…]`` in its
    place; a turn of which then nothing bears on the query is dropped.
    """
    taken: list[Episode] = []
    reasons: list[TurnReason] = []
    told = {_same(query)}
    tokens = room.tokens
    full = False
    for turn in ranked:
        key = _same(turn.text)
        if key in told:
            continue
        told.add(key)
        shown = _shown(turn, looked_for, values, reasons)
        if shown is None:
            continue
        cost = 0 if tokens is None else room.count(shown.text)
        full = full or len(taken) == room.turns or (tokens is not None and cost > tokens)
        if full:
            reasons.append(TurnReason(turn, False, "R9", "the budget was used up"))
            continue
        tokens = None if tokens is None else tokens - cost
        taken.append(shown)
        words = ", ".join(sorted(looked_for.intersection(terms(shown.text))))
        reasons.append(TurnReason(shown, True, "evidence", f"it says {words}"))
    reasons.sort(key=lambda reason: not reason.returned)
    return taken, reasons


def _shown(
    turn: Episode,
    looked_for: frozenset[str],
    values: Sequence[SlotValues],
    reasons: list[TurnReason],
) -> Episode | None:
    def bears(sentence: str) -> bool:
        return not asks(sentence) and not looked_for.isdisjoint(terms(sentence))

    text = left(turn.text, (), bears)
    if text is None:
        reasons.append(TurnReason(turn, False, "evidence", "it only asks"))
        return None
    stale = echoed(turn.text, values)
    text = left(turn.text, (span for span, _ in stale), bears)
    if text is None:
        about = ", ".join(dict.fromkeys(about for _, about in stale))
        why = f"it only echoes a superseded value of {about}"
        reasons.append(TurnReason(turn, False, "echo", why))
        return None
    text = _cut(text, bears)
    return turn if text == turn.text else replace(turn, text=text)


def _cut(text: str, bears: Callable[[str], bool]) -> str:
    """Of a long text, the first sentence that bears on the query and what follows it."""
    if len(text) <= LONGEST:
        return text
    found = sentence_spans(text)
    first = next((at for at, (s, e) in enumerate(found) if bears(text[s:e])), 0)
    start = found[first][0]
    kept = [(s, e) for s, e in found[first:] if e - start <= LONGEST]
    return joined(text, kept or [(start, start + LONGEST)])


def _same(text: str) -> str:
    return " ".join(terms(text))
