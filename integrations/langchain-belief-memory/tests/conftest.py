"""A memory with a few beliefs in it, and LangChain's fake models that keep what they saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from belief_memory import BeliefMemory
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from pydantic import Field


class SeeingModel(GenericFakeChatModel):
    """Says what it was given to say, and keeps what it was asked."""

    seen: list[list[BaseMessage]] = Field(default_factory=list)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.seen.append(list(messages))
        return super()._generate(messages, *args, **kwargs)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self


@pytest.fixture
def model() -> Callable[..., SeeingModel]:
    def make(*answers: AIMessage | str) -> SeeingModel:
        return SeeingModel(messages=iter(answers or ["ok"] * 100))

    return make


def text_of(message: BaseMessage) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(part if isinstance(part, str) else part.get("text", "") for part in content)


@pytest.fixture
def read() -> Callable[[BaseMessage], str]:
    """The text of a message, whatever its content is."""
    return text_of


@pytest.fixture
def memory() -> Iterator[BeliefMemory]:
    with BeliefMemory.open("memory://") as memory:
        fill(memory)
        yield memory


def fill(memory: BeliefMemory) -> None:
    alice = memory.for_user("alice")
    alice.remember("tone", "Prefers short answers.", type="preference")
    alice.remember("region", "Everything runs in Frankfurt.", type="decision", pinned=True)
    alice.remember(
        "quokka_cache",
        "Quokka is the cache in front of the API.",
        why_it_matters="Quokka here is a datastore, not an animal.",
        aliases=["Quokka"],
        type="entity",
    )
    alice.remember("wombat_queue", "Wombat is the job queue.", aliases=["Wombat"], type="entity")
    alice.remember(
        "wombat_owner",
        "The platform team owns the queue.",
        aliases=["Wombat"],
        scopes=["project:zoo"],
    )
    bob = memory.for_user("bob")
    bob.remember("tone", "Prefers long answers.", type="preference")
    bob.remember("quokka_cache", "Quokka is Bob's pet.", aliases=["Quokka"])
