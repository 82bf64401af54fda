"""What the board shows, gathered through the front door. Nothing here is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from belief_memory import Belief, BeliefMemory, InvalidQuery, Slot
from belief_memory.learning.digest import render_digest
from belief_memory.model.time import TICK, Instant, to_instant
from belief_memory.text.fold import slot_key

Groups = list[tuple[tuple[str, ...], list[tuple[str, list[Belief]]]]]
"""Beliefs by their scopes, then by type."""

_BEGINNING = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An alternative that waits for a decision, beside what is held."""

    alternative: Belief
    held: Belief | None


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that was ever recorded about one slot, in the order of recording."""

    slot: Slot
    versions: list[Belief]


@dataclass(frozen=True, slots=True)
class Board:
    """One user's memory at one moment. The same ledger and moment give an equal board."""

    user_id: str
    as_of: datetime | None
    """Both clocks, if a moment was asked for; None: as things stand."""
    current: list[Belief]
    """True and held, in every scope and of every agent; annotated alternatives too."""
    pending: list[Belief]
    conflicts: list[Disagreement]
    questions: list[Belief]
    """Those of ``current`` that are open questions."""
    stories: list[Story]
    days: tuple[str, int]
    """The first day of the digest and how many it covers."""
    digest: str
    """What changed in the last days that saw a change, as Markdown."""

    def groups(self) -> Groups:
        """What is current but no question, by scopes and type, in a stable order."""
        found: dict[tuple[str, ...], dict[str, list[Belief]]] = {}
        for belief in self.current:
            if belief.type != "open_question":
                found.setdefault(belief.scopes, {}).setdefault(belief.type, []).append(belief)
        return [(scopes, sorted(kinds.items())) for scopes, kinds in sorted(found.items())]

    def counts(self) -> dict[str, int]:
        """Sizes, by what is counted."""
        versions = [version for story in self.stories for version in story.versions]
        return {
            "current beliefs": len(self.current),
            "waiting for review": len(self.pending),
            "conflicts": len(self.conflicts),
            "open questions": len(self.questions),
            "pinned": sum(belief.pinned for belief in self.current),
            "slots": len(self.stories),
            "beliefs ever recorded": len({version.id for version in versions}),
            "versions": len(versions),
            "scopes": len({scope for version in versions for scope in version.scopes}),
        }

    def types(self) -> dict[str, int]:
        """How many current beliefs there are of each type."""
        return dict(sorted(Counter(belief.type for belief in self.current).items()))

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON-ready data."""
        return {
            "user_id": self.user_id,
            "as_of": None if self.as_of is None else self.as_of.isoformat(),
            "counts": self.counts(),
            "types": self.types(),
            "current": _records(self.current),
            "pending": _records(self.pending),
            "conflicts": [
                {
                    "alternative": _record(one.alternative),
                    "held": None if one.held is None else _record(one.held),
                }
                for one in self.conflicts
            ],
            "questions": _records(self.questions),
            "history": [
                {
                    "canonical_name": story.slot.canonical_name,
                    "attribute": story.slot.attribute,
                    "versions": _records(story.versions),
                }
                for story in self.stories
            ],
            "digest": {"since": self.days[0], "days": self.days[1], "text": self.digest},
        }


def look(
    memory: BeliefMemory, user_id: str, *, as_of: Instant | None = None, days: int = 7
) -> Board:
    """One user's memory in every scope and of every agent.

    Args:
        as_of: both clocks at this instant; default: as things stand.
        days: how many days the digest covers. They end with the last one on which anything
            changed, so that an unchanged ledger gives an unchanged board.

    Raises:
        InvalidQuery: a bad user id, instant or number of days.
    """
    at = None if as_of is None else to_instant(as_of, "as_of", InvalidQuery)
    if days < 1:
        raise InvalidQuery("days", "must be at least 1")
    changes = memory.for_user(user_id).changes(_BEGINNING)
    versions = [change.belief for change in changes if change.kind == "recorded"]
    if at is not None:
        versions = [_as_known(version, at) for version in versions if version.recorded_at <= at]
    held = [version for version in versions if version.retired_at is None]
    current = _current(memory, user_id, versions, at)
    since, digest = _digest(versions, days, at)
    return Board(
        user_id=user_id,
        as_of=at,
        current=current,
        pending=[version for version in held if version.standing == "pending"],
        conflicts=_conflicts(held, current),
        questions=[belief for belief in current if belief.type == "open_question"],
        stories=_stories(versions),
        days=(since, days),
        digest=digest,
    )


def _as_known(version: Belief, at: datetime) -> Belief:
    """The version without what was learned of it later."""
    late = version.retired_at is not None and version.retired_at > at
    return version.but(retired_at=None) if late else version


def _current(
    memory: BeliefMemory, user_id: str, versions: Sequence[Belief], at: datetime | None
) -> list[Belief]:
    scopes = sorted({scope for version in versions for scope in version.scopes})
    last = _last_change(versions)
    if last is None:
        return []
    # Another writer may have committed since the versions were read.
    known = last if at is None else at
    shared = memory.for_user(user_id).beliefs(scopes=scopes, valid_at=at, known_at=known)
    own: list[Belief] = []
    for agent in sorted({version.agent_id for version in versions if version.agent_id}):
        user = memory.for_user(user_id, agent_id=agent)
        seen = user.beliefs(scopes=scopes, valid_at=at, known_at=known)
        own += [belief for belief in seen if belief.agent_id == agent]
    return [_as_known(belief, known) for belief in (*shared, *own)]


def _conflicts(held: Iterable[Belief], current: Sequence[Belief]) -> list[Disagreement]:
    standing: dict[str, Belief] = {}
    waiting = []
    for version in held:
        if version.standing == "conflict":
            waiting.append(version)
        elif version.standing == "held":
            standing[version.id] = version
    standing |= {belief.id: belief for belief in current}
    return [Disagreement(one, standing.get(one.conflicts_with or "")) for one in waiting]


def _stories(versions: Iterable[Belief]) -> list[Story]:
    told: dict[str, list[Belief]] = {}
    for version in versions:
        told.setdefault(slot_key(*version.slot), []).append(version)
    return [Story(told[key][-1].slot, told[key]) for key in sorted(told)]


def _digest(versions: Sequence[Belief], days: int, at: datetime | None) -> tuple[str, str]:
    last = _last_change(versions)
    if last is None:
        return "", ""
    try:
        first = last.date() - timedelta(days=days - 1)
        start = datetime.combine(first, time(), UTC)
    except OverflowError:
        raise InvalidQuery("days", "the days begin before the year 1") from None
    end = last + TICK if at is None else at + TICK
    then = [version for version in versions if version.known_at(end - TICK)]
    standing = sorted(
        (v for v in then if v.resolved_at is None or v.resolved_at >= end),
        key=lambda v: (str(v.slot), v.recorded_at, v.id),
    )
    title = f"{first}" if days == 1 else f"{first} to {last.date()}"
    return str(first), render_digest(title, versions, start, end, standing)


def _last_change(versions: Iterable[Belief]) -> datetime | None:
    instants = (at for v in versions for at in (v.recorded_at, v.retired_at) if at is not None)
    return max(instants, default=None)


def _records(beliefs: Iterable[Belief]) -> list[dict[str, Any]]:
    return [_record(belief) for belief in beliefs]


def _record(belief: Belief) -> dict[str, Any]:
    return belief.model_dump(mode="json")
