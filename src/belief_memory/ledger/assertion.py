"""The truth table: what one assertion does to the versions it meets in its slot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from belief_memory.ledger.intervals import END, Span, closing, end_of
from belief_memory.ledger.links import begins, fates, follower, relink, uncover
from belief_memory.ledger.pieces import Piece, gaps, layout
from belief_memory.ledger.working import Working
from belief_memory.model.belief import Belief
from belief_memory.model.outcome import Action

Names = tuple[tuple[str, ...], tuple[str, ...]]
"""Aliases and attribute aliases."""


@dataclass(slots=True)
class Assertion:
    """A value claimed for ``[start, end)`` of a slot in some scopes."""

    key: str
    value: str
    start: datetime
    end: datetime
    scopes: tuple[str, ...]
    row: dict[str, Any]
    """The fields of a new belief that says this, but for interval, id and links."""
    fresh_id: str
    """The id it gets if it is a new belief."""
    supersedes: str | None = None
    """The belief that the caller named as superseded."""
    target: str | None = None
    """The belief that a correction is about: it keeps its id if nothing else is left."""
    amends: Mapping[str, Any] = field(default_factory=dict)
    """What a correction also changes in rows that hold the same value already."""


def place(ledger: Working, met: list[Span], asserted: Assertion) -> tuple[Action, Belief]:
    """Hold the asserted value in exactly its interval and scopes; what it meets is cut,
    coalesced and linked.

    ``met``: the spans in its slot and scopes, in order of time.
    """
    start, end = asserted.start, asserted.end
    same = [s for s in met if s.value == asserted.value and s.start <= end and start <= s.end]
    other = [s for s in met if s.value != asserted.value and s.start < end and start < s.end]
    pieces = layout(same, gaps(same, start, end, asserted.scopes))
    changed = [piece for piece in pieces if not _stays(piece, asserted)]
    if not changed:
        return "unchanged", next(s.version for s in same if s.start <= start < s.end)
    move = _Move(ledger, asserted, same, other, changed)
    belief = move.make()
    if move.linked:
        return "superseded", belief
    if other or (asserted.amends and same):
        return "corrected", belief
    return ("extended" if same else "inserted"), belief


def cut(
    ledger: Working,
    span: Span,
    key: str,
    start: datetime,
    end: datetime,
    scopes: Iterable[str] | None,
    *,
    successor: str | None = None,
    taker: str | None = None,
) -> Belief | None:
    """Take ``[start, end)`` in ``scopes`` (None: all) out of a held version.

    It keeps its value in the remaining scopes, and before and after. Returns what is
    left before ``start``, superseded by ``successor``. ``taker`` is the belief that
    moves into the interval: what remains later cannot be superseded by it any more.
    """
    version = span.version
    ledger.retire(version, key)
    tail: dict[str, Any] = {}
    if taker is not None and version.superseded_by == taker:
        tail = {"valid_to": closing(span.end), "superseded_by": None}
    # The earliest piece is written last and so has the highest rev: later pieces are the
    # ones that go without a successor (see Working).
    if span.end > end:
        ledger.write({**version.__dict__, **tail, "valid_from": end}, key, names=False)
    rest = () if scopes is None else tuple(s for s in version.scopes if s not in scopes)
    if rest:
        row = {**version.__dict__, "valid_from": max(span.start, start), "scopes": rest}
        row |= tail if span.end <= end else {"valid_to": closing(end), "superseded_by": None}
        ledger.write(row, key, names=False)
    if span.start >= start:
        return None
    row = {**version.__dict__, "valid_to": start, "superseded_by": successor}
    return ledger.write(row, key, names=False)


def merged(names: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    """The names, then those of ``more`` that are new."""
    return tuple(dict.fromkeys((*names, *more))) if more else names


def _stays(piece: Piece, asserted: Assertion) -> bool:
    if not piece.unchanged:
        return False
    if not asserted.amends or piece.end <= asserted.start or asserted.end <= piece.start:
        return True
    held, new = piece.sources[0].version, asserted.row
    return (
        all(getattr(held, name) == value for name, value in asserted.amends.items())
        and set(new["aliases"]) <= set(held.aliases)
        and set(new["attribute_aliases"]) <= set(held.attribute_aliases)
    )


class _Move:
    """One assertion moving in: decides ids and links, then cuts and writes."""

    def __init__(
        self,
        ledger: Working,
        asserted: Assertion,
        same: list[Span],
        other: list[Span],
        changed: list[Piece],
    ) -> None:
        self.ledger = ledger
        self.asserted = asserted
        self.same = same
        self.other = other
        self.changed = changed
        self.fate = (
            fates(ledger, other, asserted.start, asserted.end, asserted.scopes) if other else {}
        )
        self.kept: Belief | None = None
        self.id = self._identity(changed[0])
        self.named = asserted.supersedes if asserted.supersedes != self.id else None
        self.linked: list[str] = []

    def make(self) -> Belief:
        asserted, ledger, id = self.asserted, self.ledger, self.id
        begun = END if id == asserted.fresh_id else begins(ledger, id)
        starts = [p.start for p in self.changed if p.sources and p.sources[0].version.id == id]
        if not self.changed[0].sources:
            starts.append(self.changed[0].start)
        begin = min(starts)
        if self.kept is None:
            begin = min(begin, begun)
        sources = {
            span.version.version_id: span.version
            for piece in self.changed
            for span in piece.sources
        }
        if begin < begun < END:
            met = {*sources, *(span.version.version_id for span in self.other)}
            uncover(ledger, ledger.in_slot(asserted.key), id, begin, begun, met)
        self._cut_others(begin)
        names = self._orphaned_names()
        for version in sources.values():
            ledger.retire(version, asserted.key)
        # Later pieces first, as in cut().
        for piece in reversed(self.changed):
            belief = self._hold(piece, begin, names)
        gone = [span.version for span in (*self.same, *self.other)]
        if gone:
            relink(ledger, gone, id, begin)
            belief = next(v for v in ledger.of_belief(belief.id) if v.rev == belief.rev)
        return belief

    def _identity(self, main: Piece) -> str:
        """Its own id if the value touches itself, else that of a belief of which nothing
        is left, else a new one."""
        if main.sources:
            return main.sources[0].version.id
        for span in self.same:
            # Only from its beginning on: what it superseded ends there.
            if not span.sealed and begins(self.ledger, span.version.id) <= main.start:
                return span.version.id
        replaced = [span for span in self.other if self.fate[span.version.id].replaced]
        if not replaced:
            return self.asserted.fresh_id
        at = self.asserted.start
        heir = next(
            (span for span in replaced if span.version.id == self.asserted.target),
            next((span for span in replaced if span.start <= at < span.end), replaced[0]),
        )
        self.kept = heir.version
        return heir.version.id

    def _cut_others(self, begin: datetime) -> None:
        asserted, id = self.asserted, self.id
        linkable = begin >= asserted.start
        lasts = {
            fate.last.version_id: name for name, fate in self.fate.items() if fate.last is not None
        }
        for span in self.other:
            name = lasts.pop(span.version.version_id, None) if linkable else None
            cut(
                self.ledger,
                span,
                asserted.key,
                asserted.start,
                asserted.end,
                asserted.scopes,
                successor=None if name is None else id,
                taker=id,
            )
            if name is not None:
                self.linked.append(name)
        for name in lasts.values():
            last = self.fate[name].last
            if last is not None and last.superseded_by is None and end_of(last) <= begin:
                self.ledger.rewrite(last, {"superseded_by": id})
                self.linked.append(name)

    def _orphaned_names(self) -> Names:
        """Names of beliefs that end here without a link to follow."""
        aliases: tuple[str, ...] = ()
        attributes: tuple[str, ...] = ()
        for span in self.other:
            name = span.version.id
            if name not in self.linked and not self.fate[name].goes_on:
                aliases = merged(aliases, span.version.aliases)
                attributes = merged(attributes, span.version.attribute_aliases)
        return aliases, attributes

    def _hold(self, piece: Piece, begin: datetime, names: Names) -> Belief:
        asserted, ledger = self.asserted, self.ledger
        new = asserted.row
        if piece.sources:
            row, renamed = self._continued(piece, names)
            last = piece.sources[-1]
            if piece.end == last.end and last.version.superseded_by != self.id:
                row["valid_to"] = last.version.valid_to
                row["superseded_by"] = last.version.superseded_by
                return ledger.write(row, asserted.key, names=renamed)
        else:
            first = self.linked[0] if self.linked else None
            before = self.kept.supersedes if self.kept is not None else None
            row = {
                **new,
                "id": self.id if begin <= piece.start else asserted.fresh_id,
                "scopes": piece.scopes,
                "valid_from": piece.start,
                "aliases": merged(new["aliases"], names[0]),
                "attribute_aliases": merged(new["attribute_aliases"], names[1]),
                "supersedes": self.named or before or first,
            }
            renamed = True
        row["valid_to"] = closing(piece.end)
        row["superseded_by"] = None
        if piece.end < END:
            self._link_on(row, piece, begin)
        return ledger.write(row, asserted.key, names=renamed)

    def _continued(self, piece: Piece, names: Names) -> tuple[dict[str, Any], bool]:
        """The fields of a row that goes on under the id it has."""
        base, new = piece.sources[0].version, self.asserted.row
        versions = [span.version for span in piece.sources]
        row = {
            **base.__dict__,
            "pinned": any(version.pinned for version in versions),
            "user_edited": any(version.user_edited for version in versions),
            "reinforcement_count": max(version.reinforcement_count for version in versions),
            **self.asserted.amends,
            "valid_from": piece.start,
            "scopes": piece.scopes,
            "supersedes": self.named or base.supersedes,
        }
        for index, field_ in enumerate(("aliases", "attribute_aliases")):
            more = [name for version in versions[1:] for name in getattr(version, field_)]
            row[field_] = merged(row[field_], (*more, *new[field_], *names[index]))
        renamed = any(
            row[field_] != getattr(base, field_) for field_ in ("aliases", "attribute_aliases")
        )
        return row, renamed

    def _link_on(self, row: dict[str, Any], piece: Piece, begin: datetime) -> None:
        """Link a row to what follows it directly."""
        ledger, key = self.ledger, self.asserted.key
        slot = [v for v in ledger.in_slot(key) if v.agent_id == row["agent_id"]]
        after = follower(ledger, slot, row["id"], row["member"], piece.scopes, piece.end)
        if after is None or (after.id == self.id and begin < piece.end):
            return
        row["superseded_by"] = after.id
        before = after.supersedes
        moved = before in self.linked or (before in self.fate and self.fate[before].replaced)
        if before != row["id"] and (before is None or moved):
            ledger.rewrite(after, {"supersedes": row["id"]})
