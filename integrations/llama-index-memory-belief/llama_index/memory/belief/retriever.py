"""Beliefs as nodes, for query engines and tools that expect a retriever."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from belief_memory import Belief, Budget, Context
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from llama_index.memory.belief.live import Memory
from llama_index.memory.belief.source import Route, Source, whereabouts

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
    """The beliefs that a query names, as nodes, best first; none rather than a near miss.

    A node's text is the belief with its name and directive, its id is the belief's, and its
    metadata holds the fields apart, ready for JSON and kept from the model. The score is 1.0:
    a belief is named or it is not.

    Args:
        memory: an open ``BeliefMemory`` or ``AsyncBeliefMemory``; not closed by this.
        uri: instead of ``memory``: where one is.
        user_id: whose beliefs.
        scopes: the active scopes; None: the memory's default.
        agent_id: sees this agent's own beliefs beside the shared ones.
        k: at most this many nodes.
        routes: which routes to return, in this order: "relevant" is what the query names;
            "persona", "pinned" and "questions" come whatever the query; "related" is what is
            alike without being named, and needs a memory with an embedder; "evidence" is turns
            of conversations, and needs one with episodes.
        callback_manager: LlamaIndex's callbacks.

    Raises:
        InvalidQuery: no user, not exactly one of ``memory`` and ``uri``, malformed scopes,
            an unknown route, one that the memory has not been opened for, or a negative ``k``.
    """

    def __init__(
        self,
        *,
        memory: Memory | None = None,
        uri: str | os.PathLike[str] | None = None,
        user_id: str | None = None,
        scopes: Sequence[str] | None = None,
        agent_id: str | None = None,
        k: int = 10,
        routes: Iterable[Route] = ("relevant",),
        callback_manager: CallbackManager | None = None,
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        handle, where = whereabouts(memory, uri, user_id, scopes, agent_id, routes)
        self._routes: tuple[Route, ...] = where["routes"]
        self._k = k
        budget = Budget(max_beliefs=k, max_pinned=k, max_questions=k, max_related=k)
        self._source = Source(**where, budget=budget)
        self._source._attach(handle, given=memory is not None)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._source.recall(query_bundle.query_str)
        return self._nodes(found)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self._source.arecall(query_bundle.query_str)
        return self._nodes(found)

    def _nodes(self, context: Context) -> list[NodeWithScore]:
        nodes = [
            NodeWithScore(
                node=as_node(one, route) if isinstance(one, Belief) else turn_node(one, route),
                score=1.0,
            )
            for route in self._routes
            for one in getattr(context, "persona_beliefs" if route == "persona" else route)
        ]
        return nodes[: self._k]


def as_node(belief: Belief, route: str) -> TextNode:
    """One belief as a node."""
    why = belief.why_it_matters
    text = f"{belief.slot}: {belief.content}" + (f"\n→ {why}" if why else "")
    return _node(belief.id, text, belief.model_dump(mode="json", include=_FIELDS), route)


def turn_node(turn: Any, route: str) -> TextNode:
    """One turn of a conversation, given as evidence."""
    record = turn.to_record()
    return _node(turn.id, f"{record['role']}: {record.pop('text')}", record, route)


def _node(id: str, text: str, fields: dict[str, Any], route: str) -> TextNode:
    metadata = {**fields, "route": route}
    return TextNode(
        id_=id,
        text=text,
        metadata=metadata,
        excluded_llm_metadata_keys=list(metadata),
        excluded_embed_metadata_keys=list(metadata),
    )
