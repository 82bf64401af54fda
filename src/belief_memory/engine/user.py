"""One user's memory, async."""

from __future__ import annotations

from belief_memory.engine.persona import PersonaVerbs


class AsyncUserMemory(PersonaVerbs):
    """One user's memory: every verb, async. Made by :meth:`AsyncBeliefMemory.for_user`.

    Cheap to make and safe to share between tasks, threads and event loops.
    """
