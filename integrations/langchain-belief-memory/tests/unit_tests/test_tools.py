"""Memory that a model reads and writes itself."""

from __future__ import annotations

from typing import Any

import pytest
from belief_memory import InvalidQuery
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage

from langchain_belief_memory import create_belief_tools

ALICE: Any = {"configurable": {"user_id": "alice"}}


def by_name(memory, **options: Any) -> dict[str, Any]:
    return {tool.name: tool for tool in create_belief_tools(memory, **options)}


def test_four_tools_say_what_they_are_for_and_never_ask_for_the_user(memory) -> None:
    tools = by_name(memory)
    assert list(tools) == ["recall", "remember", "correct", "history"]
    for tool in tools.values():
        assert len(tool.description) > 20
        assert "user_id" not in tool.args
        assert "config" not in tool.args


def test_what_is_remembered_is_recalled_and_has_a_history(memory) -> None:
    tools = by_name(memory)
    say = {"about": "emu", "statement": "Emu is the parser.", "aliases": ["Emu"]}
    assert "inserted" in tools["remember"].invoke(say, ALICE)
    assert tools["remember"].invoke(say, ALICE) == "That was known already."
    assert "Emu is the parser." in tools["recall"].invoke({"query": "What is Emu?"}, ALICE)
    change = {"about": "emu", "statement": "Emu is the linter."}
    assert "superseded" in tools["remember"].invoke(change, ALICE)
    recalled = tools["recall"].invoke({"query": "What is Emu?"}, ALICE)
    assert "Emu is the linter." in recalled
    assert "Emu is the parser." not in recalled
    history = tools["history"].invoke({"about": "emu"}, ALICE)
    assert "Emu is the parser." in history
    assert "to now: Emu is the linter." in history
    [held] = memory.for_user("alice").beliefs(slot="emu")
    assert held.provenance.source == "tool"


def test_a_correction_replaces_what_was_wrong(memory) -> None:
    tools = by_name(memory, user_id="alice")
    tools["correct"].invoke({"about": "wombat_queue", "statement": "Wombat is a topic."})
    recalled = tools["recall"].invoke({"query": "Wombat?"})
    assert "Wombat is a topic." in recalled
    assert "job queue" not in recalled


def test_a_preference_is_kept_in_mind_in_every_answer(memory) -> None:
    tools = by_name(memory, user_id="alice")
    tools["remember"].invoke(
        {"about": "user", "attribute": "units", "statement": "Metric.", "kind": "preference"}
    )
    assert "units: Metric." in memory.for_user("alice").recall("Hi").persona


async def test_async_calls_do_the_same(memory) -> None:
    tools = by_name(memory, user_id="alice")
    await tools["remember"].ainvoke({"about": "emu", "statement": "New.", "attribute": "state"})
    assert "New." in await tools["recall"].ainvoke({"query": "What is the emu's state?"})
    assert "New." in await tools["history"].ainvoke({"about": "emu", "attribute": "state"})


def test_what_the_model_got_wrong_goes_back_to_it(memory) -> None:
    tools = by_name(memory, user_id="alice")
    assert "content" in tools["remember"].invoke({"about": "emu", "statement": " "})
    assert "emu" in tools["correct"].invoke({"about": "emu", "statement": "x"})
    assert tools["history"].invoke({"about": "emu"}) == "Nothing is remembered under that name."
    assert tools["recall"].invoke({"query": "Hm?"}) != ""


def test_nothing_known_is_said_in_words(memory) -> None:
    tools = by_name(memory, user_id="carol")
    assert tools["recall"].invoke({"query": "Quokka?"}) == "Nothing is known about that."


def test_review_makes_what_is_remembered_wait(memory) -> None:
    tools = by_name(memory, user_id="alice", review=True)
    answer = tools["remember"].invoke({"about": "emu", "statement": "Maybe.", "aliases": ["Emu"]})
    assert "review" in answer
    assert "Maybe." not in tools["recall"].invoke({"query": "Emu?"})
    assert [belief.content for belief in memory.for_user("alice").pending()] == ["Maybe."]


def test_a_run_that_does_not_say_whose_it_is_is_an_error(memory) -> None:
    with pytest.raises(InvalidQuery, match="user_id"):
        by_name(memory)["recall"].invoke({"query": "Quokka?"})


def test_a_choice_of_tools_with_a_prefix(memory) -> None:
    assert list(by_name(memory, tools=["recall"], prefix="memory_")) == ["memory_recall"]
    with pytest.raises(InvalidQuery):
        create_belief_tools(memory, tools=["forget"])


def test_in_an_agent_the_run_says_whose_memory_it_is(memory, model, read) -> None:
    def answers() -> list[AIMessage | str]:
        call = {"name": "recall", "args": {"query": "Quokka"}, "id": "1"}
        return [AIMessage("", tool_calls=[call]), "done"]

    seeing = model(*answers(), *answers())
    agent = create_agent(seeing, create_belief_tools(memory))
    asked: Any = {"messages": [HumanMessage("What is Quokka?")]}
    agent.invoke(asked, context={"user_id": "bob"})
    agent.invoke(asked, ALICE)
    assert "Quokka is Bob's pet." in read(seeing.seen[1][-1])
    assert "Quokka is the cache" in read(seeing.seen[3][-1])
