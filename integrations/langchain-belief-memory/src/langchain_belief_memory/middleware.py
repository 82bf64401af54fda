"""Memory for ``create_agent``: recalled before the model, seen by it, never persisted."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Literal, Self

from belief_memory import BeliefMemoryError, Budget, Context, InvalidQuery
from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest
from langchain.agents.middleware.types import ModelCallResult, ModelResponse
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.runtime import Runtime

from langchain_belief_memory.identity import Identity, Memory, Scopes, UserId, Who
from langchain_belief_memory.lessons import called_by_an_agent, learns, lesson
from langchain_belief_memory.messages import (
    Position,
    add_to_system,
    add_to_user,
    last_user,
    said,
)
from langchain_belief_memory.routes import Route, checked_routes, route_ids
from langchain_belief_memory.runs import PerRun, run_of

Placement = Literal["split", "system", "user"]
Handler = Callable[[ModelRequest[Any]], ModelResponse[Any]]
AsyncHandler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]

_log = logging.getLogger(__name__)


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
    run: object | None
    who: Who
    query: str
    previous: str | None
    index: int | None
    """Where the user's message is in the request; None if there is none."""

    @property
    def key(self) -> tuple[Who, str, str | None, bool]:
        return (self.who, self.query, self.previous, self.index is None)


@dataclass(frozen=True, slots=True)
class _Recalled:
    context: Context
    system_text: str
    user_text: str


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
        routes: which routes to inject; None: all but "related", which is what is alike to the
            question without being named, and needs a memory with an embedder, and
            "evidence", which is what was said about it, and needs one with episodes.
        format: "xml" or "markdown".
        placement: "split" as above; "system" puts all of it in the system message, "user"
            all in the user message.
        position: "before" or "after" the user's own words.
        follow_ups: let a question that names nothing but points back ("how do I scale
            it?") be recalled by the names of the user's previous message.
        learn: hand what was said in a finished run to the memory, for its extractor and its
            episodes. None: if it has either, and the run is not another agent's tool call.
        on_inject: called with an :class:`Injection` before each model call that gets
            something; in async runs it may be a coroutine function.
        on_learn: called with the extractor's ``Report`` after a run; or with the error if
            learning failed, which does not fail the run. A coroutine function as above.
        name: tells several of these on one agent apart.

    Raises:
        InvalidQuery: an unknown option; ``learn=True`` of a memory with neither extractor nor
            episodes; "related" without an embedder, "evidence" without episodes; from a run,
            when it does not say whose memory to read.
    """

    def __new__(cls, memory: Memory, *, learn: bool | None = None, **options: Any) -> Self:
        """One that learns, if it is to."""
        made: Self = object.__new__(cls if learn is False or not learns(memory) else _learning(cls))
        return made

    def __init__(
        self,
        memory: Memory,
        *,
        user_id: UserId = None,
        scopes: Scopes = None,
        agent_id: str | None = None,
        budget: Budget | None = None,
        routes: Iterable[Route] | None = None,
        format: Literal["xml", "markdown"] = "xml",
        placement: Placement = "split",
        position: Position = "before",
        follow_ups: bool = False,
        learn: bool | None = None,
        on_inject: Callable[[Injection], object] | None = None,
        on_learn: Callable[[Any], object] | None = None,
        name: str = "BeliefMiddleware",
    ) -> None:
        super().__init__()
        _one_of("format", format, ("xml", "markdown"))
        _one_of("placement", placement, ("split", "system", "user"))
        _one_of("position", position, ("before", "after"))
        if learn and not learns(memory):
            raise InvalidQuery("learn", "the memory was opened with neither extractor nor episodes")
        self.memory = memory
        self.tools = ()
        self._identity = Identity(user_id, scopes, agent_id)
        self._recall: dict[str, Any] = {"budget": budget, "routes": checked_routes(memory, routes)}
        self._format = format
        self._placement = placement
        self._position: Position = position
        self._follow_ups = follow_ups
        self._learn = learn
        self._on_inject = on_inject
        self._on_learn = on_learn
        self._name = name
        self._recalled: PerRun[_Recalled] = PerRun()
        self._begun: PerRun[str] = PerRun()

    @property
    def name(self) -> str:
        """What tells it apart from other middlewares on the same agent."""
        return self._name

    def wrap_model_call(self, request: ModelRequest[Any], handler: Handler) -> ModelCallResult[Any]:
        """Calls the model with the memory in the request."""
        asked = self._ask(request)
        recalled = self._recalled.get(asked.run, asked.key)
        if recalled is None:
            user = asked.who.sync(self.memory)
            context = user.recall(asked.query, previous=asked.previous, **self._recall)
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
        recalled = self._recalled.get(asked.run, asked.key)
        if recalled is None:
            user = asked.who.asynchronous(self.memory)
            context = await user.recall(asked.query, previous=asked.previous, **self._recall)
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
        run = run_of(request.runtime)
        begun = None if index is None else messages[index].id
        if begun is not None and self._begun.get(run) is None:
            # Others may write in the user's name on the way.
            self._begun.put(run, begun)
        return _Asked(
            run=run,
            who=self._identity.of(request.runtime),
            query=query,
            previous=previous,
            index=index,
        )

    def _keep(self, asked: _Asked, context: Context) -> _Recalled:
        recalled = _Recalled(context, *self._texts(asked, context))
        self._recalled.put(asked.run, recalled, asked.key)
        return recalled

    def _injection(self, asked: _Asked, recalled: _Recalled) -> Injection | None:
        if not recalled.system_text and not recalled.user_text:
            return None
        return Injection(
            user_id=asked.who.user_id,
            scopes=asked.who.scopes,
            query=asked.query,
            context=recalled.context,
            system_text=recalled.system_text,
            user_text=recalled.user_text,
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

    def _texts(self, asked: _Asked, context: Context) -> tuple[str, str]:
        """What the system message gets, and what the user's message."""
        if self._placement == "system" or asked.index is None:
            return context.render(self._format), ""
        if self._placement == "user":
            return "", context.render(self._format)
        stable = context.render(self._format, section="stable")
        return stable, context.render(self._format, section="query")

    @contextmanager
    def _traced(self, injection: Injection) -> Iterator[None]:
        """Let the model's run carry the ids of what was injected, for LangSmith and the like."""
        config = var_child_runnable_config.get()
        if config is None:
            yield
            return
        noted = {f"belief_memory:{self._name}": route_ids(injection.context)}
        metadata = {**(config.get("metadata") or {}), **noted}
        token = var_child_runnable_config.set({**config, "metadata": metadata})
        try:
            yield
        finally:
            var_child_runnable_config.reset(token)


class _Learning(BeliefMiddleware):
    """One whose memory learns. LangChain makes a step of the graph, and a checkpoint, for the
    mere presence of ``after_agent`` in a class: those who do not learn are to have neither."""

    def after_agent(self, state: Any, runtime: Runtime[Any]) -> None:
        """Learns from a finished run, if the memory has an extractor."""
        taught = self._lesson(state, runtime)
        if taught is None:
            return
        user = self._identity.of(runtime).sync(self.memory)
        report: object
        try:
            report = user.observe(taught, session_id=_thread(runtime))
        except BeliefMemoryError as error:
            _log.warning("nothing was learned from a run", exc_info=error)
            report = error
        if self._on_learn is not None:
            self._on_learn(report)

    async def aafter_agent(self, state: Any, runtime: Runtime[Any]) -> None:
        """Learns from a finished run, if the memory has an extractor."""
        taught = self._lesson(state, runtime)
        if taught is None:
            return
        user = self._identity.of(runtime).asynchronous(self.memory)
        report: object
        try:
            report = await user.observe(taught, session_id=_thread(runtime))
        except BeliefMemoryError as error:
            _log.warning("nothing was learned from a run", exc_info=error)
            report = error
        if self._on_learn is not None:
            noted = self._on_learn(report)
            if isawaitable(noted):
                await noted

    def _lesson(self, state: Any, runtime: Runtime[Any]) -> list[dict[str, Any]] | None:
        info = getattr(runtime, "execution_info", None)
        if self._learn is None and info is not None and called_by_an_agent(info.checkpoint_ns):
            return None
        return lesson(state["messages"], self._begun.get(run_of(runtime))) or None


def _learning(kind: type[Any]) -> type[Any]:
    """The class that does as ``kind`` and learns."""
    if issubclass(kind, _Learning):
        return kind
    if kind is BeliefMiddleware:
        return _Learning
    return type(kind.__name__, (kind, _Learning), {"__doc__": kind.__doc__})


def _thread(runtime: Runtime[Any]) -> str | None:
    info = getattr(runtime, "execution_info", None)
    return None if info is None else info.thread_id


def _one_of(field: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidQuery(field, f"expected one of {', '.join(known)}, got {value!r:.80}")
