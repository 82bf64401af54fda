"""What the results of a precision run come to."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from belief_memory.evals.precision import Result


@dataclass(frozen=True, slots=True)
class Summary:
    """One line of the table."""

    kind: str
    passed: int
    cases: int
    precision: float | None
    recall: float | None
    drift: float
    p50_ms: float
    p95_ms: float


def summarise(results: Sequence[Result]) -> list[Summary]:
    """A line for each kind of case that occurs, and one for all of them."""
    kinds = [kind for kind in ("active", "structural", "empty") if _of(results, kind)]
    return [_line(kind, _of(results, kind)) for kind in kinds] + [_line("all", results)]


def _of(results: Sequence[Result], kind: str) -> list[Result]:
    return [result for result in results if result.kind == kind]


def _line(kind: str, results: Sequence[Result]) -> Summary:
    times = sorted(result.milliseconds for result in results)
    hit = sum(result.hit for result in results)
    surfaced = sum(result.surfaced for result in results)
    return Summary(
        kind=kind,
        passed=sum(not result.failures for result in results),
        cases=len(results),
        precision=_share(hit, sum(result.returned for result in results)),
        recall=_share(hit, sum(result.wanted for result in results)),
        drift=_share(sum(result.drifted for result in results), surfaced) or 0.0,
        p50_ms=statistics.median(times) if times else 0.0,
        p95_ms=times[min(len(times) - 1, int(len(times) * 0.95))] if times else 0.0,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
