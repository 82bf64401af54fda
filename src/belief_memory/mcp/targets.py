"""What a model means by a name, within what this server's user and scopes may reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from belief_memory import AsyncUserMemory, Belief, BeliefNotFound, InvalidQuery, Slot
from belief_memory.engine.work import Target
from belief_memory.model.scope import UNIVERSAL


@dataclass(frozen=True, slots=True)
class Named:
    """What is to be changed, and the scopes in which it may be."""

    target: Slot | str
    scopes: list[str] | None


async def named(user: AsyncUserMemory, about: str, attribute: str | None) -> Named:
    """The belief that is seen under this id or name; else the slot, for what is past.

    A model says the name it read in an answer, which may be that of a belief in any active
    scope; a slot by itself would mean the handle's own scopes only.

    Raises:
        InvalidQuery: several are seen there; the message lists their ids.
    """
    versions = await _versions(user, about, attribute)
    if versions and versions[0].id == about and attribute is None:
        reached = {scope for version in versions for scope in version.scopes}
        return Named(about, sorted(reached & active(user)))
    seen = [
        belief
        for belief in await user.beliefs(slot=(about, attribute))
        if belief.standing == "held"
    ]
    if len(seen) > 1:
        ids = ", ".join(belief.id for belief in seen[:20])
        raise InvalidQuery("about", f"several are held there; name one by its id: {ids}")
    if seen:
        return Named(seen[0].id, sorted(active(user).intersection(seen[0].scopes)))
    return Named(Slot(about, attribute), None)


async def recorded(user: AsyncUserMemory, about: str, attribute: str | None) -> list[Belief]:
    """Every version under an id or name that was recorded for an active scope."""
    return await _versions(user, about, attribute)


async def erasable(user: AsyncUserMemory, about: str, attribute: str | None) -> list[Target]:
    """The ids of the beliefs under an id or name.

    Raises:
        BeliefNotFound: nothing is recorded there for an active scope.
        InvalidQuery: one of them was recorded for other scopes too; erasing it would reach
            beyond this server's.
    """
    ids = sorted({version.id for version in await _versions(user, about, attribute)})
    if not ids:
        raise BeliefNotFound(about)
    for id in ids:
        if not all(_within(user, version) for version in await user.history(id)):
            raise InvalidQuery("about", f"{id} belongs to other scopes too; it is not erased here")
    return list(ids)


def active(user: AsyncUserMemory) -> set[str]:
    """The scopes that this handle's reads see."""
    return {*user.scopes, UNIVERSAL}


async def _versions(user: AsyncUserMemory, about: str, attribute: str | None) -> list[Belief]:
    target = about if attribute is None else (about, attribute)
    # Who names a belief by its id sees all of its history; a model sees what is in scope.
    return _in_scope(user, await user.history(target))


def _in_scope(user: AsyncUserMemory, versions: Sequence[Belief]) -> list[Belief]:
    return [version for version in versions if not active(user).isdisjoint(version.scopes)]


def _within(user: AsyncUserMemory, version: Belief) -> bool:
    return active(user).issuperset(version.scopes)
