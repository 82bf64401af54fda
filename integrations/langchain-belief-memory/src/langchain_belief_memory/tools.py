"""Memory as tools, for models that are to read and write it themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from belief_memory import Belief, BeliefMemoryError, Budget, Context, InvalidQuery, Outcome
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.config import get_config
from langgraph.runtime import get_runtime
from pydantic import BaseModel, Field

from langchain_belief_memory.identity import Identity, Memory, Scopes, UserId
from langchain_belief_memory.routes import Route, checked_routes

ToolName = Literal["recall", "remember", "correct", "history"]


class RecallInput(BaseModel):
    """Look up what is known about the user and their world."""

    query: str = Field(description="A sentence or name that mentions what you want to know about.")


class RememberInput(BaseModel):
    """Remember a lasting fact or preference of the user.

    A new value replaces the old one of the same name and aspect from now on.
    """

    about: str = Field(
        description="What it is about: a short name like redis_cache; 'user' for the user."
    )
    statement: str = Field(description="The fact itself, as one short sentence.")
    attribute: str | None = Field(
        default=None, description="Which aspect of it, for example residence, job, version."
    )
    why_it_matters: str = Field(
        default="", description="How this should shape future answers, as an instruction."
    )
    aliases: list[str] = Field(
        default_factory=list, description="Other names people use for it when they write."
    )
    kind: Literal["fact", "preference", "decision", "goal"] = Field(
        default="fact", description="A preference is kept in mind in every answer."
    )


class CorrectInput(BaseModel):
    """Correct what was remembered wrongly, as opposed to what has changed since."""

    about: str = Field(description="The name under which it is remembered.")
    statement: str = Field(description="What is true instead, as one short sentence.")
    attribute: str | None = Field(default=None, description="Which aspect of it, if it has one.")


class HistoryInput(BaseModel):
    """Read how something that is remembered has changed over time."""

    about: str = Field(description="The name under which it is remembered.")
    attribute: str | None = Field(default=None, description="Which aspect of it, if it has one.")


def create_belief_tools(
    memory: Memory,
    *,
    user_id: UserId = None,
    scopes: Scopes = None,
    agent_id: str | None = None,
    tools: Iterable[ToolName] = ("recall", "remember", "correct", "history"),
    budget: Budget | None = None,
    routes: Iterable[Route] | None = None,
    review: bool = False,
    prefix: str = "",
) -> list[BaseTool]:
    """Tools that read and write the memory of whoever the run is for.

    The model never names the user: identity comes from the run, as for the middleware. What
    the model got wrong (a blank statement, an unknown name) goes back to it as the tool's
    answer; a run that does not say whose memory it is raises.

    Args:
        memory: an open ``BeliefMemory`` or ``AsyncBeliefMemory``; not closed by this.
        user_id: whose memory; a callable gets the ``Runtime`` in an agent, else the
            ``RunnableConfig``. None: ``user_id`` of the run's context, else ``configurable``.
        scopes: active in reads and given to what is written; a callable as above.
        agent_id: reads and writes this agent's own beliefs beside the shared ones.
        tools: which of recall, remember, correct, history to make.
        budget: how much recall may return.
        routes: which routes it returns; None: all but "related", which needs a memory with an
            embedder, and "evidence", which needs one with episodes.
        review: what is remembered waits for approval instead of becoming current.
        prefix: put before each tool's name, for example "memory_".

    Raises:
        InvalidQuery: an unknown tool or route is asked for, or a route that the
            memory has not been opened for.
    """
    recall = {"budget": budget, "routes": checked_routes(memory, routes)}
    kit = _Kit(memory, Identity(user_id, scopes, agent_id), recall, review)
    made = []
    for tool in tools:
        if tool not in _VERBS:
            raise InvalidQuery("tools", f"no such tool: {tool!r:.80}")
        made.append(_tool(prefix + tool, _VERBS[tool], kit))
    return made


@dataclass(frozen=True, slots=True)
class _Kit:
    memory: Memory
    identity: Identity
    recall: Mapping[str, Any]
    """Options of every recall."""
    review: bool


@dataclass(frozen=True, slots=True)
class _Verb:
    schema: type[BaseModel]
    """Its docstring is what the model is told of the tool."""
    ask: Callable[..., Any]
    """Calls a user's verb, sync or async: gives its answer, or something to await."""
    tell: Callable[[Any], str]


def _tool(name: str, verb: _Verb, kit: _Kit) -> BaseTool:
    def run(config: RunnableConfig, **arguments: Any) -> str:
        user = kit.identity.of(_run(config)).sync(kit.memory)
        try:
            return verb.tell(verb.ask(kit, user, **arguments))
        except BeliefMemoryError as error:
            raise ToolException(str(error)) from error

    async def arun(config: RunnableConfig, **arguments: Any) -> str:
        user = kit.identity.of(_run(config)).asynchronous(kit.memory)
        try:
            return verb.tell(await verb.ask(kit, user, **arguments))
        except BeliefMemoryError as error:
            raise ToolException(str(error)) from error

    return StructuredTool.from_function(
        func=run,
        coroutine=arun,
        name=name,
        description=inspect.getdoc(verb.schema),
        args_schema=verb.schema,
        handle_tool_error=True,
    )


def _run(config: RunnableConfig) -> Any:
    """The run of the agent that called the tool; outside of one, the tool's own config."""
    try:
        get_config()
        return get_runtime() or config
    except RuntimeError:
        return config


def _recall(kit: _Kit, user: Any, query: str) -> Any:
    return user.recall(query, **kit.recall)


def _remember(
    kit: _Kit,
    user: Any,
    about: str,
    statement: str,
    attribute: str | None = None,
    why_it_matters: str = "",
    aliases: Iterable[str] = (),
    kind: str = "fact",
) -> Any:
    draft = {
        "canonical_name": about,
        "attribute": attribute,
        "content": statement,
        "why_it_matters": why_it_matters,
        "aliases": list(aliases),
        "type": kind,
        "provenance": {"source": "tool"},
        "pending": kit.review,
    }
    return user.remember_many([draft])


def _correct(kit: _Kit, user: Any, about: str, statement: str, attribute: str | None = None) -> Any:
    return user.correct((about, attribute), statement)


def _history(kit: _Kit, user: Any, about: str, attribute: str | None = None) -> Any:
    return user.history((about, attribute))


def _tell_context(context: Context) -> str:
    return context.render() or "Nothing is known about that."


def _tell_outcomes(outcomes: list[Outcome]) -> str:
    return _tell_outcome(outcomes[0])


def _tell_outcome(outcome: Outcome) -> str:
    told = {
        "pending": "Noted; it waits for review.",
        "conflict": "Noted as disputed: what was held before stays until somebody decides.",
        "reinforced": "That was known already.",
    }
    return told.get(outcome.action, f"Done ({outcome.action}).")


def _tell_versions(versions: list[Belief]) -> str:
    if not versions:
        return "Nothing is remembered under that name."
    return "\n".join(_tell_version(version) for version in versions)


def _tell_version(version: Belief) -> str:
    until = "now" if version.valid_to is None else f"{version.valid_to:%Y-%m-%d %H:%M}"
    gone = "" if version.retired_at is None else " (no longer held)"
    return f"- {version.valid_from:%Y-%m-%d %H:%M} to {until}: {version.content}{gone}"


_VERBS: dict[str, _Verb] = {
    "recall": _Verb(RecallInput, _recall, _tell_context),
    "remember": _Verb(RememberInput, _remember, _tell_outcomes),
    "correct": _Verb(CorrectInput, _correct, _tell_outcome),
    "history": _Verb(HistoryInput, _history, _tell_versions),
}
