"""LlamaIndex's models as the memory's extractor and embedder."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from belief_memory.learning import CompletionExtractor
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.llm import LLM
from llama_index.core.prompts import PromptTemplate
from pydantic import BaseModel, ConfigDict, create_model


class LlamaIndexExtractor(CompletionExtractor):
    """Asks an LLM what a conversation teaches; for ``BeliefMemory.open(extractor=…)``.

    A model that calls functions is asked for structured output. Where that gives none, and
    for every other model, the answer is text, which is read tolerantly. The model is called
    by its blocking methods on a thread: its async client stays the caller's own.

    Args:
        llm: the model to ask.
        structured: False: ask for text at once.
        name: how the extractor calls itself in provenance.
        timeout: seconds to wait for an answer; None: as long as the model does.
    """

    def __init__(
        self,
        llm: LLM,
        *,
        structured: bool = True,
        name: str = "llama-index",
        timeout: float | None = None,
    ) -> None:
        super().__init__(self._ask, name=name, model=_name_of(llm), timeout=timeout)
        self._llm = llm
        self._structured = structured

    def _ask(self, prompt: str, schema: dict[str, Any]) -> Any:
        if self._structured and self._llm.metadata.is_function_calling_model:
            try:
                # The prompt is an argument of the template: braces in what was said are
                # no placeholders.
                return self._llm.structured_predict(
                    _answer_of(schema), PromptTemplate("{extraction}"), extraction=prompt
                )
            except (ValueError, TypeError, LookupError, AttributeError, NotImplementedError):
                # It answered in words, or not by the schema, or cannot do this after all.
                pass
        return self._ask_text(prompt, schema)

    def _ask_text(self, prompt: str, schema: dict[str, Any]) -> str:
        asked = [ChatMessage(f"{prompt}\nJSON SCHEMA OF THE ANSWER:\n{json.dumps(schema)}\n")]
        try:
            answer = self._llm.chat(asked)
        except NotImplementedError:
            answer = asyncio.run(self._llm.achat(asked))
        return answer.message.content or ""


class LlamaIndexEmbedder:
    """Any LlamaIndex embedding; for ``BeliefMemory.open(embedder=…)``.

    Args:
        embedding: what turns texts into vectors; called by its blocking method on a thread.
        name: names the vectors' space, kept with them: vectors of different names are
            never compared. Default: the model's name, else the class's.
    """

    def __init__(self, embedding: BaseEmbedding, *, name: str | None = None) -> None:
        self.name = name or _name_of(embedding)
        self._embedding = embedding

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order."""
        if not texts:
            return []
        return await asyncio.to_thread(self._embedding.get_text_embedding_batch, list(texts))


def _answer_of(schema: dict[str, Any]) -> type[BaseModel]:
    """A model that shows ``schema`` to the LLM and accepts more than it: one bad field is
    no reason to ask again."""
    shown = schema["properties"]["beliefs"]["items"]
    item = create_model("Belief", __config__=ConfigDict(extra="allow", json_schema_extra=shown))
    return create_model(
        str(schema.get("title", "Beliefs")),
        __doc__="What is worth believing; an empty list if nothing is.",
        beliefs=(list[item], ...),
    )


def _name_of(model: object) -> str:
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name and name != "unknown":
            return name
    return type(model).__name__
