"""The verb that has a persona written."""

from __future__ import annotations

import asyncio
from typing import cast

from belief_memory.engine.recall import RecallVerb
from belief_memory.engine.thread import on_engine
from belief_memory.errors import BeliefMemoryError, ExtractionFailed, InvalidQuery
from belief_memory.injection.persona import WRITTEN, persona_text, written_of
from belief_memory.learning.persona_prompt import objection
from belief_memory.model.belief import Provenance
from belief_memory.model.draft import Draft
from belief_memory.model.outcome import Outcome
from belief_memory.model.scope import UNIVERSAL
from belief_memory.ports import PersonaWriter


class PersonaVerbs(RecallVerb):
    """What stands before every answer, in a model's words where one is asked."""

    @on_engine
    async def write_persona(self, *, limit: int = 1200) -> Outcome | None:
        """Have the memory's extractor write the persona as one compact text, and keep it.

        Recall calls no model: it uses the text that was written for exactly the beliefs that
        are in the persona now, and builds one from them as soon as they are others. The text
        is a belief of its own (slot ``("user", "written_persona")``), so it survives a
        restart, has a history, and is forgotten with any belief it tells of.

        Args:
            limit: how many characters it may have.

        Returns:
            What keeping it did; None if there is nothing in the persona to write about.

        Raises:
            InvalidQuery: the memory has no extractor that writes personas, the handle reads
                other ledgers along, or a limit below 1.
            ExtractionFailed: the model failed, wrote more than the limit, or its text has
                not exactly the numbers of the beliefs; what was kept before stays.
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise InvalidQuery("limit", f"expected a number of 1 or more, got {limit!r:.80}")
        extractor = self._extractor()
        if not callable(getattr(extractor, "write_persona", None)):
            raise InvalidQuery("extractor", f"{extractor.name!r} writes no persona")
        if self._also:
            raise InvalidQuery("also", "a persona is written from one ledger's beliefs only")
        await self._memory.ready(writing=True)
        beliefs = (await self.recall("", routes=["persona"])).persona_beliefs
        if not beliefs:
            return None
        notes = persona_text(beliefs)
        try:
            text = await cast(PersonaWriter, extractor).write_persona(notes, limit)
        except (BeliefMemoryError, asyncio.CancelledError):
            raise
        except Exception as failure:
            raise ExtractionFailed(f"no persona was written: {failure!r:.300}") from failure
        if (why := objection(text, notes, limit)) is not None:
            raise ExtractionFailed(f"no persona was kept: {why}")
        draft = Draft(
            canonical_name=WRITTEN[0],
            attribute=WRITTEN[1].replace(" ", "_"),
            content=text,
            type="preference",
            scopes=(UNIVERSAL,),
            epistemic_status="inferred",
            on_conflict="supersede",
            metadata=written_of(beliefs),
            provenance=Provenance(
                source="extraction", extractor=extractor.name, at=self._memory.now()
            ),
        )
        return await self._operate(lambda planner, _: planner.remember(draft))
