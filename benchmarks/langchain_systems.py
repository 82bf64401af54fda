"""LangChain agents with memories of different kinds, and the scripted model that drives them."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.store.base import SearchItem
from langgraph.store.memory import InMemoryStore
from pydantic import Field

from belief_memory import BeliefMemory, Budget
from belief_memory.evals.precision import Suite, Turn, seed
from benchmarks.side_by_side import SIZE, Answer, Beliefs, System, learn, timed, told_by, vector
from langchain_belief_memory import BeliefMiddleware, Injection

Agent = Any


class Scripted(BaseChatModel):
    """Asks each of its tools so many times, then answers; counts how often it is called."""

    tool_calls: list[dict[str, Any]] = Field(default_factory=list)
    """To be made one a call, after the user spoke; "query" is filled in with his words."""
    pause: Callable[[], float] | None = None
    """Seconds that an answer takes, in async runs."""
    calls: int = 0
    seen: list[BaseMessage] = Field(default_factory=list)
    """What the last call was given."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.calls += 1
        self.seen = messages
        last = max(at for at, one in enumerate(messages) if isinstance(one, HumanMessage))
        made = sum(isinstance(one, AIMessage) for one in messages[last:])
        answer = AIMessage("Understood.")
        if made < len(self.tool_calls):
            call = {"id": f"call-{made}", **self.tool_calls[made]}
            if "query" in call["args"]:
                call["args"] = {**call["args"], "query": messages[last].text}
            answer = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])

    async def _agenerate(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> ChatResult:
        if self.pause is not None:
            await asyncio.sleep(self.pause())
        return self._generate(messages)


class HashedWords(Embeddings):
    """The stated fake, without a change of threads in async runs."""

    def embed_query(self, text: str) -> list[float]:
        return vector(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [vector(text) for text in texts]

    async def aembed_query(self, text: str) -> list[float]:
        return vector(text)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return [vector(text) for text in texts]


class Run:
    """An agent with a memory; what the memories have in common."""

    replaced = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.model = Scripted()
        self.agent: Agent = None

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        self.agent = self.made()

    def made(self, *middleware: Any, **options: Any) -> Agent:
        return create_agent(
            self.model, middleware=middleware, checkpointer=InMemorySaver(), **options
        )

    async def ask(self, turn: Turn, thread: str) -> Answer:
        self.model.calls = 0
        named = {"thread_id": thread, "user_id": turn.user_id, "scopes": list(turn.scopes)}
        said = {"messages": [HumanMessage(turn.query)]}
        _, spent = await timed(self.agent.ainvoke(said, {"configurable": named}))
        return replace(self.told(turn), calls=self.model.calls, **spent)

    def told(self, turn: Turn) -> Answer:
        return Answer()

    def after(self, turn: Turn, beliefs: Beliefs) -> None:
        """Nothing, where nothing is kept."""


class WithBeliefs(Run):
    """Ours."""

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        self._memory = BeliefMemory.open("memory://")
        seed(self._memory, suite.beliefs)
        self._injections: list[Injection] = []
        self._agents: dict[Budget, Agent] = {}
        self._saver = InMemorySaver()

    async def ask(self, turn: Turn, thread: str) -> Answer:
        if turn.budget not in self._agents:
            one = BeliefMiddleware(
                self._memory, budget=turn.budget, on_inject=self._injections.append
            )
            self._agents[turn.budget] = create_agent(
                self.model, middleware=[one], checkpointer=self._saver
            )
        self.agent = self._agents[turn.budget]
        self._injections.clear()
        return await super().ask(turn, thread)

    def told(self, turn: Turn) -> Answer:
        return told_by(self._injections)

    def after(self, turn: Turn, beliefs: Beliefs) -> None:
        learn(self._memory, turn)


class WithTexts(Run):
    """Notes in LangGraph's store: one of each scope, under the user's name."""

    def __init__(self, name: str, *, k: int, replaced: bool) -> None:
        super().__init__(name)
        self.k, self.replaced = k, replaced

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        embed: Any = HashedWords()
        self.store = InMemoryStore(index={"dims": SIZE, "embed": embed, "fields": ["text"]})
        self._held: dict[tuple[tuple[str, ...], str], str] = {}
        self._hold(beliefs)

    def after(self, turn: Turn, beliefs: Beliefs) -> None:
        self._hold(beliefs)

    def _hold(self, beliefs: Beliefs) -> None:
        wanted: dict[tuple[tuple[str, ...], str], str] = {
            (("notes", note.user_id, scope), note.id): note.text
            for note in beliefs.notes()
            for scope in note.scopes
        }
        for (namespace, key), text in wanted.items():
            if self._held.get((namespace, key)) != text:
                self.store.put(namespace, key, {"text": text})
        for namespace, key in self._held.keys() - wanted.keys():
            self.store.delete(namespace, key)
        self._held = wanted


class WithSearchTool(WithTexts):
    """The model searches with langmem's tool, and its answers stay in the conversation."""

    def __init__(self, name: str, search_tool: Callable[..., Any], **options: Any) -> None:
        super().__init__(name, **options)
        self._search_tool = search_tool
        arguments = {"query": "", "limit": self.k}
        self.model.tool_calls = [{"name": "search_memory", "args": arguments}]

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        super().load(beliefs, suite)
        searching = self._search_tool(("notes", "{user_id}"))
        self.agent = self.made(tools=[searching], store=self.store)

    def told(self, turn: Turn) -> Answer:
        told = [one.text for one in self.model.seen if isinstance(one, ToolMessage)]
        found = [hit["key"] for hit in json.loads(told[-1])]
        return Answer(found=list(dict.fromkeys(found)), text="\n".join(told))


class Nearest(AgentMiddleware[Any, Any, Any]):
    """What lies nearest to the question, put before it; never into the state."""

    def __init__(self, store: InMemoryStore, k: int, scoped: bool) -> None:
        super().__init__()
        self._store, self._k, self._scoped = store, k, scoped
        self.hits: list[SearchItem] = []
        self.text = ""

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        *earlier, question = request.messages
        who = get_config()["configurable"]
        spaces: list[tuple[str, ...]] = [("notes", who["user_id"])]
        if self._scoped:
            scopes = dict.fromkeys(("user:universal", *who["scopes"]))
            spaces = [(*spaces[0], scope) for scope in scopes]
        hits: dict[str, SearchItem] = {}
        for space in spaces:
            for hit in await self._store.asearch(space, query=question.text, limit=self._k):
                hits.setdefault(hit.key, hit)
        self.hits = sorted(hits.values(), key=lambda hit: -(hit.score or 0))[: self._k]
        self.text = "\n".join(
            ["<memories>", *(hit.value["text"] for hit in self.hits), "</memories>"]
        )
        told = HumanMessage(f"{self.text}\n\n{question.text}", id=question.id)
        return await handler(request.override(messages=[*earlier, told]))


class WithNearest(WithTexts):
    """A middleware of a few lines over the same store."""

    def __init__(self, name: str, *, scoped: bool = False, **options: Any) -> None:
        super().__init__(name, **options)
        self._scoped = scoped

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        super().load(beliefs, suite)
        self._nearest = Nearest(self.store, self.k, self._scoped)
        self.agent = self.made(self._nearest)

    def told(self, turn: Turn) -> Answer:
        return Answer(found=[hit.key for hit in self._nearest.hits], text=self._nearest.text)


def systems() -> list[System]:
    made: list[System] = [Run("no memory"), WithBeliefs("BeliefMiddleware")]
    try:
        search_tool = importlib.import_module("langmem").create_search_memory_tool
    except ImportError as error:
        print(f"langmem is not measured ({error}): pip install langmem")
    else:
        made += [
            WithSearchTool(f"langmem's search tool, {title}", search_tool, k=k, replaced=replaced)
            for title, k, replaced in (
                ("limit 10 (its own), everything said", 10, True),
                ("limit 3, everything said", 3, True),
                ("limit 3, current", 3, False),
            )
        ]
    title = "InMemoryStore search"
    return [
        *made,
        WithNearest(f"{title}, 10 (its own), everything said", k=10, replaced=True),
        WithNearest(f"{title}, 3, everything said", k=3, replaced=True),
        WithNearest(f"{title}, 3, current, active scopes", k=3, replaced=False, scoped=True),
        WithNearest(f"{title}, 1, current, active scopes", k=1, replaced=False, scoped=True),
    ]


def tokens(text: str) -> int:
    return count_tokens_approximately([text]) if text else 0
