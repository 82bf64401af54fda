"""Which routes each adapter recalls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from belief_memory import BeliefMemory, InvalidQuery
from belief_memory.testing.embedders import NgramEmbedder
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.schema import MetadataMode

from llama_index.memory.belief import BeliefChatMemory, BeliefMemoryBlock, BeliefRetriever
from tests.conftest import text

QUERY = "Where do the goldfish swim in their aquarium?"
NAMED = "The aquarium holds 200 litres of water."
ALIKE = "The goldfish swim in the big aquarium."
PINNED = "Nothing is fed on Sundays."
TONE = "Answers are short."


@pytest.fixture
def tank() -> Iterator[BeliefMemory]:
    with BeliefMemory.open("memory://", embedder=NgramEmbedder()) as memory:
        ann = memory.for_user("ann")
        ann.remember("aquarium", NAMED)
        ann.remember("fish_tank", ALIKE)
        ann.remember("tax_office", "The declaration is due in July.")
        ann.remember("feeding", PINNED, pinned=True)
        ann.remember("tone", TONE, type="preference")
        yield memory


async def from_chat_memory(memory: BeliefMemory, routes: Any) -> str:
    own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann", routes=routes)
    own.put(ChatMessage(QUERY))
    found = text(own.get())
    assert text(await own.aget()) == found
    return found


async def from_a_pending_question(memory: BeliefMemory, routes: Any) -> str:
    own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann", routes=routes)
    return text(await own.aget(input=QUERY))


async def from_a_block(memory: BeliefMemory, routes: Any) -> str:
    block = BeliefMemoryBlock.from_defaults(memory=memory, user_id="ann", routes=routes)
    return str(await block.aget([ChatMessage(QUERY)]))


WAYS = [from_chat_memory, from_a_pending_question, from_a_block]


@pytest.mark.parametrize("told", WAYS)
async def test_only_the_routes_asked_for_are_recalled(told, tank: BeliefMemory) -> None:
    seen = await told(tank, None)
    assert all(one in seen for one in (NAMED, PINNED, TONE))
    assert ALIKE not in seen
    seen = await told(tank, ("relevant",))
    assert NAMED in seen
    assert not any(one in seen for one in (PINNED, TONE, ALIKE))
    seen = await told(tank, ["pinned", "related"])
    assert all(one in seen for one in (PINNED, ALIKE))
    assert not any(one in seen for one in (NAMED, TONE, "July"))


async def test_a_changed_field_counts_from_the_next_call(tank: BeliefMemory) -> None:
    own = BeliefChatMemory.from_defaults(memory=tank, user_id="ann", routes=["relevant"])
    own.put(ChatMessage(QUERY))
    assert PINNED not in text(own.get())
    own.routes = ("pinned",)
    assert PINNED in text(own.get())


async def test_routes_survive_serialisation(tank: BeliefMemory) -> None:
    own = BeliefChatMemory.from_defaults(memory=tank, user_id="ann", routes=["pinned", "related"])
    rebuilt = BeliefChatMemory.from_dict(json.loads(own.to_json()))
    assert rebuilt.routes == ("pinned", "related")
    rebuilt.put(ChatMessage(QUERY))
    assert ALIKE in text(await rebuilt.aget())


SAID = "The aquarium was leaking at its left corner."


@pytest.fixture
def diary() -> Iterator[BeliefMemory]:
    with BeliefMemory.open("memory://", episodes=True) as memory:
        memory.for_user("ann").remember("aquarium", NAMED)
        yield memory


async def test_what_was_said_in_another_conversation_comes_back_as_evidence(
    diary: BeliefMemory,
) -> None:
    def chat() -> BeliefChatMemory:
        return BeliefChatMemory.from_defaults(
            memory=diary, user_id="ann", routes=["relevant", "evidence"]
        )

    earlier, later = chat(), chat()
    await earlier.aput_messages(
        [ChatMessage(SAID), ChatMessage(role="assistant", content="Noted.")]
    )
    later.put(ChatMessage("Which corner of the aquarium is leaking?"))
    seen = text(await later.aget())
    assert SAID in seen
    assert NAMED in seen
    assert SAID not in text(later.get_all())
    later.token_limit = 60
    assert SAID not in text(await later.aget())
    retriever = BeliefRetriever(memory=diary, user_id="ann", routes=("evidence", "relevant"))
    turn, belief = await retriever.aretrieve("Which corner of the aquarium leaks?")
    assert turn.node.get_content(MetadataMode.LLM) == f"user: {SAID}"
    assert turn.node.metadata["route"] == "evidence"
    assert json.loads(json.dumps(turn.node.metadata)) == turn.node.metadata
    assert belief.node.metadata["content"] == NAMED


async def test_a_block_keeps_turns_as_evidence(diary: BeliefMemory) -> None:
    block = BeliefMemoryBlock.from_defaults(memory=diary, user_id="ann", routes=["evidence"])
    history = [ChatMessage(SAID), ChatMessage(role="assistant", content="Noted.")]
    await block.aget(history, session_id="one")
    await block.aget([*history, ChatMessage("And now?")], session_id="one")
    told = await block.aget([ChatMessage("Which corner was leaking?")], session_id="two")
    assert SAID in told


async def test_a_retriever_returns_every_route(tank: BeliefMemory) -> None:
    routes = ("related", "persona", "relevant", "pinned")
    retriever = BeliefRetriever(memory=tank, user_id="ann", routes=routes)
    nodes = await retriever.aretrieve(QUERY)
    assert [node.node.metadata["route"] for node in nodes] == list(routes)
    assert [node.node.metadata["content"] for node in nodes] == [ALIKE, TONE, NAMED, PINNED]


def test_a_retriever_returns_as_many_alike_as_it_is_asked_for(tank: BeliefMemory) -> None:
    tank.for_user("ann").remember_many(
        {"canonical_name": f"tank_{number}", "content": f"{ALIKE} It is number {number}."}
        for number in range(8)
    )
    for k in (2, 9):
        retriever = BeliefRetriever(memory=tank, user_id="ann", routes=("related",), k=k)
        assert len(retriever.retrieve(QUERY)) == k


MAKERS = [BeliefChatMemory.from_defaults, BeliefMemoryBlock.from_defaults, BeliefRetriever]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("routes", [["close"], "relevant", ["relevant", 3]])
def test_a_route_that_does_not_exist_is_an_error_where_it_is_written(
    make: Any, routes: Any, memory: BeliefMemory
) -> None:
    with pytest.raises(InvalidQuery, match="routes"):
        make(memory=memory, user_id="ann", routes=routes)


@pytest.mark.parametrize("make", MAKERS)
def test_evidence_needs_episodes(make: Any, memory: BeliefMemory) -> None:
    with pytest.raises(InvalidQuery, match="episodes"):
        make(memory=memory, user_id="ann", routes=["evidence"])


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_related_needs_an_embedder(make: Any, memory: BeliefMemory) -> None:
    with pytest.raises(InvalidQuery, match="embedder"):
        make(memory=memory, user_id="ann", routes=["related"])
