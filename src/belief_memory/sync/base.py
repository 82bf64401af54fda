"""What every family of blocking verbs stands on."""

from __future__ import annotations

from belief_memory.engine.thread import EngineThread
from belief_memory.engine.user import AsyncUserMemory


class SyncVerbs:
    """One user's memory, seen through blocking calls."""

    def __init__(self, asynchronous: AsyncUserMemory) -> None:
        self._async = asynchronous
        self._engine: EngineThread = asynchronous.engine

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.user_id!r}, scopes={list(self.scopes)!r})"

    @property
    def asynchronous(self) -> AsyncUserMemory:
        """The same memory with async verbs."""
        return self._async

    @property
    def user_id(self) -> str:
        """Whose memory this is."""
        return self._async.user_id

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that are active in reads and given to what is written."""
        return self._async.scopes

    @property
    def agent_id(self) -> str | None:
        """The agent whose own beliefs are seen beside the shared ones."""
        return self._async.agent_id
