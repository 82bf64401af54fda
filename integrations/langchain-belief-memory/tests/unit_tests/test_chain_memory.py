"""Memory for the chains of langchain_classic."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import pytest
from belief_memory import InvalidQuery
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.prompts import PromptTemplate
from pydantic import ValidationError

from langchain_belief_memory import BeliefChainMemory

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langchain_classic.chains import ConversationChain, LLMChain
    from langchain_classic.memory import ConversationBufferMemory

QUOKKA = "Quokka is the cache in front of the API."


@pytest.fixture(autouse=True)
def _legacy_chains_warn_that_they_are_legacy() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="langchain_classic")
        warnings.filterwarnings("ignore", module="langchain_core")
        warnings.filterwarnings("ignore", message=".*(ConversationChain|LLMChain|Memory).*")
        yield


def prompt_of(messages: list[Any]) -> str:
    return "\n".join(str(message.content) for message in messages)


def test_a_conversation_chain_gets_beliefs_and_its_last_turn(memory, model) -> None:
    seeing = model("A cache.", "Yes.")
    chain = ConversationChain(llm=seeing, memory=BeliefChainMemory(memory=memory, user_id="alice"))
    assert chain.invoke({"input": "What is Quokka?"})["response"] == "A cache."
    chain.invoke({"input": "Really?"})
    first, second = (prompt_of(messages) for messages in seeing.seen)
    assert QUOKKA in first
    assert "Prefers short answers." in first
    assert QUOKKA not in second
    assert "Human: What is Quokka?\nAI: A cache." in second


async def test_an_async_chain_too(memory, model) -> None:
    seeing = model("A cache.", "Yes.")
    chain = ConversationChain(llm=seeing, memory=BeliefChainMemory(memory=memory, user_id="alice"))
    await chain.ainvoke({"input": "What is Quokka?"})
    await chain.ainvoke({"input": "Really?"})
    assert QUOKKA in prompt_of(seeing.seen[0])
    assert "AI: A cache." in prompt_of(seeing.seen[1])


def test_an_llm_chain_with_several_inputs_is_told_which_is_the_users(memory, model) -> None:
    seeing = model()
    chain = LLMChain(
        llm=seeing,
        prompt=PromptTemplate.from_template("{known}|{style}|{question}"),
        memory=BeliefChainMemory(
            memory=memory, user_id="alice", memory_key="known", input_key="question"
        ),
    )
    assert chain.invoke({"question": "What is Quokka?", "style": "dry"})["text"] == "ok"
    assert QUOKKA in prompt_of(seeing.seen[0])
    with pytest.raises(ValueError, match="input_key"):
        BeliefChainMemory(memory=memory, user_id="alice").load_memory_variables(
            {"question": "?", "style": "dry"}
        )


@pytest.mark.parametrize("return_messages", [False, True])
async def test_an_inner_memory_keeps_the_conversation(memory, return_messages) -> None:
    inner = ConversationBufferMemory(return_messages=return_messages)
    outer = BeliefChainMemory(
        memory=memory, user_id="alice", inner=inner, return_messages=return_messages
    )
    outer.save_context({"input": "Hi"}, {"response": "Hello"})
    await outer.asave_context({"input": "Yo"}, {"response": "Hey"})
    assert [message.content for message in inner.chat_memory.messages] == [
        "Hi",
        "Hello",
        "Yo",
        "Hey",
    ]
    loaded = outer.load_memory_variables({"input": "Quokka?"})
    assert loaded == await outer.aload_memory_variables({"input": "Quokka?"})
    assert QUOKKA in str(loaded)
    assert "Hey" in str(loaded)
    for clear in (outer.clear, outer.aclear):
        outer.save_context({"input": "Hi"}, {"response": "Hello"})
        cleared = clear()
        if cleared is not None:
            await cleared
        assert inner.chat_memory.messages == []


def test_messages_lead_with_the_beliefs(memory) -> None:
    kept = BeliefChainMemory(memory=memory, user_id="alice", return_messages=True)
    kept.save_context({"input": "Hi"}, {"response": "Hello"})
    system, *turns = kept.load_memory_variables({"input": "Quokka?"})["history"]
    assert isinstance(system, SystemMessage)
    assert QUOKKA in system.content
    assert [message.content for message in turns] == ["Hi", "Hello"]
    assert kept.load_memory_variables({"input": HumanMessage("Quokka?")}) is not None


def test_beliefs_can_have_a_variable_of_their_own(memory) -> None:
    kept = BeliefChainMemory(memory=memory, user_id="alice", beliefs_key="beliefs")
    kept.save_context({"input": "Hi"}, {"response": "Hello"})
    assert kept.memory_variables == ["history", "beliefs"]
    loaded = kept.load_memory_variables({"input": "Quokka?"})
    assert loaded["history"] == "Human: Hi\nAI: Hello"
    assert QUOKKA in loaded["beliefs"]


async def test_clearing_forgets_the_conversation_and_keeps_the_beliefs(memory) -> None:
    kept = BeliefChainMemory(memory=memory, user_id="alice")
    for clear in (kept.clear, None):
        kept.save_context({"input": "Hi"}, {"response": "Hello"})
        if clear is None:
            await kept.aclear()
        else:
            clear()
        loaded = kept.load_memory_variables({"input": "Quokka?"})["history"]
        assert "Hello" not in loaded
        assert QUOKKA in loaded


def test_it_belongs_to_one_user(memory) -> None:
    with pytest.raises(ValidationError, match="user_id"):
        BeliefChainMemory(memory=memory)
    with pytest.raises(InvalidQuery, match="user_id"):
        BeliefChainMemory(memory=memory, user_id=" ").load_memory_variables({"input": "Hi"})


def test_scopes_bound_what_is_recalled(memory) -> None:
    for scopes, seen in ((None, False), (["project:zoo"], True)):
        kept = BeliefChainMemory(memory=memory, user_id="alice", scopes=scopes)
        loaded = kept.load_memory_variables({"input": "Who owns Wombat?"})
        assert ("The platform team" in loaded["history"]) is seen


def test_our_memory_itself_warns_of_nothing(memory) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kept = BeliefChainMemory(memory=memory, user_id="alice")
        kept.load_memory_variables({"input": "Hi"})
        kept.save_context({"input": "Hi"}, {"response": "Hello"})
        kept.clear()
    assert [str(each.message) for each in caught] == []


def test_the_package_imports_without_langchain_classic() -> None:
    code = """
import sys
sys.modules["langchain_classic"] = None
import langchain_belief_memory
try:
    langchain_belief_memory.BeliefChainMemory
except ImportError as error:
    assert "langchain-belief-memory[classic]" in str(error), error
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
