"""LangChain's models as extractor and embedder."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from belief_memory.model.learning import Lesson, Said
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from langchain_belief_memory import LangChainEmbedder, LangChainExtractor

TEXT = "I moved to Lisbon."
LESSON = Lesson((Said("user", TEXT, TEXT, datetime(2026, 3, 1, tzinfo=UTC), "m1"),))
BELIEF = {
    "canonical_name": "user",
    "attribute": "residence",
    "content": "Lives in Lisbon.",
    "why_it_matters": "Assume Lisbon for places and times.",
    "quote": "I moved to Lisbon.",
}
ANSWER = json.dumps({"beliefs": [BELIEF]})


@pytest.mark.parametrize(
    "content",
    [
        ANSWER,
        f"Sure!\n```json\n{ANSWER}\n```",
        [{"type": "text", "text": ANSWER}],
        [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": ANSWER}],
    ],
)
async def test_what_the_model_answers_is_read(model, content) -> None:
    seeing = model(AIMessage(content))
    extraction = await LangChainExtractor(seeing).extract(LESSON)
    [learned] = extraction.learned
    assert (learned.slot, learned.content) == (("user", "residence"), "Lives in Lisbon.")
    assert extraction.model == "SeeingModel"
    [[asked]] = seeing.seen
    assert TEXT in asked.text


async def test_an_answer_that_is_no_json_is_reported_and_not_dropped(model) -> None:
    extraction = await LangChainExtractor(model("I could not, sorry: {")).extract(LESSON)
    assert extraction.learned == ()
    assert extraction.skipped != ()


async def test_structured_output_is_asked_for_when_wanted(model) -> None:
    seeing = model()

    class Structured(type(seeing)):
        def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
            assert schema["title"] == "Beliefs"
            assert kwargs == {"method": "json_schema"}
            return RunnableLambda(lambda messages: {"beliefs": [BELIEF]})

    structured = Structured(messages=iter(()))
    extraction = await LangChainExtractor(structured, structured="json_schema").extract(LESSON)
    assert [learned.content for learned in extraction.learned] == ["Lives in Lisbon."]


async def test_a_model_that_fails_fails_the_extraction(model) -> None:
    class Failing(type(model())):
        def _generate(self, *args: Any, **kwargs: Any) -> Any:
            raise ConnectionError("no route")

    with pytest.raises(ConnectionError, match="no route"):
        await LangChainExtractor(Failing(messages=iter(()))).extract(LESSON)


async def test_embeddings_give_a_vector_for_each_text() -> None:
    embeddings = DeterministicFakeEmbedding(size=4)
    embedder = LangChainEmbedder(embeddings, name="fake-4")
    assert embedder.name == "fake-4"
    assert LangChainEmbedder(embeddings).name == "DeterministicFakeEmbedding"
    one, two = await embedder.embed(["one", "two"])
    assert len(one) == 4
    assert [one, two] == embeddings.embed_documents(["one", "two"])
    assert await embedder.embed([]) == []
