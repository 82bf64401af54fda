"""How one value's rows are laid out: what is missing, and neighbours as one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from belief_memory.ledger.intervals import Span


class Piece(NamedTuple):
    """A row to be: an interval in some scopes, and the rows it continues."""

    start: datetime
    end: datetime
    scopes: tuple[str, ...]
    sources: tuple[Span, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether it is a row that is held already."""
        if len(self.sources) != 1:
            return False
        span = self.sources[0]
        return (
            self.start == span.start and self.end == span.end and self.scopes == span.version.scopes
        )


class Gap(NamedTuple):
    """A part of an assertion in which its value is not held in all its scopes."""

    start: datetime
    end: datetime
    missing: tuple[str, ...]
    host: Span | None
    """A row that holds the value there in other scopes."""


def gaps(same: list[Span], start: datetime, end: datetime, scopes: tuple[str, ...]) -> list[Gap]:
    """Where ``same`` (rows that hold the value) do not hold throughout what is asserted."""
    if not same:
        return [Gap(start, end, scopes, None)]
    edges = {start, end}
    for span in same:
        edges.update(at for at in (span.start, span.end) if start < at < end)
    found = []
    for left, right in pairwise(sorted(edges)):
        active = [span for span in same if span.start <= left and right <= span.end]
        known = {scope for span in active for scope in span.version.scopes}
        missing = tuple(scope for scope in scopes if scope not in known)
        if missing:
            host = next((span for span in active if not span.sealed), None)
            found.append(Gap(left, right, missing, host))
    return found


def layout(same: list[Span], missing: Iterable[Gap]) -> list[Piece]:
    """The rows that hold the value once nothing is missing, in order of time.

    A row that holds it already takes the missing scopes up; touching intervals in the
    same scopes become one.
    """
    missing = list(missing)
    pieces = [Piece(gap.start, gap.end, gap.missing) for gap in missing if gap.host is None]
    for span in same:
        scopes, at = span.version.scopes, span.start
        for gap in missing:
            if gap.host is span:
                if at < gap.start:
                    pieces.append(Piece(at, gap.start, scopes, (span,)))
                wider = tuple(sorted({*scopes, *gap.missing}))
                pieces.append(Piece(gap.start, gap.end, wider, (span,)))
                at = gap.end
        if at < span.end:
            pieces.append(Piece(at, span.end, scopes, (span,)))
    return _joined(pieces) if len(pieces) > 1 else pieces


def _joined(pieces: list[Piece]) -> list[Piece]:
    pieces.sort(key=lambda piece: piece.start)
    joined: list[Piece] = []
    newest: dict[tuple[str, ...], int] = {}
    for piece in pieces:
        at = newest.get(piece.scopes)
        before = None if at is None else joined[at]
        if (
            at is not None
            and before is not None
            and before.end == piece.start
            and not any(span.sealed for span in (*before.sources, *piece.sources))
        ):
            own = any(span is piece.sources[0] for span in before.sources if piece.sources)
            sources = before.sources if own else before.sources + piece.sources
            joined[at] = before._replace(end=piece.end, sources=sources)
        else:
            newest[piece.scopes] = len(joined)
            joined.append(piece)
    return joined
