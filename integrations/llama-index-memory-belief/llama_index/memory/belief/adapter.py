"""What chat memory and block share: whom to tell, what to learn, how to look back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from belief_memory import (
    Belief,
    Context,
    ExtractionFailed,
    Message,
    Report,
    StoreBusy,
    StoreReadOnly,
)
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from pydantic import Field

from llama_index.memory.belief.messages import last_user, said
from llama_index.memory.belief.source import Source

_log = logging.getLogger("llama_index.memory.belief")

_UNLEARNED = (ExtractionFailed, StoreBusy, StoreReadOnly)
"""What keeps a memory from learning, and is no reason to break off a conversation."""


@dataclass(frozen=True, slots=True)
class Injection:
    """What was put before the model: for hooks, audits and tests."""

    user_id: str
    scopes: tuple[str, ...] | None
    query: str
    """The user's words that were recalled for, without injected memory."""
    context: Context
    """The beliefs that were injected, after the token limit."""
    system_text: str
    """What a system message got; ``""`` if nothing."""
    user_text: str
    """What a user message got; ``""`` if nothing."""

    @property
    def beliefs(self) -> list[Belief]:
        """Every belief injected, in order."""
        context = self.context
        return [
            *context.persona_beliefs,
            *context.pinned,
            *context.relevant,
            *context.questions,
            *context.related,
        ]


OnInject = Callable[[Injection], object]
OnLearn = Callable[[Report], object]


class Adapter(Source):
    """A source that tells what it injects, and learns where the memory has an extractor.

    A model that fails to learn does not end the conversation: the memory keeps the turns and
    tries again with the next ones, and a warning is logged.
    """

    follow_ups: bool = False
    """Let a question that names nothing but points back ("how do I scale it?") be recalled by
    the names of the user's previous message."""
    on_inject: OnInject | None = Field(default=None, exclude=True, repr=False)
    """Called with an :class:`Injection` whenever beliefs are given out."""
    learn: bool = True
    """Hand the conversation to the memory, for its extractor and its episodes; without effect
    where it has neither."""
    on_learn: OnLearn | None = Field(default=None, exclude=True, repr=False)
    """Called with the ``Report`` of each time something was learned from."""

    def _previous(self, messages: Sequence[ChatMessage], before: int | None) -> str | None:
        """The user's words before those at ``before``, where follow-ups look back."""
        if not self.follow_ups or before is None:
            return None
        earlier = last_user(messages, before)
        return None if earlier is None else said(messages[earlier]) or None

    def _tell(self, query: str, context: Context, system_text: str, user_text: str) -> None:
        if self.on_inject is None or not (system_text or user_text):
            return
        scopes = None if self.scopes is None else tuple(self.scopes)
        self.on_inject(Injection(self.user_id, scopes, query, context, system_text, user_text))

    def _learns(self) -> bool:
        if not self.learn:
            return False
        memory = self._found().memory
        listens = memory.learning.extractor is not None or memory.episodes is not None
        return listens and memory.learning.mode != "inject_only"

    def _observe(self, messages: Sequence[Message], session_id: str | None) -> None:
        if messages and self._learns():
            self._connected()
            try:
                self._learned(self.user().observe(messages, session_id=session_id))
            except _UNLEARNED as error:
                _log.warning("%s", error)

    async def _aobserve(self, messages: Sequence[Message], session_id: str | None) -> None:
        if messages and self._learns():
            await self._aconnected()
            try:
                self._learned(await self.auser().observe(messages, session_id=session_id))
            except _UNLEARNED as error:
                _log.warning("%s", error)

    def _learned(self, report: Report) -> None:
        if self.on_learn is not None:
            self.on_learn(report)


def statement(message: ChatMessage, id: str) -> Message | None:
    """The message as learning takes it; None for tools, system prompts and what has no words."""
    text = said(message)
    if not text:
        return None
    if message.role == MessageRole.USER:
        return Message("user", text, id=id)
    if message.role == MessageRole.ASSISTANT:
        return Message("assistant", text, id=id)
    return None
