"""Reading what a user said out of messages, and placing text without disturbing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from belief_memory import strip_injected
from langchain_core.messages import BaseMessage, SystemMessage

Position = Literal["before", "after"]
"""Where injected text goes in the user's message: before or after the user's words."""


def text_of(content: object) -> str:
    """The text in a message's content: a string, a list of blocks, or nothing.

    Images, tool calls and whatever else is not text are passed over.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = []
    for block in content:
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, dict) and block.get("type") in ("text", "input_text"):
            text = block.get("text")
            if isinstance(text, str):
                parts.append(text)
    return "\n".join(part for part in parts if part)


def said(words: object) -> str:
    """What a message, or a text, says, without any memory that was injected into it."""
    content = words.content if isinstance(words, BaseMessage) else words
    return strip_injected(text_of(content)).strip()


def is_user(message: BaseMessage) -> bool:
    """Whether a person wrote it: a summary that a middleware wrote in their name is not."""
    if message.additional_kwargs.get("lc_source") is not None:
        return False
    return message.type == "human" or (
        message.type == "chat" and getattr(message, "role", None) in ("user", "human")
    )


def last_user(messages: Sequence[BaseMessage], before: int | None = None) -> int | None:
    """The index of the last message a person wrote, looking back from ``before``."""
    for index in range((len(messages) if before is None else before) - 1, -1, -1):
        if is_user(messages[index]):
            return index
    return None


def add_to_system(
    system: SystemMessage | None, messages: list[Any], text: str
) -> tuple[SystemMessage | None, list[Any]]:
    """``text`` at the end of the one system message, made if there is none.

    A system message that leads ``messages`` is taken for the one, so that the model never
    gets two.
    """
    if system is None and messages and isinstance(messages[0], SystemMessage):
        return None, [_extended(messages[0], text), *messages[1:]]
    return SystemMessage(content=text) if system is None else _extended(system, text), messages


def add_to_user(messages: list[Any], index: int, text: str, position: Position) -> list[Any]:
    """A list in which the message at ``index`` also holds ``text``; nothing is mutated."""
    changed = _extended(messages[index], text, position)
    return [*messages[:index], changed, *messages[index + 1 :]]


def _extended(message: Any, text: str, position: Position = "after") -> Any:
    content = message.content
    if not content:
        return message.model_copy(update={"content": text})
    joined: str | list[Any]
    if isinstance(content, str):
        pair = (text, content) if position == "before" else (content, text)
        joined = "\n\n".join(pair)
    else:
        at = len(content) if position == "after" else _first_free(content)
        joined = [*content[:at], {"type": "text", "text": text}, *content[at:]]
    return message.model_copy(update={"content": joined})


def _first_free(content: list[Any]) -> int:
    """Where text may begin: Anthropic wants the results of tools before anything else."""
    for index, block in enumerate(content):
        if not (isinstance(block, dict) and block.get("type") == "tool_result"):
            return index
    return len(content)
