"""A real memory with a few beliefs, and models that record what they are given."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from belief_memory import BeliefMemory
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

MARK = '<memory source="belief-memory">'
POSTGRES = "Postgres 16 holds the orders; writes go through {query_str} and {{tx}}."
KAFKA = "Kafka carries the events of {context_str}."
NAPKIN = "Answers are short."

Script = Callable[[Sequence[ChatMessage]], ChatMessage | None]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Where the beliefs are kept."""
    return str(tmp_path / "beliefs")


@pytest.fixture
def memory(folder: str) -> Iterator[BeliefMemory]:
    """A memory of two users in a folder."""
    with BeliefMemory.open(folder) as opened:
        fill(opened)
        yield opened


def fill(memory: BeliefMemory) -> None:
    """What two users believe."""
    ann = memory.for_user("ann")
    ann.remember("order_db", POSTGRES, aliases=["Postgres", "order database"], type="entity")
    ann.remember("event_bus", KAFKA, aliases=["Kafka"], type="entity")
    ann.remember("tone", NAPKIN, type="preference", pinned=True, scopes=["domain:office"])
    memory.for_user("bob").remember(
        "order_db", "MySQL holds Bob's orders.", aliases=["Postgres"], type="entity"
    )


class Recorder:
    """A model that keeps a copy of every list of messages it was called with."""

    def __init__(self, script: Script | None = None) -> None:
        self.calls: list[list[ChatMessage]] = []
        self._script = script
        self.llm = MockFunctionCallingLLM(response_generator=self._answer, is_chat_model=True)

    def _answer(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        self.calls.append(copy.deepcopy(list(messages)))
        answer = self._script(messages) if self._script is not None else None
        return answer or ChatMessage(role=MessageRole.ASSISTANT, content="Understood.")

    @property
    def last(self) -> list[ChatMessage]:
        """What the last call was given."""
        return self.calls[-1]


def text(messages: Sequence[ChatMessage]) -> str:
    """All the text of the messages."""
    return "\n".join(message.content or "" for message in messages)


def assert_well_formed(messages: Sequence[ChatMessage]) -> None:
    """No two system messages in a row, and one memory at most."""
    roles = [message.role for message in messages]
    assert (MessageRole.SYSTEM, MessageRole.SYSTEM) not in list(itertools.pairwise(roles)), roles
    assert text(messages).count(MARK) <= 1


def call(tool: str, /, **arguments: Any) -> ChatMessage:
    """An answer that calls a tool."""
    return ChatMessage(
        role=MessageRole.ASSISTANT,
        blocks=[ToolCallBlock(tool_call_id=f"id-{tool}", tool_name=tool, tool_kwargs=arguments)],
    )
