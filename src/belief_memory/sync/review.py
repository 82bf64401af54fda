# Made from engine/review.py by scripts/sync_facade.py; change it there.
"""The verbs by which people decide what time and sources could not."""

from __future__ import annotations

from typing import Literal, cast, overload

from belief_memory.model.belief import Belief
from belief_memory.model.outcome import Conflict, Outcome
from belief_memory.sync.transfer import TransferVerbs


class ReviewVerbs(TransferVerbs):
    """Conflicts and pending beliefs."""

    def conflicts(self) -> list[Conflict]:
        """The alternatives that wait for a decision, each beside the held value, oldest first."""
        return self._engine.drive(self._async.conflicts())

    def resolve_conflict(
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
        return self._engine.drive(self._async.resolve_conflict(conflict, decision))

    def pending(self) -> list[Belief]:
        """What was learned and waits for review, oldest first."""
        return self._engine.drive(self._async.pending())

    @overload
    def approve(self, target: list[str | Belief]) -> list[Outcome]: ...

    @overload
    def approve(self, target: str | Belief) -> Outcome: ...

    def approve(self, target: str | Belief | list[str | Belief]) -> Outcome | list[Outcome]:
        """Assert what waited, as if it had been remembered now with its own dates.

        Args:
            target: one of :meth:`pending` or its id, or a list of them for one commit.

        Raises:
            BeliefNotFound: nothing with that id waits; nothing was written.
        """
        return cast("Outcome | list[Outcome]", self._engine.drive(self._async.approve(target)))

    @overload
    def reject(self, target: list[str | Belief]) -> list[Outcome]: ...

    @overload
    def reject(self, target: str | Belief) -> Outcome: ...

    def reject(self, target: str | Belief | list[str | Belief]) -> Outcome | list[Outcome]:
        """Decide that what waited is not to be believed; history keeps it.

        Args:
            target: one of :meth:`pending` or its id, or a list of them for one commit.

        Raises:
            BeliefNotFound: nothing with that id waits; nothing was written.
        """
        return cast("Outcome | list[Outcome]", self._engine.drive(self._async.reject(target)))
