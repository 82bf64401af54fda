"""Agents whose state is kept on disk, over a memory that is kept on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from belief_memory import BeliefMemory
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from langchain_belief_memory import BeliefMiddleware

SECRET = "Quokka lives in rack seventeen."
QUESTION = "Where is Quokka?"
CONFIG: Any = {"configurable": {"thread_id": "t", "user_id": "alice"}}


def written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_a_sqlite_file_holds_the_conversation_and_not_the_memory(tmp_path, model, read) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    seeing = model()
    with (
        BeliefMemory.open(tmp_path / "beliefs") as memory,
        SqliteSaver.from_conn_string(str(folder / "state.db")) as saver,
    ):
        memory.for_user("alice").remember("quokka", SECRET)
        agent = create_agent(seeing, middleware=[BeliefMiddleware(memory)], checkpointer=saver)
        for _ in range(2):
            agent.invoke({"messages": [HumanMessage(QUESTION)]}, CONFIG)
        assert len(list(saver.list(CONFIG))) > 2
    assert all(SECRET in read(messages[-1]) for messages in seeing.seen)
    assert QUESTION.encode() in written(folder)
    assert SECRET.encode() not in written(folder)


async def test_an_async_sqlite_file_neither(tmp_path, model, read) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    seeing = model()
    async with (
        BeliefMemory.open(tmp_path / "beliefs").asynchronous as memory,
        AsyncSqliteSaver.from_conn_string(str(folder / "state.db")) as saver,
    ):
        await memory.for_user("alice").remember("quokka", SECRET)
        agent = create_agent(seeing, middleware=[BeliefMiddleware(memory)], checkpointer=saver)
        for _ in range(2):
            await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}, CONFIG)
    assert all(SECRET in read(messages[-1]) for messages in seeing.seen)
    assert QUESTION.encode() in written(folder)
    assert SECRET.encode() not in written(folder)


def test_a_memory_opened_again_is_the_same_to_the_model(tmp_path, model, read) -> None:
    seeing = model()
    for _ in range(2):
        with BeliefMemory.open(tmp_path) as memory:
            memory.for_user("alice").remember("quokka", SECRET, pinned=True)
            agent = create_agent(seeing, middleware=[BeliefMiddleware(memory)])
            agent.invoke({"messages": [HumanMessage(QUESTION)]}, CONFIG)
    first, again = ([read(message) for message in messages] for messages in seeing.seen)
    assert SECRET in first[0]
    assert first == again
