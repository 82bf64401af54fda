"""Stale echoes: what turns say that is no longer so. Pure.

A sentence echoes a superseded value if it has what tells that value from the current one
(the name or number in it; where it has none, more than half of its other words), unless
its turn also says the current value: "I moved from Oslo to Porto" is no echo. Rather too
much is left out than something stale shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from belief_memory.ledger.held import key_of
from belief_memory.model.belief import Belief
from belief_memory.retrieval.ordinary import is_common
from belief_memory.text.normal import fold
from belief_memory.text.sentences import sentence_spans
from belief_memory.text.tokens import spaceless, spans

Span = tuple[int, int]

_SAID = ("held", "retained", "rejected")
"""What once was, or was decided not to be; what waits for a decision is not stale."""


@dataclass(frozen=True, slots=True)
class SlotValues:
    """What one slot says now, what it said before, and the words that was learned from."""

    about: str
    current: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text: those that are like names (capitals, digits), the others, and
    pairs of characters of scripts without spaces."""

    order: tuple[str, ...]
    names: frozenset[str]
    plain: frozenset[str]
    pairs: frozenset[str]

    def without(self, others: Sequence[_Words]) -> _Words:
        """What the other texts do not say."""
        said = frozenset[str]().union(*(one.names | one.plain for one in others))
        pairs = frozenset[str]().union(*(one.pairs for one in others))
        return _Words(
            self.order,
            self.names - said,
            frozenset(word for word in self.plain if not _among(word, said)),
            self.pairs - pairs,
        )


@dataclass(frozen=True, slots=True)
class About:
    """The beliefs that a recall returns or that are named, and by whom it is read."""

    beliefs: tuple[Belief, ...]
    scopes: frozenset[str]
    agent_id: str | None
    valid_at: datetime
    known_at: datetime | None = None
    """None: now."""

    def sees(self, version: Belief) -> bool:
        """Whether the reader may see it, and knew and could have been told of it."""
        return (
            version.agent_id in (None, self.agent_id)
            and not self.scopes.isdisjoint(version.scopes)
            and version.standing in _SAID
            and version.valid_from <= self.valid_at
            and (self.known_at is None or version.recorded_at <= self.known_at)
        )

    def current(self, version: Belief) -> bool:
        """Whether it is what is held and true at the asked instants."""
        held = version.retired_at is None
        if self.known_at is not None:
            held = version.known_at(self.known_at)
        return (
            held
            and version.standing == "held"
            and version.valid_at(self.valid_at)
            and not (version.superseded_by is not None and version.valid_to is None)
        )


def values_of(about: About, versions: Iterable[Belief]) -> list[SlotValues]:
    """The values of each slot that ``about`` is about.

    Args:
        versions: everything recorded in those slots, and what it superseded elsewhere.
    """
    seen = [version for version in versions if about.sees(version)]
    by_id: dict[str, list[Belief]] = {}
    by_slot: dict[str, list[Belief]] = {}
    for version in seen:
        by_id.setdefault(version.id, []).append(version)
        by_slot.setdefault(key_of(version), []).append(version)
    values = []
    for key in dict.fromkeys(map(key_of, about.beliefs)):
        here = _with_superseded(by_slot.get(key, []), by_id)
        current = [version.content for version in here if about.current(version)]
        past = [version for version in here if version.content not in current]
        if past:
            still = _quotes(version for version in here if version.content in current)
            values.append(
                SlotValues(
                    about=str(past[0].slot),
                    current=tuple(dict.fromkeys(current)),
                    stale=tuple(dict.fromkeys(version.content for version in past)),
                    quotes=tuple(quote for quote in _quotes(past) if quote not in still),
                )
            )
    return values


def _quotes(versions: Iterable[Belief]) -> dict[str, None]:
    return {v.provenance.quote: None for v in versions if v.provenance and v.provenance.quote}


def _with_superseded(slot: list[Belief], by_id: dict[str, list[Belief]]) -> list[Belief]:
    found = {version.version_id: version for version in slot}
    waiting = list(slot)
    while waiting:
        for version in by_id.get(waiting.pop().supersedes or "", ()):
            if version.version_id not in found:
                found[version.version_id] = version
                waiting.append(version)
    return list(found.values())


def echoed(text: str, values: Sequence[SlotValues]) -> list[tuple[Span, str]]:
    """The sentences of a turn that echo a superseded value, each with what it is about."""
    found: dict[Span, str] = {}
    whole = _words(text)
    for one in values:
        current, stale = _read(one.current), _read(one.stale)
        # A value that is held again is not stale, whatever was held in between.
        stale = [words for words in stale if all(words.order != now.order for now in current)]
        if not stale or any(_says_current(whole, now, stale) for now in current):
            continue
        apart = [words.without(current) for words in stale]
        told = [*(words.order for words in stale), *(_words(quote).order for quote in one.quotes)]
        for start, end in sentence_spans(text):
            said = _words(text[start:end])
            if any(_says(said, words) for words in apart) or any(
                _contains(said.order, order) for order in told
            ):
                found.setdefault((start, end), one.about)
    return sorted(found.items())


def _read(texts: Iterable[str]) -> list[_Words]:
    return [words for text in dict.fromkeys(texts) if (words := _words(text)).order]


def _says_current(whole: _Words, now: _Words, stale: Sequence[_Words]) -> bool:
    own = now.without(stale)
    if own.names:
        return 2 * len(own.names & whole.names | own.names & whole.plain) >= len(own.names)
    if own.pairs:
        return 2 * len(own.pairs & whole.pairs) >= len(own.pairs)
    if own.plain:
        return _most(own.plain, whole)
    # Nothing tells it from what was held before, except that it is said as it stands.
    return _contains(whole.order, now.order)


def _says(said: _Words, own: _Words) -> bool:
    if own.names & (said.names | said.plain):
        return True
    if own.pairs and 2 * len(own.pairs & said.pairs) >= len(own.pairs):
        return True
    return bool(own.plain) and not own.names and _most(own.plain, said)


def _most(own: frozenset[str], said: _Words) -> bool:
    rare = frozenset(word for word in own if not is_common(word)) or own
    words = said.plain | said.names
    return 2 * sum(_among(word, words) for word in rare) > len(rare)


def _among(word: str, others: frozenset[str]) -> bool:
    """Whether one of the others is the word, or a form of it (lives, lived)."""
    if word in others:
        return True
    least = max(4, len(word) - 1)
    return len(word) >= least and any(
        abs(len(other) - len(word)) <= 2 and other[:least] == word[:least] for other in others
    )


def _contains(order: tuple[str, ...], part: tuple[str, ...]) -> bool:
    size = len(part)
    return size > 0 and any(order[at : at + size] == part for at in range(len(order) - size + 1))


@lru_cache(maxsize=4096)
def _words(text: str) -> _Words:
    plain, offsets = fold(text)
    order: list[str] = []
    names: set[str] = set()
    rest: set[str] = set()
    pairs: set[str] = set()
    last: tuple[str, int] | None = None
    for at, (start, end) in enumerate(spans(plain)):
        token = plain[start:end]
        order.append(token)
        if spaceless(token):
            if last is not None and last[1] == start:
                pairs.add(last[0] + token)
            last = token, end
            continue
        word = token.removesuffix("'s").lstrip(".") or token
        first = text[start if offsets is None else offsets[start]]
        if any(char.isdigit() for char in word) or (
            first.isupper() and (at > 0 or not is_common(word))
        ):
            names.add(word)
        else:
            rest.add(word)
    return _Words(tuple(order), frozenset(names), frozenset(rest), frozenset(pairs))


def left(text: str, out: Iterable[Span], counts: Callable[[str], bool]) -> str | None:
    """``text`` without some of its sentences, ``[…]`` in their place; None if nothing that
    ``counts`` is left of it."""
    gone = set(out)
    kept = [span for span in sentence_spans(text) if span not in gone]
    if not any(counts(text[start:end]) for start, end in kept):
        return None
    if not gone:
        return text
    return joined(text, kept)


def joined(text: str, kept: Sequence[Span]) -> str:
    """The sentences of ``text`` that are kept, with ``[…]`` for what is not."""
    parts: list[str] = []
    at = 0
    for start, end in kept:
        gap = text[at:start]
        parts += (gap if not gap.strip() else " […] " if parts else "[…] ", text[start:end])
        at = end
    if text[at:].strip():
        parts.append(" […]")
    return "".join(parts).strip()
