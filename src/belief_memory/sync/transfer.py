# Made from engine/transfer.py by scripts/sync_facade.py; change it there.
"""The verbs that move records in and out, and out for good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from belief_memory.engine.work import Target
from belief_memory.model.belief import Belief
from belief_memory.model.outcome import Receipt
from belief_memory.sync.reads import ReadVerbs


class TransferVerbs(ReadVerbs):
    """Load, export, forget."""

    def load(self, records: Iterable[Mapping[str, Any] | Belief]) -> int:
        """Write records verbatim, in one commit; idempotent by version id.

        Args:
            records: dicts with a belief's field names, or beliefs; see ``export``. What is
                left out is filled in: a new id, the handle's scopes, now.

        Returns:
            How many versions were new.

        Raises:
            InvalidBelief: names the record's index and field; nothing was loaded.
        """
        return self._engine.drive(self._async.load(records))

    def export(self) -> list[dict[str, Any]]:
        """Every version ever recorded, as JSON-ready records that ``load`` takes back;
        without episodes.

        A handle of one agent exports what it may see, and not what other agents keep for
        themselves.
        """
        return self._engine.drive(self._async.export())

    def forget(
        self, target: Target | list[Target] | None = None, *, everything: bool = False
    ) -> Receipt:
        """Erase beliefs and every trace of their text from disk, history included.

        The episodes that they were learned from go too, and those that repeat their words;
        so does a persona that was written of them.

        Args:
            target: a belief, its id, or a slot (every belief that was ever in it), or a
                list of them.
            everything: erase the whole ledger, all episodes and the user's name instead.

        Returns:
            What was removed, without the text. Counts are of beliefs, of their versions,
            and of episodes.

        Raises:
            BeliefNotFound: nothing recorded has that id or slot; nothing was erased.
            InvalidQuery: neither or both of the arguments were given.
        """
        return self._engine.drive(self._async.forget(target, everything=everything))
