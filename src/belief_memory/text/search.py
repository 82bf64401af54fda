"""Full-text search over what beliefs say, for people and tools. Recall never uses it.

Words are looked for at the start of words, so that "deploy" finds "deployments"; in
scripts without spaces, anywhere. Case, accents and width do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from zlib import crc32

from belief_memory.model.belief import Belief
from belief_memory.text.normal import fold
from belief_memory.text.tokens import SPACELESS, spaceless, tokenise

_DENSE = re.compile(f"[{SPACELESS}]+")
_PREFIXES = (2, 3, 5)


def wanted_words(text: str) -> tuple[str, ...]:
    """What has to occur in a belief: the words of ``text``, and its runs of scripts
    without spaces. Empty for a text without words, which finds nothing."""
    return tuple(dict.fromkeys(_pieces(fold(text)[0])))


def score(version: Belief, wanted: tuple[str, ...]) -> int:
    """How often the words occur in the version's names, content and directive; 0 unless
    every one of them does."""
    folded = _folded(version)
    if not all(word in folded for word in wanted):
        return 0
    tokens: list[str] | None = None
    total = 0
    for word in wanted:
        if spaceless(word[0]):
            total += folded.count(word)
            continue
        if tokens is None:
            tokens = [_plain(token) for token in tokenise(folded)]
        found = sum(token.startswith(word) for token in tokens)
        if not found:
            return 0
        total += found
    return total


def stored_terms(version: Belief) -> frozenset[str]:
    """Terms of a version, checksums as anchors are: it has all the terms of whatever it
    matches."""
    folded = _folded(version)
    found: set[str] = set()
    for token in set(map(_plain, tokenise(folded))):
        if not spaceless(token):
            found.update(_term(token[:size]) for size in _PREFIXES if len(token) >= size)
    for run in _DENSE.findall(folded):
        found.update(map(_term, run))
        found.update(_term(run[at : at + 2]) for at in range(len(run) - 1))
    return frozenset(found)


def wanted_terms(wanted: tuple[str, ...]) -> frozenset[str]:
    """Terms that whatever matches the words has, all of them; a single letter has none."""
    found: set[str] = set()
    for word in wanted:
        if not spaceless(word[0]):
            size = max((size for size in _PREFIXES if len(word) >= size), default=0)
            if size:
                found.add(_term(word[:size]))
        elif len(word) == 1:
            found.add(_term(word))
        else:
            found.update(_term(word[at : at + 2]) for at in range(len(word) - 1))
    return frozenset(found)


def _pieces(folded: str) -> Iterator[str]:
    for token in tokenise(folded):
        if not spaceless(token):
            yield _plain(token)
    yield from _DENSE.findall(folded)


def _plain(token: str) -> str:
    """Without what people leave out when they search: a possessive 's, a leading dot."""
    if token.endswith("'s") and len(token) > 2:
        token = token[:-2]
    return token.lstrip(".") or token


def _folded(version: Belief) -> str:
    parts = [version.canonical_name.replace("_", " "), *version.aliases]
    if version.attribute is not None:
        parts.append(version.attribute.replace("_", " "))
    parts += (version.content, version.why_it_matters)
    return fold("\n".join(parts))[0]


@lru_cache(maxsize=65536)
def _term(text: str) -> str:
    return f"w{crc32(text.encode()):x}"
