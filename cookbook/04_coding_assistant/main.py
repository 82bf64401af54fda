"""A coding assistant in two projects that use the same words for different things.

Runs offline with a scripted model; `--model provider:name` takes a real one.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from dataclasses import dataclass
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from rich.console import Console

from belief_memory import BeliefMemory, UserMemory
from langchain_belief_memory import BeliefMiddleware

USER = "dev"
STOREFRONT, FIRMWARE = "project:storefront", "project:firmware"
console = Console(highlight=False, width=110)


@dataclass(frozen=True)
class Session:
    """What a run is told from outside: who is asking, and in which project."""

    user_id: str
    scopes: tuple[str, ...] | None = None


class ScriptedModel(BaseChatModel):
    """Stands in for a real model: it repeats the beliefs that it was given, and no others."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        seen = "\n".join(message.text for message in messages)
        known = re.findall(r"<\w+ about=[^>]*>([^<]+)(?:<directive>([^<]+))?", seen)
        answer = " ".join(" ".join(filter(None, one)) for one in known)
        message = AIMessage(answer or "I know nothing about that.")
        return ChatResult(generations=[ChatGeneration(message=message)])


def decide(memory: BeliefMemory) -> None:
    """What was decided in the two projects, and what holds in all of them."""
    memory.for_user(USER).remember("comments", "Comments say why, never what.", type="preference")

    storefront = memory.for_user(USER, scopes=[STOREFRONT])
    storefront.remember(
        "gateway",
        "The gateway is the GraphQL service in services/gateway, in TypeScript.",
        why_it_matters="New endpoints are resolvers there.",
        type="entity",
    )
    # A counter-signal: what was rejected is an alias of what was chosen, so that whoever
    # proposes it again hears of the decision.
    storefront.remember(
        "event_bus",
        "Events go through NATS JetStream.",
        why_it_matters="Kafka was tried and rejected: nobody here can run it. Do not propose it.",
        aliases=["NATS", "JetStream", "Kafka"],
        type="decision",
        metadata={"rejected": ["Kafka"]},
    )
    storefront.remember(
        "package_manager",
        "Dependencies are managed with Poetry.",
        aliases=["Poetry", "lock file"],
        type="decision",
        valid_from="2023-02-01",
    )

    firmware = memory.for_user(USER, scopes=[FIRMWARE])
    firmware.remember(
        "gateway",
        "The gateway is the radio board that bridges the sensors to the LAN, in C.",
        why_it_matters="It has 64 KB of RAM: no dynamic allocation.",
        type="entity",
    )
    firmware.remember(
        "package_manager",
        "Libraries are vendored as git submodules under third_party.",
        aliases=["dependency"],
        type="decision",
    )


def change_of_mind(user: UserMemory) -> None:
    """The same slot, a later decision: the old one stops being current by itself."""
    outcome = user.remember(
        "package_manager",
        "Dependencies are managed with uv.",
        why_it_matters="Write uv commands; there is no poetry.lock any more.",
        aliases=["uv", "lock file"],
        type="decision",
        valid_from="2025-06-15",
    )
    console.print(f"\n[bold]A decision changes: {outcome.action}[/bold]")
    for day in ("2024-06-01", "2025-12-01"):
        (decision,) = user.beliefs(slot="package_manager", valid_at=day)
        console.print(f"   on {day}: {decision.content}")


CRASH = """Why does this crash?
```python
from kafka import KafkaConsumer  # copied from a blog, Kafka and Poetry and all
```"""
QUESTIONS: list[tuple[str, tuple[str, ...], str]] = [
    ("the same word in two projects", (STOREFRONT,), "Add a health check to the gateway."),
    ("the same word in two projects", (FIRMWARE,), "Add a health check to the gateway."),
    ("outside of both", (), "Add a health check to the gateway."),
    (
        "a superseded decision, by its old name",
        (STOREFRONT,),
        "Why can Poetry not resolve pydantic?",
    ),
    ("the other project has its own", (FIRMWARE,), "Why can Poetry not resolve pydantic?"),
    ("a rejected tool is proposed again", (STOREFRONT,), "Should we use Kafka for the orders?"),
    ("names in pasted code are not read", (STOREFRONT,), CRASH),
    ("a monorepo's script, in both", (STOREFRONT, FIRMWARE), "Who talks to the gateway?"),
]


def ask(memory: BeliefMemory, model: BaseChatModel | str) -> None:
    agent = create_agent(
        model,
        system_prompt="You are a coding assistant. Decisions in your memory are binding.",
        middleware=[BeliefMiddleware(memory)],
        context_schema=Session,
    )
    for label, scopes, question in QUESTIONS:
        said: Any = {"messages": [("user", question)]}
        state = agent.invoke(said, context=Session(USER, scopes or None))
        where = " + ".join(scope.removeprefix("project:") for scope in scopes) or "no project"
        console.print(f"\n[bold]{where}[/bold] [dim]({label})[/dim]")
        console.print(f"   {question.splitlines()[0]}", markup=False)
        console.print(f"   answer: {state['messages'][-1].text}", style="cyan", markup=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, BeliefMemory.open(folder) as memory:
        decide(memory)
        change_of_mind(memory.for_user(USER, scopes=[STOREFRONT]))
        ask(memory, options.model or ScriptedModel())


if __name__ == "__main__":
    main()
