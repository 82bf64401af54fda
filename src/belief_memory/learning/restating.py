"""Whether a draft only says again what is held. What differs in a number, a date, a name
or a negation never does, however alike the words are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from belief_memory.learning.languages import folded, languages, spotter
from belief_memory.model.belief import Belief
from belief_memory.text.fold import value_key
from belief_memory.text.tokens import tokenise

SURPRISE = 0.08
"""Below it (1 - similarity) a sentence with the same facts in it says nothing new."""

_EDGES = re.compile(r"^[\s\"'“”„«»「」.,;:!?。！？]+|[\s\"'“”„«»「」.,;:!?。！？]+$")


def restated(
    content: str, held: Sequence[Belief], alike: Callable[[str, str], float] | None = None
) -> Belief | None:
    """The held belief that ``content`` says again, if any.

    Args:
        alike: similarity by an embedder; without one only the same words count, but for
            case, white space and the punctuation around them.
    """
    plain = _plain(content)
    for belief in held:
        if _plain(belief.content) == plain:
            return belief
    if alike is None:
        return None
    for belief in held:
        if (
            facts(content) == facts(belief.content)
            and alike(content, belief.content) > 1 - SURPRISE
        ):
            return belief
    return None


def facts(text: str) -> frozenset[str]:
    """What may not differ between two sentences that say the same: numbers, names,
    months and weekdays, negations."""
    plain = folded(text)
    tokens = tokenise(plain)
    found = {token for token in tokens if any(char.isdigit() for char in token)}
    found |= set(_dates()) & set(tokens)
    found |= {f"not:{match[0]}" for match in spotter("negation").finditer(plain)}
    words = re.findall(r"[^\W_][\w'’-]*", text)
    found |= {folded(word) for word in words[1:] if word[:1].isupper()}
    if words and any(char.isupper() for char in words[0][1:]):
        found.add(folded(words[0]))
    return frozenset(found)


def _dates() -> Iterable[str]:
    for language in languages():
        for kind in ("months", "weekdays"):
            for names in language.time.get(kind, ()):
                yield from names


def _plain(text: str) -> str:
    return value_key(_EDGES.sub("", text))
