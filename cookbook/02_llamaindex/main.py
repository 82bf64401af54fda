"""A conversation that drifts through eight topics and comes back in other words.

Runs offline with a scripted model; `--model provider:name` takes a real one.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms.llm import LLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.core.utils import get_tokenizer
from llama_index.memory.belief import BeliefChatMemory, Injection
from rich.console import Console
from rich.table import Table

from belief_memory import BeliefMemory, UserMemory

PROMPT = "Answer in one sentence, from the memory you are given."
REAL_MODELS = {"openai": "OpenAI", "anthropic": "Anthropic", "ollama": "Ollama"}
console = Console(highlight=False, width=118)


@dataclass(frozen=True)
class Turn:
    """What the user says, and which beliefs that is about."""

    topic: str
    words: str
    about: frozenset[str] = frozenset()


def turn(topic: str, words: str, *about: str) -> Turn:
    return Turn(topic, words, frozenset(about))


BELIEFS: list[dict[str, Any]] = [
    {
        "canonical_name": "kiln_controller",
        "content": "The kiln is driven by a TC88, which overshoots by 8 degrees above 1200.",
        "why_it_matters": "Take 8 degrees off every target above 1200.",
        "aliases": ["TC88", "the kiln", "firing computer"],
        "type": "entity",
    },
    {
        "canonical_name": "celadon_glaze",
        "content": "The celadon runs when it is thicker than 1.5 mm.",
        "why_it_matters": "Warn before a second coat.",
        "aliases": ["celadon"],
    },
    {
        "canonical_name": "clay_supplier",
        "content": "Clay comes from Witgert, 500 kg at a time, six weeks ahead.",
        "aliases": ["Witgert"],
        "type": "relationship",
    },
    {
        "canonical_name": "shop_rent",
        "content": "The rent is 940 a month and is reviewed every March.",
        "aliases": ["rent", "lease"],
    },
    {
        "canonical_name": "saturday_course",
        "content": "The Saturday course takes eight people and is full until June.",
        "aliases": ["Saturday course", "evening class"],
        "type": "commitment",
    },
    {
        "canonical_name": "van",
        "content": "The van is a 2014 Kangoo with 210,000 km; its clutch was replaced in May.",
        "aliases": ["Kangoo"],
        "type": "entity",
    },
    {
        "canonical_name": "web_shop",
        "content": "The web shop runs on Shopware; orders above 20 kg are refused at checkout.",
        "aliases": ["Shopware", "web shop"],
        "type": "entity",
    },
    {
        "canonical_name": "tax_adviser",
        "content": "Ms Okafor does the taxes and wants receipts as PDF by the tenth.",
        "aliases": ["Okafor", "tax adviser"],
        "type": "relationship",
    },
    {
        "canonical_name": "apprentice",
        "content": "Jonas starts his second year as an apprentice in August.",
        "aliases": ["Jonas"],
        "type": "relationship",
    },
    {
        "canonical_name": "cat",
        "content": "The workshop cat is called Feldspat and may not have milk.",
        "aliases": ["Feldspat"],
    },
]

CONVERSATION = [
    turn("kiln", "The TC88 says 1240 and the cones say otherwise. What now?", "kiln_controller"),
    turn("glaze", "And why does the celadon drip off the foot?", "celadon_glaze"),
    turn("clay", "Is it time to write to Witgert again?", "clay_supplier"),
    turn("money", "Can I afford that if the rent goes up?", "shop_rent"),
    turn("teaching", "Could I squeeze a ninth into the Saturday course?", "saturday_course"),
    turn("driving", "The Kangoo makes a noise in second gear.", "van"),
    turn("selling", "A customer cannot pay in the web shop, 24 kg of plates.", "web_shop"),
    turn("taxes", "What did Okafor want from me, and by when?", "tax_adviser"),
    turn("people", "Jonas asked about August, by the way.", "apprentice"),
    turn("nothing", "What a day. What should I cook tonight?"),
    turn(
        "kiln again",
        "Back to work: what target does my firing computer need for 1260?",
        "kiln_controller",
    ),
]


class Scripted:
    """Stands in for a real model: it answers from what was injected and from nothing else."""

    def __init__(self) -> None:
        self.llm = MockFunctionCallingLLM(response_generator=self._answer, is_chat_model=True)

    def _answer(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        question = next(m for m in reversed(messages) if m.role == MessageRole.USER)
        if kwargs.get("tools") and messages[-1].role == MessageRole.USER:
            look = ToolCallBlock(tool_call_id="1", tool_name="workshop_diary", tool_kwargs={})
            return ChatMessage(role=MessageRole.ASSISTANT, blocks=[look])
        known = re.findall(r'about="[^"]+">([^<]+)', question.content or "")
        answer = " ".join(known) or "I know nothing about that."
        return ChatMessage(role=MessageRole.ASSISTANT, content=answer)


def workshop_diary() -> str:
    """What happened in the workshop today."""
    return "Two loads fired, one shelf cracked."


def remember(user: UserMemory) -> None:
    user.remember_many(BELIEFS)
    user.remember(
        ("user", "units"),
        "Weights in kg, temperatures in degrees Celsius.",
        type="preference",
    )


class Watch:
    """Notes what was injected in each turn."""

    def __init__(self) -> None:
        self.last: Injection | None = None
        self.drifts: list[float] = []
        self.tokens: list[int] = []
        self._count = get_tokenizer()
        self.table = Table("turn", "the user says", "injected", "tokens", "drift", box=None)

    def __call__(self, injection: Injection) -> None:
        self.last = injection

    def note(self, number: int, said: Turn) -> None:
        injection, self.last = self.last, None
        named = [] if injection is None else injection.context.relevant
        names = [belief.canonical_name for belief in named]
        strays = [name for name in names if name not in said.about]
        missed = said.about - set(names)
        drift = len(strays) / len(names) if names else 0.0
        text = "" if injection is None else injection.system_text + injection.user_text
        tokens = len(self._count(text)) if text else 0
        self.drifts.append(drift)
        self.tokens.append(tokens)
        shown = ", ".join(names) or "(nothing named)"
        if missed:
            shown += f" [red]missed {', '.join(sorted(missed))}[/red]"
        self.table.add_row(f"{number}", said.words, shown, f"{tokens}", f"{drift:.2f}")

    def show(self, title: str, memory: BeliefChatMemory, spent: float) -> None:
        console.print(f"\n[bold]{title}[/bold]")
        console.print(self.table)
        history = memory.get_all()
        kept = sum("belief-memory" in (message.content or "") for message in history)
        console.print(
            f"drift {sum(self.drifts) / len(self.drifts):.2f} over {len(self.drifts)} turns, "
            f"{sum(self.tokens)} tokens of memory in all, {spent:.1f} s; the history holds "
            f"{len(history)} messages, {kept} of them with injected text",
            style="dim",
        )


def in_a_chat_engine(memory: BeliefMemory, llm: LLM) -> None:
    watch = Watch()
    chat_memory = BeliefChatMemory.from_defaults(memory=memory, user_id="potter", on_inject=watch)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=chat_memory, system_prompt=PROMPT)
    started = time.perf_counter()
    answer: object = ""
    for number, said in enumerate(CONVERSATION, 1):
        answer = engine.chat(said.words)
        watch.note(number, said)
    watch.show("In a chat engine", chat_memory, time.perf_counter() - started)
    console.print(f"the last answer: {answer}", style="cyan", markup=False)


async def in_an_agent(memory: BeliefMemory, llm: LLM) -> None:
    watch = Watch()
    chat_memory = BeliefChatMemory.from_defaults(memory=memory, user_id="potter", on_inject=watch)
    agent = FunctionAgent(
        llm=llm, system_prompt=PROMPT, tools=[FunctionTool.from_defaults(workshop_diary)]
    )
    started = time.perf_counter()
    answer: object = ""
    for number, said in enumerate(CONVERSATION, 1):
        answer = await agent.run(said.words, memory=chat_memory)
        watch.note(number, said)
    watch.show("In a FunctionAgent with a tool", chat_memory, time.perf_counter() - started)
    console.print(f"the last answer: {answer}", style="cyan", markup=False)


def model_of(name: str | None) -> LLM:
    if name is None:
        return Scripted().llm
    provider, _, model = name.partition(":")
    if provider not in REAL_MODELS:
        raise SystemExit(f"known providers: {', '.join(REAL_MODELS)}")
    try:
        module = importlib.import_module(f"llama_index.llms.{provider}")
    except ImportError:
        raise SystemExit(f"first: pip install llama-index-llms-{provider}") from None
    made: LLM = getattr(module, REAL_MODELS[provider])(model=model)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    parser.add_argument("--keep", help="keep the memory in this folder")
    options = parser.parse_args()
    llm = model_of(options.model)
    with (
        tempfile.TemporaryDirectory() as scratch,
        BeliefMemory.open(options.keep or scratch) as memory,
    ):
        remember(memory.for_user("potter"))
        in_a_chat_engine(memory, llm)
        asyncio.run(in_an_agent(memory, llm))


if __name__ == "__main__":
    main()
