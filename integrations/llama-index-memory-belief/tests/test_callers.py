"""Every engine and agent of LlamaIndex: the model sees the right beliefs on every call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from belief_memory import BeliefMemory
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context

from llama_index.memory.belief import BeliefChatMemory
from tests.conftest import MARK, Recorder, assert_well_formed, call, text

ASK_DB, ASK_BUS, ASK_NOTHING = "How big is Postgres?", "And is Kafka up?", "Thank you!"
SAYS_DB, SAYS_BUS = "Postgres 16 holds the orders", "Kafka carries the events"


class Documents(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text="A page about nothing."), score=1.0)]


def chat_memory(memory: BeliefMemory, **options: Any) -> BeliefChatMemory:
    return BeliefChatMemory.from_defaults(memory=memory, user_id="ann", **options)


def engine_of(kind: str, recorder: Recorder, own: BeliefChatMemory, prompt: str | None) -> Any:
    common: dict[str, Any] = {"llm": recorder.llm, "memory": own, "system_prompt": prompt}
    if kind == "simple":
        return SimpleChatEngine.from_defaults(**common)
    if kind == "context":
        return ContextChatEngine.from_defaults(retriever=Documents(), **common)
    return CondensePlusContextChatEngine.from_defaults(retriever=Documents(), **common)


async def say(engine: Any, way: str, words: str) -> None:
    if way == "chat":
        engine.chat(words)
    elif way == "achat":
        await engine.achat(words)
    elif way == "stream":
        answer = engine.stream_chat(words)
        list(answer.response_gen)
        if answer.write_response_to_history_thread is not None:
            answer.write_response_to_history_thread.join()
    else:
        answer = await engine.astream_chat(words)
        async for _ in answer.async_response_gen():
            pass
        if answer.awrite_response_to_history_task is not None:
            await answer.awrite_response_to_history_task


@pytest.mark.parametrize("prompt", [None, "You are terse."])
@pytest.mark.parametrize("way", ["chat", "achat", "stream", "astream"])
@pytest.mark.parametrize("kind", ["simple", "context", "condense"])
async def test_a_chat_engine_sees_what_each_turn_names_and_keeps_none_of_it(
    memory: BeliefMemory, kind: str, way: str, prompt: str | None
) -> None:
    recorder, own = Recorder(), chat_memory(memory)
    engine = engine_of(kind, recorder, own, prompt)

    await say(engine, way, ASK_DB)
    assert SAYS_DB in text(recorder.last)
    assert SAYS_BUS not in text(recorder.last)
    await say(engine, way, ASK_BUS)
    assert SAYS_BUS in text(recorder.last)
    assert SAYS_DB not in text(recorder.last)
    await say(engine, way, ASK_NOTHING)
    assert MARK not in text(recorder.last)

    for messages in recorder.calls:
        assert_well_formed(messages)
    said = [message.content for message in own.get_all() if message.role == MessageRole.USER]
    assert said == [ASK_DB, ASK_BUS, ASK_NOTHING]
    assert len(own.get_all()) == 6
    assert MARK not in text(own.get_all())
    assert "MySQL" not in "".join(map(text, recorder.calls))


@pytest.mark.parametrize("kind", ["simple", "context", "condense"])
def test_braces_in_a_belief_reach_the_model_unsubstituted(memory: BeliefMemory, kind: str) -> None:
    recorder = Recorder()
    engine = engine_of(kind, recorder, chat_memory(memory), "You are terse.")
    engine.chat("Postgres and Kafka?")
    seen = text(recorder.last)
    injected = seen[seen.index(MARK) : seen.index("</memory>")]
    assert "go through &#123;query_str} and {&#123;tx}}." in injected
    assert "events of &#123;context_str}." in injected
    assert "page about nothing" not in injected


def test_the_condensing_model_sees_the_beliefs_too(memory: BeliefMemory) -> None:
    prompts: list[str] = []
    recorder, own = Recorder(), chat_memory(memory)

    class Condensing(type(recorder.llm)):  # type: ignore[misc]
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
            prompts.append(prompt)
            return super().complete(ASK_DB, formatted, **kwargs)

    llm = Condensing(response_generator=recorder.llm.response_generator, is_chat_model=True)
    engine = CondensePlusContextChatEngine.from_defaults(retriever=Documents(), llm=llm, memory=own)
    engine.chat(ASK_BUS)
    assert SAYS_BUS in prompts[0]
    assert SAYS_BUS in text(recorder.last)


def lookup(name: str) -> str:
    """Looks something up."""
    return f"{name}: 40 GB"


TOOLS = [FunctionTool.from_defaults(lookup)]


def calls_a_tool_once(messages: Sequence[ChatMessage]) -> ChatMessage | None:
    if messages[-1].role == MessageRole.TOOL:
        return None
    return call("lookup", name="size")


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("prompt", [None, "You are terse."])
async def test_a_function_agent_sees_the_beliefs_before_and_after_a_tool_call(
    memory: BeliefMemory, prompt: str | None, streaming: bool
) -> None:
    recorder, own = Recorder(calls_a_tool_once), chat_memory(memory)
    agent = FunctionAgent(llm=recorder.llm, tools=TOOLS, system_prompt=prompt, streaming=streaming)
    await agent.run(ASK_DB, memory=own)

    assert len(recorder.calls) == 2
    for messages in recorder.calls:
        assert SAYS_DB in text(messages)
        assert_well_formed(messages)
    roles = [message.role.value for message in own.get_all()]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert MARK not in text(own.get_all())


async def test_one_recall_serves_all_model_calls_of_a_turn(memory: BeliefMemory) -> None:
    queries: list[str] = []
    recorder = Recorder(calls_a_tool_once)
    own = chat_memory(memory, on_inject=lambda injection: queries.append(injection.query))
    agent = FunctionAgent(llm=recorder.llm, tools=TOOLS)
    memory.for_user("ann")
    await agent.run(ASK_DB, memory=own)
    assert set(queries) == {ASK_DB}
    assert len(queries) > 1
    first, second = (
        [m for m in messages if MARK in (m.content or "")] for messages in recorder.calls
    )
    assert first == second


def thinks(*steps: str) -> Any:
    left = list(steps)

    def script(messages: Sequence[ChatMessage]) -> ChatMessage:
        return ChatMessage(role=MessageRole.ASSISTANT, content=left.pop(0))

    return script


ACTION = 'Thought: I look it up.\nAction: lookup\nAction Input: {"name": "size"}'
ANSWER = "Thought: I can answer without using any more tools.\nAnswer: 40 GB"


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("prompt", [None, "You are terse."])
async def test_a_react_agent_sees_the_beliefs_with_and_without_a_system_prompt(
    memory: BeliefMemory, prompt: str | None, streaming: bool
) -> None:
    recorder, own = Recorder(thinks(ACTION, ANSWER)), chat_memory(memory)
    agent = ReActAgent(llm=recorder.llm, tools=TOOLS, system_prompt=prompt, streaming=streaming)
    result = await agent.run(ASK_DB, memory=own)

    assert str(result) == "40 GB"
    assert len(recorder.calls) == 2
    for messages in recorder.calls:
        assert SAYS_DB in text(messages)
        assert_well_formed(messages)
    assert [message.role.value for message in own.get_all()] == ["user", "assistant"]
    assert MARK not in text(own.get_all())


async def test_a_react_agent_that_is_told_to_retry_still_sees_the_beliefs(
    memory: BeliefMemory,
) -> None:
    recorder, own = Recorder(thinks("Action: lookup", ANSWER)), chat_memory(memory)
    await ReActAgent(llm=recorder.llm, tools=TOOLS).run(ASK_DB, memory=own)
    assert len(recorder.calls) == 2
    assert all(SAYS_DB in text(messages) for messages in recorder.calls)


@pytest.mark.parametrize("prompt", [None, "You are terse."])
async def test_both_agents_of_a_workflow_see_the_beliefs_after_a_hand_off(
    memory: BeliefMemory, prompt: str | None
) -> None:
    def script(messages: Sequence[ChatMessage]) -> ChatMessage | None:
        if any(message.role == MessageRole.TOOL for message in messages):
            return None
        return call("handoff", to_agent="writer", reason="it writes")

    recorder, own = Recorder(script), chat_memory(memory)
    agents = [
        FunctionAgent(name=name, description=name, llm=recorder.llm, system_prompt=prompt)
        for name in ("reader", "writer")
    ]
    workflow = AgentWorkflow(agents=agents, root_agent="reader", initial_state={"step": 1})
    result = await workflow.run(ASK_DB, memory=own)

    assert result.current_agent_name == "writer"
    assert len(recorder.calls) == 2
    for messages in recorder.calls:
        assert SAYS_DB in text(messages)
        assert_well_formed(messages)
    assert "step" in text(recorder.calls[0])
    assert own.get_all()[0].content == ASK_DB
    assert MARK not in text(own.get_all())


async def test_a_react_agent_hands_off_with_the_beliefs(memory: BeliefMemory) -> None:
    hand = 'Thought: not mine.\nAction: handoff\nAction Input: {"to_agent": "b", "reason": "x"}'
    recorder, own = Recorder(thinks(hand, ANSWER)), chat_memory(memory)
    agents = [
        ReActAgent(name=name, description=name, llm=recorder.llm, tools=TOOLS) for name in "ab"
    ]
    await AgentWorkflow(agents=agents, root_agent="a").run(ASK_DB, memory=own)
    assert len(recorder.calls) == 2
    assert all(SAYS_DB in text(messages) for messages in recorder.calls)


async def test_turns_of_a_reused_context_see_their_own_beliefs(memory: BeliefMemory) -> None:
    recorder = Recorder()
    agent = FunctionAgent(llm=recorder.llm, system_prompt="You are terse.")
    context = Context(agent)
    await agent.run(ASK_DB, memory=chat_memory(memory), ctx=context)
    await agent.run(ASK_BUS, ctx=context)
    await agent.run(ASK_NOTHING, ctx=context)
    assert SAYS_DB in text(recorder.calls[0])
    assert SAYS_BUS in text(recorder.calls[1])
    assert MARK not in text(recorder.calls[2])
    assert ASK_DB in text(recorder.calls[2])


async def test_an_agent_that_is_given_a_history_recalls_for_its_last_question(
    memory: BeliefMemory,
) -> None:
    recorder = Recorder()
    history = [
        ChatMessage(ASK_DB),
        ChatMessage(role="assistant", content="Big."),
        ChatMessage(ASK_BUS),
    ]
    await FunctionAgent(llm=recorder.llm).run(chat_history=history, memory=chat_memory(memory))
    assert SAYS_BUS in text(recorder.last)
    assert SAYS_DB not in text(recorder.last)
