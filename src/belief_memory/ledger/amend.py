"""Operations on what is known about a belief: update, add_aliases, merge."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.ledger.assertion import cut, merged
from belief_memory.ledger.held import key_of
from belief_memory.ledger.intervals import END, closing, in_force, spans
from belief_memory.ledger.targets import Caller, Target, current, find, of_belief
from belief_memory.ledger.working import Working
from belief_memory.model.belief import Belief
from belief_memory.model.draft import invalid
from belief_memory.model.outcome import Outcome
from belief_memory.model.slot import Slot
from belief_memory.text.fold import fold_slot

UPDATABLE = frozenset(
    {
        "confidence",
        "epistemic_status",
        "metadata",
        "pinned",
        "scopes",
        "subtype",
        "type",
        "user_edited",
        "why_it_matters",
    }
)


def checked(
    version: Belief, changes: Mapping[str, Any], allowed: Collection[str]
) -> dict[str, Any]:
    """The changes as a belief would hold them; InvalidBelief names what cannot be."""
    for name in changes:
        if name not in allowed:
            raise InvalidBelief(name, "this operation cannot change it")
    try:
        belief = Belief.model_validate({**version.to_record(), **changes})
    except ValidationError as error:
        raise invalid(error) from None
    return {name: getattr(belief, name) for name in changes}


def name_of(target: Target) -> str:
    """How an error calls a target."""
    return target if isinstance(target, str) else str(Slot(*target))


def update(ledger: Working, caller: Caller, target: Target, changes: Mapping[str, Any]) -> Outcome:
    """Change what is known about a belief, in all its intervals; its value stays.

    Named by slot, only within the handle's scopes: in further ones it stays as it was.
    New scopes displace other values of the slot there (the scope rule). Raises
    InvalidBelief for a field that cannot be updated.
    """
    ledger.begin()
    versions, about, acting = _about(ledger, caller, target)
    values = checked(about, changes, UPDATABLE)
    moved: tuple[str, ...] | None = values.get("scopes")
    changed = [
        version
        for version in versions
        if any(getattr(version, name) != value for name, value in values.items())
    ]
    if not changed:
        return ledger.outcome("unchanged", about)
    if moved is None:
        versions = changed
    key = key_of(about)
    rows: list[dict[str, Any]] = []
    for version in versions:
        ledger.retire(version, key)
        inside = version.scopes
        if acting is not None:
            taken = {*acting, *(moved or ())}
            rest = tuple(scope for scope in version.scopes if scope not in taken)
            if rest:
                ledger.write({**version.__dict__, "scopes": rest}, key, names=False)
            inside = tuple(scope for scope in version.scopes if scope in acting)
        rows.append({**version.__dict__, "scopes": inside, **values})
    if moved is not None:
        rows = _joined(rows)
        begun = min(row["valid_from"] for row in rows)
        for row in rows:
            if row["standing"] == "held":
                _displace(ledger, key, Belief.trusted(row), begun)
    written = [ledger.write(row, key, names=False) for row in reversed(rows)]
    return ledger.outcome("updated", current(ledger, written, caller.at))


def add_aliases(
    ledger: Working,
    caller: Caller,
    target: Target,
    aliases: Iterable[str],
    attribute_aliases: Iterable[str] = (),
) -> Outcome:
    """Make more surface forms lead to a belief, in all its intervals."""
    ledger.begin()
    versions, about, _ = _about(ledger, caller, target)
    new = checked(
        about,
        {"aliases": aliases, "attribute_aliases": attribute_aliases},
        {"aliases", "attribute_aliases"},
    )
    written = _name(ledger, versions, new["aliases"], new["attribute_aliases"])
    if not written:
        return ledger.outcome("unchanged", about)
    left = [version for version in ledger.of_belief(about.id) if version.standing == about.standing]
    return ledger.outcome("updated", current(ledger, left, caller.at))


def merge(ledger: Working, caller: Caller, keep: str, drop: str) -> Outcome:
    """One thing was kept as two beliefs: ``drop`` is superseded by ``keep``, which takes
    its names over. Where ``keep`` has no scope in common with it, ``drop`` stays.

    Raises InvalidBelief where the two cannot be one: the same id, different agents, no
    scope in common, or a ``keep`` that is not current.
    """
    ledger.begin()
    if keep == drop:
        raise InvalidBelief("drop", "a belief cannot be merged into itself")
    kept = _standing(ledger, caller, keep)
    dropped = _standing(ledger, caller, drop)
    about = current(ledger, kept, caller.at)
    other = current(ledger, dropped, caller.at)
    if about.agent_id != other.agent_id:
        raise InvalidBelief("drop", "belongs to another agent")
    interval = in_force(about, ledger)
    if interval is None or not interval[0] <= caller.at < interval[1]:
        raise InvalidBelief("keep", "is not current")
    scopes = {scope for version in kept for scope in version.scopes}
    if not any(scope in scopes for version in dropped for scope in version.scopes):
        raise InvalidBelief("drop", "has no scope in common with the belief to keep")
    joins = [
        (version, inside)
        for version in dropped
        if version.superseded_by is None
        and (inside := tuple(scope for scope in version.scopes if scope in scopes))
    ]
    if not joins and any(version.superseded_by == keep for version in dropped):
        return ledger.outcome("unchanged", about)
    for version, inside in joins:
        key = key_of(version)
        rest = tuple(scope for scope in version.scopes if scope not in scopes)
        ledger.retire(version, key)
        if rest:
            ledger.write({**version.__dict__, "scopes": rest}, key, names=False)
        row = {**version.__dict__, "scopes": inside, "superseded_by": keep}
        ledger.write(row, key, names=False)
    names = (
        []
        if fold_slot(other.canonical_name) == fold_slot(about.canonical_name)
        else [other.canonical_name]
    )
    attributes = (
        []
        if other.attribute is None
        or (
            about.attribute is not None and fold_slot(other.attribute) == fold_slot(about.attribute)
        )
        else [other.attribute]
    )
    for version in kept:
        aliases = merged(version.aliases, (*names, *other.aliases))
        more = version.attribute_aliases
        if version.attribute is not None:
            more = merged(more, (*attributes, *other.attribute_aliases))
        changes: dict[str, Any] = {"aliases": aliases, "attribute_aliases": more}
        renamed = (aliases, more) != (version.aliases, version.attribute_aliases)
        if version.supersedes is None:
            changes["supersedes"] = drop
        if version is about:
            changes["reinforcement_count"] = about.reinforcement_count + other.reinforcement_count
        if any(getattr(version, name) != value for name, value in changes.items()):
            written = ledger.rewrite(version, changes, names=renamed)
            if version is about:
                about = written
    return ledger.outcome("updated", about)


def _about(
    ledger: Working, caller: Caller, target: Target
) -> tuple[list[Belief], Belief, tuple[str, ...] | None]:
    """The rows of the belief that a call is about, the one to name it by, and the scopes
    the call is bound to (None: all of the belief's)."""
    if isinstance(target, str):
        versions = list(of_belief(ledger, caller, target))
        held = [version for version in versions if version.standing == "held"]
        return versions, current(ledger, held or versions, caller.at), None
    group = find(ledger, caller, target)
    if not group.versions:
        raise BeliefNotFound(name_of(target))
    about = current(ledger, group.versions, caller.at)
    return [v for v in group.versions if v.id == about.id], about, group.scopes


def _standing(ledger: Working, caller: Caller, id: str) -> list[Belief]:
    held = [v for v in of_belief(ledger, caller, id) if v.standing == "held"]
    if not held:
        raise BeliefNotFound(id)
    return held


def _name(
    ledger: Working,
    versions: Iterable[Belief],
    aliases: tuple[str, ...],
    attributes: tuple[str, ...],
) -> list[Belief]:
    written = []
    for version in versions:
        names = merged(version.aliases, aliases)
        more = merged(version.attribute_aliases, attributes)
        if (names, more) != (version.aliases, version.attribute_aliases):
            changes = {"aliases": names, "attribute_aliases": more}
            written.append(ledger.rewrite(version, changes, names=True))
    return written


def _joined(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one belief that now have the same scopes, without overlaps."""
    rows.sort(key=lambda row: row["valid_from"])
    joined: list[dict[str, Any]] = []
    for row in rows:
        end = row["valid_to"] or END
        before = joined[-1] if joined else None
        if (
            before is not None
            and before["standing"] == row["standing"]
            and before["scopes"] == row["scopes"]
            and (before["valid_to"] or END) >= row["valid_from"]
        ):
            if end > (before["valid_to"] or END):
                before["valid_to"] = closing(end)
                before["superseded_by"] = row["superseded_by"]
        else:
            joined.append(row)
    return joined


def _displace(ledger: Working, key: str, row: Belief, begun: datetime) -> None:
    """The scope rule: what else the slot holds in the new scopes gives way."""
    interval = in_force(row, ledger)
    if interval is None:
        return
    start, end = interval
    slot = [v for v in ledger.in_slot(key) if v.agent_id == row.agent_id and v.id != row.id]
    for span in spans(slot, ledger, member=row.member, scopes=row.scopes, since=start):
        if span.start < end and start < span.end:
            link = row.id if span.end <= end and begun >= start else None
            cut(ledger, span, key, start, end, row.scopes, successor=link, taker=row.id)
