"""Beliefs as nodes, in query engines, chat engines and tools."""

from __future__ import annotations

import json
from typing import Any

import pytest
from belief_memory import BeliefMemory, InvalidQuery
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import MessageRole
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, QueryBundle
from llama_index.core.tools import QueryEngineTool, RetrieverTool

from llama_index.memory.belief import BeliefChatMemory, BeliefRetriever
from tests.conftest import POSTGRES, Recorder, call, text


def of(memory: BeliefMemory, **options: Any) -> BeliefRetriever:
    return BeliefRetriever(memory=memory, user_id="ann", **options)


async def test_what_is_named_is_returned_and_nothing_near_it(memory: BeliefMemory) -> None:
    retriever = of(memory)
    for found in (retriever.retrieve("Is Kafka up?"), await retriever.aretrieve("Is Kafka up?")):
        (node,) = found
        (belief,) = memory.for_user("ann").beliefs(slot="event_bus")
        assert node.node.node_id == belief.id
        assert node.score == 1.0
        assert node.node.metadata["canonical_name"] == "event_bus"
        assert node.node.metadata["route"] == "relevant"
        assert node.node.metadata["user_id"] == "ann"
        assert json.loads(json.dumps(node.node.metadata)) == node.node.metadata
        assert node.node.get_content(MetadataMode.LLM).startswith("event_bus: Kafka carries")
        assert "valid_from" not in node.node.get_content(MetadataMode.LLM)
    for nothing in ("Is RabbitMQ up?", "", "  ", "?!"):
        assert retriever.retrieve(nothing) == []
        assert await retriever.aretrieve(QueryBundle(nothing)) == []


def test_k_bounds_the_nodes(memory: BeliefMemory) -> None:
    assert len(of(memory, k=1).retrieve("Kafka and Postgres")) == 1
    assert of(memory, k=0).retrieve("Kafka and Postgres") == []
    assert len(of(memory).retrieve("Kafka and Postgres")) == 2


def test_routes_come_in_the_order_asked_for(memory: BeliefMemory) -> None:
    memory.for_user("ann").remember("desk", "The desk stands.", pinned=True)
    nodes = of(memory, routes=("pinned", "relevant")).retrieve("Is Kafka up?")
    assert [node.node.metadata["route"] for node in nodes] == ["pinned", "relevant"]


@pytest.mark.parametrize("wrong", [{"routes": ("other",)}, {"k": -1}, {"k": "3"}, {"user_id": ""}])
def test_a_wrong_option_is_refused(memory: BeliefMemory, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidQuery):
        BeliefRetriever(**{"memory": memory, "user_id": "ann", **wrong})


@pytest.mark.parametrize("asynchronous", [True, False])
async def test_a_query_engine_answers_from_beliefs(
    memory: BeliefMemory, asynchronous: bool
) -> None:
    recorder = Recorder()
    engine = RetrieverQueryEngine.from_args(
        of(memory),
        llm=recorder.llm,
        node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.5)],
    )
    answer = await engine.aquery("Is Postgres up?") if asynchronous else engine.query("Postgres?")
    assert POSTGRES in text(recorder.last)
    assert [node.node.metadata["canonical_name"] for node in answer.source_nodes] == ["order_db"]


async def test_it_serves_as_the_documents_of_a_context_engine(memory: BeliefMemory) -> None:
    recorder = Recorder()
    engine = ContextChatEngine.from_defaults(
        retriever=of(memory),
        llm=recorder.llm,
        memory=BeliefChatMemory.from_defaults(memory=memory, user_id="nobody"),
    )
    await engine.achat("Is Postgres up?")
    assert POSTGRES in text(recorder.last)


async def test_an_agent_calls_it_as_a_tool(memory: BeliefMemory) -> None:
    tools: list[Any] = [
        RetrieverTool.from_defaults(of(memory), name="beliefs", description="Beliefs."),
        QueryEngineTool.from_defaults(
            RetrieverQueryEngine.from_args(of(memory), llm=Recorder().llm),
            name="ask",
            description="Answers from beliefs.",
        ),
    ]

    def script(messages: Any) -> Any:
        if messages[-1].role == MessageRole.TOOL:
            return None
        return call("beliefs", input="Is Postgres up?")

    recorder = Recorder(script)
    await FunctionAgent(llm=recorder.llm, tools=tools).run("What do you know?")
    assert POSTGRES in text(recorder.last)


async def test_users_do_not_see_each_other_s_beliefs(memory: BeliefMemory) -> None:
    bob = BeliefRetriever(memory=memory, user_id="bob")
    assert "MySQL" in bob.retrieve("Postgres?")[0].text
    assert "MySQL" not in of(memory).retrieve("Postgres?")[0].text
    assert BeliefRetriever(memory=memory, user_id="an").retrieve("Postgres?") == []
