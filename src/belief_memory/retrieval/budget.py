"""How much a recall returns (Rule R9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from belief_memory.model.belief import Belief

CountTokens = Callable[[str], int]

_PER_TOKEN = 4
_PER_TOKEN_DENSE = 1


def estimate_tokens(text: str) -> int:
    """A cheap estimate, for when no tokeniser is given: four ASCII characters a token,
    rounded up, and one character a token for everything else. It errs on the high side
    for the tokenisers in common use."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return -(-ascii_only // _PER_TOKEN) + (len(text) - ascii_only) // _PER_TOKEN_DENSE


def within_tokens(
    beliefs: Sequence[Belief], limit: int, count: CountTokens
) -> tuple[list[Belief], int]:
    """The longest head of ``beliefs`` that fits, and what is left of the limit.

    The first belief that does not fit ends it; then nothing is left.
    """
    kept: list[Belief] = []
    for belief in beliefs:
        cost = count(f"{belief.content}\n{belief.why_it_matters}")
        if cost > limit:
            return kept, 0
        limit -= cost
        kept.append(belief)
    return kept, limit
