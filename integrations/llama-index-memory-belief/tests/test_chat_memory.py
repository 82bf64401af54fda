"""The chat memory by itself: what it asks, what it returns, what it keeps."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest
from belief_memory import AsyncBeliefMemory, BeliefMemory, HandleClosed, InvalidQuery
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import (
    ChatMessage,
    ImageBlock,
    MessageRole,
    TextBlock,
)
from llama_index.core.storage.chat_store import SimpleChatStore
from pydantic import ValidationError

from llama_index.memory.belief import BeliefChatMemory, Injection
from tests.conftest import KAFKA, MARK, assert_well_formed, call, text

PIXEL = b"\x89PNG\r\n\x1a\n\xff\x00"


def of(memory: BeliefMemory, **options: Any) -> BeliefChatMemory:
    return BeliefChatMemory.from_defaults(memory=memory, user_id="ann", **options)


def user(words: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.USER, content=words)


def assistant(words: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT, content=words)


@pytest.mark.parametrize("input", ["Is Kafka up?", user("Is Kafka up?"), "  Is Kafka up? "])
async def test_words_not_yet_in_the_history_are_recalled_for(
    memory: BeliefMemory, input: str | ChatMessage
) -> None:
    own = of(memory)
    own.put(user("Hello"))
    own.put(assistant("Hello!"))
    for messages in (own.get(input), await own.aget(input)):
        assert [message.role.value for message in messages] == ["user", "assistant", "user"]
        assert "Kafka carries" in text(messages[-1:])
        assert "Is Kafka up?" not in text(messages)


@pytest.mark.parametrize("input", [None, "", "  ", user(""), "Is Kafka up?"])
async def test_words_already_in_the_history_are_not_taken_for_new_ones(
    memory: BeliefMemory, input: str | ChatMessage | None
) -> None:
    own = of(memory)
    own.put(user("Is Kafka up?"))
    for messages in (own.get(input), await own.aget(input)):
        assert [message.role.value for message in messages] == ["user"]
        assert text(messages).endswith("Is Kafka up?")
        assert "Kafka carries" in text(messages)


def test_the_same_question_asked_again_is_a_new_turn(memory: BeliefMemory) -> None:
    own = of(memory)
    own.put(user("Is Kafka up?"))
    own.put(assistant("Yes."))
    messages = own.get("Is Kafka up?")
    assert [message.role.value for message in messages] == ["user", "assistant", "user"]
    assert MARK in text(messages[-1:])
    assert MARK not in text(messages[:1])


@pytest.mark.parametrize("input", [None, "", user("")])
async def test_nobody_asked_nothing_is_returned(
    memory: BeliefMemory, input: str | ChatMessage | None
) -> None:
    own = of(memory, scopes=["domain:office"])
    assert own.get(input) == []
    assert await own.aget(input) == []


def test_tool_messages_and_empty_ones_are_not_what_the_user_said(memory: BeliefMemory) -> None:
    own = of(memory)
    for message in (
        user("Is Kafka up?"),
        call("lookup", name="Postgres"),
        ChatMessage(role=MessageRole.TOOL, content="Postgres is fine"),
        ChatMessage(role=MessageRole.ASSISTANT, content=None),
    ):
        own.put(message)
    messages = own.get()
    assert "Kafka carries" in text(messages)
    assert "Postgres 16" not in text(messages)
    assert len(messages) == 4
    assert MARK in text(messages[:1])


def test_images_are_kept_and_their_words_recalled_for(memory: BeliefMemory) -> None:
    own = of(memory)
    shown = ChatMessage(
        role=MessageRole.USER,
        blocks=[ImageBlock(image=PIXEL), TextBlock(text="Is this Kafka?")],
    )
    own.put(shown)
    (message,) = own.get()
    assert "Kafka carries" in (message.content or "")
    assert message.blocks[1:] == shown.blocks
    again = BeliefChatMemory.from_json(own.to_json())
    assert again.get_all() == [shown]


def test_a_picture_without_words_gets_what_is_recalled_whatever_the_query(
    memory: BeliefMemory,
) -> None:
    own = of(memory, scopes=["domain:office"])
    own.put(ChatMessage(role=MessageRole.USER, blocks=[ImageBlock(image=PIXEL)]))
    (message,) = own.get()
    assert "Answers are short." in (message.content or "")
    assert len(message.blocks) == 2


def test_what_the_caller_does_to_the_messages_does_not_reach_the_history(
    memory: BeliefMemory,
) -> None:
    own = of(memory)
    given = user("Is Kafka up?")
    own.put(given)
    given.blocks[0].text = "changed"  # type: ignore[union-attr]
    for messages in (own.get(), own.get_all()):
        messages[0].blocks.clear()
        messages[0].additional_kwargs["x"] = 1
        messages.clear()
    assert own.get_all() == [user("Is Kafka up?")]
    assert MARK in text(own.get())


def test_injected_text_that_comes_back_is_not_kept(memory: BeliefMemory) -> None:
    own = of(memory)
    own.put(user("Is Kafka up?"))
    seen = own.get()
    own.set(seen)
    assert own.get_all() == [user("Is Kafka up?")]
    own.set([user(text(seen)), *own.get("Is Kafka up, again?")])
    assert MARK not in text(own.get_all())
    own.put(assistant(f"I was told {text(seen)}"))
    assert "Kafka carries" not in text(own.get_all())
    only_memory = own.get("Kafka?")[-1]
    before = len(own.get_all())
    own.put(only_memory)
    assert len(own.get_all()) == before


def test_a_new_message_of_the_user_is_a_new_turn(memory: BeliefMemory) -> None:
    own = of(memory)
    own.put(user("Is Zookeeper up?"))
    assert MARK not in text(own.get())
    memory.for_user("ann").remember("zookeeper", "Zookeeper is gone.")
    assert MARK not in text(own.get()), "within a turn the model is told one thing"
    own.put(user("Is Zookeeper up?"))
    assert "Zookeeper is gone." in text(own.get())


def test_words_that_are_only_asked_about_are_recalled_for_each_time(memory: BeliefMemory) -> None:
    own = of(memory)
    assert own.get("Is Zookeeper up?") == []
    memory.for_user("ann").remember("zookeeper", "Zookeeper is gone.")
    assert "Zookeeper is gone." in text(own.get("Is Zookeeper up?"))


def test_follow_ups_are_carried_only_when_asked_for(memory: BeliefMemory) -> None:
    for follow_ups in (False, True):
        own = of(memory, follow_ups=follow_ups)
        own.put(user("Tell me about Kafka."))
        own.put(assistant("It carries events."))
        own.put(user("And how do I scale it?"))
        assert (MARK in text(own.get())) is follow_ups
        own.reset()


def test_on_inject_is_told_what_was_injected(memory: BeliefMemory) -> None:
    told: list[Injection] = []
    own = of(memory, on_inject=told.append, scopes=["user:universal"])
    own.put(user("Hello"))
    own.get()
    assert told == []
    own.put(user("Is Kafka up?"))
    own.get()
    (injection,) = told
    assert injection.user_id == "ann"
    assert injection.scopes == ("user:universal",)
    assert injection.query == "Is Kafka up?"
    assert [belief.canonical_name for belief in injection.beliefs] == ["event_bus"]
    assert KAFKA.split(" {")[0] in injection.user_text
    assert injection.system_text == ""


class TestSessions:
    def test_reset_forgets_the_conversation_and_keeps_beliefs(self, memory: BeliefMemory) -> None:
        own = of(memory)
        own.put(user("Is Kafka up?"))
        own.reset()
        assert own.get_all() == []
        own.put(user("Is Kafka up?"))
        assert "Kafka carries" in text(own.get())

    async def test_users_who_share_a_chat_store_stay_apart(self, memory: BeliefMemory) -> None:
        shared = SimpleChatStore()
        ann, bob = (
            BeliefChatMemory.from_defaults(memory=memory, user_id=name, chat_store=shared)
            for name in ("ann", "bob")
        )
        await ann.aput(user("Is Postgres up?"))
        await bob.aput(user("And Postgres?"))
        assert "Postgres 16" in text(await ann.aget())
        assert "MySQL" not in text(await ann.aget())
        assert "MySQL" in text(await bob.aget())
        assert "Postgres 16" not in text(await bob.aget())
        assert len(await ann.aget_all()) == 1
        assert "And Postgres" not in ann.to_json()
        await ann.areset()
        assert len(await bob.aget_all()) == 1

    async def test_many_sessions_at_once_get_their_own_user_s_beliefs(
        self, memory: BeliefMemory
    ) -> None:
        async def session(name: str, expected: str, foreign: str) -> None:
            own = BeliefChatMemory.from_defaults(memory=memory, user_id=name)
            for _ in range(10):
                await own.aput(user("Is Postgres up?"))
                seen = text(await own.aget())
                assert expected in seen
                assert foreign not in seen
                await own.aput(assistant("Yes."))

        await asyncio.gather(
            *(session("ann", "Postgres 16", "MySQL") for _ in range(10)),
            *(session("bob", "MySQL", "Postgres 16") for _ in range(10)),
        )

    async def test_an_async_memory_serves_blocking_callers_and_the_reverse(
        self, folder: str, memory: BeliefMemory
    ) -> None:
        async with AsyncBeliefMemory.open(folder) as opened:
            own = BeliefChatMemory.from_defaults(memory=opened, user_id="ann")
            await own.aput(user("Is Kafka up?"))
            assert await own.aget() == own.get()
            assert MARK in text(own.get())


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"user_id": "ann"},
            {"uri": "memory://options"},
            {"uri": "memory://options", "user_id": " "},
            {"uri": "memory://options", "user_id": "ann", "scopes": "domain:code"},
            {"uri": "memory://options", "user_id": "ann", "scopes": ["no scope"]},
            {"uri": "memory://options", "user_id": "ann", "memory": 1},
            {"memory": "./beliefs", "user_id": "ann"},
            {"uri": "", "user_id": "ann"},
        ],
    )
    def test_a_memory_of_nobody_or_of_nowhere_is_refused(self, options: dict[str, Any]) -> None:
        with pytest.raises(InvalidQuery):
            BeliefChatMemory.from_defaults(**options)

    @pytest.mark.parametrize(
        "wrong", [{"format": "html"}, {"placement": "left"}, {"token_limit": 0}, {"budget": 3}]
    )
    def test_a_wrong_option_is_refused(self, memory: BeliefMemory, wrong: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            of(memory, **wrong)

    def test_an_unknown_option_is_refused(self, memory: BeliefMemory) -> None:
        with pytest.raises(TypeError):
            of(memory, top_k=3)
        with pytest.raises(ValidationError):
            BeliefChatMemory(uri="memory://options", user_id="ann", top_k=3)

    def test_a_memory_is_never_falsy(self, memory: BeliefMemory) -> None:
        assert bool(of(memory))

    def test_a_memory_its_owner_closed_says_so(self, folder: str, memory: BeliefMemory) -> None:
        closed = BeliefMemory.open(folder)
        own = of(closed)
        closed.close()
        own.put(user("Is Kafka up?"))
        with pytest.raises(HandleClosed):
            own.get()

    def test_copies_share_the_open_memory(self, memory: BeliefMemory) -> None:
        own = of(memory)
        own.put(user("Is Kafka up?"))
        for other in (copy.deepcopy(own), own.model_copy(deep=True), copy.copy(own)):
            assert other.get() == own.get()


@settings(max_examples=60, deadline=None)
@given(
    roles=st.lists(st.sampled_from(["user", "assistant", "tool", "system"]), max_size=12),
    limit=st.integers(1, 300),
    input=st.sampled_from([None, "Is Kafka up?", "Hello"]),
    placement=st.sampled_from(["user", "system", "split"]),
)
def test_whatever_the_history_the_last_turn_is_whole_and_the_store_unchanged(
    roles: list[str], limit: int, input: str | None, placement: Any
) -> None:
    own = BeliefChatMemory.from_defaults(
        uri="memory://whatever", user_id="ann", token_limit=limit, placement=placement
    )
    own.user().remember("event_bus", KAFKA, aliases=["Kafka"])
    history = [ChatMessage(role=r, content=f"{r} says Kafka {i}") for i, r in enumerate(roles)]
    own.set(history)
    messages = own.get(input)
    assert own.get_all() == history
    assert text(messages).count(MARK) <= 1
    if "user" in roles and input is None:
        last = len(roles) - 1 - roles[::-1].index("user")
        for expected in history[last:]:
            assert any(m.blocks[-1] == expected.blocks[-1] for m in messages)
    if "system" not in roles:
        assert_well_formed(messages)
