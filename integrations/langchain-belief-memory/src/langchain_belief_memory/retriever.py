"""Beliefs as documents, for chains that expect a retriever."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Self

from belief_memory import Belief, Budget, Context
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, var_child_runnable_config
from pydantic import ConfigDict, Field, SkipValidation, model_validator

from langchain_belief_memory.identity import Identity, Memory
from langchain_belief_memory.routes import Route, by_route, checked_routes

_FIELDS = {
    "id",
    "user_id",
    "type",
    "canonical_name",
    "attribute",
    "content",
    "why_it_matters",
    "aliases",
    "scopes",
    "epistemic_status",
    "confidence",
    "pinned",
    "valid_from",
    "valid_to",
    "recorded_at",
    "metadata",
}


class BeliefRetriever(BaseRetriever):
    """The beliefs that a query names, as documents, best first; none rather than a near miss.

    A document's text is the belief with its name and directive; its ``id`` is the belief's,
    and its metadata holds the fields apart, ready for JSON.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: Annotated[Memory, SkipValidation]
    """An open ``BeliefMemory`` or ``AsyncBeliefMemory``; it is not closed by this."""
    user_id: str | Callable[[Any], str] | None = None
    """Whose beliefs; None: ``user_id`` of the run's ``configurable``."""
    scopes: Sequence[str] | Callable[[Any], Sequence[str] | None] | None = None
    """The active scopes; None: ``scopes`` of ``configurable``, else the memory's default."""
    agent_id: str | None = None
    """Sees this agent's own beliefs beside the shared ones."""
    k: int = Field(default=10, ge=0)
    """At most this many documents."""
    routes: tuple[Route, ...] = ("relevant",)
    """Which routes to return, in this order: "relevant" is what the query names; "persona",
    "pinned" and "questions" come whatever the query; "related" is what is alike without being
    named, and needs a memory with an embedder; "evidence" is turns of conversations, and needs
    one with episodes."""

    @model_validator(mode="after")
    def _checked(self) -> Self:
        checked_routes(self.memory, self.routes)
        return self

    def invoke(
        self, input: str, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[Document]:
        """Documents for the query; ``k=`` overrides the field for this call."""
        with _configured(config):
            return super().invoke(input, config, **kwargs)

    async def ainvoke(
        self, input: str, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[Document]:
        """Documents for the query; ``k=`` overrides the field for this call."""
        with _configured(config):
            return await super().ainvoke(input, config, **kwargs)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        user = self._who().sync(self.memory)
        most = self.k if k is None else k
        return _documents(user.recall(query, **self._asked(most)), self.routes, most)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
    ) -> list[Document]:
        user = self._who().asynchronous(self.memory)
        most = self.k if k is None else k
        return _documents(await user.recall(query, **self._asked(most)), self.routes, most)

    def _who(self) -> Any:
        return Identity(self.user_id, self.scopes, self.agent_id).of(
            var_child_runnable_config.get() or {}
        )

    def _asked(self, k: int) -> dict[str, Any]:
        budget = Budget(max_beliefs=k, max_pinned=k, max_questions=k, max_related=k)
        return {"budget": budget, "routes": self.routes}


def as_document(belief: Belief, route: str) -> Document:
    """One belief as a document."""
    why = belief.why_it_matters
    return Document(
        id=belief.id,
        page_content=f"{belief.slot}: {belief.content}" + (f"\n→ {why}" if why else ""),
        metadata={**belief.model_dump(mode="json", include=_FIELDS), "route": route},
    )


def turn_document(turn: Any, route: str) -> Document:
    """One turn of a conversation, given as evidence."""
    record = turn.to_record()
    text = f"{record['role']}: {record.pop('text')}"
    return Document(id=turn.id, page_content=text, metadata={**record, "route": route})


def _documents(context: Context, routes: Iterable[Route], k: int) -> list[Document]:
    found = by_route(context)
    return [
        as_document(one, route) if isinstance(one, Belief) else turn_document(one, route)
        for route in routes
        for one in found[route]
    ][:k]


@contextmanager
def _configured(config: RunnableConfig | None) -> Iterator[None]:
    """Let the run's ``configurable`` be seen below, where the base class does not pass it."""
    token = var_child_runnable_config.set(ensure_config(config))
    try:
        yield
    finally:
        var_child_runnable_config.reset(token)
