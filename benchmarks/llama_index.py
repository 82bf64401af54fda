"""What BeliefMemoryBlock and BeliefChatMemory put before the model, beside LlamaIndex's
VectorMemoryBlock and what llama-index-memory-mem0 is published to do; and what they cost: time
a turn and lag of the event loop.

    python -m benchmarks.llama_index [--data ../shared/data] [--beliefs 1000] [--sessions 10]

The memories of texts get a FAKE embedder (hashed words and trigrams of letters, 512 numbers) and
a brute-force store: their times leave out what a real model and database cost, and their answers
are those of a lexical likeness. Their texts hold names, aliases and directives, and no scopes.
"everything said" holds what was replaced since, too, as memories do that only add; "current"
holds what somebody tidied. Columns: see benchmarks/langchain.py.

"mem0's way" is a REPRODUCTION of the search-and-insert behaviour that the source of
llama-index-memory-mem0 2.1.0 publishes (see :class:`Mem0Way`), over the store and embedder
above. It is not mem0: neither its service nor its own ranking, and no model extracts memories.

In the first table a turn is what an agent asks: the question put, two reads, the answer put. At
once, a model is a pause of 20 to 80 ms. Every user's beliefs are in memory already. Of a turn of
LlamaIndex's Memory with any block, most is spent on compiling its template anew, twice.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory, VectorMemoryBlock
from llama_index.core.schema import TextNode
from llama_index.core.utils import get_tokenizer
from llama_index.memory.belief import BeliefChatMemory, BeliefMemoryBlock

from belief_memory import BeliefMemory
from benchmarks.llama_index_systems import BruteForce, FakeEmbedder, Mem0Way, nearest, systems
from benchmarks.side_by_side import at, compare, lag, timed


async def cost(beliefs: int, sessions: int) -> None:
    turns, users = 25, 4
    print(f"\n{beliefs:,} beliefs a user; a session alone, then {sessions} at once")
    head = "| memory | ms a turn p50 | processor | loop lag p50 | p99 | max |"
    print(f"{head}\n|---|---|---|---|---|---|")
    known = [
        {
            "canonical_name": f"service_{number}",
            "content": f"Service {number} belongs to team {number % 7} and may restart.",
            "aliases": [f"svc-{number}"],
        }
        for number in range(beliefs)
    ]
    store, embedder = BruteForce(), FakeEmbedder()
    for number, record in enumerate(known):
        node = TextNode(id_=str(number), text=f"svc-{number}: {record['content']}")
        node.embedding = embedder.get_text_embedding(node.text)
        store.add([node])
    with tempfile.TemporaryDirectory() as folder, BeliefMemory.open(folder) as memory:
        for user in range(users):
            memory.for_user(f"user-{user}").remember_many(known)

        def ours(number: int) -> Any:
            return BeliefChatMemory.from_defaults(memory=memory, user_id=f"user-{number % users}")

        def builtin(number: int) -> Any:
            return Memory.from_defaults()

        def with_block(number: int) -> Any:
            block = BeliefMemoryBlock.from_defaults(memory=memory, user_id=f"user-{number % users}")
            return Memory.from_defaults(memory_blocks=[block])

        def with_vectors(number: int) -> Any:
            block = VectorMemoryBlock(vector_store=store, embed_model=embedder)
            return Memory.from_defaults(memory_blocks=[block])

        def like_mem0(number: int) -> Any:
            return Mem0Way(search=nearest(store, 20), primary=Memory.from_defaults())

        late = await lag(asyncio.sleep(1))
        print(f"| (idle) | | | {lateness(late)} |")
        for name, make in (
            ("BeliefChatMemory", ours),
            ("Memory", builtin),
            ("Memory + BeliefMemoryBlock", with_block),
            ("Memory + VectorMemoryBlock", with_vectors),
            ("mem0's way (reproduced)", like_mem0),
        ):
            for user in range(users):
                await memory.asynchronous.for_user(f"user-{user}").recall("")
            made = [make(number) for number in range(sessions + 1)]
            await asyncio.gather(*(own.aget() for own in made))
            # Alone, as at once a turn mostly waits for other turns.
            alone = session(made.pop(), beliefs, 2 * turns, pause=lambda: 0.0)
            spent, total = await timed(alone)
            processor = total["processor"] / len(spent)
            at_once = (
                session(own, beliefs, turns, thinking(number)) for number, own in enumerate(made)
            )
            late = await lag(asyncio.gather(*at_once))
            print(f"| {name} | {at(spent, 50):.2f} | {processor:.2f} | {lateness(late)} |")


def thinking(seed: int) -> Callable[[], float]:
    """How long a model takes, in seconds."""
    chance = random.Random(seed)
    return lambda: chance.uniform(0.02, 0.08)


async def session(own: Any, beliefs: int, turns: int, pause: Callable[[], float]) -> list[float]:
    """What a chat engine or agent asks of a memory, turn by turn; ms of each, less the pauses."""
    spent: list[float] = []
    for turn in range(turns):
        started = time.perf_counter()
        asked = f"Why did svc-{turn * 7 % beliefs} restart?"
        await own.aput(ChatMessage(asked))
        await own.aget()
        before = time.perf_counter() - started
        await asyncio.sleep(pause())
        started = time.perf_counter()
        await own.aget(input=asked)
        await own.aput(ChatMessage(role="assistant", content="It was told to."))
        spent.append((before + time.perf_counter() - started) * 1000)
    return spent


def lateness(late: list[float]) -> str:
    return f"{at(late, 50):.2f} | {at(late, 99):.2f} | {max(late):.2f}"


def tokens() -> Callable[[str], int]:
    split = get_tokenizer()
    return lambda text: len(split(text))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, help="the folder of evaluation data")
    parser.add_argument("--beliefs", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="fewer sessions")
    options = parser.parse_args()
    print("\n### LlamaIndex")
    asyncio.run(cost(options.beliefs, 5 if options.quick else options.sessions))
    if options.data is None:
        print("\nno --data: what is injected is not compared")
    else:
        asyncio.run(compare(options.data, systems(), tokens()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
