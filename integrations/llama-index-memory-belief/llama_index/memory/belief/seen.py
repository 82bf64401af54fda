"""Which messages of a session were learned from: the memory shows them again and again."""

from __future__ import annotations

from collections.abc import Sequence

from belief_memory import Message
from llama_index.core.base.llms.types import ChatMessage

from llama_index.memory.belief.adapter import statement
from llama_index.memory.belief.messages import is_answer, last_user, text_of


class Seen:
    """The messages of one session that are not flushed yet, and which of them were learned
    from. Messages have no ids; they are known again by their words and their order."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._keys: list[tuple[str, str]] = []
        self._learned: list[bool] = []
        self._before = 0
        self._met = False

    def active(self, messages: Sequence[ChatMessage]) -> list[Message]:
        """What is new in the whole of the unflushed messages; counts as learned from now on."""
        keys = [_key(message) for message in messages]
        known = self._overlap(keys)
        dropped = len(self._keys) - known
        self._before += dropped
        self._learned = self._learned[dropped:]
        self._keys = keys
        first = known
        if not self._met and messages:
            self._met = True
            first = _last_turn(messages)
        self._learned += [index >= first for index in range(known, len(keys))]
        return self._statements(messages, range(first, len(messages)))

    def flushed(self, messages: Sequence[ChatMessage]) -> list[Message]:
        """What of the oldest messages, which now leave, was not learned from."""
        keys = [_key(message) for message in messages]
        known = len(keys) if self._keys[: len(keys)] == keys else len(self._keys)
        if self._keys[:known] != keys[:known]:
            known = 0
        new = [index for index in range(len(keys)) if index >= known or not self._learned[index]]
        found = self._statements(messages, new)
        self._before += len(keys)
        # Where the memory was changed behind our back, nothing that was known still holds.
        self._keys = self._keys[known:] if known == len(keys) else []
        self._learned = self._learned[known:] if known == len(keys) else []
        return found

    def _overlap(self, keys: list[tuple[str, str]]) -> int:
        """How many of the messages are those we know, some of the oldest having left."""
        for size in range(min(len(self._keys), len(keys)), 0, -1):
            if self._keys[-size:] == keys[:size]:
                return size
        return 0

    def _statements(self, messages: Sequence[ChatMessage], indices: Sequence[int]) -> list[Message]:
        found = [
            statement(messages[index], f"{self._session_id}-{self._before + index + 1}")
            for index in indices
        ]
        return [one for one in found if one is not None]


def _key(message: ChatMessage) -> tuple[str, str]:
    return str(message.role), text_of(message)


def _last_turn(messages: Sequence[ChatMessage]) -> int:
    """Where the turn begins that is not answered yet, with the words it may answer to."""
    index = last_user(messages)
    if index is None:
        return len(messages)
    return index - 1 if index and is_answer(messages[index - 1]) else index
