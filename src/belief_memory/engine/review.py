"""The verbs by which people decide what time and sources could not."""

from __future__ import annotations

from typing import Literal, overload

from belief_memory.engine.base import id_of
from belief_memory.engine.thread import on_engine
from belief_memory.engine.transfer import TransferVerbs
from belief_memory.errors import InvalidQuery
from belief_memory.model.belief import Belief
from belief_memory.model.outcome import Conflict, Outcome


class ReviewVerbs(TransferVerbs):
    """Conflicts and pending beliefs."""

    @on_engine
    async def conflicts(self) -> list[Conflict]:
        """The alternatives that wait for a decision, each beside the held value, oldest first."""
        state = await self._fresh()
        reader = self._reader(state)
        found = []
        for version in state.held:
            if version.standing != "conflict" or not self._mine(version):
                continue
            held = state.held.of_belief(version.conflicts_with or "")
            found.append(
                Conflict(
                    alternative=version,
                    held=max(held, key=lambda v: (reader.current(v), v.rev)) if held else None,
                )
            )
        return sorted(found, key=lambda c: (c.alternative.recorded_at, c.id))

    @on_engine
    async def resolve_conflict(
        self,
        conflict: Conflict | Belief | str,
        decision: Literal["supersede", "retain", "annotate"],
    ) -> Outcome:
        """Decide a conflict.

        Args:
            conflict: one of :meth:`conflicts`, or the alternative's id.
            decision: ``supersede`` asserts the alternative, ``retain`` keeps it as history
                only, ``annotate`` keeps it visible beside the held value, flagged.

        Raises:
            BeliefNotFound: no conflict with that id waits.
        """
        if decision not in ("supersede", "retain", "annotate"):
            raise InvalidQuery(
                "decision", f"expected 'supersede', 'retain' or 'annotate', got {decision!r:.80}"
            )
        id = conflict.id if isinstance(conflict, Conflict) else id_of(conflict, "conflict")
        return await self._operate(lambda planner, _: planner.resolve_conflict(id, decision))

    @on_engine
    async def pending(self) -> list[Belief]:
        """What was learned and waits for review, oldest first."""
        state = await self._fresh()
        return sorted(
            (v for v in state.held if v.standing == "pending" and self._mine(v)),
            key=lambda v: (v.recorded_at, v.id),
        )

    @overload
    async def approve(self, target: list[str | Belief]) -> list[Outcome]: ...
    @overload
    async def approve(self, target: str | Belief) -> Outcome: ...
    @on_engine
    async def approve(self, target: str | Belief | list[str | Belief]) -> Outcome | list[Outcome]:
        """Assert what waited, as if it had been remembered now with its own dates.

        Args:
            target: one of :meth:`pending` or its id, or a list of them for one commit.

        Raises:
            BeliefNotFound: nothing with that id waits; nothing was written.
        """
        outcomes = await self._operate(
            lambda planner, _: [planner.approve(id) for id in _ids(target)]
        )
        return outcomes if isinstance(target, list) else outcomes[0]

    @overload
    async def reject(self, target: list[str | Belief]) -> list[Outcome]: ...
    @overload
    async def reject(self, target: str | Belief) -> Outcome: ...
    @on_engine
    async def reject(self, target: str | Belief | list[str | Belief]) -> Outcome | list[Outcome]:
        """Decide that what waited is not to be believed; history keeps it.

        Args:
            target: one of :meth:`pending` or its id, or a list of them for one commit.

        Raises:
            BeliefNotFound: nothing with that id waits; nothing was written.
        """
        outcomes = await self._operate(
            lambda planner, _: [planner.reject(id) for id in _ids(target)]
        )
        return outcomes if isinstance(target, list) else outcomes[0]


def _ids(target: str | Belief | list[str | Belief]) -> list[str]:
    targets = target if isinstance(target, list) else [target]
    if not targets:
        raise InvalidQuery("target", "the list is empty: it would mean nothing")
    return [id_of(one, "target") for one in targets]
