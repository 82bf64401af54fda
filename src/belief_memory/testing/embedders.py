"""An embedder for tests: deterministic, offline, and honest about what it can tell."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence


class NgramEmbedder:
    """Counts of hashed character n-grams, scaled to length 1.

    Texts are alike as far as they share spelling; it knows nothing of meaning. The same
    text has the same vector in every process.

    Args:
        size: length of the character runs that are counted.
        dimensions: length of the vectors.
    """

    def __init__(self, size: int = 3, dimensions: int = 512) -> None:
        self.name = f"ngrams-{size}-{dimensions}"
        self.asked: list[str] = []
        """Every text that was asked for, in order."""
        self._size = size
        self._dimensions = dimensions

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order."""
        self.asked.extend(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        counts = [0.0] * self._dimensions
        padded = f" {' '.join(text.casefold().split())} "
        for start in range(len(padded) - self._size + 1):
            run = padded[start : start + self._size]
            counts[zlib.crc32(run.encode("utf-8", "replace")) % self._dimensions] += 1.0
        length = math.hypot(*counts) or 1.0
        return [count / length for count in counts]
