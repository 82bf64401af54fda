"""Whose memory a run reads: fixed, from the run's context, or from its config."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from belief_memory import (
    AsyncBeliefMemory,
    AsyncUserMemory,
    BeliefMemory,
    InvalidQuery,
    UserMemory,
)
from langchain_core.runnables.config import var_child_runnable_config

Memory = BeliefMemory | AsyncBeliefMemory
UserId = str | Callable[[Any], str] | None
Scopes = Sequence[str] | Callable[[Any], Sequence[str] | None] | None


def synchronous(memory: Memory) -> BeliefMemory:
    """The handle's view whose verbs wait."""
    _check(memory)
    return memory.sync if isinstance(memory, AsyncBeliefMemory) else memory


def asynchronous(memory: Memory) -> AsyncBeliefMemory:
    """The handle's view whose verbs are awaited."""
    _check(memory)
    return memory if isinstance(memory, AsyncBeliefMemory) else memory.asynchronous


def _check(memory: object) -> None:
    if not isinstance(memory, (BeliefMemory, AsyncBeliefMemory)):
        raise InvalidQuery("memory", f"expected an open BeliefMemory, got {memory!r:.80}")


@dataclass(frozen=True, slots=True)
class Who:
    """One user, with the scopes of one run; ``scopes`` None means the memory's default."""

    user_id: str
    scopes: tuple[str, ...] | None
    agent_id: str | None

    def sync(self, memory: Memory) -> UserMemory:
        """This user's memory, with verbs that wait."""
        return synchronous(memory).for_user(self.user_id, **self._bounds())

    def asynchronous(self, memory: Memory) -> AsyncUserMemory:
        """This user's memory, with verbs to await."""
        return asynchronous(memory).for_user(self.user_id, **self._bounds())

    def _bounds(self) -> dict[str, Any]:
        bounds: dict[str, Any] = {"agent_id": self.agent_id}
        if self.scopes is not None:
            bounds["scopes"] = self.scopes
        return bounds


@dataclass(frozen=True, slots=True)
class Identity:
    """How to find out whose memory it is.

    ``user_id`` and ``scopes`` are fixed, callables of the run (a ``Runtime`` in an agent, a
    ``ToolRuntime`` in a tool, a ``RunnableConfig`` elsewhere), or None: then they are read
    from the run's context, and from ``configurable`` where that has none. A user whom a
    server has authenticated goes before both, as a client may write those.
    """

    user_id: UserId = None
    scopes: Scopes = None
    agent_id: str | None = None

    def of(self, run: Any) -> Who:
        """Whose run this is; raises InvalidQuery naming the ways to say it, if unknown."""
        return Who(self._user(run), self._scopes(run), self.agent_id)

    def _user(self, run: Any) -> str:
        found: object = self.user_id
        if callable(found):
            found = found(run)
        elif found is None:
            found = _authenticated(run) or _named(run, "user_id")
        if not isinstance(found, str) or not found.strip():
            raise InvalidQuery(
                "user_id",
                "whose memory? Give user_id=… where the memory is attached, or run with "
                'context=Context(user_id=…) or config={"configurable": {"user_id": …}}; '
                f"got {found!r:.80}",
            )
        return found

    def _scopes(self, run: Any) -> tuple[str, ...] | None:
        found: Any = self.scopes
        if callable(found):
            found = found(run)
        elif found is None:
            found = _named(run, "scopes")
        if found is None:
            return None
        if isinstance(found, str):
            raise InvalidQuery("scopes", f"expected a list of scopes, got {found!r:.80}")
        return tuple(found)


def configurable(run: Any) -> Mapping[str, Any]:
    """The ``configurable`` part of the config that a run was started with."""
    config = run if isinstance(run, Mapping) else getattr(run, "config", None)
    if config is None:
        config = var_child_runnable_config.get()
    found = (config or {}).get("configurable")
    return found if isinstance(found, Mapping) else {}


def _named(run: Any, name: str) -> Any:
    context = getattr(run, "context", None)
    found = context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
    return configurable(run).get(name) if found is None else found


def _authenticated(run: Any) -> object:
    user = getattr(getattr(run, "server_info", None), "user", None)
    return getattr(user, "identity", None)
