"""Which routes each adapter gives out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from belief_memory import BeliefMemory, InvalidQuery
from belief_memory.testing.embedders import NgramEmbedder
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from pydantic import ValidationError

from langchain_belief_memory import (
    BeliefChainMemory,
    BeliefMiddleware,
    BeliefRetriever,
    BeliefStore,
    create_belief_tools,
    inject_beliefs,
)

QUERY = "Where do the goldfish swim in their aquarium?"
NAMED = "The aquarium holds 200 litres of water."
ALIKE = "The goldfish swim in the big aquarium."
PINNED = "Nothing is fed on Sundays."


@pytest.fixture
def tank() -> Iterator[BeliefMemory]:
    with BeliefMemory.open("memory://", embedder=NgramEmbedder()) as memory:
        alice = memory.for_user("alice")
        alice.remember("aquarium", NAMED)
        alice.remember("fish_tank", ALIKE)
        alice.remember("tax_office", "The declaration is due in July.")
        alice.remember("feeding", PINNED, pinned=True)
        yield memory


def from_middleware(memory: BeliefMemory, model: Any, read: Any, routes: Any) -> str:
    seeing = model()
    middleware = BeliefMiddleware(memory, user_id="alice", routes=routes)
    create_agent(seeing, middleware=[middleware]).invoke({"messages": [HumanMessage(QUERY)]})
    return "\n".join(map(read, seeing.seen[0]))


def from_async_middleware(memory: BeliefMemory, model: Any, read: Any, routes: Any) -> str:
    seeing = model()
    middleware = BeliefMiddleware(memory, user_id="alice", routes=routes)
    agent = create_agent(seeing, middleware=[middleware])
    asyncio.run(agent.ainvoke({"messages": [HumanMessage(QUERY)]}))
    return "\n".join(map(read, seeing.seen[0]))


def from_a_chain_step(memory: BeliefMemory, model: Any, read: Any, routes: Any) -> str:
    step = inject_beliefs(memory, user_id="alice", routes=routes)
    found = asyncio.run(step.ainvoke(QUERY))
    assert step.invoke(QUERY) == found
    return str(found["memory"])


def from_chain_memory(memory: BeliefMemory, model: Any, read: Any, routes: Any) -> str:
    chain_memory = BeliefChainMemory(memory=memory, user_id="alice", routes=routes)
    found = asyncio.run(chain_memory.aload_memory_variables({"input": QUERY}))
    assert chain_memory.load_memory_variables({"input": QUERY}) == found
    return str(found["history"])


def from_a_tool(memory: BeliefMemory, model: Any, read: Any, routes: Any) -> str:
    (recall,) = create_belief_tools(memory, user_id="alice", tools=["recall"], routes=routes)
    found = recall.invoke({"query": QUERY})
    assert asyncio.run(recall.ainvoke({"query": QUERY})) == found
    return str(found)


WAYS = [
    from_middleware,
    from_async_middleware,
    from_a_chain_step,
    from_chain_memory,
    from_a_tool,
]


@pytest.mark.parametrize("told", WAYS)
def test_only_the_routes_asked_for_are_given(told, tank, model, read) -> None:
    seen = told(tank, model, read, None)
    assert NAMED in seen
    assert PINNED in seen
    assert ALIKE not in seen
    seen = told(tank, model, read, ("relevant",))
    assert NAMED in seen
    assert PINNED not in seen
    seen = told(tank, model, read, ("pinned", "related"))
    assert NAMED not in seen
    assert PINNED in seen
    assert ALIKE in seen
    assert "July" not in seen


@pytest.fixture
def diary() -> Iterator[BeliefMemory]:
    with BeliefMemory.open("memory://", episodes=True) as memory:
        memory.for_user("alice").remember("aquarium", NAMED)
        yield memory


SAID = "The aquarium was leaking at its left corner."


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_what_was_said_in_an_earlier_run_comes_back_as_evidence(
    diary, model, read, asynchronous
) -> None:
    seeing = model()
    routes = ("relevant", "evidence")
    middleware = BeliefMiddleware(diary, user_id="alice", routes=routes)
    agent = create_agent(seeing, middleware=[middleware])
    for text in (SAID, "Which corner of the aquarium is leaking?"):
        said: Any = {"messages": [HumanMessage(text)]}
        _ = await agent.ainvoke(said) if asynchronous else agent.invoke(said)
    first, second = (read(messages[-1]) for messages in seeing.seen)
    assert NAMED in first
    assert first.count(SAID) == 1
    assert SAID in second
    retriever = BeliefRetriever(memory=diary, user_id="alice", routes=("evidence", "relevant"))
    turn, belief = await retriever.ainvoke("Which corner of the aquarium leaks?")
    assert turn.page_content == f"user: {SAID}"
    assert turn.metadata["route"] == "evidence"
    assert json.loads(json.dumps(turn.metadata)) == turn.metadata
    assert belief.metadata["content"] == NAMED


def test_a_chain_keeps_its_turns_as_evidence(diary) -> None:
    chain_memory = BeliefChainMemory(memory=diary, user_id="alice", routes=("evidence",))
    chain_memory.save_context({"input": SAID}, {"output": "I see."})
    chain_memory.clear()
    assert SAID in chain_memory.load_memory_variables({"input": "Which corner was it?"})["history"]


def test_a_retriever_gives_as_many_alike_as_it_is_asked_for(tank) -> None:
    tank.for_user("alice").remember_many(
        {"canonical_name": f"tank_{number}", "content": f"{ALIKE} It is number {number}."}
        for number in range(8)
    )
    retriever = BeliefRetriever(memory=tank, user_id="alice", routes=("related",), k=9)
    found = retriever.invoke(QUERY)
    assert len(found) == 9
    assert {document.metadata["route"] for document in found} == {"related"}
    assert len(retriever.invoke(QUERY, k=2)) == 2


@pytest.mark.parametrize("make", [BeliefMiddleware, inject_beliefs, create_belief_tools])
@pytest.mark.parametrize("routes", [["close"], "relevant", ["relevant", 3]])
def test_a_route_that_does_not_exist_is_an_error_where_it_is_written(make, routes, memory) -> None:
    with pytest.raises(InvalidQuery, match="routes"):
        make(memory, routes=routes)


@pytest.mark.parametrize("make", [BeliefMiddleware, inject_beliefs, create_belief_tools])
def test_what_is_related_needs_an_embedder(make, memory) -> None:
    with pytest.raises(InvalidQuery, match="embedder"):
        make(memory, routes=["related"])


@pytest.mark.parametrize("make", [BeliefMiddleware, inject_beliefs, create_belief_tools])
def test_evidence_needs_episodes(make, memory) -> None:
    with pytest.raises(InvalidQuery, match="episodes"):
        make(memory, routes=["evidence"])


def test_a_chain_memory_takes_no_other_routes(memory) -> None:
    with pytest.raises(ValidationError, match="routes"):
        BeliefChainMemory(memory=memory, user_id="alice", routes=("close",))


WAYS_IN = [
    BeliefMiddleware,
    BeliefStore,
    create_belief_tools,
    inject_beliefs,
    lambda memory: BeliefRetriever(memory=memory, user_id="alice"),
    lambda memory: BeliefChainMemory(memory=memory, user_id="alice"),
]


@pytest.mark.parametrize("make", WAYS_IN)
@pytest.mark.parametrize("given", [None, "./beliefs", "a user's"])
def test_what_is_no_open_memory_is_an_error_where_it_is_written(make, given, memory) -> None:
    if given == "a user's":
        given = memory.for_user("alice")
    with pytest.raises(ValueError, match="expected an open BeliefMemory"):
        make(given)


@pytest.mark.parametrize("make", [BeliefRetriever, BeliefChainMemory])
def test_an_option_that_there_is_not_is_never_ignored(make, memory) -> None:
    with pytest.raises(ValueError, match="scope"):
        make(memory=memory, user_id="alice", scope=["project:apollo"])
