"""Memory as a step of a chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from belief_memory import Budget, Context
from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from langchain_belief_memory.identity import Identity, Memory, Scopes, UserId
from langchain_belief_memory.messages import (
    Position,
    add_to_system,
    add_to_user,
    last_user,
    said,
)
from langchain_belief_memory.routes import Route, checked_routes


def inject_beliefs(
    memory: Memory,
    *,
    user_id: UserId = None,
    scopes: Scopes = None,
    agent_id: str | None = None,
    budget: Budget | None = None,
    routes: Iterable[Route] | None = None,
    format: Literal["xml", "markdown"] = "xml",
    input_key: str = "input",
    output_key: str = "memory",
    position: Position = "before",
) -> Runnable[Any, Any]:
    """A runnable that adds what is believed about the user.

    Before a prompt (``inject_beliefs(memory) | prompt | model``) it takes a dict, or the
    user's text, and gives a dict with the rendered memory under ``output_key``. After a
    prompt (``prompt | inject_beliefs(memory) | model``) it takes messages or a prompt value
    and gives messages: persona and standing facts in the one system message, the rest with
    the last user message.

    Args:
        memory: an open ``BeliefMemory`` or ``AsyncBeliefMemory``; not closed by this.
        user_id: whose memory; a callable gets the ``RunnableConfig``. None: ``user_id`` of
            the config's ``configurable``.
        scopes: the active scopes; a callable gets the config. None: ``scopes`` of
            ``configurable``, else the memory's default.
        agent_id: sees this agent's own beliefs beside the shared ones.
        budget: how much to inject, in beliefs and tokens.
        routes: which routes to inject; None: all but "related", which needs a memory with an
            embedder, and "evidence", which needs one with episodes.
        format: "xml" or "markdown".
        input_key: where a dict has the user's text (a string, a message, or messages).
        output_key: where the dict gets the memory.
        position: in a user message, "before" or "after" the user's own words.

    Raises:
        InvalidQuery: an unknown route, or one that the memory has not been opened for; when
            run, nothing says whose memory to read.
        TypeError: (when run) the input is none of the above.
    """
    identity = Identity(user_id, scopes, agent_id)
    options: dict[str, Any] = {"budget": budget, "routes": checked_routes(memory, routes)}

    def place(value: Any, context: Context) -> Any:
        if isinstance(value, dict):
            return {**value, output_key: context.render(format)}
        if isinstance(value, str):
            return {input_key: value, output_key: context.render(format)}
        return _placed(_messages(value), context, format, position)

    def recall(value: Any, config: RunnableConfig) -> Any:
        user = identity.of(config).sync(memory)
        return place(value, user.recall(_query(value, input_key), **options))

    async def arecall(value: Any, config: RunnableConfig) -> Any:
        user = identity.of(config).asynchronous(memory)
        return place(value, await user.recall(_query(value, input_key), **options))

    return RunnableLambda(recall, arecall, name="inject_beliefs")


def _query(value: Any, input_key: str) -> str:
    if isinstance(value, dict):
        if input_key not in value:
            raise KeyError(f"no {input_key!r} in the input; give input_key=… to inject_beliefs")
        value = value[input_key]
    if isinstance(value, (str, BaseMessage)):
        return said(value)
    messages = _messages(value)
    index = last_user(messages)
    return "" if index is None else said(messages[index])


def _messages(value: Any) -> list[Any]:
    if isinstance(value, PromptValue):
        return value.to_messages()
    if isinstance(value, Sequence):
        return convert_to_messages(value)
    raise TypeError(
        "inject_beliefs takes a dict, a string, messages or a prompt value, "
        f"not {type(value).__name__}"
    )


def _placed(
    messages: list[Any], context: Context, format: Literal["xml", "markdown"], position: Position
) -> list[Any]:
    index = last_user(messages)
    if index is None:
        for_system, for_user = context.render(format), ""
    else:
        for_system = context.render(format, section="stable")
        for_user = context.render(format, section="query")
    if for_user and index is not None:
        messages = add_to_user(messages, index, for_user, position)
    if for_system:
        system, messages = add_to_system(None, messages, for_system)
        messages = messages if system is None else [system, *messages]
    return messages
