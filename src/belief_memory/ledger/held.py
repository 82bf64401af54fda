"""The versions a ledger holds, indexed the ways the rules look them up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from belief_memory.model.belief import Belief
from belief_memory.text.fold import slot_key


class Held(Protocol):
    """What the rules read: everything held, of every agent, scope and standing."""

    def in_slot(self, key: str) -> Sequence[Belief]:
        """Held versions whose slot has this key (see ``text.fold.slot_key``)."""
        ...

    def of_belief(self, id: str) -> Sequence[Belief]:
        """Held versions of the belief with this id."""
        ...


def key_of(belief: Belief) -> str:
    """The slot key of a version."""
    return slot_key(belief.canonical_name, belief.attribute)


class HeldIndex:
    """A mutable :class:`Held`: add and discard versions as commits come in."""

    def __init__(self, versions: Iterable[Belief] = ()) -> None:
        self._by_version: dict[str, Belief] = {}
        self._by_slot: dict[str, dict[str, Belief]] = {}
        self._by_id: dict[str, dict[str, Belief]] = {}
        for version in versions:
            self.add(version)

    def add(self, version: Belief) -> None:
        """Hold ``version``; one with the same version id is replaced."""
        name = version.version_id
        self._by_version[name] = version
        self._by_slot.setdefault(key_of(version), {})[name] = version
        self._by_id.setdefault(version.id, {})[name] = version

    def discard(self, version_id: str) -> Belief | None:
        """Hold it no longer; returns what was held, None if nothing was."""
        version = self._by_version.pop(version_id, None)
        if version is not None:
            _drop(self._by_slot, key_of(version), version_id)
            _drop(self._by_id, version.id, version_id)
        return version

    def version(self, version_id: str) -> Belief | None:
        """The held version with this version id."""
        return self._by_version.get(version_id)

    def in_slot(self, key: str) -> Sequence[Belief]:
        return tuple(self._by_slot.get(key, {}).values())

    def of_belief(self, id: str) -> Sequence[Belief]:
        return tuple(self._by_id.get(id, {}).values())

    def __iter__(self) -> Iterator[Belief]:
        return iter(self._by_version.values())

    def __len__(self) -> int:
        return len(self._by_version)


def _drop(index: dict[str, dict[str, Belief]], key: str, version_id: str) -> None:
    versions = index[key]
    del versions[version_id]
    if not versions:
        del index[key]
