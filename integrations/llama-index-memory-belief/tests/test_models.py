"""LlamaIndex's models as extractor and embedder of a real memory."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from belief_memory import BeliefMemory, ExtractionFailed, Message
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms.mock import MockFunctionCallingLLM, MockLLM

from llama_index.memory.belief import LlamaIndexEmbedder, LlamaIndexExtractor
from tests.conftest import call, text

SAID = 'I moved to Lisbon {query_str}, "finally" {"a": 1}.'
ITEM = {
    "canonical_name": "user",
    "attribute": "residence",
    "content": "Lives in Lisbon.",
    "why_it_matters": "Suggest places in Lisbon.",
    "quote": "I moved to Lisbon",
    "act": "change",
}


class Model:
    """A model that answers as told, and keeps what it was asked."""

    def __init__(self, *answers: ChatMessage | str | Exception, functions: bool = True) -> None:
        self.asked: list[str] = []
        self.threads: set[str] = set()
        self._answers = list(answers)
        self.llm: Any = (
            MockFunctionCallingLLM(response_generator=self._answer, is_chat_model=True)
            if functions
            else self._plain()
        )

    def _answer(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        self.asked.append(text(messages))
        self.threads.add(threading.current_thread().name)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=answer)
        return answer

    def _plain(self) -> MockLLM:
        answer = self._answer

        class Plain(MockLLM):
            def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
                return ChatResponse(message=answer(messages))

        return Plain()


def learn(model: Model, **options: Any) -> tuple[list[str], Any]:
    extractor = LlamaIndexExtractor(model.llm, **options)
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        report = memory.for_user("ann").observe([Message("user", SAID, id="m1")])
        return [belief.content for belief in memory.for_user("ann").beliefs()], report


def test_structured_output_is_learned() -> None:
    model = Model(call("Beliefs", beliefs=[ITEM]))
    learned, report = learn(model)
    assert learned == ["Lives in Lisbon."]
    assert len(model.asked) == 1
    assert json.dumps(SAID) in model.asked[0]
    assert report.beliefs[0].provenance.extractor == "llama-index"
    assert report.beliefs[0].provenance.model == "MockFunctionCallingLLM"


@pytest.mark.parametrize(
    "first",
    ["I would rather talk.", call("Beliefs", facts="none"), call("Other", x=1)],
)
def test_where_it_is_not_given_the_model_is_asked_for_text(first: Any) -> None:
    model = Model(first, f"Sure:\n```json\n{json.dumps({'beliefs': [ITEM]})}\n```")
    learned, _ = learn(model)
    assert learned == ["Lives in Lisbon."]
    assert len(model.asked) == 2
    assert json.dumps(SAID) in model.asked[1]
    assert "canonical_name" in model.asked[1]


@pytest.mark.parametrize("functions", [True, False])
def test_models_without_structured_output_are_asked_once(functions: bool) -> None:
    model = Model(json.dumps([ITEM]), functions=functions)
    learned, _ = learn(model, structured=not functions)
    assert learned == ["Lives in Lisbon."]
    assert len(model.asked) == 1


def test_one_bad_item_costs_neither_the_others_nor_a_second_question() -> None:
    bad = {"canonical_name": 5, "confidence": "very", "content": None}
    model = Model(call("Beliefs", beliefs=[bad, ITEM]))
    learned, report = learn(model)
    assert learned == ["Lives in Lisbon."]
    assert report.skipped
    assert len(model.asked) == 1


def test_an_empty_answer_teaches_nothing() -> None:
    learned, report = learn(Model(call("Beliefs", beliefs=[])))
    assert learned == []
    assert not report


def test_a_model_that_cannot_be_reached_is_not_asked_twice() -> None:
    model = Model(ConnectionError("down"))
    with pytest.raises(ExtractionFailed, match="down"):
        learn(model)
    assert len(model.asked) == 1


async def test_a_slow_model_holds_up_nobody() -> None:
    asked, answer = threading.Event(), threading.Event()

    class Slow(Model):
        def _answer(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
            asked.set()
            assert answer.wait(30)
            return super()._answer(messages, **kwargs)

    extractor = LlamaIndexExtractor(Slow(call("Beliefs", beliefs=[ITEM])).llm)
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        ann = memory.for_user("ann").asynchronous
        learning = asyncio.create_task(ann.observe(SAID))
        await asyncio.to_thread(asked.wait, 30)
        await ann.remember("event_bus", "Kafka")
        assert not learning.done()
        answer.set()
        assert (await learning).beliefs


async def test_an_embedding_turns_texts_into_vectors() -> None:
    embedder = LlamaIndexEmbedder(MockEmbedding(embed_dim=3))
    assert await embedder.embed([]) == []
    vectors = await embedder.embed(["a", "b"])
    assert [len(vector) for vector in vectors] == [3, 3]
    assert embedder.name == "MockEmbedding"
    assert LlamaIndexEmbedder(MockEmbedding(embed_dim=3), name="mine").name == "mine"
    with BeliefMemory.open("memory://", embedder=embedder) as memory:
        ann = memory.for_user("ann")
        ann.remember("a", "The same words.")
        ann.remember("b", "The same words!")
        assert ann.duplicates()
