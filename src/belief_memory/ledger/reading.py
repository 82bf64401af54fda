"""What a read sees: which of the versions held are current for whom, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from belief_memory.ledger.held import Held, key_of
from belief_memory.model.belief import Belief


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks, within which scopes, about which instant of valid time.

    ``held`` is what the ledger held at the asked system time; ``scopes`` None means all
    of them (``user:universal`` is added by the caller where scopes are active ones).
    """

    held: Held
    valid_at: datetime
    scopes: frozenset[str] | None = None
    agent_id: str | None = None

    def reaches(self, belief: Belief) -> bool:
        """Whether owner's agent and scopes let this reader see the belief at all."""
        if belief.agent_id is not None and belief.agent_id != self.agent_id:
            return False
        return self.scopes is None or not self.scopes.isdisjoint(belief.scopes)

    def current(self, belief: Belief) -> bool:
        """Whether it is what the reader's ledger says at ``valid_at``: standing, true
        then, not resolved, not superseded, not shadowed by the agent's own value."""
        return (
            belief.standing == "held"
            and belief.valid_at(self.valid_at)
            and not (belief.resolved_at is not None and belief.resolved_at <= self.valid_at)
            and not (belief.superseded_by is not None and self.superseded(belief))
            and not (
                self.agent_id is not None and belief.agent_id is None and self._shadowed(belief)
            )
        )

    def eligible(self, belief: Belief) -> bool:
        """Rule R1: in reach and current."""
        return self.reaches(belief) and self.current(belief)

    def beside(self, belief: Belief) -> bool:
        """Whether it is an alternative that was decided to stay visible, flagged, beside
        the value it contradicts, and the reader sees that one."""
        return (
            belief.standing == "annotated"
            and belief.conflicts_with is not None
            and self.reaches(belief)
            and belief.valid_at(self.valid_at)
            and any(map(self.eligible, self.held.of_belief(belief.conflicts_with)))
        )

    def superseded(self, belief: Belief) -> bool:
        """Whether its successor has taken over at ``valid_at``.

        A version closed by the ledger hands over when its successor begins. A loaded
        record with ``superseded_by`` is not current whatever its dates say.
        """
        if belief.superseded_by is None:
            return False
        starts = [
            version.valid_from
            for version in self.held.of_belief(belief.superseded_by)
            if version.standing == "held"
        ]
        return min(starts) <= self.valid_at if starts else belief.valid_to is None

    def active_end(self, belief: Belief) -> Belief | None:
        """Rule R8: the eligible end of the supersession chain that starts here, if any.

        Starts at a belief that is itself in reach; cycles and dead ends give None.
        """
        seen: set[str] = set()
        while belief.superseded_by is not None and belief.id not in seen:
            seen.add(belief.id)
            versions = self.held.of_belief(belief.superseded_by)
            ends = [version for version in versions if self.eligible(version)]
            if ends:
                return max(ends, key=_newest)
            later = [version for version in versions if version.superseded_by is not None]
            if not later:
                return None
            belief = max(later, key=_newest)
        return None

    def _shadowed(self, belief: Belief) -> bool:
        return any(
            version.agent_id == self.agent_id
            and version.agent_id is not None
            and version.member == belief.member
            and self.eligible(version)
            for version in self.held.in_slot(key_of(belief))
        )


def _newest(version: Belief) -> tuple[datetime, int]:
    return version.valid_from, version.rev


def select(versions: Iterable[Belief], reader: Reader, *, pending: bool = False) -> list[Belief]:
    """The versions the reader sees, in a stable order; with ``pending`` those that wait too.

    An annotated alternative comes after what is current in its slot.
    """
    return sorted(
        (
            version
            for version in versions
            if reader.eligible(version)
            or reader.beside(version)
            or (pending and version.standing == "pending" and reader.reaches(version))
        ),
        key=lambda version: (
            key_of(version),
            version.standing == "annotated",
            version.valid_from,
            version.id,
            version.rev,
        ),
    )
