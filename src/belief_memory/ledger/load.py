"""Records written verbatim: imports, restores, and histories that others recorded."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from heapq import heappop, heappush
from operator import itemgetter
from typing import NamedTuple

from belief_memory.errors import InvalidBelief
from belief_memory.ledger.held import key_of
from belief_memory.ledger.intervals import END, closing, end_of, in_force
from belief_memory.ledger.targets import Caller
from belief_memory.ledger.working import Working, with_fields
from belief_memory.model.belief import Belief, Cardinality
from belief_memory.text.fold import slot_key, value_key

_UNCOMPARED = frozenset({"name_keys", "reinforcement_count", "last_reinforced_at"})
_COMPARED = tuple(name for name in Belief.model_fields if name not in _UNCOMPARED)
_LINKS = ("superseded_by", "supersedes", "resolved_by")
_DATED_NOW = frozenset({"valid_from", "recorded_at"})


class _New(NamedTuple):
    nth: int
    record: Belief
    key: str


def load(
    ledger: Working,
    caller: Caller,
    records: Sequence[Belief],
    *,
    existing: Mapping[str, Belief],
    last_change: Mapping[str, datetime],
) -> int:
    """Write ``records`` verbatim; returns how many were not recorded already.

    ``existing``: the versions already recorded, held or not, of the beliefs in
    ``records``, by version id; ``last_change``: by slot key, the newest instant at which
    a version of the slot was recorded or retired. A date that a record did not give is
    ``caller.at``.

    Raises InvalidBelief naming the index and the field of the first bad record; then
    nothing may be written.
    """
    ledger.begin()
    new = _unrecorded(caller, records, existing, last_change)
    if not new:
        return 0
    _check_revs(ledger, new, existing)
    closers = _check_links(ledger, new, {record.id for record in records})
    _close_superseded(ledger, caller, closers, last_change)
    _check_overlaps(ledger, new)
    for _, record, key in new:
        ledger.adopt(record, key)
    return len(new)


def _unrecorded(
    caller: Caller,
    records: Sequence[Belief],
    existing: Mapping[str, Belief],
    last_change: Mapping[str, datetime],
) -> list[_New]:
    at, user_id = caller.at, caller.user_id
    seen: dict[str, Belief] = {}
    new: list[_New] = []
    for index, given in enumerate(records):
        record, name = given, given.version_id
        known = existing.get(name) or seen.get(name)
        if known is not None:
            _check_same(known, record, at, index)
            continue
        key = slot_key(record.canonical_name, record.attribute)
        recorded, retired, ends = record.recorded_at, record.retired_at, record.valid_to
        if record.user_id != user_id:
            raise InvalidBelief("user_id", "belongs to another user", index=index)
        if ends is not None and ends <= record.valid_from:
            raise InvalidBelief("valid_to", "must follow valid_from", index=index)
        if recorded > at:
            raise InvalidBelief("recorded_at", "lies in the future", index=index)
        if retired is not None and not recorded < retired <= at:
            raise InvalidBelief("retired_at", "must follow recorded_at, up to now", index=index)
        if recorded < at:
            changed = last_change.get(key)
            if changed is not None and changed > recorded:
                raise InvalidBelief(
                    "recorded_at", "the slot has something recorded after it", index=index
                )
        if record.cardinality == "many":
            member = value_key(record.content if record.member is None else record.member)
            if member != record.member:
                record = with_fields(record, {"member": member})
        elif record.member is not None:
            raise InvalidBelief(
                "member", "only a slot with cardinality 'many' has members", index=index
            )
        seen[name] = record
        new.append(_New(index, record, key))
    return new


def _check_same(known: Belief, record: Belief, at: datetime, index: int) -> None:
    """A version that is recorded already may be given again, with the same values."""
    for name in _COMPARED:
        was, given = getattr(known, name), getattr(record, name)
        if (
            was == given
            or (name == "retired_at" and given is None)
            or (name in _DATED_NOW and given == at)
            or (name == "member" and given is None)
            or (name == "member" and was == value_key(given))
        ):
            continue
        raise InvalidBelief(
            name, f"version {known.version_id} is recorded with another value", index=index
        )


def _check_revs(ledger: Working, new: list[_New], existing: Mapping[str, Belief]) -> None:
    """Of each belief, what is held has the highest rev (see ``Working``)."""
    ended: dict[str, int] = {}
    for version in existing.values():
        if version.rev > ended.get(version.id, 0):
            ended[version.id] = version.rev
    held: dict[str, int] = {}
    for _, record, _ in new:
        revs = ended if record.retired_at is not None else held
        if record.rev > revs.get(record.id, 0):
            revs[record.id] = record.rev
    if not ended:
        return
    for index, record, _ in new:
        id = record.id
        if id not in ended:
            continue
        highest = max(
            held.get(id, 0), max((version.rev for version in ledger.of_belief(id)), default=0)
        )
        if 0 < highest < ended[id]:
            raise InvalidBelief(
                "rev", "a version that is no longer held has a higher one", index=index
            )


def _check_links(ledger: Working, new: list[_New], loaded: Collection[str]) -> list[_New]:
    """Raises for a link to nowhere; returns the records that close a held belief."""
    closing_held = []
    for entry in new:
        record = entry.record
        if (
            record.superseded_by is None
            and record.supersedes is None
            and record.resolved_by is None
            and not record.participants
        ):
            continue
        links = [(name, getattr(record, name)) for name in _LINKS]
        links += [("participants", id) for id in record.participants]
        for name, id in links:
            if id is not None and id not in loaded and not ledger.of_belief(id):
                raise InvalidBelief(name, f"no belief {id!r} is held or loaded", index=entry.nth)
        if (
            record.supersedes is not None
            and record.supersedes not in loaded
            and record.standing == "held"
            and record.retired_at is None
        ):
            closing_held.append(entry)
    return closing_held


def _close_superseded(
    ledger: Working,
    caller: Caller,
    closers: list[_New],
    last_change: Mapping[str, datetime],
) -> None:
    """A record that supersedes a held belief ends it where it begins, and is linked."""
    for index, record, key in closers:
        assert record.supersedes is not None
        begins, at = record.valid_from, record.recorded_at
        for version in ledger.of_belief(record.supersedes):
            interval = in_force(version, ledger) if version.standing == "held" else None
            if interval is None or interval[1] <= begins:
                continue
            slot = key_of(version)
            newest = last_change.get(slot, version.recorded_at)
            backdated = at if version.recorded_at < at and newest <= at else caller.at
            if backdated != at and slot == key:
                raise InvalidBelief(
                    "recorded_at", "the belief it supersedes was recorded with it", index=index
                )
            changes: dict[str, object] = {"superseded_by": record.id}
            if interval[0] < begins:
                changes["valid_to"] = closing(begins)
            ledger.rewrite(version, changes, at=backdated)


class _Box(NamedTuple):
    """When a version is true, and when it is held."""

    start: datetime
    end: datetime
    recorded: datetime
    retired: datetime
    scopes: tuple[str, ...]
    nth: int
    """Of the record; -1: it is held already."""


def _check_overlaps(ledger: Working, new: list[_New]) -> None:
    """No two values of one slot, at one instant of both clocks, in one scope."""
    begins = _Begins(ledger, new)
    slots: dict[tuple[str, str | None], list[_New]] = {}
    for entry in new:
        if entry.record.standing == "held":
            slots.setdefault((entry.key, entry.record.agent_id), []).append(entry)
    for (key, agent), entries in slots.items():
        held = [
            _New(-1, version, key)
            for version in ledger.in_slot(key)
            if version.standing == "held" and version.agent_id == agent
        ]
        if held or len(entries) > 1:
            _check_slot(held + entries, begins)


class _Begins:
    """When beliefs begin, by what is held and loaded: a version is in force until its
    successor begins, and never if that cannot be told."""

    def __init__(self, ledger: Working, new: list[_New]) -> None:
        self._ledger = ledger
        self._loaded: dict[str, datetime] = {}
        for _, record, _ in new:
            if record.standing == "held":
                known = self._loaded.get(record.id, record.valid_from)
                self._loaded[record.id] = min(known, record.valid_from)

    def of(self, id: str) -> datetime | None:
        starts = [v.valid_from for v in self._ledger.of_belief(id) if v.standing == "held"]
        if id in self._loaded:
            starts.append(self._loaded[id])
        return min(starts, default=None)


def _check_slot(entries: list[_New], begins: _Begins) -> None:
    cardinality: Cardinality | None = None
    members: dict[str | None, list[_Box]] = {}
    for index, record, _ in entries:
        if record.retired_at is None:
            cardinality = cardinality or record.cardinality
            if record.cardinality != cardinality:
                raise InvalidBelief("cardinality", f"the slot holds {cardinality}", index=index)
        box = _box(record, index, begins)
        if box.start < box.end:
            members.setdefault(record.member, []).append(box)
    for boxes in members.values():
        if len(boxes) > 1:
            _check_member(boxes)


def _box(version: Belief, index: int, begins: _Begins) -> _Box:
    end = end_of(version)
    if version.superseded_by is not None:
        begun = begins.of(version.superseded_by)
        if begun is None and end == END:
            begun = version.valid_from
        end = end if begun is None else min(end, begun)
    if version.resolved_at is not None and version.resolved_at < end:
        end = version.resolved_at
    return _Box(
        version.valid_from,
        end,
        version.recorded_at,
        version.retired_at or END,
        version.scopes,
        index,
    )


_START = itemgetter(0)


def _check_member(boxes: list[_Box]) -> None:
    """Sweep through system time: what is held together is disjoint in valid time."""
    boxes.sort(key=lambda box: (box.recorded, box.nth))
    lanes: dict[str, list[tuple[datetime, datetime, int]]] = {}
    leaving: list[tuple[datetime, int]] = []
    for number, box in enumerate(boxes):
        while leaving and leaving[0][0] <= box.recorded:
            gone = boxes[heappop(leaving)[1]]
            for scope in gone.scopes:
                lanes[scope].remove((gone.start, gone.end, gone.nth))
        for scope in box.scopes:
            lane = lanes.setdefault(scope, [])
            at = bisect_right(lane, box.start, key=_START)
            for rival in lane[max(at - 1, 0) : at + 1]:
                if rival[0] < box.end and box.start < rival[1]:
                    raise InvalidBelief(
                        "valid_from",
                        "overlaps another value of its slot in the same scope",
                        index=max(box.nth, rival[2]),
                    )
            insort(lane, (box.start, box.end, box.nth), key=_START)
        if box.retired < END:
            heappush(leaving, (box.retired, number))
