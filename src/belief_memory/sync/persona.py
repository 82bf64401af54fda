# Made from engine/persona.py by scripts/sync_facade.py; change it there.
"""The verb that has a persona written."""

from __future__ import annotations

from belief_memory.model.outcome import Outcome
from belief_memory.sync.recall import RecallVerb


class PersonaVerbs(RecallVerb):
    """What stands before every answer, in a model's words where one is asked."""

    def write_persona(self, *, limit: int = 1200) -> Outcome | None:
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
        return self._engine.drive(self._async.write_persona(limit=limit))
