"""Learning from what is said, with the memory's extractor if it has one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from belief_memory import ExtractionFailed, Message, Report, StoreBusy
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from pydantic import Field

from llama_index.memory.belief.messages import said
from llama_index.memory.belief.source import Source

_log = logging.getLogger("llama_index.memory.belief")

OnLearn = Callable[[Report], object]


class Learner(Source):
    """A source that also learns, where the memory was opened with an extractor.

    A model that fails does not end the conversation: the memory keeps the turns and tries
    again with the next ones, and a warning is logged.
    """

    learn: bool = True
    """Learn from the conversation; without effect where the memory has no extractor."""
    on_learn: OnLearn | None = Field(default=None, exclude=True, repr=False)
    """Called with the ``Report`` of each time something was learned from."""

    def _learns(self) -> bool:
        if not self.learn:
            return False
        learning = self._found().memory.learning
        return learning.extractor is not None and learning.mode != "inject_only"

    def _observe(self, messages: Sequence[Message], session_id: str | None) -> None:
        if messages and self._learns():
            self._connected()
            try:
                self._learned(self.user().observe(messages, session_id=session_id))
            except (ExtractionFailed, StoreBusy) as error:
                _log.warning("%s", error)

    async def _aobserve(self, messages: Sequence[Message], session_id: str | None) -> None:
        if messages and self._learns():
            await self._aconnected()
            try:
                self._learned(await self.auser().observe(messages, session_id=session_id))
            except (ExtractionFailed, StoreBusy) as error:
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
