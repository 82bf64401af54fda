"""The extractor for any model that can complete a prompt."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from belief_memory.learning.parsing import parse_answer
from belief_memory.learning.persona_prompt import persona_prompt, persona_schema, read_persona
from belief_memory.learning.prompt import (
    answer_schema,
    brief_prompt,
    brief_schema,
    extraction_prompt,
)
from belief_memory.model.learning import Extraction, Lesson

Complete = Callable[[str, dict[str, Any]], Any]
"""``complete(prompt, schema)``: the answer as text, or as structured output (a mapping, a
list or an object with ``model_dump``); may be a coroutine function. ``schema`` is JSON
Schema, for models that take one."""


class CompletionExtractor:
    """Asks a model once for all the turns it is given.

    Args:
        complete: see :data:`Complete`. What it raises leaves the turns queued.
        name: how the extractor calls itself in provenance.
        model: the model's name, for provenance.
        timeout: seconds to wait for an answer; None: for ever.
        brief: for small local models: a prompt of a few hundred tokens with examples in
            it, and an answer of five short fields. Such an answer knows no time, no
            aliases and no acts; whole conversations are cut to their first 600 characters,
            so give it a turn at a time.
    """

    def __init__(
        self,
        complete: Complete,
        *,
        name: str = "completion",
        model: str | None = None,
        timeout: float | None = None,
        brief: bool = False,
    ) -> None:
        self.name = name
        self.model = model
        self._complete = complete
        self._timeout = timeout
        self._brief = brief

    async def extract(self, lesson: Lesson) -> Extraction:
        """The drafts in the model's answer, and what of it could not be read."""
        if self._brief:
            prompt, schema = brief_prompt(lesson), brief_schema()
        else:
            prompt, schema = extraction_prompt(lesson), answer_schema()
        answer = await asyncio.wait_for(self._answer(prompt, schema), self._timeout)
        return parse_answer(answer, model=self.model)

    async def write_persona(self, notes: str, limit: int) -> str:
        """The notes as one compact text (see :class:`belief_memory.ports.PersonaWriter`)."""
        asked = self._answer(persona_prompt(notes, limit), persona_schema())
        return read_persona(await asyncio.wait_for(asked, self._timeout))

    async def _answer(self, prompt: str, schema: dict[str, Any]) -> Any:
        if inspect.iscoroutinefunction(self._complete):
            return await self._complete(prompt, schema)
        # A blocking client must not hold up the loop that everybody's reads run on.
        answer = await asyncio.to_thread(self._complete, prompt, schema)
        return await answer if inspect.isawaitable(answer) else answer
