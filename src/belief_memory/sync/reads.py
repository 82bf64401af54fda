# Made from engine/reads.py by scripts/sync_facade.py; change it there.
"""The verbs that read. None of them writes anything, anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from belief_memory.engine.work import Target
from belief_memory.model.belief import Belief, BeliefType
from belief_memory.model.outcome import Changes
from belief_memory.model.slot import SlotLike
from belief_memory.model.time import Instant
from belief_memory.ports import LedgerStats
from belief_memory.sync.writes import WriteVerbs


class ReadVerbs(WriteVerbs):
    """Reads of one ledger and of those read along with it."""

    def beliefs(
        self,
        *,
        slot: SlotLike | None = None,
        types: Iterable[BeliefType] | None = None,
        scopes: Sequence[str] | None = None,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        as_of: Instant | None = None,
        include_pending: bool = False,
    ) -> list[Belief]:
        """What is held and true in the active scopes, now or at any two instants.

        An alternative that :meth:`resolve_conflict` annotated comes after the value it
        contradicts; its ``standing`` tells.

        Args:
            slot: only this slot.
            types: only these types.
            scopes: active scopes; default: the handle's own (``user:universal`` always is).
            valid_at: true in the world at this instant; default: now.
            known_at: as the ledger knew it at this instant; default: now.
            as_of: sets both instants.
            include_pending: also what waits for review.

        Raises:
            InvalidQuery: a naive instant, an unknown type, a malformed slot or scope.
        """
        return self._engine.drive(
            self._async.beliefs(
                slot=slot,
                types=types,
                scopes=scopes,
                valid_at=valid_at,
                known_at=known_at,
                as_of=as_of,
                include_pending=include_pending,
            )
        )

    def get(self, id: str) -> Belief:
        """One belief by its id, or one version by its version id.

        Returns:
            What is current; else the newest version that is held; else the newest recorded.

        Raises:
            BeliefNotFound: nothing recorded has that id.
        """
        return self._engine.drive(self._async.get(id))

    def history(self, target: Target, *, scopes: Sequence[str] | None = None) -> list[Belief]:
        """Every version of a slot or of one belief, with both clocks, as recorded.

        Args:
            target: a slot, a belief, or its id. Unknown ones have an empty history.
            scopes: of a slot, only what was recorded for these active scopes; default: the
                handle's own. Who names a belief sees all of it.

        Raises:
            InvalidQuery: a malformed slot or scope.
        """
        return self._engine.drive(self._async.history(target, scopes=scopes))

    def changes(
        self, since: Instant | str, until: Instant | None = None, *, limit: int | None = None
    ) -> Changes:
        """What was recorded or retired in a window of system time, in commit order.

        Args:
            since: start of the window (inclusive), or the cursor of an earlier answer.
            until: its end (exclusive); default: everything so far.
            limit: at most about this many; a commit is never cut in two.

        Returns:
            The changes; pass their ``cursor`` as ``since`` to continue.
        """
        return self._engine.drive(self._async.changes(since, until, limit=limit))

    def search(
        self,
        text: str,
        *,
        types: Iterable[BeliefType] | None = None,
        scopes: Sequence[str] | None = None,
        limit: int = 20,
    ) -> list[Belief]:
        """Full-text search over what is current, for people and tools; recall never uses it.

        A belief matches when every word of ``text`` begins a word of its names, content or
        directive (in scripts without spaces: occurs in it), whatever the case and accents;
        the best matches come first.

        Args:
            text: the words to look for; blank finds nothing.
            types: only these types.
            scopes: active scopes; default: the handle's own.
            limit: at most this many, at least 1.
        """
        return self._engine.drive(self._async.search(text, types=types, scopes=scopes, limit=limit))

    def stats(self) -> LedgerStats:
        """How many versions this ledger keeps, and what it takes on disk (bytes); episodes
        are counted in ``extra``, where there are any."""
        return self._engine.drive(self._async.stats())
