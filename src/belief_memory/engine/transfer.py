"""The verbs that move records in and out, and out for good."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from belief_memory.engine.base import each, listed
from belief_memory.engine.reads import ReadVerbs
from belief_memory.engine.thread import on_engine
from belief_memory.engine.work import Loading, Target
from belief_memory.errors import BeliefNotFound, InvalidQuery
from belief_memory.injection.persona import WRITTEN, tells_of
from belief_memory.ledger.amend import name_of
from belief_memory.model.belief import Belief
from belief_memory.model.outcome import Receipt
from belief_memory.ports import Erased, VersionFilter
from belief_memory.store.select import unlinked
from belief_memory.text.fold import slot_key


class TransferVerbs(ReadVerbs):
    """Load, export, forget."""

    @on_engine
    async def load(self, records: Iterable[Mapping[str, Any] | Belief]) -> int:
        """Write records verbatim, in one commit; idempotent by version id.

        Args:
            records: dicts with a belief's field names, or beliefs; see ``export``. What is
                left out is filled in: a new id, the handle's scopes, now.

        Returns:
            How many versions were new.

        Raises:
            InvalidBelief: names the record's index and field; nothing was loaded.
        """
        given = [
            record if isinstance(record, Belief) else _plain(record)
            for record in listed(records, "records")
        ]
        await self._memory.ready(writing=True)
        return await self._write(Loading(self._writer(), self._desk.ledger, given))

    @on_engine
    async def export(self) -> list[dict[str, Any]]:
        """Every version ever recorded, as JSON-ready records that ``load`` takes back;
        without episodes.

        A handle of one agent exports what it may see, and not what other agents keep for
        themselves.
        """
        await self._memory.ready()
        versions = await self._desk.ledger.versions(VersionFilter())
        seen = [version for version in versions if self._mine(version)]
        if len(seen) < len(versions):
            ids = {version.id for version in seen}
            seen = [unlinked(version, lambda one: one not in ids) for version in seen]
        return [version.model_dump(mode="json") for version in seen]

    @on_engine
    async def forget(
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
        if (target is None) != everything:
            raise InvalidQuery("target", "give what to forget, or everything=True")
        await self._memory.ready(writing=True)
        ids = None if target is None else await self._recorded_ids(each(target)[0])
        if ids is not None:
            ids |= await self._telling_of(ids)
            await self._detach(ids)
        erase_elsewhere = await self._elsewhere(target)
        turns, erased = await self._erase(target, ids)
        erase_elsewhere()
        self._memory.personas.drop()
        return Receipt(
            beliefs=erased.beliefs,
            versions=erased.versions,
            verified=erased.verified and turns.verified,
            turns=turns.beliefs,
        )

    async def _erase(
        self, target: Target | list[Target] | None, ids: frozenset[str] | None
    ) -> tuple[Erased, Erased]:
        """Erase from the ledger, and the turns that go with it; what was erased of turns
        comes first."""
        return Erased(0, 0, verified=True), await self._desk.erase(ids)

    async def _elsewhere(self, target: Target | list[Target] | None) -> Callable[[], None]:
        """What erases the same (None: everything) from what is kept beside the ledger."""
        return lambda: None

    async def _detach(self, gone: frozenset[str]) -> None:
        """Links to what is erased go with it; what was replaced by it stays replaced."""
        linked = {
            version.id
            for version in await self._desk.ledger.versions(VersionFilter())
            if version.retired_at is None and version.superseded_by in gone
        }
        if ids := linked - gone:
            await self._operate(lambda planner, _: planner.detach(ids, gone), len(ids))

    async def _recorded_ids(self, targets: list[Target]) -> frozenset[str]:
        found: set[str] = set()
        for target in targets:
            versions = await self._recorded(target)
            if not versions:
                raise BeliefNotFound(target.id if isinstance(target, Belief) else name_of(target))
            found.update(version.id for version in versions)
        return frozenset(found)

    async def _telling_of(self, ids: frozenset[str]) -> frozenset[str]:
        """The personas that a model wrote of any of these beliefs, whichever agent's."""
        key = slot_key(*WRITTEN)
        versions = await self._desk.ledger.versions(VersionFilter(slot_keys=frozenset((key,))))
        return frozenset(version.id for version in versions if tells_of(version, ids))


def _plain(record: object) -> Any:
    return dict(record) if isinstance(record, Mapping) else record
