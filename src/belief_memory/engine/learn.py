"""The verbs that learn from conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from belief_memory.engine.base import whole_number
from belief_memory.engine.episodes import EpisodeVerbs
from belief_memory.engine.likeness import likeness
from belief_memory.engine.teaching import Teaching
from belief_memory.engine.thread import on_engine
from belief_memory.engine.turns import RETRIES, Waiting, mentions
from belief_memory.engine.work import Target
from belief_memory.errors import (
    BeliefMemoryError,
    ExtractionFailed,
    HandleClosed,
    InvalidQuery,
    StoreError,
)
from belief_memory.learning.digest import render_digest
from belief_memory.learning.doubts import Setting
from belief_memory.learning.duplicates import find_duplicates
from belief_memory.learning.evidence import find_evidence
from belief_memory.learning.heard import Heard
from belief_memory.learning.keys import USER
from belief_memory.ledger.reading import select
from belief_memory.model.belief import Belief
from belief_memory.model.context import Budget
from belief_memory.model.learning import (
    Duplicate,
    Extraction,
    Learned,
    Lesson,
    Message,
    Report,
    Said,
    Skip,
)
from belief_memory.model.time import to_instant
from belief_memory.ports import Extractor, VersionFilter
from belief_memory.retrieval.recall import Question, recall
from belief_memory.retrieval.user_attributes import attribute_of, phrases
from belief_memory.text.keys import name_key
from belief_memory.text.tokens import tokenise

MAX_KNOWN = 60
"""Beliefs of the user's that an extractor is shown."""


class LearnVerbs(EpisodeVerbs):
    """Learning from conversation: opt-in, gated, and never silent about a loss."""

    @on_engine
    async def observe(
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
        learning = self._memory.learning
        if learning.mode == "inject_only":
            return Report(note="the memory is inject_only: nothing is learned")
        extractor = None if self._only_keeps() else self._extractor()
        await self._memory.ready(writing=True)
        # Long texts take milliseconds to search for secrets: not on everybody's loop.
        turns, redacted = await asyncio.to_thread(
            learning.read,
            messages,
            self._memory.now(),
            session_id,
            unique=self._memory.episodes is not None,
        )
        await self._keep(turns, session_id)
        if extractor is None:
            return Report(
                redacted=redacted, note="no extractor: turns are kept, nothing is learned"
            )
        if not any(said.role == "user" for said in turns):
            return Report(redacted=redacted)
        waiting = learning.queue.put(self._user_id, self._agent_id, self._scopes, session_id, turns)
        if learning.background:
            learning.start(self._learn_later(extractor))
            return Report(redacted=redacted, queued=1)
        async with learning.lock(self._user_id):
            report = await self._learn(extractor, waiting)
            report.redacted = redacted
            report.add(await self._retry(extractor, RETRIES))
        return report

    @on_engine
    async def flush(self) -> Report:
        """Learn now from all turns of this user that wait, failed ones included.

        Returns:
            What came of them, and of what was learned in the background since the last
            call; ``queued`` is how many turns still wait because the extractor fails.

        Raises:
            InvalidQuery: the memory has no extractor.
        """
        learning = self._memory.learning
        extractor = self._extractor()
        await self._memory.ready(writing=True)
        await learning.settled()
        async with learning.lock(self._user_id):
            report = learning.reported(self._user_id)
            report.queued = 0
            report.add(await self._retry(extractor, None))
            for name in learning.queue.unreadable(self._user_id):
                report.skipped.append(Skip("turns that wait there cannot be read", name))
        return report

    @on_engine
    async def duplicates(self) -> list[Duplicate]:
        """Pairs of current beliefs that may be one: they share a name or, with an embedder,
        say the same. For a person to :meth:`merge`; nothing is merged by itself."""
        state = await self._fresh()
        beliefs = select(state.held, self._reader(state, scopes=self._active))
        alike = await likeness(self._memory.learning.embedder, (b.content for b in beliefs))
        return find_duplicates(beliefs, same_attribute=_same_attribute, alike=alike)

    @on_engine
    async def digest(
        self, day: date | str | None = None, *, days: int = 1, timezone: str = "UTC"
    ) -> str:
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
        zone = _zone(timezone)
        whole_number(days, "days", least=1)
        state = await self._fresh()
        first = self._desk.now(state).astimezone(zone).date() if day is None else _day(day, zone)
        try:
            start = datetime.combine(first, time(), zone)
            end = datetime.combine(first + timedelta(days=days), time(), zone)
        except OverflowError:
            raise InvalidQuery("day", "the days end outside the years 1 to 9999") from None
        versions = await self._desk.ledger.versions(VersionFilter())
        mine = [version for version in versions if self._mine(version)]
        then = [version for version in mine if version.known_at(end - _TICK)]
        title = f"{first}" if days == 1 else f"{first} to {first + timedelta(days=days - 1)}"
        current = sorted(
            (v for v in then if v.resolved_at is None or v.resolved_at >= end),
            key=lambda v: (str(v.slot), v.recorded_at, v.id),
        )
        return render_digest(title, mine, start, end, current)

    async def _elsewhere(self, target: Target | list[Target] | None) -> Callable[[], None]:
        queue = self._memory.learning.queue
        if target is None:
            return lambda: queue.erase(self._user_id)
        names = await self._texts(target)
        gone = [one for one in queue.of_user(self._user_id) if mentions(one, names)]

        def erase() -> None:
            for waiting in gone:
                queue.done(waiting)
            queue.sweep(self._user_id)

        return erase

    async def _texts(self, target: Target | list[Target]) -> list[str]:
        await self._memory.ready(writing=True)
        texts: set[str] = set()
        for one in target if isinstance(target, list) else [target]:
            for version in await self._recorded(one):
                texts.update((version.content, *version.aliases))
                if version.canonical_name != USER:
                    texts.add(version.canonical_name)
                if version.provenance is not None and version.provenance.quote:
                    texts.add(version.provenance.quote)
        return sorted(texts)

    def _only_keeps(self) -> bool:
        memory = self._memory
        return memory.learning.extractor is None and memory.episodes is not None

    def _extractor(self) -> Extractor:
        extractor = self._memory.learning.extractor
        if extractor is None:
            raise InvalidQuery(
                "extractor",
                "the memory was opened without one; give BeliefMemory.open an extractor, for "
                "example belief_memory.learning.DeterministicExtractor()",
            )
        return extractor

    async def _learn_later(self, extractor: Extractor) -> None:
        learning = self._memory.learning
        async with learning.lock(self._user_id):
            try:
                report = await self._retry(extractor, RETRIES)
            except BeliefMemoryError as error:
                report = Report(note=f"learning in the background failed, turns wait: {error}")
            learning.keep(self._user_id, report)

    async def _retry(self, extractor: Extractor, most: int | None) -> Report:
        """Learn from what waits, oldest first, until the extractor fails."""
        report = Report()
        queue = self._memory.learning.queue
        waiting = queue.of_user(self._user_id)
        for at, one in enumerate(waiting):
            if most is not None and one.attempts >= most:
                report.queued += 1
                continue
            try:
                report.add(await self._learn(extractor, one))
            except ExtractionFailed:
                report.queued += len(waiting) - at
                break
        return report

    async def _learn(self, extractor: Extractor, waiting: Waiting) -> Report:
        lesson = await self._lesson(waiting)
        try:
            extraction = await extractor.extract(lesson)
        except Exception as error:
            self._memory.learning.queue.failed(waiting)
            raise ExtractionFailed(
                f"the extractor {extractor.name!r} failed ({type(error).__name__}: {error}); "
                f"{len(waiting.turns)} messages are kept for a retry"
            ) from error
        try:
            report = Report(skipped=list(extraction.skipped))
            heard = Heard(lesson)
            for setting, part in await self._parts(extractor, waiting, heard, extraction):
                teaching = Teaching(self._writer(), heard, part, setting)
                outcomes, skipped = await self._write(teaching)
                report.outcomes += outcomes
                report.skipped += skipped
        except (StoreError, HandleClosed):
            raise
        except Exception as error:
            # Counted: turns that nothing can be made of may not stand in the way for ever.
            self._memory.learning.queue.failed(waiting)
            raise ExtractionFailed(
                f"what the extractor {extractor.name!r} drew from {len(waiting.turns)} messages "
                f"cannot be held ({type(error).__name__}); they are kept for a retry"
            ) from error
        self._memory.learning.queue.done(waiting)
        return report

    async def _parts(
        self, extractor: Extractor, waiting: Waiting, heard: Heard, extraction: Extraction
    ) -> list[tuple[Setting, list[Learned]]]:
        """The drafts by commit: one for all, but one a message where messages have no
        times of their own, so that their order is kept."""
        learning = self._memory.learning
        texts = [b.content for b in heard.known] + [one.content for one in extraction.learned]
        setting = Setting(
            user_id=self._user_id,
            scopes=self._scopes,
            now=self._memory.now(),
            curated=learning.mode == "curated",
            session_id=waiting.session_id,
            extractor=extractor.name,
            model=extraction.model,
            same_attribute=_same_attribute,
            attributes_in=_attributes_in,
            alike=await likeness(learning.embedder, texts),
        )
        if all(said.dated for said in heard.turns):
            return [(setting, list(extraction.learned))] if extraction.learned else []
        groups: dict[str, list[Learned]] = {said.id: [] for said in heard.turns}
        for one in extraction.learned:
            found = find_evidence(one, heard)
            said = found.said or heard.turns[-1]
            groups[said.id].append(one)
        return [(setting, group) for group in groups.values() if group]

    async def _lesson(self, waiting: Waiting) -> Lesson:
        state = await self._fresh()
        reader = self._reader(state, scopes=self._active)
        named: dict[str, Belief] = {}
        for said in waiting.turns:
            if said.role == "user":
                for belief in self._named_in(said, state):
                    named[belief.id] = belief
        for belief in select(state.held, reader):
            if belief.canonical_name == USER or belief.type == "open_question":
                named.setdefault(belief.id, belief)
        return Lesson(waiting.turns, tuple(named.values())[:MAX_KNOWN], self._scopes)

    def _named_in(self, said: Said, state: Any) -> Iterable[Belief]:
        question = Question(
            query=said.text,
            scopes=self._active,
            valid_at=self._desk.now(state),
            agent_id=self._agent_id,
            budget=Budget(MAX_KNOWN, MAX_KNOWN, MAX_KNOWN),
            types=None,
            routes=None,
            previous=None,
            count_tokens=self._memory.count_tokens,
        )
        with self._desk.gate:
            found = recall(question, [state.index])
        return [*found.relevant, *found.pinned, *found.questions]


_TICK = timedelta(microseconds=1)


def _same_attribute(name: str) -> str | None:
    """The well-known attribute that a name stands for, in whatever language."""
    known = attribute_of(cast(Belief, SimpleNamespace(attribute=name)))
    if known is None:
        whole = name_key(name)
        known = next(
            (phrase.attributes[0] for phrase in phrases().by_run.get(whole, ()) if not phrase.own),
            None,
        )
    return known


def _attributes_in(text: str) -> frozenset[str]:
    """The attributes of a user that ship with one of these names, in any language."""
    named = phrases().by_run
    words = tokenise(text)
    runs = (
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, len(words) + 1)
    )
    return frozenset(
        attribute
        for run in runs
        for phrase in named.get(run, ())
        for attribute in phrase.attributes
    )


def _zone(name: str) -> ZoneInfo:
    try:
        if isinstance(name, str):
            return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise InvalidQuery("timezone", f"no such time zone: {name!r:.80}")


def _day(value: object, zone: ZoneInfo) -> date:
    if isinstance(value, datetime):
        return to_instant(value, "day", InvalidQuery).astimezone(zone).date()
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise InvalidQuery("day", f"expected a date, got {value!r:.80}")
