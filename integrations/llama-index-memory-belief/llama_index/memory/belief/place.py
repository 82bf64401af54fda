"""Where beliefs go among the messages, and how much of both fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from belief_memory import Context
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock

from llama_index.memory.belief.fit import fit
from llama_index.memory.belief.messages import TokenCounter, copied, with_text

Placement = Literal["user", "system", "split"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One call for messages."""

    messages: list[ChatMessage]
    """The history; not to be changed."""
    index: int | None
    """Where the user's message is in it; None: it is not, or not yet."""
    query: str
    previous: str | None
    pending: bool
    """The user's words are not in the history: the caller will send them after it."""

    @property
    def nobody(self) -> bool:
        """Whether no user has said anything that is to be answered."""
        return self.index is None and not self.pending


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call is answered with."""

    messages: list[ChatMessage]
    context: Context
    system_text: str
    user_text: str


def placed(
    asked: Asked,
    context: Context,
    *,
    placement: Placement,
    format: Literal["xml", "markdown"],
    limit: int,
    counter: TokenCounter,
    prefixed: bool,
) -> Answer:
    """The messages for the model: the current turn whole, then beliefs, then history.

    Args:
        asked: the call.
        context: what was recalled for it.
        placement: where the beliefs are to go.
        format: how they are rendered.
        limit: the most tokens.
        counter: counts them.
        prefixed: the caller puts messages of its own in front.
    """
    leading = _leading(asked.messages)
    start = asked.index if asked.index is not None else len(asked.messages)
    start = max(start, leading)
    head, earlier = asked.messages[:leading], asked.messages[leading:start]
    current = asked.messages[start:]

    def texts(of: Context) -> tuple[str, str]:
        if not of:
            return "", ""
        # Callers that hold back the user's words put a system message in front, always.
        alone = not prefixed and not asked.pending
        if placement == "user" or not alone:
            return "", of.render(format)
        if placement == "system":
            return of.render(format), ""
        return of.render(format, section="stable"), of.render(format, section="query")

    def tokens(of: Context) -> int:
        return sum(len(counter.tokenizer(text)) for text in texts(of) if text)

    room = limit - sum(map(counter.message, (*head, *current)))
    if asked.pending:
        room -= counter.text(asked.query)
    fitting = fit(context, room, tokens)
    for_system, for_user = texts(fitting)
    room -= sum(counter.text(text) for text in (for_system, for_user) if text)
    kept = map(copied, _recent(earlier, room, counter))
    messages = [*_head(head, for_system), *kept, *_turn(asked, current, for_user)]
    return Answer(messages, fitting, for_system, for_user)


def _leading(messages: Sequence[ChatMessage]) -> int:
    """How many system messages the history begins with."""
    for index, message in enumerate(messages):
        if message.role != MessageRole.SYSTEM:
            return index
    return len(messages)


def _head(head: list[ChatMessage], text: str) -> list[ChatMessage]:
    """The leading system messages with ``text`` at the end of the last, made if need be."""
    own = [copied(message) for message in head]
    if text and own:
        own[-1].blocks.append(TextBlock(text=text))
    elif text:
        own.append(ChatMessage(role=MessageRole.SYSTEM, content=text))
    return own


def _turn(asked: Asked, current: list[ChatMessage], text: str) -> list[ChatMessage]:
    """The current turn with ``text`` before the user's words."""
    if text and asked.pending:
        return [*map(copied, current), ChatMessage(role=MessageRole.USER, content=text)]
    if text:
        return [with_text(current[0], text), *map(copied, current[1:])]
    return [copied(message) for message in current]


def _recent(messages: list[ChatMessage], room: int, counter: TokenCounter) -> list[ChatMessage]:
    """The newest whole turns that fit: never an answer or a tool's output without its cause."""
    start = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        room -= counter.message(messages[index])
        if room < 0:
            break
        if messages[index].role == MessageRole.USER:
            start = index
    else:
        start = 0
    return messages[start:]
