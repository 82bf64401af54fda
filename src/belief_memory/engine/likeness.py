"""Likeness of texts by an embedder, asked once for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from belief_memory.ports import Embedder


async def likeness(
    embedder: Embedder | None, texts: Iterable[str]
) -> Callable[[str, str], float] | None:
    """Cosine similarity of two of the texts; 0 for a text that was not among them."""
    if embedder is None:
        return None
    wanted = list(dict.fromkeys(text for text in texts if text))
    if not wanted:
        return None
    vectors = dict(zip(wanted, await embedder.embed(wanted), strict=True))

    def alike(one: str, other: str) -> float:
        left, right = vectors.get(one), vectors.get(other)
        if left is None or right is None:
            return 0.0
        norms = math.hypot(*left) * math.hypot(*right)
        return sum(a * b for a, b in zip(left, right, strict=True)) / norms if norms else 0.0

    return alike
