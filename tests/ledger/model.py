"""The truth table once more, point by point and without a single interval: the oracle."""

from __future__ import annotations

from collections.abc import Iterable

POINTS = 12
"""Days 0 to 11; the last stands for all that follow."""

Line = list[str | None]


class PointModel:
    """For each scope, what is true on each day. Values are already normalised."""

    def __init__(self) -> None:
        self.lines: dict[str, Line] = {}

    def line(self, scope: str) -> Line:
        return self.lines.setdefault(scope, [None] * POINTS)

    def remember(
        self, value: str, start: int, end: int | None, scopes: Iterable[str], now: int
    ) -> None:
        scopes = list(scopes)
        if end is None:
            end = min(self._claimed(self.line(scope), value, start, now) for scope in scopes)
        self.write(value, start, end, scopes)

    def write(self, value: str | None, start: int, end: int, scopes: Iterable[str]) -> None:
        for scope in scopes:
            for point in range(start, end):
                self.line(scope)[point] = value

    def copy(self) -> dict[str, Line]:
        return {scope: list(line) for scope, line in self.lines.items()}

    @staticmethod
    def _claimed(line: Line, value: str, start: int, now: int) -> int:
        begins_there = line[start] is not None and (start == 0 or line[start - 1] != line[start])
        replaces = begins_there and line[start] != value
        for point in range(start + 1, POINTS):
            before, here = line[point - 1], line[point]
            if here == before:
                continue
            if here is not None and here != value:
                return point
            if before is not None and point <= now:
                return point
            if before is not None and replaces and line[start:point] == [before] * (point - start):
                return point
        return POINTS
