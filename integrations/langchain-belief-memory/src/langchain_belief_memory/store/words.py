"""Finding items by the words they have."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[\w+#]+(?:['’.\-][\w+#]+)*")
ENOUGH = 0.5
"""The share of a query's words that an item must have: half of them or more."""


def words_of(query: str) -> list[str]:
    """The words to look for, folded, each once; single letters only if there is no more."""
    words = list(dict.fromkeys(_WORD.findall(_folded(query))))
    return [word for word in words if len(word) > 1 or not word.isascii()] or words


def share(text: str, words: list[str]) -> float:
    """How many of the words begin a word of ``text``, of all; 0 where too few do.

    In scripts that write no spaces a word is found anywhere.
    """
    if not words:
        return 0.0
    folded = _folded(text)
    found = sum(_occurs(word, folded) for word in words) / len(words)
    return found if found >= ENOUGH else 0.0


def _occurs(word: str, text: str) -> bool:
    if word not in text:
        return False
    if not word.isascii() and word.upper() == word.lower():
        return True
    return re.search(rf"(?<!\w){re.escape(word)}", text) is not None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
