"""Beliefs as documents."""

from __future__ import annotations

import json

import pytest
from belief_memory import InvalidQuery
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from pydantic import ValidationError

from langchain_belief_memory import BeliefRetriever


def test_documents_hold_the_named_beliefs_and_their_fields(memory) -> None:
    [document] = BeliefRetriever(memory=memory, user_id="alice").invoke("What is Quokka?")
    assert document.page_content == (
        "quokka_cache: Quokka is the cache in front of the API.\n"
        "→ Quokka here is a datastore, not an animal."
    )
    assert document.id == document.metadata["id"]
    assert document.metadata["content"] == "Quokka is the cache in front of the API."
    assert document.metadata["type"] == "entity"
    assert document.metadata["aliases"] == ["Quokka"]
    assert document.metadata["route"] == "relevant"
    json.dumps(document.metadata)


def test_a_query_that_names_nothing_finds_nothing(memory) -> None:
    retriever = BeliefRetriever(memory=memory, user_id="alice")
    assert retriever.invoke("What a lovely day.") == []
    assert retriever.invoke("") == []


async def test_async_finds_the_same(memory) -> None:
    retriever = BeliefRetriever(memory=memory, user_id="alice")
    query = "Quokka and Wombat?"
    assert await retriever.ainvoke(query) == retriever.invoke(query)
    over_async = BeliefRetriever(memory=memory.asynchronous, user_id="alice")
    assert over_async.invoke(query) == retriever.invoke(query)


def test_k_limits_by_field_and_by_call(memory) -> None:
    query = "Quokka and Wombat?"
    assert len(BeliefRetriever(memory=memory, user_id="alice").invoke(query)) == 2
    assert len(BeliefRetriever(memory=memory, user_id="alice", k=1).invoke(query)) == 1
    assert len(BeliefRetriever(memory=memory, user_id="alice", k=1).invoke(query, k=2)) == 2
    assert BeliefRetriever(memory=memory, user_id="alice", k=0).invoke(query) == []


def test_other_routes_come_when_asked_for(memory) -> None:
    retriever = BeliefRetriever(memory=memory, user_id="alice", routes=("relevant", "pinned"))
    assert [document.metadata["route"] for document in retriever.invoke("Quokka?")] == [
        "relevant",
        "pinned",
    ]
    assert len(retriever.invoke("Quokka?", k=1)) == 1
    persona = BeliefRetriever(memory=memory, user_id="alice", routes=("persona",))
    assert [d.metadata["content"] for d in persona.invoke("Hi")] == ["Prefers short answers."]
    with pytest.raises(ValidationError):
        BeliefRetriever(memory=memory, user_id="alice", routes=("nearby",))


def test_the_user_can_come_from_the_config(memory) -> None:
    retriever = BeliefRetriever(memory=memory)
    [document] = retriever.invoke("Quokka?", {"configurable": {"user_id": "bob"}})
    assert document.metadata["content"] == "Quokka is Bob's pet."
    with pytest.raises(InvalidQuery, match="user_id"):
        retriever.invoke("Quokka?")


def test_scopes_bound_what_is_found(memory) -> None:
    query = "Who owns Wombat?"
    assert len(BeliefRetriever(memory=memory, user_id="alice").invoke(query)) == 1
    zoo = BeliefRetriever(memory=memory, user_id="alice", scopes=["project:zoo"])
    assert len(zoo.invoke(query)) == 2


def test_it_works_inside_a_chain(memory, model, read) -> None:
    seeing = model()
    chain = (
        {"context": BeliefRetriever(memory=memory), "input": RunnablePassthrough()}
        | ChatPromptTemplate.from_messages([("system", "{context}"), ("human", "{input}")])
        | seeing
        | StrOutputParser()
    )
    assert chain.invoke("Quokka?", {"configurable": {"user_id": "bob"}}) == "ok"
    assert "Quokka is Bob's pet." in read(seeing.seen[0][0])
