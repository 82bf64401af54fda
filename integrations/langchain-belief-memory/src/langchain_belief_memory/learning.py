"""LangChain's models as the memory's extractor and embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from belief_memory.learning import CompletionExtractor
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from langchain_belief_memory.messages import text_of


class LangChainExtractor(CompletionExtractor):
    """Asks a chat model what a conversation teaches; for ``BeliefMemory.open(extractor=…)``.

    The answer is read tolerantly, so that any model will do. Its tokens stay out of the
    streams of an agent in whose run it is asked.

    Args:
        model: the chat model to ask.
        structured: how to have the answer's schema enforced, where the provider can:
            one of ``with_structured_output``'s methods. None: the schema is not enforced.
        name: how the extractor calls itself in provenance.
        timeout: seconds to wait for an answer; None: as long as the model does.
    """

    def __init__(
        self,
        model: BaseChatModel,
        *,
        structured: Literal["function_calling", "json_mode", "json_schema"] | None = None,
        name: str = "langchain",
        timeout: float | None = None,
    ) -> None:
        super().__init__(self._ask, name=name, model=_name_of(model), timeout=timeout)
        self._chat = model
        self._structured = structured

    async def _ask(self, prompt: str, schema: dict[str, Any]) -> Any:
        config = RunnableConfig(
            tags=[TAG_NOSTREAM],
            metadata={"lc_source": "belief_memory"},
            run_name="belief_memory_extraction",
        )
        messages = [HumanMessage(prompt)]
        if self._structured is None:
            answer = await self._chat.ainvoke(messages, config)
            return text_of(answer.content)
        model = self._chat.with_structured_output(schema, method=self._structured)
        return await model.ainvoke(messages, config)


class LangChainEmbedder:
    """Any LangChain embeddings; for ``BeliefMemory.open(embedder=…)``.

    Args:
        embeddings: what turns texts into vectors.
        name: names the vectors' space, kept with them: vectors of different names are
            never compared. Default: the model's name, else the class's.
    """

    def __init__(self, embeddings: Embeddings, *, name: str | None = None) -> None:
        self.name = name or _name_of(embeddings)
        self._embeddings = embeddings

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order."""
        return await self._embeddings.aembed_documents(list(texts)) if texts else []


def _name_of(model: object) -> str:
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__
