"""Reading what was said out of chat messages, and placing text without disturbing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from belief_memory.injection.marker import strip_injected
from llama_index.core.base.llms.types import (
    AudioBlock,
    ChatMessage,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ToolCallBlock,
    VideoBlock,
)

Tokenizer = Callable[[str], list[Any]]

_SIZES: dict[type, int] = {ImageBlock: 256, AudioBlock: 256, VideoBlock: 256, DocumentBlock: 2048}
"""Tokens a block without text is taken for: the estimates of LlamaIndex's own memory."""

_OURS_TO_CLEAN = (MessageRole.USER, MessageRole.SYSTEM, MessageRole.ASSISTANT)


def text_of(message: ChatMessage) -> str:
    """The text of a message, without images, tool calls and whatever else is not text."""
    return "\n".join(block.text for block in message.blocks if isinstance(block, TextBlock))


def said(message: ChatMessage) -> str:
    """What the message says, without any memory that was injected into it."""
    return strip_injected(text_of(message)).strip()


def last_user(messages: Sequence[ChatMessage], before: int | None = None) -> int | None:
    """The index of the last message of the user, looking back from ``before``."""
    for index in range((len(messages) if before is None else before) - 1, -1, -1):
        if messages[index].role == MessageRole.USER:
            return index
    return None


def is_answer(message: ChatMessage) -> bool:
    """Whether it ends a turn: words of the assistant that call no tool."""
    if message.role != MessageRole.ASSISTANT or not text_of(message).strip():
        return False
    calls = message.additional_kwargs.get("tool_calls")
    return not calls and not any(isinstance(block, ToolCallBlock) for block in message.blocks)


def cleaned(message: ChatMessage) -> ChatMessage | None:
    """A deep copy without injected memory; None for a message that was nothing else."""
    copy = message.model_copy(deep=True)
    if message.role not in _OURS_TO_CLEAN:
        return copy
    blocks = [_without_memory(block) for block in copy.blocks]
    kept = [block for block in blocks if block is not None]
    if not kept and copy.blocks:
        return None
    copy.blocks = kept
    return copy


def with_text(message: ChatMessage, text: str) -> ChatMessage:
    """The message with ``text`` as a block of its own before what it says."""
    copy = message.model_copy()
    copy.blocks = [TextBlock(text=text), *message.blocks]
    return copy


def count_tokens(message: ChatMessage, tokenizer: Tokenizer) -> int:
    """About how many tokens the message takes."""
    total = len(tokenizer(str(message.additional_kwargs))) if message.additional_kwargs else 0
    for block in message.blocks:
        if isinstance(block, TextBlock):
            total += len(tokenizer(block.text))
        elif isinstance(block, ToolCallBlock):
            total += len(tokenizer(f"{block.tool_name}{block.tool_kwargs}"))
        else:
            total += _SIZES.get(type(block), 0)
    return total


def _without_memory(block: Any) -> Any:
    if not isinstance(block, TextBlock):
        return block
    text = strip_injected(block.text)
    if text == block.text:
        return block
    return TextBlock(text=text.strip("\n")) if text.strip() else None
