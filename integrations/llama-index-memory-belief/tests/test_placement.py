"""Where the chat memory puts beliefs, and how much of them and of the history it returns."""

from __future__ import annotations

from typing import Any

import pytest
from belief_memory import BeliefMemory, Budget
from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.chat_engine import SimpleChatEngine

from llama_index.memory.belief import BeliefChatMemory
from tests.conftest import MARK, Recorder, assert_well_formed, call, text
from tests.test_chat_memory import assistant, of, user


class TestPlacement:
    def test_system_makes_one_system_message_or_extends_the_one_there(
        self, memory: BeliefMemory
    ) -> None:
        own = of(memory, placement="system")
        own.put(user("Is Kafka up?"))
        first, second = own.get()
        assert first.role == MessageRole.SYSTEM
        assert "Kafka carries" in (first.content or "")
        assert second == user("Is Kafka up?")
        own.set([ChatMessage(role="system", content="Be kind."), user("Is Kafka up?")])
        messages = own.get()
        assert_well_formed(messages)
        assert len(messages) == 2
        assert (messages[0].content or "").startswith("Be kind.")
        assert MARK in (messages[0].content or "")

    def test_split_parts_what_changes_with_the_question_from_what_does_not(
        self, memory: BeliefMemory
    ) -> None:
        own = of(memory, placement="split", scopes=["domain:office"])
        memory.for_user("ann").remember("desk", "The desk stands.", pinned=True)
        own.put(user("Is Kafka up?"))
        first, second = own.get()
        assert first.role == MessageRole.SYSTEM
        assert "The desk stands." in (first.content or "")
        assert "Kafka carries" not in (first.content or "")
        assert "Kafka carries" in (second.content or "")
        own.put(user("Thanks"))
        assert own.get()[0] == first

    @pytest.mark.parametrize("placement", ["system", "split"])
    def test_beside_a_prompt_of_the_caller_all_goes_to_the_user_message(
        self, memory: BeliefMemory, placement: Any
    ) -> None:
        own = of(memory, placement=placement)
        own.put(user("Is Kafka up?"))
        assert [m.role.value for m in own.get(initial_token_count=3)] == ["user"]
        own.put(assistant("Yes."))
        assert [m.role.value for m in own.get("And Kafka?")] == ["user", "assistant", "user"]

    async def test_an_agent_without_a_prompt_of_its_own_can_have_a_system_message(
        self, memory: BeliefMemory
    ) -> None:
        recorder = Recorder()
        own = of(memory, placement="system")
        await FunctionAgent(llm=recorder.llm).run("Is Kafka up?", memory=own)
        assert [message.role.value for message in recorder.last] == ["system", "user"]
        assert "Kafka carries" in text(recorder.last[:1])

    @pytest.mark.parametrize("placement", ["user", "system", "split"])
    def test_an_engine_with_a_prompt_of_its_own_keeps_one_system_message(
        self, memory: BeliefMemory, placement: Any
    ) -> None:
        recorder = Recorder()
        own = of(memory, placement=placement)
        SimpleChatEngine.from_defaults(
            llm=recorder.llm, memory=own, system_prompt="Be brief."
        ).chat("Is Kafka up?")
        assert [message.role.value for message in recorder.last] == ["system", "user"]
        assert "Kafka carries" in text(recorder.last[1:])

    async def test_a_react_agent_drops_a_system_message_so_user_is_the_default(
        self, memory: BeliefMemory
    ) -> None:
        def script(messages: Any) -> ChatMessage:
            return assistant("Thought: I can answer.\nAnswer: yes")

        seen = {}
        for placement in ("system", "default"):
            options: Any = {} if placement == "default" else {"placement": placement}
            recorder = Recorder(script)
            agent = ReActAgent(llm=recorder.llm)
            await agent.run("Is Kafka up?", memory=of(memory, **options))
            seen[placement] = "Kafka carries" in text(recorder.last)
        assert seen == {"system": False, "default": True}


class TestTokenLimit:
    def conversation(self, own: BeliefChatMemory) -> None:
        for number in range(20):
            own.put(user(f"Question {number} about something quite different " * 3))
            own.put(call("lookup", name="x"))
            own.put(ChatMessage(role=MessageRole.TOOL, content="A long answer " * 10))
            own.put(assistant(f"Answer {number}."))
        own.put(user("Is Kafka up?"))

    @pytest.mark.parametrize("limit", [150, 200, 400, 800])
    def test_whole_turns_and_beliefs_stay_within_it(self, memory: BeliefMemory, limit: int) -> None:
        own = of(memory, token_limit=limit)
        self.conversation(own)
        messages = own.get(initial_token_count=20)
        assert messages[0].role == MessageRole.USER
        assert "Kafka carries" in text(messages[-1:])
        spent = sum(len(own.tokenizer_fn(message.content or "")) for message in messages)
        assert spent + 20 <= limit
        assert len(messages) < 81

    def test_more_room_is_filled_with_history(self, memory: BeliefMemory) -> None:
        sizes = []
        for limit in (200, 400, 800, 100_000):
            own = of(memory, token_limit=limit)
            self.conversation(own)
            sizes.append(len(own.get()))
            own.reset()
        assert sizes == sorted(set(sizes))
        assert sizes[-1] == 81

    @pytest.mark.parametrize("limit", [1, 2, 5, 20])
    def test_however_small_it_is_the_question_comes_through_alone(
        self, memory: BeliefMemory, limit: int
    ) -> None:
        own = of(memory, token_limit=limit)
        self.conversation(own)
        assert own.get() == [user("Is Kafka up?")]
        assert own.get("Is Postgres up?")[-1:] != [user("Is Postgres up?")]
        assert MARK not in text(own.get("Is Postgres up?"))

    def test_a_large_belief_gives_way_to_small_ones(self, memory: BeliefMemory) -> None:
        memory.for_user("ann").remember("kafka_story", "Long ago. " * 300, aliases=["Kafka story"])
        own = of(memory, token_limit=200)
        own.put(user("Tell the Kafka story of Postgres"))
        (message,) = own.get()
        assert "Postgres 16" in (message.content or "")
        assert "Long ago" not in (message.content or "")

    def test_a_budget_bounds_the_beliefs(self, memory: BeliefMemory) -> None:
        own = of(memory, budget=Budget(max_beliefs=1))
        own.put(user("Kafka and Postgres?"))
        assert text(own.get()).count("<entity") == 1

    def test_a_model_s_window_sets_it(self, memory: BeliefMemory) -> None:
        from llama_index.core.llms.mock import MockLLM

        assert of(memory, llm=MockLLM()).token_limit == int(
            MockLLM().metadata.context_window * 0.75
        )
        assert of(memory, llm=MockLLM(), token_limit=7).token_limit == 7
