"""LlamaIndex memories of different kinds: ours, VectorMemoryBlock, and mem0's way reproduced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, VectorMemoryBlock
from llama_index.core.memory.types import BaseMemory
from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.memory.belief import BeliefChatMemory, BeliefMemoryBlock, Injection
from pydantic import Field, PrivateAttr

from belief_memory import BeliefMemory
from belief_memory.evals.precision import Suite, Turn, seed
from benchmarks.side_by_side import Answer, Beliefs, System, learn, timed, told_by, vector


class FakeEmbedder(BaseEmbedding):
    """The stated fake, without a change of threads in async runs."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector(query)


class BruteForce(BasePydanticVectorStore):
    """Compares with every node; remembers which it returned."""

    stores_text: bool = True
    nodes: dict[str, Any] = Field(default_factory=dict)
    returned: list[str] = Field(default_factory=list)

    _matrix: Any = PrivateAttr(default=None)

    @property
    def client(self) -> None:
        return None

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        self.nodes.update((node.node_id, node) for node in nodes)
        self._matrix = None
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        self.nodes.pop(ref_doc_id, None)
        self._matrix = None

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        if not self.nodes:
            self.returned = []
            return VectorStoreQueryResult(nodes=[], similarities=[], ids=[])
        nodes = list(self.nodes.values())
        if self._matrix is None:
            self._matrix = np.array([node.embedding for node in nodes])
        scores = self._matrix @ np.array(query.query_embedding)
        best = np.argsort(-scores, kind="stable")[: query.similarity_top_k]
        self.returned = [nodes[at].node_id for at in best]
        return VectorStoreQueryResult(
            nodes=[nodes[at] for at in best],
            similarities=[float(scores[at]) for at in best],
            ids=self.returned,
        )


class Mem0Way(BaseMemory):
    """What ``Mem0Memory`` of llama-index-memory-mem0 2.1.0 does at each turn, in our words.

    ``get``: what its primary memory gives is the history; the last 5 messages of it, each as
    "role: words", and the input if one is given, are one query; what that finds is listed in a
    system message between an opening and a closing sentence, and that message is put first,
    also when nothing was found. It is synchronous: ``aget`` is the base class's, on a thread.

    ``put``: the message goes to mem0 itself, which has a model extract memories from it (a
    model call for every message of user and assistant), and into the primary memory. Here it
    goes into the latter alone: what is searched is exactly the beliefs that all others have.

    The search is ``mem0.Memory.search``'s: the 20 best with a likeness of 0.1 or more.
    """

    search: Callable[[str], list[tuple[str, str]]] = Field(exclude=True)
    """Ids and texts for a query."""
    primary: BaseMemory
    """The package makes it a ``Memory`` of LlamaIndex."""
    returned: list[str] = Field(default_factory=list)
    said: str = ""

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> Mem0Way:
        return cls(**kwargs)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        history = self.primary.get(input=input, **kwargs)
        lines = [f"{one.role.value}: {one.content}" for one in history[-5:]]
        if input:
            lines.append(f"user: {input}")
        found = self.search("\n".join(lines))
        self.returned = [id for id, _ in found]
        listed = "".join(f"\n {text} \n\n" for _, text in found)
        self.said = (
            "\n\nBelow are preferences that were retrieved from one or several memories and may "
            f"be relevant:\n{listed}These were the retrieved preferences."
        )
        return [ChatMessage(role="system", content=self.said), *history]

    def get_all(self) -> list[ChatMessage]:
        return self.primary.get_all()

    def put(self, message: ChatMessage) -> None:
        self.primary.put(message)

    def set(self, messages: list[ChatMessage]) -> None:
        self.primary.set(messages)

    def reset(self) -> None:
        self.primary.reset()


class Conversation:
    """What the memories have in common: the history of each conversation."""

    replaced = False

    def __init__(self, name: str) -> None:
        self.name = name

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        self.histories: dict[str, list[ChatMessage]] = {}

    async def ask(self, turn: Turn, thread: str) -> Answer:
        history = self.histories.setdefault(thread, [])
        history.append(ChatMessage(turn.query))
        told, spent = await timed(self.told(turn, history))
        history.append(ChatMessage(role="assistant", content="Understood."))
        return replace(told, **spent)

    async def told(self, turn: Turn, history: list[ChatMessage]) -> Answer:
        return Answer()

    def after(self, turn: Turn, beliefs: Beliefs) -> None:
        """Nothing, where nothing is kept."""


class Ours(Conversation):
    """Both of our adapters: they recall the same, in different places."""

    def __init__(self, name: str, kind: type[BeliefMemoryBlock] | type[BeliefChatMemory]) -> None:
        super().__init__(name)
        self._kind = kind

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        super().load(beliefs, suite)
        self._memory = BeliefMemory.open("memory://")
        seed(self._memory, suite.beliefs)
        self._made: dict[tuple[object, ...], Any] = {}
        self._injections: list[Injection] = []

    async def told(self, turn: Turn, history: list[ChatMessage]) -> Answer:
        key = (turn.user_id, turn.scopes, turn.budget)
        if key not in self._made:
            self._made[key] = self._kind.from_defaults(
                memory=self._memory,
                user_id=turn.user_id,
                scopes=turn.scopes or None,
                budget=turn.budget,
                on_inject=self._injections.append,
            )
        self._injections.clear()
        made = self._made[key]
        if isinstance(made, BeliefMemoryBlock):
            await made.aget(history)
        else:
            made.set(history)
            await made.aget()
        return told_by(self._injections)

    def after(self, turn: Turn, beliefs: Beliefs) -> None:
        learn(self._memory, turn)


class Texts(Conversation):
    """A store of notes for each user."""

    def __init__(self, name: str, k: int, *, replaced: bool) -> None:
        super().__init__(name)
        self.k, self.replaced = k, replaced
        self.embedder = FakeEmbedder()

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        super().load(beliefs, suite)
        self.stores: dict[str, BruteForce] = {}
        self._hold(beliefs)

    def after(self, turn: Turn, beliefs: Beliefs) -> None:
        self._hold(beliefs)

    def _hold(self, beliefs: Beliefs) -> None:
        notes = {note.id: note for note in beliefs.notes()}
        for store in self.stores.values():
            for id in store.nodes.keys() - notes.keys():
                store.delete(id)
        for note in notes.values():
            store = self.stores.setdefault(note.user_id, BruteForce())
            held = store.nodes.get(note.id)
            if held is None or held.text != note.text:
                node = TextNode(id_=note.id, text=note.text)
                node.embedding = self.embedder.get_text_embedding(node.text)
                store.add([node])


class Vectors(Texts):
    """LlamaIndex's own block."""

    async def told(self, turn: Turn, history: list[ChatMessage]) -> Answer:
        store = self.stores.setdefault(turn.user_id, BruteForce())
        block = VectorMemoryBlock(
            vector_store=store, embed_model=self.embedder, similarity_top_k=self.k
        )
        text = await block.aget(history)
        return Answer(found=list(store.returned) if text else [], text=text)


class Mem0(Texts):
    """The reproduction."""

    async def told(self, turn: Turn, history: list[ChatMessage]) -> Answer:
        search = nearest(self.stores.setdefault(turn.user_id, BruteForce()), self.k)
        # Its own would take most of the time; what that costs is in the other table.
        memory = Mem0Way(search=search, primary=ChatMemoryBuffer.from_defaults(list(history)))
        await memory.aget()
        return Answer(found=memory.returned, text=memory.said)


def nearest(
    store: BruteForce, k: int, least: float = 0.1
) -> Callable[[str], list[tuple[str, str]]]:
    def search(query: str) -> list[tuple[str, str]]:
        asked = VectorStoreQuery(query_embedding=vector(query), similarity_top_k=k)
        result = store.query(asked)
        scored = zip(result.nodes or (), result.similarities or (), strict=True)
        return [(node.node_id, node.get_content()) for node, score in scored if score >= least]

    return search


def systems() -> list[System]:
    return [
        Ours("BeliefMemoryBlock", BeliefMemoryBlock),
        Ours("BeliefChatMemory", BeliefChatMemory),
        Vectors("VectorMemoryBlock, k=2 (its own), everything said", 2, replaced=True),
        Vectors("VectorMemoryBlock, k=2, current", 2, replaced=False),
        Vectors("VectorMemoryBlock, k=5, current", 5, replaced=False),
        Mem0("mem0's way (reproduced), 20, everything said", 20, replaced=True),
        Mem0("mem0's way (reproduced), 20, current", 20, replaced=False),
        Mem0("mem0's way (reproduced), 3, current", 3, replaced=False),
    ]
