"""What of a conversation is new, and may be learned from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langchain_belief_memory.identity import Memory, asynchronous
from langchain_belief_memory.messages import is_user, last_user, text_of


def learns(memory: Memory) -> bool:
    """Whether the memory makes something of a conversation: with an extractor, or by keeping
    its turns."""
    handle = asynchronous(memory)
    return handle.learning.extractor is not None or handle.episodes is not None


def lesson(messages: Sequence[BaseMessage], first: str | None = None) -> list[dict[str, Any]]:
    """The messages of the last run, as ``observe`` takes them; earlier ones were learned
    from when they were new.

    ``first`` is the id of the user message the run began with, where that is known: else
    it is the last one. User messages right before it belong to the run too.
    """
    start = next((at for at, m in enumerate(messages) if first and m.id == first), None)
    if start is None:
        start = last_user(messages)
    if start is None:
        return []
    while start > 0 and is_user(messages[start - 1]):
        start -= 1
    return [_plain(message) for message in messages[start:] if _teaches(message)]


def called_by_an_agent(namespace: str) -> bool:
    """Whether a run with this checkpoint namespace is a tool call of another agent: what
    looks like its user is a model."""
    *callers, _ = namespace.split("|")
    return any(caller.split(":")[0] == "tools" for caller in callers)


def _teaches(message: BaseMessage) -> bool:
    return is_user(message) or isinstance(message, (AIMessage, ToolMessage))


def _plain(message: BaseMessage) -> dict[str, Any]:
    role = "user" if is_user(message) else message.type
    return {"role": role, "content": text_of(message.content), "id": message.id}
