"""BeliefMemoryBlock against LlamaIndex's VectorMemoryBlock on the same beliefs, and the cost of
BeliefChatMemory: time per call and lag of the event loop.

    python benchmarks/llama_index.py [--data ../shared/data] [--beliefs 1000] [--sessions 20]

The vector block gets a FAKE embedder (hashed words and trigrams of letters, 512 numbers) and
a brute-force store: its times leave out what a real model and database cost, and its answers
are those of a lexical likeness. "noise" counts the cases that name nothing and got something;
"standing" is what our block says whatever is asked: persona, pinned beliefs, open questions.
The vector block's texts hold names, aliases and directives, and only beliefs that are current;
it knows no scopes. In the second table a model is a pause of 20 to 80 ms
that is not counted, and every user's beliefs are in memory already. Of a turn of LlamaIndex's
Memory with any block, most is spent on compiling its template anew, twice.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import math
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Started as a script, this file would be found as ``llama_index`` itself.
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != HERE]

from llama_index.core.base.embeddings.base import BaseEmbedding  # noqa: E402
from llama_index.core.base.llms.types import ChatMessage  # noqa: E402
from llama_index.core.memory import Memory, VectorMemoryBlock  # noqa: E402
from llama_index.core.schema import BaseNode, TextNode  # noqa: E402
from llama_index.core.utils import get_tokenizer  # noqa: E402
from llama_index.core.vector_stores.types import (  # noqa: E402
    BasePydanticVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.memory.belief import (  # noqa: E402
    BeliefChatMemory,
    BeliefMemoryBlock,
    Injection,
)
from pydantic import Field  # noqa: E402

from belief_memory import BeliefMemory, Budget  # noqa: E402

SIZE = 512
Found = tuple[list[str], str, str]
"""Ids of the beliefs recalled for the query, the text, and what of it is always there."""


class FakeEmbedder(BaseEmbedding):
    """Hashed words and trigrams: like words give like vectors, meaning plays no part."""

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * SIZE
        for word in re.findall(r"\w+", text.lower()):
            for part in (word, *(word[at : at + 3] for at in range(len(word) - 2))):
                vector[int.from_bytes(hashlib.blake2s(part.encode()).digest()[:2]) % SIZE] += 1.0
        length = math.hypot(*vector) or 1.0
        return [value / length for value in vector]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class BruteForce(BasePydanticVectorStore):
    """Compares with every node; remembers which it returned."""

    stores_text: bool = True
    nodes: list[Any] = Field(default_factory=list)
    returned: list[str] = Field(default_factory=list)

    @property
    def client(self) -> None:
        return None

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        self.nodes.extend(nodes)
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        raise NotImplementedError

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        asked = query.query_embedding or []
        scored = sorted(
            (
                (sum(a * b for a, b in zip(asked, node.embedding, strict=True)), node)
                for node in self.nodes
            ),
            key=lambda pair: -pair[0],
        )[: query.similarity_top_k]
        self.returned = [node.node_id for _, node in scored]
        return VectorStoreQueryResult(
            nodes=[node for _, node in scored],
            similarities=[score for score, _ in scored],
            ids=self.returned,
        )


def record_of(seed: dict[str, Any]) -> dict[str, Any]:
    """A seed of PrecisionMemBench as a record of this project."""
    names = ("user_id", "type", "canonical_name", "aliases", "content", "why_it_matters")
    record = {name: seed[name] for name in (*names, "confidence", "pinned", "superseded_by")}
    for name in ("subtype", "participants", "resolved_at"):
        if seed.get(name):
            record[name] = seed[name]
    status = seed["epistemic_status"]
    if status in ("active", "inferred", "exploratory"):
        record["epistemic_status"] = status
    return {
        "id": seed["_id"],
        "scopes": seed["scope"],
        "valid_from": seed["created_at"],
        **record,
    }


async def quality(data: Path) -> None:
    seeds = json.loads((data / "beliefs.seed.json").read_text())
    cases = [
        case
        for case in json.loads((data / "retrieval.cases.json").read_text())
        if "shouldOnlyInclude" in case["expect"].get("relevantBeliefs", {})
    ]
    current = [s for s in seeds if not s["superseded_by"] and not s["resolved_at"]]
    embedder, count = FakeEmbedder(), get_tokenizer()
    print(f"\nPrecisionMemBench: {len(seeds)} beliefs, {len(cases)} cases with an exact answer")
    print(
        f"{'block':<24}{'precision':>10}{'recall':>8}{'noise':>8}"
        f"{'tokens':>8}{'standing':>10}{'ms p50':>8}"
    )
    with tempfile.TemporaryDirectory() as folder, BeliefMemory.open(folder) as memory:
        for user_id in {seed["user_id"] for seed in seeds}:
            memory.for_user(user_id).load(
                record_of(seed) for seed in seeds if seed["user_id"] == user_id
            )

        async def believed(case: dict[str, Any], user_id: str) -> Found:
            told: list[Injection] = []
            most = case.get("budget", {}).get("maxBeliefs", 20)
            block = BeliefMemoryBlock.from_defaults(
                memory=memory,
                user_id=user_id,
                scopes=case["scope"],
                budget=Budget(max_beliefs=most),
                on_inject=told.append,
            )
            text = await block.aget([ChatMessage(case["query"])])
            if not told:
                return [], text, text
            context = told[0].context
            standing = replace(context, relevant=[]).render()
            return [one.id for one in context.relevant], text, standing

        await measured("BeliefMemoryBlock", cases, believed, count)
        for k in (2, 5):
            blocks: dict[str, VectorMemoryBlock] = {}
            for seed in current:
                block = blocks.setdefault(
                    seed["user_id"],
                    VectorMemoryBlock(
                        vector_store=BruteForce(), embed_model=embedder, similarity_top_k=k
                    ),
                )
                names = ", ".join([seed["canonical_name"], *seed["aliases"]])
                node = TextNode(
                    id_=seed["_id"], text=f"{names}: {seed['content']} {seed['why_it_matters']}"
                )
                node.embedding = embedder.get_text_embedding(node.text)
                block.vector_store.add([node])

            async def likened(
                case: dict[str, Any],
                user_id: str,
                blocks: dict[str, VectorMemoryBlock] = blocks,
            ) -> Found:
                if user_id not in blocks:
                    return [], "", ""
                block = blocks[user_id]
                text = await block.aget([ChatMessage(case["query"])])
                return list(getattr(block.vector_store, "returned", [])) if text else [], text, ""

            await measured(f"VectorMemoryBlock k={k}", cases, likened, count)


async def measured(
    name: str,
    cases: list[dict[str, Any]],
    ask: Callable[[dict[str, Any], str], Awaitable[Found]],
    count: Callable[[str], list[Any]],
) -> None:
    right = returned = wanted = noisy = quiet = 0
    tokens: list[int] = []
    always: list[int] = []
    spent: list[float] = []
    for case in cases:
        user_id = case.get("userId", "test-user")
        expected = set(case["expect"]["relevantBeliefs"]["shouldOnlyInclude"])
        await ask(case, user_id)
        started = time.perf_counter()
        found, text, standing = await ask(case, user_id)
        spent.append((time.perf_counter() - started) * 1000)
        tokens.append(len(count(text)))
        always.append(len(count(standing)))
        right += len(expected & set(found))
        returned += len(found)
        wanted += len(expected)
        if not expected:
            quiet += 1
            noisy += bool(found)
    print(
        f"{name:<24}{right / max(returned, 1):>10.2f}{right / max(wanted, 1):>8.2f}"
        f"{f'{noisy}/{quiet}':>8}{statistics.mean(tokens):>8.0f}{statistics.mean(always):>10.0f}{statistics.median(spent):>8.2f}"
    )


async def lag(work: Awaitable[Any]) -> list[float]:
    """By how many ms a timer of the loop was late while ``work`` ran, each time."""
    late: list[float] = []

    async def tick() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append((time.perf_counter() - started - 0.001) * 1000)

    ticking = asyncio.create_task(tick())
    await work
    ticking.cancel()
    return late


async def cost(beliefs: int, sessions: int) -> None:
    turns = 25
    print(f"\n{beliefs} beliefs a user, {sessions} sessions at once, {turns} turns each")
    print(f"{'memory':<24}{'ms a turn p50':>14}{'p99':>8}{'loop lag p50':>14}{'p99':>8}{'max':>8}")
    with tempfile.TemporaryDirectory() as folder, BeliefMemory.open(folder) as memory:
        for user in range(4):
            memory.for_user(f"user-{user}").remember_many(
                {
                    "canonical_name": f"service_{number}",
                    "content": f"Service {number} belongs to team {number % 7} and may restart.",
                    "aliases": [f"svc-{number}"],
                }
                for number in range(beliefs)
            )

        def ours(number: int) -> Any:
            return BeliefChatMemory.from_defaults(memory=memory, user_id=f"user-{number % 4}")

        def builtin(number: int) -> Any:
            return Memory.from_defaults()

        def with_block(number: int) -> Any:
            block = BeliefMemoryBlock.from_defaults(memory=memory, user_id=f"user-{number % 4}")
            return Memory.from_defaults(memory_blocks=[block])

        async def idle() -> None:
            await asyncio.sleep(1)

        await report("(idle)", [], idle())
        for name, make in (
            ("BeliefChatMemory", ours),
            ("Memory", builtin),
            ("Memory + our block", with_block),
        ):
            spent: list[float] = []
            pause = random.Random(1)

            async def session(
                own: Any, number: int, spent: list[float] = spent, pause: random.Random = pause
            ) -> None:
                for turn in range(turns):
                    started = time.perf_counter()
                    asked = f"Why did svc-{(number * turns + turn) % beliefs} restart?"
                    await own.aput(ChatMessage(asked))
                    await own.aget()
                    before = time.perf_counter() - started
                    await asyncio.sleep(pause.uniform(0.02, 0.08))
                    started = time.perf_counter()
                    await own.aget(input=asked)
                    await own.aput(ChatMessage(role="assistant", content="It was told to."))
                    spent.append((before + time.perf_counter() - started) * 1000)

            made = [make(number) for number in range(sessions)]
            for user in range(4):
                await memory.asynchronous.for_user(f"user-{user}").recall("")
            await asyncio.gather(*(own.aget() for own in made))
            work = asyncio.gather(*(session(own, number) for number, own in enumerate(made)))
            await report(name, spent, work)


async def report(name: str, spent: list[float], work: Awaitable[Any]) -> None:
    late = await lag(work)
    times = f"{at(spent, 50):>14.2f}{at(spent, 99):>8.2f}" if spent else f"{'-':>14}{'-':>8}"
    print(f"{name:<24}{times}{at(late, 50):>14.2f}{at(late, 99):>8.2f}{max(late):>8.2f}")


def at(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) * percent // 100, len(values) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    parser.add_argument("--beliefs", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=20)
    options = parser.parse_args()
    pack = options.data / "precisionmembench"
    if pack.is_dir():
        asyncio.run(quality(pack))
    else:
        print(f"no {pack}: quality is not measured")
    asyncio.run(cost(options.beliefs, options.sessions))


if __name__ == "__main__":
    main()
