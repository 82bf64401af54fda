"""What every store decides alike: which versions a filter means, and what erasing unlinks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from belief_memory.ledger.held import key_of
from belief_memory.model.belief import Belief
from belief_memory.ports import VersionFilter

LINKS = ("superseded_by", "supersedes", "conflicts_with", "resolved_by")
"""Fields that name another belief by id; ``participants`` names several."""


def matches(version: Belief, which: VersionFilter) -> bool:
    """Whether the version meets every condition given."""
    if which.belief_ids is not None and version.id not in which.belief_ids:
        return False
    if which.version_ids is not None and version.version_id not in which.version_ids:
        return False
    if which.slot_keys is not None and key_of(version) not in which.slot_keys:
        return False
    if which.message_ids is not None and (
        version.provenance is None or which.message_ids.isdisjoint(version.provenance.message_ids)
    ):
        return False
    if which.known_at is not None and not version.known_at(which.known_at):
        return False
    if which.window is not None:
        start, end = which.window
        return any(
            at is not None and start <= at and (end is None or at < end)
            for at in (version.recorded_at, version.retired_at)
        )
    return True


def in_order(versions: Iterable[Belief]) -> list[Belief]:
    """The versions in the order in which they were recorded, the same on every store."""
    return sorted(versions, key=_order)


def _order(version: Belief) -> tuple[datetime, str, int]:
    return version.recorded_at, version.id, version.rev


def ends_by_link_alone(valid_to: datetime | None, standing: str | None) -> bool:
    """Whether only ``superseded_by`` says that the version is not current: without the
    link it would come back, so it stays as history only."""
    return valid_to is None and standing in (None, "held")


def unlinked(version: Belief, erased: Callable[[str], bool]) -> Belief:
    """The version without links to erased beliefs: an id may itself be text."""
    changes: dict[str, object] = {}
    for name in LINKS:
        target = getattr(version, name)
        if target is not None and erased(target):
            changes[name] = None
            if name == "superseded_by" and ends_by_link_alone(version.valid_to, version.standing):
                changes["standing"] = "retained"
    kept = tuple(target for target in version.participants if not erased(target))
    if len(kept) != len(version.participants):
        changes["participants"] = kept
    return version.but(**changes) if changes else version
