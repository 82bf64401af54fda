"""Who calls, and which held versions a call is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.ledger.held import key_of
from belief_memory.ledger.intervals import Span, in_force, spans
from belief_memory.ledger.working import Working
from belief_memory.model.belief import Belief, Cardinality, OnConflict
from belief_memory.model.slot import Slot
from belief_memory.text.fold import slot_key, value_key

Target = Slot | tuple[str, str | None] | str
"""A slot, or (a string) the id of a belief."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The handle through which an operation comes, and the instant of its commit."""

    at: datetime
    user_id: str
    agent_id: str | None
    scopes: tuple[str, ...]
    new_id: Callable[[], str]
    on_conflict: OnConflict = "record"

    def may_name(self, version: Belief) -> bool:
        """Whether this handle may name the belief by its id: an agent may not reach
        into what another agent keeps for itself."""
        return self.agent_id is None or version.agent_id in (None, self.agent_id)


@dataclass(frozen=True, slots=True)
class Group:
    """The versions of one slot (in a many-slot: of one member) that a call meets."""

    key: str
    agent_id: str | None
    member: str | None
    scopes: tuple[str, ...] | None
    """The scopes the call acts in; None: all of those of the belief it names."""
    id: str | None
    """The belief it names, if by id."""
    versions: tuple[Belief, ...]
    """Standing ``held``, in order of time; of the belief only, if named by id."""

    def spans(self, ledger: Working, since: datetime | None = None) -> list[Span]:
        """Their intervals in force."""
        return spans(self.versions, ledger, member=self.member, scopes=self.scopes, since=since)


def find(
    ledger: Working,
    caller: Caller,
    target: Target,
    *,
    scopes: Collection[str] | None = None,
    member: str | None = None,
) -> Group:
    """The versions that ``target`` names; none are found for an empty slot.

    Raises BeliefNotFound for an id that holds nothing, and InvalidBelief for a slot with
    many members of which none is named.
    """
    if isinstance(target, str):
        return _by_id(ledger, caller, target, scopes)
    key = slot_key(*target)
    own = [
        version
        for version in ledger.in_slot(key)
        if version.agent_id == caller.agent_id and version.standing == "held"
    ]
    acting = tuple(sorted(set(scopes))) if scopes is not None else caller.scopes
    many = cardinality_of(own) == "many"
    if member is not None and not (isinstance(member, str) and member.strip()):
        raise InvalidBelief("member", f"expected a string that is not blank, got {member!r:.80}")
    if many and member is None:
        raise InvalidBelief("member", "the slot holds many; name the member, or give the id")
    if own and not many and member is not None:
        raise InvalidBelief("member", "the slot holds one value; it has no members")
    name = None if member is None else value_key(member)
    versions = [
        version
        for version in own
        if version.member == name and any(scope in acting for scope in version.scopes)
    ]
    versions.sort(key=lambda version: (version.valid_from, version.rev))
    return Group(key, caller.agent_id, name, acting, None, tuple(versions))


def of_belief(ledger: Working, caller: Caller, id: str) -> Sequence[Belief]:
    """Held versions of the belief, of any standing; BeliefNotFound if there are none."""
    versions = [version for version in ledger.of_belief(id) if caller.may_name(version)]
    if not versions:
        raise BeliefNotFound(id)
    return sorted(versions, key=lambda version: (version.valid_from, version.rev))


def cardinality_of(versions: Collection[Belief]) -> Cardinality | None:
    """The cardinality of a slot, by one agent's held versions; None for a new slot."""
    return next((v.cardinality for v in versions if v.standing == "held"), None)


def current(ledger: Working, versions: Sequence[Belief], at: datetime) -> Belief:
    """Of some versions the one in force at ``at``, else the latest."""
    latest = None
    for version in versions:
        interval = in_force(version, ledger)
        if interval is not None:
            if interval[0] <= at < interval[1]:
                return version
            if latest is None or latest.valid_from <= version.valid_from:
                latest = version
    return latest or max(versions, key=lambda version: (version.valid_from, version.rev))


def _by_id(ledger: Working, caller: Caller, id: str, scopes: Collection[str] | None) -> Group:
    versions = [v for v in of_belief(ledger, caller, id) if v.standing == "held"]
    if not versions:
        raise BeliefNotFound(id)
    one = versions[0]
    acting = None if scopes is None else tuple(sorted(set(scopes)))
    if acting is not None:
        versions = [v for v in versions if any(scope in acting for scope in v.scopes)]
    return Group(key_of(one), one.agent_id, one.member, acting, id, tuple(versions))
