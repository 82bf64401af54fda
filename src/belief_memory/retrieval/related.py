"""The route ``related``: beliefs alike to the query, below those it names.

Likeness only adds to this route; it never admits to another one or keeps out of it. What
is returned beats a threshold: the caller's, or one found for each recall by scoring
questions that are known to be unrelated (``unrelated.py``) against the same beliefs. The
threshold therefore fits whatever scale an embedder has, and rises with the number of
beliefs that could be alike by chance. Where nothing beats it, nothing is returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from belief_memory.model.belief import Belief
from belief_memory.retrieval.matching import Ledger
from belief_memory.retrieval.noise import NOISE, mask
from belief_memory.retrieval.routes import route_of
from belief_memory.retrieval.unrelated import UNRELATED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

MOST_COMPARED = 10_000
"""Beliefs of one recall that are compared: the newest recorded."""

LEAST = 0.3
"""A calibrated threshold is never lower: an embedder that finds no likeness at all in the
unrelated questions has told nothing about its scale."""

TOLERATED = 1
"""Unrelated questions of a language that may score above the threshold, in case one of
them happens to be about something the user does have beliefs on."""

NEAR_MISSES = 3
"""Beliefs not alike enough that an explanation still tells of."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What is known of one belief's text: its vector, of length 1, and how alike each of
    the unrelated questions is to it."""

    vector: Vector
    chance: Vector


@dataclass(frozen=True, slots=True)
class Likely:
    """What the route found, best first, and the score that had to be beaten."""

    chosen: list[tuple[Belief, float]]
    near: list[tuple[Belief, float]]
    threshold: float


def asked(query: str) -> str:
    """What of a query is compared: its prose (Rule R10); ``""`` if there is none (R11)."""
    prose = " ".join(mask(query).replace(NOISE, " ").split())
    return prose if any(char.isalnum() for char in prose) else ""


def text_of(belief: Belief) -> str:
    """What of a belief is compared: its names, and what it says."""
    about = " ".join(filter(None, (belief.canonical_name, belief.attribute))).replace("_", " ")
    names = ", ".join(dict.fromkeys((about, *belief.aliases)))
    return f"{names}: {belief.content}"


def background() -> list[str]:
    """The unrelated questions, language after language."""
    return [question for questions in UNRELATED.values() for question in questions]


def comparable(
    ledgers: Iterable[Ledger], named: Iterable[Belief], types: frozenset[str] | None
) -> list[tuple[int, Belief]]:
    """Eligible beliefs (Rule R1) that would be relevant if named (R2) and are not named,
    each with its ledger's number."""
    taken = set(map(id, named))
    found = [
        (ledger.number, belief)
        for ledger in ledgers
        for belief in ledger.index
        if id(belief) not in taken
        and (types is None or belief.type in types)
        and route_of(belief) == "relevant"
        and ledger.resolver.reader.eligible(belief)
    ]
    if len(found) > MOST_COMPARED:
        found.sort(key=lambda one: (one[1].recorded_at, one[1].version_id), reverse=True)
        del found[MOST_COMPARED:]
    return found


def unit(vectors: Sequence[Sequence[float]]) -> NDArray[np.float32]:
    """The vectors, one a row, each scaled to length 1; those that have none become zero.

    Raises:
        ValueError: they differ in length, or are not numbers.
    """
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float32)
    if rows.ndim != 2:
        raise ValueError("the vectors differ in length")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    scaled: NDArray[np.float32] = np.where(usable, rows / np.where(usable, lengths, 1), 0)
    return scaled


def likenesses(
    vectors: Sequence[Sequence[float]], unrelated: NDArray[np.float32]
) -> list[Likeness]:
    """What to keep of each vector.

    Raises:
        ValueError: they are not all as long as those of the unrelated questions.
    """
    rows = unit(vectors)
    return [Likeness(row, chance) for row, chance in zip(rows, rows @ unrelated.T, strict=True)]


def choose(
    query: Sequence[float],
    beliefs: Sequence[tuple[int, Belief]],
    known: Mapping[tuple[int, str], Likeness],
    threshold: float | None,
) -> Likely:
    """The beliefs more alike to the query than the threshold, best first.

    Args:
        query: the query's vector.
        beliefs: what may be returned, each with its ledger's number.
        known: what is known of each, by ledger number and version id.
        threshold: cosine similarity to beat; None: as the unrelated questions tell.

    Raises:
        ValueError: the query's vector is of another length than the beliefs'.
    """
    import numpy as np

    compared = [
        (belief, likeness)
        for number, belief in beliefs
        if (likeness := known.get((number, belief.version_id))) is not None
    ]
    if not compared:
        return Likely([], [], LEAST if threshold is None else threshold)
    matrix = np.stack([likeness.vector for _, likeness in compared])
    if threshold is None:
        threshold = _calibrated(np.stack([likeness.chance for _, likeness in compared]))
    # Rounded, so that no order and no decision hangs on how a sum happened to be split.
    scores = np.round(matrix @ unit([query])[0], 4).tolist()
    order = sorted(
        ((belief, score) for (belief, _), score in zip(compared, scores, strict=True)),
        key=lambda one: (-one[1], one[0].id, one[0].rev),
    )
    chosen = [one for one in order if one[1] > threshold]
    return Likely(chosen, order[len(chosen) :][:NEAR_MISSES], threshold)


def _calibrated(chance: NDArray[np.float32]) -> float:
    """The score that all but ``TOLERATED`` of a language's unrelated questions stay at or
    below with their best belief, in the language where that is highest."""
    import numpy as np

    best = np.round(chance.max(axis=0), 4)
    threshold, start = LEAST, 0
    for questions in UNRELATED.values():
        scores = np.sort(best[start : start + len(questions)])
        threshold = max(threshold, float(scores[-1 - TOLERATED]))
        start += len(questions)
    return threshold
