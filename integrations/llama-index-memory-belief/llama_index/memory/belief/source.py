"""Whose beliefs an adapter recalls, and how: shared by all of them, and serialisable."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from belief_memory import (
    AsyncBeliefMemory,
    AsyncUserMemory,
    Budget,
    Context,
    HandleClosed,
    InvalidQuery,
    UserMemory,
)
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from llama_index.memory.belief.live import (
    Live,
    Memory,
    find_live,
    find_memory,
    full_uri,
    handle_of,
    keep,
    name_of,
    open_uri,
)

Format = Literal["xml", "markdown"]
Route = Literal["persona", "pinned", "relevant", "questions", "related", "evidence"]


class Source(BaseModel):
    """Where the beliefs are, whose they are, and how much of them to recall."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    uri: str
    """Where the memory is kept; opened at first use where no open memory is known."""
    user_id: str
    """Whose beliefs; a hard boundary."""
    scopes: list[str] | None = None
    """The active scopes; None: the memory's default."""
    agent_id: str | None = None
    """Sees this agent's own beliefs beside the shared ones."""
    budget: Budget | None = None
    """How much to recall, in beliefs and tokens."""
    routes: tuple[Route, ...] | None = None
    """Which routes to recall; None: all but "related", which is what is alike to the query
    without being named, and needs a memory with an embedder, and "evidence", which is what was
    said about it, and needs one with episodes."""
    format: Format = "xml"
    """How beliefs are rendered."""
    handle: str | None = Field(default=None, repr=False)
    """Names the open memory in the process that has it; nothing to set by hand."""

    _live: Live | None = PrivateAttr(default=None)
    _given: bool = PrivateAttr(default=False)

    @model_validator(mode="before")
    @classmethod
    def _without_class_name(cls, values: Any) -> Any:
        if isinstance(values, dict):
            return {name: value for name, value in values.items() if name != "class_name"}
        return values

    def user(self) -> UserMemory:
        """The user's memory, with blocking verbs."""
        return UserMemory(self.auser())

    def auser(self) -> AsyncUserMemory:
        """The user's memory, with verbs to await."""
        bounds: dict[str, Any] = {"agent_id": self.agent_id}
        if self.scopes is not None:
            bounds["scopes"] = self.scopes
        return self._found().memory.for_user(self.user_id, **bounds)

    def recall(self, query: str, *, previous: str | None = None) -> Context:
        """The beliefs that belong before the model for ``query``; blocks."""
        self._connected()
        return self.user().recall(query, **self._options(previous))

    async def arecall(self, query: str, *, previous: str | None = None) -> Context:
        """The beliefs that belong before the model for ``query``."""
        await self._aconnected()
        return await self.auser().recall(query, **self._options(previous))

    def _options(self, previous: str | None) -> dict[str, Any]:
        return {"budget": self.budget, "routes": self.routes, "previous": previous}

    def _connected(self) -> None:
        """Have the store open, on another handle if an adapter like this was left a closed one."""
        try:
            self._connect()
        except HandleClosed:
            if not self._reopened():
                raise
            self._connect()

    async def _aconnected(self) -> None:
        try:
            await self._aconnect()
        except HandleClosed:
            if not self._reopened():
                raise
            await self._aconnect()

    def _connect(self) -> None:
        handle = self._found().memory
        if not handle.is_ready():
            handle.engine.wait(handle.ready())

    async def _aconnect(self) -> None:
        handle = self._found().memory
        if not handle.is_ready():
            await handle

    def _attach(self, handle: AsyncBeliefMemory, *, given: bool = False, **kept: Any) -> None:
        """Use this open memory; it, and what else is kept, is found again by ``handle``."""
        self._given = given
        name = uuid.uuid4().hex
        self.handle = f"{name_of(handle)}.{name}"
        self._live = keep(name, Live(handle, **kept))

    def _found(self) -> Live:
        if self._live is None:
            self._find(None)
        assert self._live is not None
        return self._live

    def _known(self) -> Live | None:
        """What an adapter with the same handle keeps in this process, without opening."""
        if self._live is None and self.handle is not None:
            self._live = find_live(self.handle.partition(".")[2])
        return self._live

    def _find(self, closed: AsyncBeliefMemory | None) -> None:
        live = self._known()
        if live is not None and live.memory is not closed:
            return
        memory, _, name = (self.handle or "").partition(".")
        found = find_memory(self.uri, memory or None, closed)
        if live is not None:
            live.memory = found
        elif name:
            self._live = keep(name, Live(found))
        else:
            self._attach(found)

    def _reopened(self) -> bool:
        """Whether there is another handle after one was closed. An adapter that was given
        an open memory leaves that to whoever closed it; one rebuilt from its fields opens."""
        if not self._given:
            self._find(self._found().memory)
        return not self._given


def whereabouts(
    memory: Memory | None,
    uri: str | os.PathLike[str] | None,
    user_id: str | None,
    scopes: Sequence[str] | None,
    agent_id: str | None,
    routes: Iterable[Route] | None = None,
) -> tuple[AsyncBeliefMemory, dict[str, Any]]:
    """The handle and the checked fields that say whose beliefs, for a new adapter.

    Raises:
        InvalidQuery: not exactly one of ``memory`` and ``uri``, no user, malformed scopes, an
            unknown route, or one that the memory has not been opened for.
    """
    if (memory is None) == (uri is None):
        raise InvalidQuery("memory", "give an open memory, or the uri of one (not both)")
    if user_id is None:
        raise InvalidQuery("user_id", "whose memory? Give user_id=…")
    if isinstance(scopes, str):
        raise InvalidQuery("scopes", f"expected a list of scopes, got {scopes!r:.80}")
    wanted = None if routes is None else _known(routes)
    handle = open_uri(full_uri(uri)) if uri is not None else handle_of(memory)
    bounds: dict[str, Any] = {} if scopes is None else {"scopes": list(scopes)}
    handle.for_user(user_id, agent_id=agent_id, **bounds)
    if wanted is not None and "related" in wanted:
        handle.related.check()
    if wanted is not None and "evidence" in wanted and handle.episodes is None:
        raise InvalidQuery("routes", "'evidence' needs a memory opened with episodes=True")
    return handle, {
        "uri": full_uri(handle.uri),
        "user_id": user_id,
        "agent_id": agent_id,
        "routes": wanted,
        **bounds,
    }


def _known(routes: Iterable[Route]) -> tuple[Route, ...]:
    known = get_args(Route)
    wanted = () if isinstance(routes, str) else tuple(routes)
    if isinstance(routes, str) or not set(wanted) <= set(known):
        raise InvalidQuery("routes", f"expected some of {', '.join(known)}, got {routes!r:.80}")
    return wanted
