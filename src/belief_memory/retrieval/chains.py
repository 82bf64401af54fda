"""Names to what they stand for now: the belief itself, or the end of its chain (Rule R8)."""

from __future__ import annotations

from datetime import datetime

from belief_memory.ledger.reading import Reader
from belief_memory.model.belief import Belief


class Resolver:
    """Resolves the versions of one ledger for one reader, each of them once."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._targets: dict[int, Belief | None] = {}
        self._ends: dict[str, Belief | None] = {}

    def target(self, version: Belief) -> Belief | None:
        """What naming this version names: itself if eligible, the eligible end of its
        chain if it is superseded and in reach, else nothing."""
        key = id(version)
        if key not in self._targets:
            self._targets[key] = self._resolve(version)
        return self._targets[key]

    def of_id(self, id: str) -> list[Belief]:
        """What a link to this belief leads to: its eligible versions, or its chain's end."""
        versions = self.reader.held.of_belief(id)
        eligible = [version for version in versions if self.reader.eligible(version)]
        if eligible:
            return sorted(eligible, key=_newest)
        ends = (self.target(version) for version in sorted(versions, key=_newest, reverse=True))
        return [end for end in ends if end is not None][:1]

    def _resolve(self, version: Belief) -> Belief | None:
        reader = self.reader
        if not reader.reaches(version):
            return None
        if reader.current(version):
            return version
        if version.standing != "held" or not reader.superseded(version):
            return None
        return self._end(version)

    def _end(self, version: Belief) -> Belief | None:
        """``Reader.active_end``, remembering the ends of the ids on the way, so that a
        slot with a long history costs one walk."""
        path: list[str] = []
        end: Belief | None = None
        while version.superseded_by is not None and version.superseded_by not in path:
            successor = version.superseded_by
            if successor in self._ends:
                end = self._ends[successor]
                break
            path.append(successor)
            versions = self.reader.held.of_belief(successor)
            end = max(filter(self.reader.eligible, versions), key=_newest, default=None)
            later = [one for one in versions if one.superseded_by is not None]
            if end is not None or not later:
                break
            version = max(later, key=_newest)
        for successor in path:
            self._ends[successor] = end
        return end


def _newest(version: Belief) -> tuple[datetime, int]:
    return version.valid_from, version.rev
