"""Figures of one run, printed as a Markdown table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Sequence


async def timed_ms(call: Callable[[], Awaitable[object]]) -> float:
    """Milliseconds that awaiting ``call()`` took."""
    started = time.perf_counter()
    await call()
    return (time.perf_counter() - started) * 1000


class Report:
    """Collects figures and prints them."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._rows: list[tuple[str, str, str]] = []

    def ratio(
        self,
        what: str,
        ours: Sequence[float],
        theirs: Sequence[float],
        *,
        at_most: float | None = None,
    ) -> None:
        """Medians of two series, and their ratio."""
        mine, bare = statistics.median(ours), statistics.median(theirs)
        goal = "" if at_most is None else f" (at most {at_most:g})"
        self._rows.append((what + goal, f"{mine / bare:.2f}", f"{mine:.3f} / {bare:.3f} ms"))

    def figure(self, what: str, value: float, unit: str) -> None:
        """One measured value."""
        shown = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"
        self._rows.append((what, f"{shown} {unit}", ""))

    def show(self) -> None:
        print(f"\n### {self._title}\n\n| measured | result | medians |\n|---|---|---|")
        for row in self._rows:
            print(f"| {' | '.join(row)} |")
