"""The resident index over the held versions of one user, kept as commits come in."""

from __future__ import annotations

from collections.abc import Iterator

from belief_memory.ledger.held import Held
from belief_memory.model.belief import Belief
from belief_memory.retrieval.ordinary import lists_version
from belief_memory.retrieval.routes import route_of
from belief_memory.retrieval.runs import Runs
from belief_memory.retrieval.standing import StandingRoutes
from belief_memory.retrieval.user_attributes import attribute_of, is_user
from belief_memory.text.keys import name_keys, split_key


class RecallIndex:
    """Everything recall needs of one ledger: names, standing candidates, and what is held.

    Adding or discarding a version costs what its names cost, whatever the ledger's size.

    Args:
        held: the same versions by id and slot; supersession chains, participants and
            shadowing are looked up there. The owner keeps the two in step.
    """

    __slots__ = ("_versions", "beside", "held", "names", "standing", "user_slots")

    def __init__(self, held: Held) -> None:
        self.held = held
        self.names = Runs()
        self.standing = StandingRoutes(held)
        self.user_slots: dict[str, dict[str, Belief]] = {}
        """Versions about the user, by the attribute that ships with names of its own."""
        self.beside: dict[str, dict[str, Belief]] = {}
        """Annotated alternatives, by the id of the belief they contradict."""
        self._versions: dict[str, Belief] = {}

    def __len__(self) -> int:
        return len(self._versions)

    def __iter__(self) -> Iterator[Belief]:
        return iter(self._versions.values())

    @property
    def words_version(self) -> str:
        """The version of the word lists that decide what is a typo."""
        return lists_version()

    def add(self, version: Belief) -> None:
        """Index a version; one with the same version id is replaced."""
        id = version.version_id
        replaced = self._versions.get(id)
        if replaced is not None:
            self.discard(replaced)
        self._versions[id] = version
        if version.standing != "held":
            if version.standing == "annotated" and version.conflicts_with is not None:
                self.beside.setdefault(version.conflicts_with, {})[id] = version
            return
        for name, key in self._keys(version):
            run, joints = split_key(key)
            self.names.add(run, (version, name, joints))
        if is_user(version) and (attribute := attribute_of(version)) is not None:
            self.user_slots.setdefault(attribute, {})[id] = version
        if route_of(version) != "relevant":
            self.standing.add(version)
        self.standing.touch()

    def discard(self, version: Belief) -> None:
        """Forget a version; one that is not indexed is ignored."""
        id = version.version_id
        indexed = self._versions.pop(id, None)
        if indexed is None or indexed.standing != "held":
            if indexed is not None and indexed.conflicts_with in self.beside:
                self.beside[indexed.conflicts_with].pop(id, None)
                if not self.beside[indexed.conflicts_with]:
                    del self.beside[indexed.conflicts_with]
            return
        for name, key in self._keys(indexed):
            self.names.discard(split_key(key)[0], indexed, name)
        if is_user(indexed) and (attribute := attribute_of(indexed)) is not None:
            slots = self.user_slots[attribute]
            del slots[id]
            if not slots:
                del self.user_slots[attribute]
        self.standing.discard(id)
        self.standing.touch()

    @staticmethod
    def _keys(version: Belief) -> list[tuple[int, str]]:
        """The name keys by which a query may name the version: its attribute's only if
        it is about the user, whose canonical name in turn names nothing (Rule R3)."""
        keys = list(enumerate(version.name_keys or name_keys(version)))
        last = 1 + len(version.aliases)
        wanted = keys[1:] if is_user(version) else keys[:last]
        return [(name, key) for name, key in wanted if key]
