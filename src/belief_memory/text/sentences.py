"""Where sentences begin and end, by their marks alone; good enough to leave one out."""

from __future__ import annotations

import re
from itertools import pairwise

_END = re.compile(r"[.!?…؟।]+[\"'»”’)\]]*(?=\s)|[。！？]+[」』”’）]*|\n")
_ASKS = re.compile(r"[?？؟][\s\"'»”’)\]」』）]*\Z")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence of ``text``, without the white space around it."""
    bounds = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    spans = []
    for start, end in pairwise(bounds):
        piece = text[start:end]
        if stripped := piece.strip():
            begin = start + piece.index(stripped[0])
            spans.append((begin, begin + len(stripped)))
    return spans


def asks(sentence: str) -> bool:
    """Whether it ends as a question does."""
    return _ASKS.search(sentence) is not None
