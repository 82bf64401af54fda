"""The verbs for episodes: what was said, and what beliefs rest on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from belief_memory.engine.base import each, whole_number
from belief_memory.engine.diary import to_rows
from belief_memory.engine.review import ReviewVerbs
from belief_memory.engine.thread import on_engine
from belief_memory.engine.work import Target
from belief_memory.errors import BeliefNotFound, InvalidQuery
from belief_memory.ledger.amend import name_of
from belief_memory.model.belief import Belief, Provenance
from belief_memory.model.episode import Episode
from belief_memory.model.learning import Said
from belief_memory.model.time import Instant, to_instant
from belief_memory.ports import Erased
from belief_memory.text.normal import fold
from belief_memory.text.tokens import tokenise


class EpisodeVerbs(ReviewVerbs):
    """Turns that were kept, of memories opened with ``episodes``."""

    @on_engine
    async def episodes(
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
        if isinstance(ids, str) or not (ids is None or isinstance(ids, Iterable)):
            raise InvalidQuery("ids", f"expected a list of ids, got {ids!r:.80}")
        wanted = None if ids is None else frozenset(ids)
        start = None if since is None else to_instant(since, "since", InvalidQuery)
        end = None if until is None else to_instant(until, "until", InvalidQuery)
        most = None if limit is None else whole_number(limit, "limit")
        active = self._active_scopes(scopes)

        def fits(turn: Episode) -> bool:
            return (
                (wanted is None or turn.id in wanted)
                and (session_id is None or turn.session_id == session_id)
                and (start is None or turn.at >= start)
                and (end is None or turn.at < end)
            )

        found = [turn for turn in await self._turns(active) if fits(turn)]
        return found if most is None else found[max(0, len(found) - most) :]

    @on_engine
    async def evidence_of(
        self, target: Target, *, scopes: Sequence[str] | None = None
    ) -> list[Episode]:
        """The turns that a belief was learned from, in the order in which they were observed.

        Args:
            target: a belief, its id, or a slot (every belief that was ever in it).
            scopes: active scopes; default: the handle's own (``user:universal`` always is).

        Raises:
            BeliefNotFound: nothing recorded has that id or slot.
            InvalidQuery: a malformed scope.
        """
        active = self._active_scopes(scopes)
        await self._memory.ready()
        versions = await self._recorded(target)
        if not versions:
            raise BeliefNotFound(target.id if isinstance(target, Belief) else name_of(target))
        turns = await self._turns(active)
        sources = _sources(versions, turns)
        return [turn for turn in turns if turn in sources]

    async def _turns(self, active: frozenset[str]) -> list[Episode]:
        """The turns that this handle may see."""
        await self._memory.ready()
        return await self._memory.diary(self._user_id).consult(
            lambda turns: [
                turn for turn in turns if self._owns(turn) and not active.isdisjoint(turn.scopes)
            ]
        )

    def _owns(self, turn: Episode) -> bool:
        return self._agent_id is None or turn.agent_id in (None, self._agent_id)

    async def _keep(self, turns: Sequence[Said], session_id: str | None) -> None:
        """Keep observed turns, where the memory keeps any."""
        if self._memory.episodes is None or not turns:
            return
        rows = to_rows(
            turns,
            user_id=self._user_id,
            agent_id=self._agent_id,
            scopes=self._scopes,
            session_id=session_id,
            now=self._memory.now(),
        )
        await self._memory.diary(self._user_id).keep(rows)

    async def _erase(
        self, target: Target | list[Target] | None, ids: frozenset[str] | None
    ) -> tuple[Erased, Erased]:
        which: Callable[[Collection[Episode]], set[Episode]] | None = None
        if target is not None:
            versions = [version for one in each(target)[0] for version in await self._recorded(one)]

            def going(turns: Collection[Episode]) -> set[Episode]:
                mine = [turn for turn in turns if self._owns(turn)]
                return _sources(versions, mine) | _repeating(versions, mine)

            which = going
        desk = self._desk
        return await self._memory.diary(self._user_id).erase(which, lambda: desk.erase(ids))


def _sources(versions: Iterable[Belief], turns: Iterable[Episode]) -> set[Episode]:
    """The turns that the versions say they were learned from."""
    by_name: dict[tuple[str | None, str], list[Episode]] = {}
    for turn in turns:
        by_name.setdefault((turn.session_id, turn.id), []).append(turn)
    found: set[Episode] = set()
    for version in versions:
        provenance = version.provenance or Provenance()
        for id in provenance.message_ids:
            named = by_name.get((provenance.session_id, id), [])
            # Callers may number the messages of every conversation alike: the instant
            # tells. Messages without one are heard of anew each time they are observed.
            exact = [turn for turn in named if provenance.at in (turn.at, None)]
            found.update(exact or (turn for turn in named if not turn.dated))
    return found


def _repeating(versions: Iterable[Belief], turns: Iterable[Episode]) -> set[Episode]:
    """The turns that have the words of a version, or of what it was learned from."""
    texts = {
        text
        for version in versions
        for text in (version.content, version.provenance and version.provenance.quote)
        if text
    }
    told = [f" {words} " for text in texts if (words := _words(text))]
    said = ((turn, f" {_words(turn.text)} ") for turn in turns)
    return {turn for turn, words in said if any(one in words for one in told)}


def _words(text: str) -> str:
    return " ".join(tokenise(fold(text)[0]))
