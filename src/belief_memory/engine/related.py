"""Vectors of held beliefs, made when a recall asks for what is related and kept from then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from belief_memory.engine.state import State
from belief_memory.errors import InvalidQuery
from belief_memory.model.belief import Belief
from belief_memory.ports import Embedder
from belief_memory.retrieval.related import (
    Likely,
    asked,
    background,
    choose,
    likenesses,
    text_of,
    unit,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 256
"""Texts given to the embedder at once."""

_log = logging.getLogger("belief_memory")


class Related:
    """One memory's way to what is alike; see :meth:`AsyncBeliefMemory.open` for the options.

    The vectors live in the resident states: one a version, computed the first time it is
    compared, gone with the version or with the state. Nothing of them is stored.
    """

    def __init__(self, embedder: Embedder | None, threshold: float | None = None) -> None:
        if threshold is not None and (
            isinstance(threshold, bool)
            or not isinstance(threshold, (int, float))
            or not -1 <= threshold <= 1
        ):
            raise InvalidQuery(
                "related_threshold", f"expected a number from -1 to 1, got {threshold!r:.80}"
            )
        self._embedder = embedder
        self._threshold = threshold
        self._unrelated: NDArray[np.float32] | None = None
        self._lock = asyncio.Lock()

    def check(self) -> None:
        """Raises InvalidQuery where there is no embedder."""
        if self._embedder is None:
            raise InvalidQuery(
                "routes", "'related' needs an embedder: open the memory with embedder=…"
            )

    async def find(
        self, query: str, beliefs: Sequence[tuple[int, Belief]], states: Sequence[State]
    ) -> Likely | None:
        """What is alike to the query among the beliefs, each given with the number of its
        state. None where there is nothing to compare, or the embedder failed: beliefs that
        were named must reach the model whatever becomes of this route."""
        text = asked(query)
        if self._embedder is None or not text or not beliefs:
            return None
        try:
            async with self._lock:
                await self._complete(self._embedder, beliefs, states)
            (vector,) = await self._embed(self._embedder, [text])
            known = {
                (number, belief.version_id): likeness
                for number, belief in beliefs
                if (likeness := states[number].vectors.get(belief.version_id)) is not None
            }
            return choose(vector, beliefs, known, self._threshold)
        except Exception:  # noqa: BLE001 - an embedder's errors are its own
            _log.warning(
                "embedder %r failed; nothing related is recalled",
                getattr(self._embedder, "name", self._embedder),
                exc_info=True,
            )
            return None

    async def _complete(
        self, embedder: Embedder, beliefs: Sequence[tuple[int, Belief]], states: Sequence[State]
    ) -> None:
        if self._unrelated is None:
            self._unrelated = unit(await self._embed(embedder, background()))
        missing = [
            (number, belief)
            for number, belief in beliefs
            if belief.version_id not in states[number].vectors
        ]
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            vectors = await self._embed(embedder, [text_of(belief) for _, belief in batch])
            found = likenesses(vectors, self._unrelated)
            for (number, belief), likeness in zip(batch, found, strict=True):
                # It may have been retired or erased meanwhile.
                if states[number].held.version(belief.version_id) is not None:
                    states[number].vectors[belief.version_id] = likeness

    @staticmethod
    async def _embed(embedder: Embedder, texts: list[str]) -> list[list[float]]:
        vectors = await embedder.embed(texts)
        if len(vectors) != len(texts):
            raise ValueError(f"{len(vectors)} vectors came for {len(texts)} texts")
        return vectors
