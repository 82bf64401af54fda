"""A version's two intervals as two bars on the scale of its slot: true above, known below."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from belief_memory import Belief
from belief_memory.board.markup import Html, tag
from belief_memory.model.time import micros

WIDTH = 240
_OPEN = 16
"""Room at the end for what is still so."""
_LEAST = 2.0


@dataclass(frozen=True, slots=True)
class Scale:
    """From the first instant that any version of a slot names to the last, in microseconds."""

    first: int
    last: int

    def place(self, at: datetime | None) -> float:
        """Where an instant lies on the drawing; an open end lies at its edge."""
        if at is None:
            return float(WIDTH)
        span = self.last - self.first
        return (WIDTH - _OPEN) * ((micros(at) - self.first) / span) if span else 0.0


def scale_of(versions: Iterable[Belief]) -> Scale:
    """The scale that all of these versions fit on."""
    instants = [
        micros(at)
        for version in versions
        for at in (version.valid_from, version.valid_to, version.recorded_at, version.retired_at)
        if at is not None
    ]
    return Scale(min(instants), max(instants))


def timeline(version: Belief, scale: Scale) -> Html:
    """The drawing. The table beside it says the same in words, so it is hidden from those
    who listen."""
    return tag(
        "svg",
        tag("line", x1="0", y1="11", x2=str(WIDTH), y2="11", class_="axis"),
        _bar(version.valid_from, version.valid_to, scale, y="2", class_="true"),
        _bar(version.recorded_at, version.retired_at, scale, y="13", class_="known"),
        width=str(WIDTH),
        height="22",
        aria_hidden="true",
        focusable="false",
    )


def _bar(start: datetime, end: datetime | None, scale: Scale, *, y: str, class_: str) -> Html:
    left = min(scale.place(start), WIDTH - _LEAST)
    width = max(scale.place(end) - left, _LEAST)
    return tag("rect", x=f"{left:.1f}", y=y, width=f"{width:.1f}", height="7", class_=class_)
