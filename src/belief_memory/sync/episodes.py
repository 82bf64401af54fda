# Made from engine/episodes.py by scripts/sync_facade.py; change it there.
"""The verbs for episodes: what was said, and what beliefs rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from belief_memory.engine.work import Target
from belief_memory.model.episode import Episode
from belief_memory.model.time import Instant
from belief_memory.sync.review import ReviewVerbs


class EpisodeVerbs(ReviewVerbs):
    """Turns that were kept, of memories opened with ``episodes``."""

    def episodes(
        self,
        *,
        ids: Iterable[str] | None = None,
        session_id: str | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        scopes: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[Episode]:
        """The turns that were kept, in the order in which they were observed.

        Args:
            ids: only these messages; a belief's ``provenance.message_ids``.
            session_id: only this conversation.
            since: only what was said at this instant or later.
            until: only what was said before this instant.
            scopes: active scopes; default: the handle's own (``user:universal`` always is).
            limit: at most this many, the last ones.

        Raises:
            InvalidQuery: a naive instant, a malformed scope, or ids that are no list.
        """
        return self._engine.drive(
            self._async.episodes(
                ids=ids, session_id=session_id, since=since, until=until, scopes=scopes, limit=limit
            )
        )

    def evidence_of(self, target: Target, *, scopes: Sequence[str] | None = None) -> list[Episode]:
        """The turns that a belief was learned from, in the order in which they were observed.

        Args:
            target: a belief, its id, or a slot (every belief that was ever in it).
            scopes: active scopes; default: the handle's own (``user:universal`` always is).

        Raises:
            BeliefNotFound: nothing recorded has that id or slot.
            InvalidQuery: a malformed scope.
        """
        return self._engine.drive(self._async.evidence_of(target, scopes=scopes))
