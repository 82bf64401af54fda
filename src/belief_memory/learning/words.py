"""The words of a text that mean something, in whatever language it is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from belief_memory.learning.languages import folded, language_of
from belief_memory.text.tokens import spaceless, spans, tokenise


def words_of(text: str) -> Iterable[str]:
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
    return frozenset(words_of(text))


def first_word(text: str) -> str:
    """The first word of ``text`` that means something: what it is about, mostly."""
    return next(iter(words_of(text)), "")


def all_tokens(plain: str) -> frozenset[str]:
    """The tokens of folded text, and the numbers in them."""
    return frozenset(tokenise(plain)) | frozenset(re.findall(r"\d+", plain))
