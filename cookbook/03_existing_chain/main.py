"""Memory in chains that exist already: a legacy `ConversationChain` and an LCEL chain.

Runs offline with a scripted model; `--model provider:name` takes a real one.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import warnings
from typing import Any

from langchain.chat_models import init_chat_model
from langchain_classic.chains import ConversationChain
from langchain_classic.memory import ConversationBufferWindowMemory
from langchain_core._api import LangChainDeprecationWarning
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable
from rich.console import Console

from belief_memory import BeliefMemory
from belief_memory.learning import DeterministicExtractor
from langchain_belief_memory import BeliefChainMemory, inject_beliefs

# Whoever keeps a ConversationChain knows that it is deprecated.
warnings.filterwarnings("ignore", category=LangChainDeprecationWarning)

console = Console(highlight=False, width=110)


class ScriptedModel(BaseChatModel):
    """Stands in for a real model: it repeats the beliefs that it was given, and no others."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        seen = "\n".join(message.text for message in messages)
        known = re.findall(r"<\w+ about=[^>]*>([^<]+)", seen)
        answer = " ".join(map(str.strip, known)) or "I know nothing about that."
        return ChatResult(generations=[ChatGeneration(message=AIMessage(answer))])


def ask(chain: Runnable[Any, Any], question: str, user_id: str | None = None) -> None:
    config: Any = {"configurable": {"user_id": user_id}} if user_id else {}
    answer = chain.invoke({"input": question}, config=config)
    text = answer["response"] if isinstance(answer, dict) else answer
    console.print(f"   {user_id or 'tenant'}: {question}", markup=False)
    console.print(f"   answer: {text}", style="cyan", markup=False)


def a_legacy_chain(model: BaseChatModel, memory: BeliefMemory) -> None:
    window = ConversationBufferWindowMemory(k=2)

    console.print("\n[bold]1. The chain as it was: the conversation, two turns of it[/bold]")
    ask(ConversationChain(llm=model, memory=window), "What is wrong with the boiler?")

    console.print("\n[bold]2. The same chain and window; the memory= line has changed[/bold]")
    chain = ConversationChain(
        llm=model,
        memory=BeliefChainMemory(memory=memory, user_id="dana", inner=window),
    )
    ask(chain, "What is wrong with the boiler?")
    ask(chain, "I work for Halvorsen Shipping now.")  # learned: see DeterministicExtractor below
    ask(chain, "Can you tell me a joke?")


def an_lcel_chain(model: BaseChatModel, memory: BeliefMemory) -> None:
    prompt = ChatPromptTemplate.from_messages(
        [("system", "You help the tenants of a house."), ("human", "{input}")]
    )
    before = prompt | model | StrOutputParser()
    after = prompt | inject_beliefs(memory) | model | StrOutputParser()

    console.print("\n[bold]3. An LCEL chain as it was[/bold]")
    ask(before, "Which company do I work for?", "dana")

    console.print("\n[bold]4. The same prompt and model with one more step between them[/bold]")
    ask(after, "Which company do I work for?", "dana")
    ask(after, "Which company do I work for?", "milo")
    ask(after, "When does the laundry room open?", "milo")

    console.print("\n[bold]5. Where the prompt is to say where the memory goes[/bold]")
    placed = ChatPromptTemplate.from_messages(
        [("system", "You help the tenants of a house.\n\n{memory}"), ("human", "{input}")]
    )
    placing = inject_beliefs(memory, format="xml") | placed | model | StrOutputParser()
    ask(placing, "Is the boiler fixed?", "dana")
    for said in ("Is the boiler fixed?", "Tell me a joke."):
        prompt_value = (inject_beliefs(memory, user_id="dana") | placed).invoke(said)
        tokens = len(prompt_value.to_string().split())
        console.print(f"   {tokens:>3} words in the prompt for: {said}", style="dim")


def fill(memory: BeliefMemory) -> None:
    dana = memory.for_user("dana")
    dana.remember(
        "boiler",
        "The boiler loses pressure; a part is ordered for the 14th.",
        why_it_matters="Do not suggest to call the plumber again.",
        aliases=["heating"],
    )
    memory.for_user("milo").remember("laundry_room", "Milo's key opens it from 9:00 on.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    options = parser.parse_args()
    model = init_chat_model(options.model) if options.model else ScriptedModel()
    with (
        tempfile.TemporaryDirectory() as folder,
        BeliefMemory.open(folder, extractor=DeterministicExtractor()) as memory,
    ):
        fill(memory)
        a_legacy_chain(model, memory)
        an_lcel_chain(model, memory)


if __name__ == "__main__":
    main()
