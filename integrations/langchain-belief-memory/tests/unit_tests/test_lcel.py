"""Memory as a step of a chain."""

from __future__ import annotations

import pytest
from belief_memory import InvalidQuery
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate

from langchain_belief_memory import inject_beliefs

QUOKKA = "Quokka is the cache in front of the API."
TONE = "Prefers short answers."
ALICE = {"configurable": {"user_id": "alice"}}

PROMPT = ChatPromptTemplate.from_messages([("system", "Be good.\n{memory}"), ("human", "{input}")])


def test_before_a_prompt_it_fills_a_variable(memory, model, read) -> None:
    seeing = model()
    chain = inject_beliefs(memory) | PROMPT | seeing
    chain.invoke({"input": "What is Quokka?"}, ALICE)
    chain.invoke("What is Quokka?", ALICE)
    chain.invoke({"input": HumanMessage("What is Quokka?")}, ALICE)
    for system, _ in seeing.seen:
        assert TONE in read(system)
        assert QUOKKA in read(system)


async def test_async_gives_the_same(memory) -> None:
    step = inject_beliefs(memory, user_id="alice")
    given = {"input": "What is Quokka?", "other": 1}
    assert await step.ainvoke(given) == step.invoke(given)
    assert step.invoke(given)["other"] == 1
    assert QUOKKA in step.invoke(given)["memory"]
    assert given == {"input": "What is Quokka?", "other": 1}


def test_after_a_prompt_it_places_the_memory_in_the_messages(memory, model, read) -> None:
    seeing = model()
    prompt = ChatPromptTemplate.from_messages([("system", "Be good."), ("human", "{input}")])
    (prompt | inject_beliefs(memory) | seeing).invoke({"input": "What is Quokka?"}, ALICE)
    system, human = seeing.seen[0]
    assert read(system).startswith("Be good.")
    assert TONE in read(system)
    assert QUOKKA in read(human)
    assert QUOKKA not in read(system)


def test_messages_without_a_system_message_get_one(memory, read) -> None:
    step = inject_beliefs(memory, user_id="alice")
    given = [HumanMessage("What is Quokka?")]
    system, human = step.invoke(given)
    assert isinstance(system, SystemMessage)
    assert QUOKKA in read(human)
    assert given == [HumanMessage("What is Quokka?")]
    assert step.invoke([("ai", "Hello")])[0].type == "system"


def test_keys_and_format_can_be_chosen(memory) -> None:
    step = inject_beliefs(
        memory,
        user_id="alice",
        input_key="question",
        output_key="known",
        format="markdown",
    )
    assert "**quokka_cache**" in step.invoke({"question": "Quokka?"})["known"]
    with pytest.raises(KeyError, match="question"):
        step.invoke({"input": "Quokka?"})


def test_braces_in_a_belief_survive_a_prompt_template(memory, read, model) -> None:
    memory.for_user("alice").remember("emu", "Call {input} with {'a': 1}.", aliases=["Emu"])
    seeing = model()
    (inject_beliefs(memory) | PROMPT | seeing).invoke("What is Emu?", ALICE)
    assert "with {'a': 1}." in read(seeing.seen[0][0])
    assert "What is Emu?" not in read(seeing.seen[0][0])


def test_an_unknown_user_or_input_is_an_error(memory) -> None:
    with pytest.raises(InvalidQuery, match="user_id"):
        inject_beliefs(memory).invoke("Quokka?")
    with pytest.raises(TypeError, match="int"):
        inject_beliefs(memory, user_id="alice").invoke(7)


def test_a_chain_streams_through_it(memory, model) -> None:
    chain = inject_beliefs(memory) | PROMPT | model("a b")
    assert "".join(chunk.text for chunk in chain.stream("Quokka?", ALICE)) == "a b"
