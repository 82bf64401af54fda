"""What is current as the drafts of a lesson come, looked up by slot and by name."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from belief_memory.learning.keys import (
    USER,
    bare_key,
    cached_name_key,
    cached_slot_key,
    people_named,
)
from belief_memory.model.belief import Belief
from belief_memory.model.slot import Slot

_Order = tuple[datetime, str, int]


class Present:
    """Versions in the order they were recorded in. One draft of thousands should not have
    to go through all that the others left.

    Args:
        versions: what is current at first.
    """

    def __init__(self, versions: Iterable[Belief] = ()) -> None:
        self._all: list[Belief] = sorted(versions, key=recorded_order)
        self._ids: dict[str, dict[str, Belief]] = {}
        self._indexes: dict[tuple[str, ...], list[Belief]] = {}
        self._people: Counter[str] = Counter()
        for version in self._all:
            self._index(version)

    def __iter__(self) -> Iterator[Belief]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def add(self, version: Belief) -> None:
        """Take a version in; one with the same version id is replaced."""
        known = self._ids.get(version.id, {}).get(version.version_id)
        if known is not None:
            self._discard(known)
        insort(self._all, version, key=recorded_order)
        self._index(version)

    def discard(self, id: str, rev: int) -> None:
        """Leave out the versions of a belief up to a rev."""
        for version in list(self._ids.get(id, {}).values()):
            if version.rev <= rev:
                self._discard(version)

    def in_slot(self, slot: Slot) -> Sequence[Belief]:
        """Those of a slot, by its key."""
        return self._found("slot", cached_slot_key(*slot))

    def answering(self, slot: Slot) -> list[Belief]:
        """Those that answer to a slot by their own names, or but for filler words."""
        name = cached_name_key(slot.canonical_name)
        if slot.attribute is None:
            return list(self._found("whole", name))
        own = cached_name_key(slot.attribute)
        found = {v.version_id: v for v in self._found("aspect", name, own)}
        if bare := bare_key(own):
            found |= {v.version_id: v for v in self._found("bare", name, bare)}
        return sorted(found.values(), key=recorded_order)

    def called(self, key: str) -> Sequence[Belief]:
        """Those that have a name with this key, the user by other names only."""
        return self._found("name", key)

    def titled(self, key: str) -> Sequence[Belief]:
        """Those that have a name with this slot key."""
        return self._found("title", key)

    @property
    def people(self) -> Collection[str]:
        """Folded names of the people that they are about."""
        return self._people.keys()

    def _found(self, *key: str) -> Sequence[Belief]:
        return self._indexes.get(key, ())

    def _index(self, version: Belief) -> None:
        self._ids.setdefault(version.id, {})[version.version_id] = version
        for key in _keys(version):
            insort(self._indexes.setdefault(key, []), version, key=recorded_order)
        self._people.update(people_named(version))

    def _discard(self, version: Belief) -> None:
        del self._ids[version.id][version.version_id]
        _remove(self._all, version)
        for key in _keys(version):
            _remove(self._indexes[key], version)
        for name in people_named(version):
            self._people[name] -= 1
            if not self._people[name]:
                del self._people[name]


def _keys(version: Belief) -> set[tuple[str, ...]]:
    names = {version.canonical_name, *version.aliases}
    called = set(version.aliases) if version.canonical_name == USER else names
    keys: set[tuple[str, ...]] = {("slot", cached_slot_key(*version.slot))}
    keys |= {("name", cached_name_key(one)) for one in called}
    keys |= {("title", cached_slot_key(one)) for one in names}
    subjects = {USER} if version.canonical_name == USER else names
    attributes = {
        cached_name_key(one)
        for one in (version.attribute, *version.attribute_aliases)
        if one is not None
    }
    for subject in {cached_name_key(one) for one in subjects}:
        if version.attribute is None:
            keys.add(("whole", subject))
            continue
        keys |= {("aspect", subject, one) for one in attributes}
        keys |= {("bare", subject, bare) for one in attributes if (bare := bare_key(one))}
    return keys


def _remove(versions: list[Belief], version: Belief) -> None:
    del versions[bisect_left(versions, recorded_order(version), key=recorded_order)]


def recorded_order(version: Belief) -> _Order:
    """In what order versions are gone through."""
    return version.recorded_at, version.id, version.rev
