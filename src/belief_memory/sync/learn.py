# Made from engine/learn.py by scripts/sync_facade.py; change it there.
"""The verbs that learn from conversation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from belief_memory.model.learning import Duplicate, Message, Report
from belief_memory.sync.episodes import EpisodeVerbs


class LearnVerbs(EpisodeVerbs):
    """Learning from conversation: opt-in, gated, and never silent about a loss."""

    def observe(
        self,
        messages: Sequence[Message | str | dict[str, Any] | Any] | Message | str,
        *,
        session_id: str | None = None,
    ) -> Report:
        """Learn from a conversation with the memory's extractor.

        Only what the user states teaches; the other roles are context. Secrets are taken
        out before anything is stored or sent. What is doubtful waits in :meth:`pending`.
        What was learned is written when this returns, unless the memory learns in the
        background. A memory opened with ``episodes`` keeps the turns, too, and needs no
        extractor for that.

        Args:
            messages: :class:`Message` objects, strings (the user's), dicts with ``role``
                and ``content``, or a framework's message objects, oldest first. A message
                without a time counts as said now; time phrases are read in the time zone
                of the message's own time.
            session_id: names the conversation in provenance.

        Returns:
            What each draft did, and what was not learned and why.

        Raises:
            InvalidQuery: the memory has neither extractor nor episodes, a message cannot be
                read, or ``session_id`` is no text.
            ExtractionFailed: the extractor failed; the turns are kept, and tried again by
                the next ``observe`` or ``flush``.
        """
        return self._engine.drive(self._async.observe(messages, session_id=session_id))

    def flush(self) -> Report:
        """Learn now from all turns of this user that wait, failed ones included.

        Returns:
            What came of them, and of what was learned in the background since the last
            call; ``queued`` is how many turns still wait because the extractor fails.

        Raises:
            InvalidQuery: the memory has no extractor.
        """
        return self._engine.drive(self._async.flush())

    def duplicates(self) -> list[Duplicate]:
        """Pairs of current beliefs that may be one: they share a name or, with an embedder,
        say the same. For a person to :meth:`merge`; nothing is merged by itself."""
        return self._engine.drive(self._async.duplicates())

    def digest(self, day: date | str | None = None, *, days: int = 1, timezone: str = "UTC") -> str:
        """What changed on a day, or in several, with conflicts, pending and open questions.

        Args:
            day: the first day; default: today.
            days: how many days; 7 gives a week.
            timezone: an IANA name; days begin at its midnights.

        Returns:
            Markdown; the same ledger gives the same text.

        Raises:
            InvalidQuery: not a day, or an unknown time zone.
        """
        return self._engine.drive(self._async.digest(day, days=days, timezone=timezone))
