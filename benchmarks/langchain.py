"""What BeliefMiddleware costs an agent, and what other memories put before the model instead.

    python -m benchmarks.langchain [--data ../shared/data] [--beliefs 1000] [--rounds 400]

The models are scripted and answer at once: times are those of everything else. The memories
of texts get a FAKE embedder (hashed words and trigrams of letters, 512 numbers); their times
leave out what a real one costs, and their answers are those of a lexical likeness. They are
given names, aliases and directives with each belief. "everything said" holds what was
replaced since, too, as memories do that only add; "current" holds what somebody tidied.
The scripted model that is given langmem's search tool calls it every turn with the user's
words: a real one may not, or may rephrase. "wrong" counts beliefs recalled beside the labels,
"noise" the turns that name nothing and got something; "drift" is the share of a turn's
beliefs that are wrong, on average. "standing" is what is said whatever is asked (persona,
pinned beliefs, open questions): for vectors it counts neither as right nor as wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from belief_memory import AsyncUserMemory, BeliefMemory, UserMemory
from benchmarks import people
from benchmarks.langchain_systems import Agent, Scripted, systems, tokens
from benchmarks.side_by_side import at, compare, lag
from langchain_belief_memory import BeliefMiddleware


class Clock(AgentMiddleware[Any, Any, Any]):
    """How long everything inside of it took, call by call."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.spent: list[float] = []

    @property
    def name(self) -> str:
        return self._name

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        started = time.perf_counter()
        answer = handler(request)
        self.spent.append((time.perf_counter() - started) * 1000)
        return answer

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        started = time.perf_counter()
        answer = await handler(request)
        self.spent.append((time.perf_counter() - started) * 1000)
        return answer


class Idle(AgentMiddleware[Any, Any, Any]):
    """Does nothing: what LangChain itself takes for one more middleware."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        return await handler(request)


@contextmanager
def recalls_timed(user: type[Any]) -> Iterator[list[float]]:
    """Milliseconds of each recall, taken where it happens: one in a tight loop is cheaper."""
    spent: list[float] = []
    plain = user.recall

    def recall(self: Any, *args: Any, **options: Any) -> Any:
        started = time.perf_counter()
        found = plain(self, *args, **options)
        spent.append((time.perf_counter() - started) * 1000)
        return found

    async def arecall(self: Any, *args: Any, **options: Any) -> Any:
        started = time.perf_counter()
        found = await plain(self, *args, **options)
        spent.append((time.perf_counter() - started) * 1000)
        return found

    user.recall = arecall if user is AsyncUserMemory else recall
    try:
        yield spent
    finally:
        user.recall = plain


@tool
def look(at: str) -> str:
    """Looks."""
    return f"Nothing new at {at}."


CALLS = 3
"""Calls of the model in one run: two tools are asked first."""


def filled(memory: BeliefMemory, users: int, beliefs: int) -> None:
    for number in range(users):
        user = memory.for_user(f"user-{number}")
        user.remember_many(map(people.record, range(beliefs)))
        user.remember("tone", "Prefers short answers.", type="preference")
        user.remember("region", f"All of it runs in region {number}.", pinned=True)


def whose(number: int) -> dict[str, Any]:
    return {"configurable": {"user_id": f"user-{number}"}}


def asked(chance: random.Random, beliefs: int) -> dict[str, Any]:
    return {"messages": [HumanMessage(people.turn(chance, beliefs))]}


def overhead(memory: BeliefMemory, beliefs: int, rounds: int) -> None:
    """Per model call: all that happens between the agent and its model, less recall."""
    print(f"\n{beliefs:,} beliefs, {rounds} runs of {CALLS} model calls; ms per model call")
    print("| | recall p50 | p95 | the rest p50 | p95 |\n|---|---|---|---|---|")
    for user in (UserMemory, AsyncUserMemory):
        kind = "sync" if user is UserMemory else "async"
        with recalls_timed(user) as recalls:
            idle = between(Idle(), kind, beliefs, rounds)
            ours = between(BeliefMiddleware(memory), kind, beliefs, rounds)
        first = [one - recall for one, recall in zip(ours[::CALLS], recalls, strict=True)]
        later = [one for number, one in enumerate(ours) if number % CALLS]
        print(f"| {kind}, first call of a run | {pair(recalls)} | {pair(first)} |")
        print(f"| {kind}, later calls | | | {pair(later)} |")
        print(f"| {kind}, a middleware that does nothing | | | {pair(idle)} |")


def between(middleware: Any, kind: str, beliefs: int, rounds: int) -> list[float]:
    """Milliseconds that a middleware takes of each model call."""
    outside, inside = Clock("outside"), Clock("inside")
    model = Scripted(tool_calls=[{"name": "look", "args": {"at": "it"}}] * (CALLS - 1))
    agent: Agent = create_agent(model, [look], middleware=[outside, middleware, inside])
    chance = random.Random(1)

    async def every() -> None:
        for _ in range(rounds):
            await agent.ainvoke(asked(chance, beliefs), whose(0))

    if kind == "async":
        asyncio.run(every())
    else:
        for _ in range(rounds):
            agent.invoke(asked(chance, beliefs), whose(0))
    return [a - b for a, b in zip(outside.spent, inside.spent, strict=True)]


def pair(values: list[float]) -> str:
    return f"{at(values, 50):.3f} | {at(values, 95):.3f}"


def whole_runs(memory: BeliefMemory, beliefs: int, rounds: int) -> None:
    """The same questions to the same agent with and without memory, in turn."""
    chance = random.Random(2)
    agents: dict[str, Agent] = {
        "agent without memory": create_agent(Scripted()),
        "with a middleware that does nothing": create_agent(Scripted(), middleware=[Idle()]),
        "with memory": create_agent(Scripted(), middleware=[BeliefMiddleware(memory)]),
    }
    spent: dict[str, list[float]] = {name: [] for name in agents}
    used: dict[str, list[float]] = {name: [] for name in agents}
    with recalls_timed(UserMemory) as recalls:
        for number in range(rounds):
            question = asked(chance, beliefs)
            order = list(agents)[:: 1 if number % 2 else -1]
            for name in order:
                started, computed = time.perf_counter(), time.process_time()
                agents[name].invoke(question, whose(0))
                used[name].append((time.process_time() - computed) * 1000)
                spent[name].append((time.perf_counter() - started) * 1000)
    bare, idle, full = spent.values()
    print(f"\n{rounds} runs of one model call each way, in turn; ms per run")
    print("| | p50 | p95 | processor p50 |\n|---|---|---|---|")
    for name, values in spent.items():
        print(f"| {name} | {pair(values)} | {at(used[name], 50):.3f} |")
    print(f"| of which recall | {pair(recalls)} | |")
    for name, base in (("without memory", bare), ("with one that does nothing", idle)):
        above = [a - b - recall for a, b, recall in zip(full, base, recalls, strict=True)]
        print(f"| above recall and the agent {name} | {pair(above)} | |")


def loop(memory: BeliefMemory, users: int, beliefs: int, at_once: int, waves: int) -> None:
    """Runs at once on one agent: how late the loop is, beside the same without memory."""
    pause = random.Random(3)

    def model() -> Scripted:
        return Scripted(pause=lambda: pause.uniform(0.02, 0.08))

    agents: dict[str, Agent] = {
        "agent without memory": create_agent(model()),
        "agent with it": create_agent(model(), middleware=[BeliefMiddleware(memory)]),
    }
    late: dict[str, list[float]] = {"(idle)": [], **{name: [] for name in agents}}
    cpu: dict[str, list[float]] = {name: [] for name in agents}

    async def wave(agent: Agent, chance: random.Random) -> None:
        await asyncio.gather(
            *(
                agent.ainvoke(asked(chance, beliefs), whose(number % users))
                for number in range(at_once)
            )
        )

    async def every() -> None:
        for number in range(users):
            await memory.asynchronous.for_user(f"user-{number}").recall("")
        for agent in agents.values():
            await wave(agent, random.Random(0))
        for number in range(waves):
            late["(idle)"] += await lag(asyncio.sleep(0.1))
            for name, agent in agents.items():
                started = time.process_time()
                late[name] += await lag(wave(agent, random.Random(number)))
                cpu[name].append((time.process_time() - started) * 1000 / at_once)

    asyncio.run(every())
    print(
        f"\n{at_once} runs at once of {users} users on one agent, {waves} times; ms by which a "
        "timer of the loop was late, and ms of processor time a run"
    )
    print("| | p50 | p95 | p99 | max | processor p50 |\n|---|---|---|---|---|---|")
    for name, values in late.items():
        cells = [f"{at(values, percent):.2f}" for percent in (50, 95, 99)]
        used = f"{statistics.median(cpu[name]):.2f}" if name in cpu else ""
        print(f"| {name} | {' | '.join(cells)} | {max(values):.2f} | {used} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, help="the folder of evaluation data")
    parser.add_argument("--beliefs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    options = parser.parse_args()
    rounds = 100 if options.quick else options.rounds
    users, at_once = 10, 50
    print("\n### LangChain")
    with tempfile.TemporaryDirectory() as folder, BeliefMemory.open(folder) as memory:
        filled(memory, users, options.beliefs)
        overhead(memory, options.beliefs, rounds)
        whole_runs(memory, options.beliefs, rounds)
        loop(memory, users, options.beliefs, at_once, waves=3 if options.quick else 12)
    if options.data is None:
        print("\nno --data: what is injected is not compared")
    else:
        asyncio.run(compare(options.data, systems(), tokens))
    return 0


if __name__ == "__main__":
    sys.exit(main())
