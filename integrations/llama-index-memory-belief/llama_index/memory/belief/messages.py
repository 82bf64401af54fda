"""Reading what was said out of chat messages, and placing text without disturbing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from belief_memory import strip_injected
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock

Tokenizer = Callable[[str], list[Any]]

# By name: the first versions of LlamaIndex 0.14 do not have all of these blocks.
_TOOL_CALL = "tool_call"
_SIZES = {"image": 256, "audio": 256, "video": 256, "document": 2048}
"""Tokens a block without text is taken for: the estimates of LlamaIndex's own memory."""

_KNOWN = 4096
"""Texts whose size is remembered."""

_OURS_TO_CLEAN = (MessageRole.USER, MessageRole.SYSTEM, MessageRole.ASSISTANT)


class TokenCounter:
    """Counts tokens, and knows again what it has counted: a history is counted every turn."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._known: dict[str, int] = {}

    def text(self, text: str) -> int:
        """How many tokens the text takes."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            known = self._known[text] = len(self.tokenizer(text))
        return known

    def message(self, message: ChatMessage) -> int:
        """About how many tokens the message takes."""
        total = self.text(str(message.additional_kwargs)) if message.additional_kwargs else 0
        for block in message.blocks:
            if isinstance(block, TextBlock):
                total += self.text(block.text)
            elif _kind(block) == _TOOL_CALL:
                total += self.text(str(block))
            else:
                total += _SIZES.get(_kind(block), 0)
        return total


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
    return not calls and not any(_kind(block) == _TOOL_CALL for block in message.blocks)


def copied(message: ChatMessage) -> ChatMessage:
    """A copy that shares nothing that can change."""
    if message.additional_kwargs or any(type(block) is not TextBlock for block in message.blocks):
        return message.model_copy(deep=True)
    copy = message.model_copy()
    copy.blocks = [block.model_copy() for block in message.blocks]
    copy.additional_kwargs = {}
    return copy


def cleaned(message: ChatMessage) -> ChatMessage | None:
    """A deep copy without injected memory; None for a message that was nothing else."""
    copy = copied(message)
    if message.role not in _OURS_TO_CLEAN:
        return copy
    blocks = [_without_memory(block) for block in copy.blocks]
    kept = [block for block in blocks if block is not None]
    if not kept and copy.blocks:
        return None
    copy.blocks = kept
    return copy


def with_text(message: ChatMessage, text: str) -> ChatMessage:
    """A copy of the message with ``text`` as a block of its own before what it says."""
    copy = copied(message)
    copy.blocks.insert(0, TextBlock(text=text))
    return copy


def _kind(block: object) -> str:
    return str(getattr(block, "block_type", ""))


def _without_memory(block: Any) -> Any:
    if not isinstance(block, TextBlock):
        return block
    text = strip_injected(block.text)
    if text == block.text:
        return block
    return TextBlock(text=text.strip("\n")) if text.strip() else None
