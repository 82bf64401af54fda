"""One user's memory, blocking."""

from __future__ import annotations

from belief_memory.sync.persona import PersonaVerbs


class UserMemory(PersonaVerbs):
    """One user's memory: every verb, blocking. Made by :meth:`BeliefMemory.for_user`.

    Cheap to make and safe to share between threads. Inside a running event loop it works
    and blocks the loop; use :attr:`asynchronous` there.
    """
