"""Memory for ``create_agent``: recalled before the model, seen by it, never persisted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import isawaitable
from threading import Lock
from typing import Any, Literal

from belief_memory import Budget, Context, InvalidQuery
from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest
from langchain.agents.middleware.types import ModelCallResult, ModelResponse
from langchain_core.runnables.config import var_child_runnable_config

from langchain_belief_memory.identity import Identity, Memory, Scopes, UserId, Who
from langchain_belief_memory.messages import (
    Position,
    add_to_system,
    add_to_user,
    last_user,
    said,
)

Placement = Literal["split", "system", "user"]
Handler = Callable[[ModelRequest[Any]], ModelResponse[Any]]
AsyncHandler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]

_RUNS_KEPT = 512
"""Recalled memories kept at once: a run that is pushed out by others recalls again."""


@dataclass(frozen=True, slots=True)
class Injection:
    """What one model call was given: for hooks, audits and tests."""

    user_id: str
    scopes: tuple[str, ...] | None
    query: str
    """The user's words that were recalled for, without injected memory."""
    context: Context
    system_text: str
    """What was added to the system message; ``""`` if nothing."""
    user_text: str
    """What was added to the last user message; ``""`` if nothing."""


@dataclass(frozen=True, slots=True)
class _Asked:
    run: object
    """Lives as long as one run of the graph, and is shared by its steps."""
    who: Who
    query: str
    previous: str | None
    index: int | None
    """Where the user's message is in the request; None if there is none."""

    @property
    def key(self) -> object:
        return (id(self.run), self.who, self.query, self.previous)


@dataclass(frozen=True, slots=True)
class _Recalled:
    run: object
    """Kept so that its id is not given to another run."""
    context: Context
    stable: str
    named: str
    whole: str


class BeliefMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Gives an agent's model what is believed about its user, before every call.

    Recalls once a run, and again when the user's text changes. The persona and the
    standing facts go to the end of the one system message; what the question named goes
    to the last user message of the request, so that a change of topic leaves a provider's
    cache of the conversation so far intact. Nothing is written to the agent's state: no
    checkpoint holds it, and every call gets it again.

    Args:
        memory: an open ``BeliefMemory`` or ``AsyncBeliefMemory``; the middleware does not
            close it.
        user_id: whose memory; a callable gets the ``Runtime``. None: ``user_id`` of the
            run's context, else of ``configurable``.
        scopes: the active scopes; a callable gets the ``Runtime``. None: ``scopes`` of the
            context or of ``configurable``, else the memory's default.
        agent_id: sees this agent's own beliefs beside the shared ones.
        budget: how much to inject, in beliefs and tokens.
        format: "xml" or "markdown".
        placement: "split" as above; "system" puts all of it in the system message, "user"
            all in the user message.
        position: "before" or "after" the user's own words.
        follow_ups: let a question that names nothing but points back ("how do I scale
            it?") be recalled by the names of the user's previous message.
        on_inject: called with an :class:`Injection` before each model call that gets
            something; in async runs it may be a coroutine function.
        name: tells several of these on one agent apart.

    Raises:
        InvalidQuery: (from a run) when it does not say whose memory to read.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        user_id: UserId = None,
        scopes: Scopes = None,
        agent_id: str | None = None,
        budget: Budget | None = None,
        format: Literal["xml", "markdown"] = "xml",
        placement: Placement = "split",
        position: Position = "before",
        follow_ups: bool = False,
        on_inject: Callable[[Injection], object] | None = None,
        name: str = "BeliefMiddleware",
    ) -> None:
        super().__init__()
        _one_of("format", format, ("xml", "markdown"))
        _one_of("placement", placement, ("split", "system", "user"))
        _one_of("position", position, ("before", "after"))
        self.memory = memory
        self.tools = ()
        self._identity = Identity(user_id, scopes, agent_id)
        self._budget = budget
        self._format = format
        self._placement = placement
        self._position: Position = position
        self._follow_ups = follow_ups
        self._on_inject = on_inject
        self._name = name
        self._recalled: OrderedDict[object, _Recalled] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """What tells it apart from other middlewares on the same agent."""
        return self._name

    def wrap_model_call(self, request: ModelRequest[Any], handler: Handler) -> ModelCallResult[Any]:
        """Calls the model with the memory in the request."""
        asked = self._ask(request)
        recalled = self._known(asked)
        if recalled is None:
            user = asked.who.sync(self.memory)
            context = user.recall(asked.query, budget=self._budget, previous=asked.previous)
            recalled = self._keep(asked, context)
        injection = self._injection(asked, recalled)
        if injection is None:
            return handler(request)
        if self._on_inject is not None:
            self._on_inject(injection)
        with self._traced(injection):
            return handler(self._injected(request, asked, injection))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: AsyncHandler
    ) -> ModelCallResult[Any]:
        """Calls the model with the memory in the request."""
        asked = self._ask(request)
        recalled = self._known(asked)
        if recalled is None:
            user = asked.who.asynchronous(self.memory)
            context = await user.recall(asked.query, budget=self._budget, previous=asked.previous)
            recalled = self._keep(asked, context)
        injection = self._injection(asked, recalled)
        if injection is None:
            return await handler(request)
        if self._on_inject is not None:
            noted = self._on_inject(injection)
            if isawaitable(noted):
                await noted
        with self._traced(injection):
            return await handler(self._injected(request, asked, injection))

    def _ask(self, request: ModelRequest[Any]) -> _Asked:
        messages = request.messages
        index = last_user(messages)
        query = "" if index is None else said(messages[index])
        previous = None
        if self._follow_ups and index is not None:
            earlier = last_user(messages, before=index)
            previous = None if earlier is None else said(messages[earlier]) or None
        return _Asked(
            run=getattr(request.runtime, "control", None),
            who=self._identity.of(request.runtime),
            query=query,
            previous=previous,
            index=index,
        )

    def _known(self, asked: _Asked) -> _Recalled | None:
        if asked.run is None:
            return None
        with self._lock:
            return self._recalled.get(asked.key)

    def _keep(self, asked: _Asked, context: Context) -> _Recalled:
        recalled = _Recalled(
            run=asked.run,
            context=context,
            stable=context.render(self._format, section="stable"),
            named=context.render(self._format, section="query"),
            whole=context.render(self._format),
        )
        if asked.run is not None:
            with self._lock:
                self._recalled[asked.key] = recalled
                while len(self._recalled) > _RUNS_KEPT:
                    self._recalled.popitem(last=False)
        return recalled

    def _injection(self, asked: _Asked, recalled: _Recalled) -> Injection | None:
        for_system, for_user = self._placed(asked, recalled)
        if not for_system and not for_user:
            return None
        return Injection(
            user_id=asked.who.user_id,
            scopes=asked.who.scopes,
            query=asked.query,
            context=recalled.context,
            system_text=for_system,
            user_text=for_user,
        )

    def _injected(
        self, request: ModelRequest[Any], asked: _Asked, injection: Injection
    ) -> ModelRequest[Any]:
        system, messages = request.system_message, request.messages
        if injection.user_text and asked.index is not None:
            messages = add_to_user(messages, asked.index, injection.user_text, self._position)
        if injection.system_text:
            system, messages = add_to_system(system, messages, injection.system_text)
        return request.override(system_message=system, messages=messages)

    def _placed(self, asked: _Asked, recalled: _Recalled) -> tuple[str, str]:
        if self._placement == "system" or asked.index is None:
            return recalled.whole, ""
        if self._placement == "user":
            return "", recalled.whole
        return recalled.stable, recalled.named

    @contextmanager
    def _traced(self, injection: Injection) -> Iterator[None]:
        """Let the model's run carry the ids of what was injected, for LangSmith and the like."""
        config = var_child_runnable_config.get()
        if config is None:
            yield
            return
        noted = {f"belief_memory:{self._name}": _ids(injection.context)}
        metadata = {**(config.get("metadata") or {}), **noted}
        token = var_child_runnable_config.set({**config, "metadata": metadata})
        try:
            yield
        finally:
            var_child_runnable_config.reset(token)


def _ids(context: Context) -> dict[str, list[str]]:
    routes = {
        "persona": context.persona_beliefs,
        "pinned": context.pinned,
        "relevant": context.relevant,
        "questions": context.questions,
        "related": context.related,
        "evidence": context.evidence,
    }
    return {name: [belief.id for belief in found] for name, found in routes.items() if found}


def _one_of(field: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidQuery(field, f"expected one of {', '.join(known)}, got {value!r:.80}")
