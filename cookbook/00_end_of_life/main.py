"""An agent that knows until when releases are supported, and since when it knew.

Runs offline with a scripted model; `--model provider:name` takes a real one.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from rich.console import Console
from rich.progress import track
from rich.table import Table

from belief_memory import BeliefMemory, UserMemory
from langchain_belief_memory import BeliefMiddleware, Injection

FACTS = Path(__file__).with_name("facts.json")
TURNS = (
    ("Until when is Kubernetes 1.20 supported?", {"Kubernetes 1.20"}),
    ("And Ubuntu 18.04, where it runs?", {"Ubuntu 18.04"}),
    ("Then compare Vue 2 with Node.js 16, please.", {"Vue 2", "Node.js 16"}),
    ("Our job scheduler is slow since the spring, any idea?", set()),
    ("Does OpenSSL 3.4 have an end date?", {"OpenSSL 3.4"}),
    ("Thanks! What should I cook tonight?", set()),
    ("mongo 4.4 was on our list, too.", {"MongoDB 4.4"}),
    ("Back to the start: is k8s 1.20 still supported?", {"Kubernetes 1.20"}),
    ("And if I mistype it, Kuberntes 1.20?", {"Kubernetes 1.20"}),
)
"""A conversation that opens on one product, drifts, and returns; and, for the drift score,
what each turn is about."""

console = Console(highlight=False)


class ScriptedModel(BaseChatModel):
    """Stands in for a real model: it answers from what was injected and from nothing else."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        seen = f"{messages[0].text}\n{messages[-1].text}"
        known = re.findall(r"[\w. -]+ (?:is supported until [\d-]+|has no end date yet)", seen)
        answer = "; ".join(dict.fromkeys(map(str.strip, known))) or "I know nothing about that"
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"{answer}."))])


class Replay:
    """A clock that stands where the history being replayed stands."""

    def __init__(self) -> None:
        self.at: datetime | None = None

    def __call__(self) -> datetime:
        return self.at or datetime.now(UTC)


def says(name: str, end: str | None) -> str:
    return f"{name} has no end date yet." if end is None else f"{name} is supported until {end}."


def learn(user: UserMemory, clock: Replay) -> int:
    """Replay the days on which each date was learned and later corrected."""
    facts = json.loads(FACTS.read_text())
    days = sorted(
        ((day, end, fact) for fact in facts for day, end in fact["learned"]), key=lambda one: one[0]
    )
    known: set[str] = set()
    for day, end, fact in track(days, "learning", console=console, transient=True):
        clock.at = datetime.fromisoformat(day).replace(tzinfo=UTC)
        content = says(fact["name"], end)
        if fact["name"] in known:
            user.correct(fact["name"], content)
            continue
        known.add(fact["name"])
        user.remember(
            fact["name"],
            content,
            aliases=fact["also"],
            why_it_matters="Compare the date with today's before calling it supported.",
        )
    clock.at = None
    return len(days)


def converse(memory: BeliefMemory, user: UserMemory, model: BaseChatModel | str) -> None:
    injections: list[Injection] = []
    agent = create_agent(
        model,
        tools=[],
        system_prompt="Answer from the memory you are given.",
        middleware=[BeliefMiddleware(memory, user_id=user.user_id, on_inject=injections.append)],
        checkpointer=InMemorySaver(),
    )
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    surfaced = drifted = 0
    for number, (question, topic) in enumerate(TURNS, 1):
        injections.clear()
        answer = agent.invoke({"messages": [("user", question)]}, thread)["messages"][-1].text
        started = time.perf_counter()
        context = user.recall(question)
        spent = (time.perf_counter() - started) * 1000
        text = "".join(given.system_text + given.user_text for given in injections)
        recalled = {
            belief.canonical_name for given in injections for belief in given.context.relevant
        }
        surfaced += len(recalled)
        drifted += len(recalled - topic)
        # About four characters a token, as most tokenisers have it for English.
        tokens = len(text) // 4
        console.print(f"\n[bold]{number}. {question}[/bold]")
        for reason in context.explain():
            if reason.route is not None:
                line = f"   injected: {reason.belief.content}  ({reason.rule}: {reason.why})"
                console.print(line, style="cyan", markup=False)
        if not recalled:
            console.print("   injected: nothing", style="cyan")
        console.print(f"   about {tokens} tokens, a warm recall takes {spent:.2f} ms", style="dim")
        console.print(f"   answer:   {answer}", markup=False)
    drift = drifted / surfaced if surfaced else 0
    share = f"{drifted} of {surfaced} injected beliefs were off topic"
    console.print(f"\n[bold]Drift {drift:.2f}[/bold]: {share}")


def look_back(user: UserMemory) -> None:
    console.print("\n[bold]What was believed about Ubuntu 18.04, and when[/bold]")
    for day in ("2019-12-01", "2020-06-01", "2023-04-01"):
        (belief,) = user.beliefs(slot="Ubuntu 18.04", as_of=day)
        console.print(f"   on {day}: {belief.content}")

    console.print("\n[bold]Every version of Kubernetes 1.18, on both clocks[/bold]")
    table = Table("version", "content", "true from", "learned", "held until", box=None)
    for belief in user.history("Kubernetes 1.18"):
        held = f"{belief.retired_at:%Y-%m-%d}" if belief.retired_at else "now"
        table.add_row(
            f"#{belief.rev}",
            belief.content,
            f"{belief.valid_from:%Y-%m-%d}",
            f"{belief.recorded_at:%Y-%m-%d}",
            held,
        )
    console.print(table)

    console.print("\n[bold]What changed in May 2021[/bold]")
    for change in user.changes("2021-05-01", "2021-06-01"):
        console.print(f"   {change.at:%Y-%m-%d} {change.kind:<8} {change.belief.content}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    parser.add_argument("--keep", help="keep the memory in this folder")
    options = parser.parse_args()
    clock = Replay()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        with BeliefMemory.open(folder, clock=clock) as memory:
            user = memory.for_user("ops")
            started = time.perf_counter()
            learned = learn(user, clock)
            spent = time.perf_counter() - started
            console.print(f"learned {learned} dates in {spent:.1f} s, in {folder}", style="dim")
            converse(memory, user, options.model or ScriptedModel())
            look_back(user)


if __name__ == "__main__":
    main()
