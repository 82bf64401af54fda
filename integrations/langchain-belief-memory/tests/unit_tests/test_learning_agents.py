"""Agents and chains that learn from what their users say."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from belief_memory import BeliefMemory, ExtractionFailed, InvalidQuery
from belief_memory.learning import DeterministicExtractor
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from langchain_belief_memory import BeliefChainMemory, BeliefMiddleware, LangChainExtractor
from langchain_belief_memory.lessons import lesson

THREAD: Any = {"configurable": {"thread_id": "t", "user_id": "alice"}}


class Failing:
    """An extractor whose network is down until it is not."""

    name = "failing"

    def __init__(self) -> None:
        self.down = True
        self.works = DeterministicExtractor()

    async def extract(self, lesson: Any) -> Any:
        if self.down:
            raise ConnectionError("no route")
        return await self.works.extract(lesson)


@pytest.fixture
def learner() -> Iterator[BeliefMemory]:
    with BeliefMemory.open("memory://", extractor=DeterministicExtractor()) as memory:
        yield memory


def said(text: str) -> Any:
    return {"messages": [HumanMessage(text)]}


def call(name: str, **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{name}"}])


def residences(memory: BeliefMemory, user: str = "alice") -> list[str]:
    return [belief.content for belief in memory.for_user(user).beliefs(slot=("user", "residence"))]


def versions(memory: BeliefMemory) -> int:
    return len(memory.for_user("alice").export())


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_what_does_not_learn_adds_no_step_and_no_checkpoint(
    memory, learner, model, asynchronous
) -> None:
    async def checkpoints(*middleware: Any) -> int:
        agent = create_agent(model(), middleware=middleware, checkpointer=InMemorySaver())
        if asynchronous:
            await agent.ainvoke(said("What is Quokka?"), THREAD)
        else:
            agent.invoke(said("What is Quokka?"), THREAD)
        return len(list(agent.get_state_history(THREAD)))

    bare = await checkpoints()
    assert await checkpoints(BeliefMiddleware(memory)) == bare
    assert await checkpoints(BeliefMiddleware(learner, learn=False)) == bare
    assert await checkpoints(BeliefMiddleware(learner)) == bare + 1


def test_a_middleware_made_of_it_learns_and_keeps_its_own_hooks(learner, model) -> None:
    class Counting(BeliefMiddleware):
        """Counts finished runs."""

        runs = 0

        def after_agent(self, state: Any, runtime: Any) -> None:
            self.runs += 1
            super().after_agent(state, runtime)

    for learn in (None, False, True):
        counting = Counting(learner, learn=learn)
        assert isinstance(counting, Counting)
        agent = create_agent(model(), middleware=[counting])
        before = versions(learner)
        agent.invoke(said(f"I live in {'Lisbon' if learn is None else 'Porto'}."), THREAD)
        assert counting.runs == 1
        assert (versions(learner) > before) == (learn is not False)


async def test_what_the_user_says_is_known_in_the_next_run(learner, model, read) -> None:
    reports: list[Any] = []
    seeing = model()
    middleware = BeliefMiddleware(learner, on_learn=reports.append)
    agent = create_agent(seeing, middleware=[middleware])
    agent.invoke(said("I live in Lisbon."), THREAD)
    assert "Lisbon" in residences(learner)[0]
    await agent.ainvoke(said("I moved to Porto."), THREAD)
    [residence] = residences(learner)
    assert "Porto" in residence
    agent.invoke(said("Where do I live?"), THREAD)
    assert residence in read(seeing.seen[-1][-1])
    assert [report.outcomes[0].action for report in reports[:2]] == ["inserted", "superseded"]
    learned = learner.for_user("alice").history(("user", "residence"))
    assert {belief.provenance.session_id for belief in learned} == {"t"}


@pytest.mark.parametrize("structured", [False, True])
def test_each_message_teaches_once(learner, model, structured) -> None:
    class Answer(BaseModel):
        text: str

    answers = [call("Answer", text="ok")] * 9 if structured else ["ok"] * 9
    agent = create_agent(
        model(*answers),
        middleware=[BeliefMiddleware(learner)],
        checkpointer=InMemorySaver(),
        response_format=ToolStrategy(Answer) if structured else None,
    )
    for text in ("I live in Lisbon.", "I moved to Porto.", "Thanks!", "Nice."):
        agent.invoke(said(text), THREAD)
    [belief] = learner.for_user("alice").beliefs(slot=("user", "residence"))
    assert "Porto" in belief.content
    assert belief.reinforcement_count == 0
    held = [v for v in learner.for_user("alice").history(("user", "residence")) if not v.retired_at]
    assert len(held) == 2


def test_fifty_runs_with_injected_memory_teach_nothing(learner, model, read) -> None:
    alice = learner.for_user("alice")
    alice.remember("user", "I live in Lisbon.", attribute="residence", pinned=True)
    alice.remember("note", "I work at Initech. My name is Bob.", aliases=["note"])
    before = versions(learner)
    seeing = model(*["I live in Rome."] * 50)
    agent = create_agent(
        seeing, middleware=[BeliefMiddleware(learner)], checkpointer=InMemorySaver()
    )
    for _ in range(50):
        agent.invoke(said("What does the note say?"), THREAD)
    assert "I work at Initech." in read(seeing.seen[-1][-1])
    assert versions(learner) == before


def test_pasted_memory_teaches_nothing(learner, model) -> None:
    bob = learner.for_user("bob")
    bob.remember("user", "I live in Rome.", attribute="residence", pinned=True)
    agent = create_agent(model(), middleware=[BeliefMiddleware(learner)])
    agent.invoke(said(f"{bob.recall('').render()}\nThanks."), THREAD)
    assert residences(learner) == []


def test_an_interrupted_run_teaches_once_when_it_is_over(learner, model) -> None:
    @tool
    def approve() -> str:
        """Ask a person."""
        return str(interrupt("May I?"))

    agent = create_agent(
        model(call("approve"), "done"),
        [approve],
        middleware=[BeliefMiddleware(learner)],
        checkpointer=InMemorySaver(),
    )
    agent.invoke(said("I live in Lisbon."), THREAD)
    assert residences(learner) == []
    agent.invoke(Command(resume="yes"), THREAD)
    assert len(residences(learner)) == 1


def test_a_message_that_joins_on_the_way_hides_nothing(learner, model) -> None:
    class Nudging(AgentMiddleware[Any, Any, Any]):
        def before_model(self, state: Any, runtime: Any) -> Any:
            if state["messages"][-1].type == "tool":
                return {"messages": [HumanMessage("I work at Initech.")]}
            return None

    @tool
    def look() -> str:
        """Look."""
        return "seen"

    agent = create_agent(
        model(call("look"), "done"), [look], middleware=[Nudging(), BeliefMiddleware(learner)]
    )
    agent.invoke(said("I live in Lisbon."), THREAD)
    assert len(residences(learner)) == 1


def test_a_model_that_calls_an_agent_teaches_it_nothing(learner, model) -> None:
    inner = create_agent(model(), middleware=[BeliefMiddleware(learner)])

    @tool
    def expert(question: str) -> str:
        """Ask."""
        return str(inner.invoke(said(question))["messages"][-1].text)

    outer = create_agent(model(call("expert", question="I live in Rome."), "done"), [expert])
    outer.invoke(said("Hi"), THREAD)
    assert residences(learner) == []


def test_an_agent_that_is_a_node_of_a_graph_learns(learner, model) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("agent", create_agent(model(), middleware=[BeliefMiddleware(learner)]))
    graph.add_edge(START, "agent")
    graph.compile().invoke(said("I live in Lisbon."), THREAD)
    assert len(residences(learner)) == 1


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_learning_that_fails_takes_no_answer_back(model, caplog, asynchronous: bool) -> None:
    extractor = Failing()
    reports: list[Any] = []

    async def note(report: Any) -> None:
        reports.append(report)

    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        middleware = BeliefMiddleware(memory, on_learn=note if asynchronous else reports.append)
        agent = create_agent(model(), middleware=[middleware])

        async def run(text: str) -> Any:
            if asynchronous:
                return await agent.ainvoke(said(text), THREAD)
            return agent.invoke(said(text), THREAD)

        with caplog.at_level(logging.WARNING, "langchain_belief_memory"):
            result = await run("I live in Lisbon.")
        assert result["messages"][-1].text == "ok"
        assert isinstance(reports[0], ExtractionFailed)
        assert "nothing was learned" in caplog.text
        extractor.down = False
        await run("Thanks.")
        assert len(residences(memory)) == 1


def test_learning_can_be_switched_off_and_insisted_on(learner, memory, model) -> None:
    agent = create_agent(model(), middleware=[BeliefMiddleware(learner, learn=False)])
    agent.invoke(said("I live in Lisbon."), THREAD)
    assert residences(learner) == []
    with pytest.raises(InvalidQuery, match="extractor"):
        BeliefMiddleware(memory, learn=True)


def test_without_an_extractor_nothing_is_learned_and_nothing_fails(memory, model) -> None:
    agent = create_agent(model(), middleware=[BeliefMiddleware(memory)])
    assert agent.invoke(said("I live in Lisbon."), THREAD)["messages"][-1].text == "ok"
    assert residences(memory) == []


def test_a_reflective_memory_learns_and_injects_nothing(model, read) -> None:
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), mode="reflective"
    ) as memory:
        seeing = model()
        agent = create_agent(seeing, middleware=[BeliefMiddleware(memory)])
        agent.invoke(said("I live in Lisbon."), THREAD)
        agent.invoke(said("Where do I live?"), THREAD)
        assert len(residences(memory)) == 1
        assert [read(message) for message in seeing.seen[1]] == ["Where do I live?"]


async def test_a_chat_model_can_be_the_extractor_and_stays_out_of_the_stream(model, read) -> None:
    belief = {
        "canonical_name": "user",
        "attribute": "residence",
        "content": "Lives in Lisbon.",
        "why_it_matters": "Assume Lisbon.",
        "quote": "I live in Lisbon.",
    }
    extracting = model(*[json.dumps({"beliefs": [belief]})] * 2)
    with BeliefMemory.open("memory://", extractor=LangChainExtractor(extracting)) as memory:
        seeing = model()
        agent = create_agent(seeing, middleware=[BeliefMiddleware(memory)])
        stream = agent.astream(said("I live in Lisbon."), THREAD, stream_mode="messages")
        streamed = repr([chunk async for chunk in stream])
        assert "ok" in streamed
        assert "why_it_matters" not in streamed
        assert residences(memory) == ["Lives in Lisbon."]
        streamed = repr(
            list(agent.stream(said("I live in Lisbon."), THREAD, stream_mode="messages"))
        )
        assert "why_it_matters" not in streamed
        assert len(extracting.seen) == 2


async def test_a_legacy_chain_learns_too(learner) -> None:
    kept = BeliefChainMemory(memory=learner, user_id="alice")
    kept.save_context({"input": "I live in Lisbon."}, {"response": "I live in Rome."})
    assert "Lisbon" in residences(learner)[0]
    await kept.asave_context({"input": "I moved to Porto."}, {"response": "ok"})
    assert "Porto" in residences(learner)[0]


def test_a_legacy_chain_keeps_its_turn_when_learning_fails() -> None:
    with BeliefMemory.open("memory://", extractor=Failing()) as memory:
        kept = BeliefChainMemory(memory=memory, user_id="alice")
        kept.save_context({"input": "Hi"}, {"response": "Hello"})
        assert "Hello" in kept.load_memory_variables({"input": "?"})["history"]


def test_a_lesson_is_what_the_run_added() -> None:
    history = [
        HumanMessage("one", id="1"),
        AIMessage("answer"),
        HumanMessage("two", id="2"),
        HumanMessage("three", id="3"),
        call("tool"),
        AIMessage("done"),
    ]
    assert [each["content"] for each in lesson(history)] == ["two", "three", "", "done"]
    assert [each["content"] for each in lesson(history, "3")] == ["two", "three", "", "done"]
    assert lesson(history, "1")[0]["content"] == "one"
    assert lesson(history, "unknown")[0]["content"] == "two"
    assert lesson([AIMessage("alone")]) == []
