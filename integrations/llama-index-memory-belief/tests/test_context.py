"""A serialised Context, which is how LlamaIndex carries a memory from run to run."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from belief_memory import BeliefMemory, Budget, HandleClosed, StoreReadOnly
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.storage.chat_store import BaseChatStore, SimpleChatStore
from llama_index.core.workflow import Context, JsonSerializer
from pydantic import Field

from llama_index.memory.belief import BeliefChatMemory, register_memory
from tests.conftest import MARK, Recorder, fill, text

ASK_DB, ASK_BUS = "How big is Postgres?", "And is Kafka up?"

CONTINUE = """
import asyncio, json, sys
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.workflow import Context, JsonSerializer
from tests.conftest import Recorder, text

async def main():
    recorder = Recorder()
    agent = FunctionAgent(llm=recorder.llm)
    saved = json.loads(sys.stdin.read())
    context = Context.from_dict(agent, saved, serializer=JsonSerializer())
    await agent.run("And is Kafka up?", ctx=context)
    print(text(recorder.last))

asyncio.run(main())
"""


def elsewhere(saved: dict[str, Any], tmp_path: Path) -> subprocess.CompletedProcess[str]:
    here = str(Path(__file__).resolve().parent.parent)
    return subprocess.run(
        [sys.executable, "-c", CONTINUE],
        input=json.dumps(saved),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": here},
        timeout=120,
        check=False,
    )


async def saved_after_a_turn(own: BeliefChatMemory) -> dict[str, Any]:
    agent = FunctionAgent(llm=Recorder().llm)
    context = Context(agent)
    await agent.run(ASK_DB, memory=own, ctx=context)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return json.loads(json.dumps(context.to_dict(serializer=JsonSerializer())))


async def go_on(saved: dict[str, Any]) -> list[ChatMessage]:
    recorder = Recorder()
    agent = FunctionAgent(llm=recorder.llm)
    context = Context.from_dict(agent, saved, serializer=JsonSerializer())
    await agent.run(ASK_BUS, ctx=context)
    return recorder.last


async def test_the_same_process_goes_on_with_the_same_memory(memory: BeliefMemory) -> None:
    told: list[str] = []
    own = BeliefChatMemory.from_defaults(
        memory=memory, user_id="ann", on_inject=lambda injection: told.append(injection.query)
    )
    saved = await saved_after_a_turn(own)
    assert MARK not in json.dumps(saved)
    seen = text(await go_on(saved))
    assert "Kafka carries" in seen
    assert ASK_DB in seen
    assert told[-1] == ASK_BUS


async def test_a_memory_in_memory_survives_as_long_as_its_handle() -> None:
    with BeliefMemory.open("memory://") as memory, BeliefMemory.open("memory://") as other:
        fill(memory)
        own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann")
        BeliefChatMemory.from_defaults(memory=other, user_id="ann")
        saved = await saved_after_a_turn(own)
        del own
        gc.collect()
        assert "Kafka carries" in text(await go_on(saved))


async def test_another_process_opens_the_folder_and_goes_on(
    memory: BeliefMemory, tmp_path: Path
) -> None:
    own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann")
    done = elsewhere(await saved_after_a_turn(own), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Kafka carries" in done.stdout
    assert ASK_DB in done.stdout
    assert "MySQL" not in done.stdout


async def test_a_relative_folder_is_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with BeliefMemory.open("here") as memory:
        fill(memory)
    own = BeliefChatMemory.from_defaults(uri="here", user_id="ann")
    saved = await saved_after_a_turn(own)
    elsewhere_folder = tmp_path / "elsewhere"
    elsewhere_folder.mkdir()
    done = elsewhere(saved, elsewhere_folder)
    assert "Kafka carries" in done.stdout, done.stderr


async def test_beliefs_that_were_only_in_memory_are_missed_loudly_elsewhere(
    tmp_path: Path,
) -> None:
    with BeliefMemory.open("memory://") as memory:
        fill(memory)
        own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann")
        done = elsewhere(await saved_after_a_turn(own), tmp_path)
    assert done.returncode != 0
    assert "HandleClosed" in done.stderr
    assert "folder" in done.stderr


async def test_a_handle_closed_between_requests_is_opened_again(folder: str) -> None:
    with BeliefMemory.open(folder) as memory:
        fill(memory)
        own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann")
        saved = await saved_after_a_turn(own)
    assert "Kafka carries" in text(await go_on(saved))
    with BeliefMemory.open(folder) as again:
        register_memory(again)
        again.for_user("ann").correct("event_bus", "Pulsar carries the events.")
        del own, memory
        gc.collect()
        assert "Pulsar carries" in text(await go_on(saved))


async def test_a_registered_memory_is_used_for_its_uri(folder: str) -> None:
    own = BeliefChatMemory.from_defaults(uri=folder, user_id="ann")
    own.user().remember("event_bus", "Kafka carries the events.", aliases=["Kafka"])
    data = json.loads(own.to_json())
    data["handle"] = "unknown.elsewhere"
    register_memory(BeliefMemory.open(folder, read_only=True))
    gc.collect()
    for rebuilt in (
        BeliefChatMemory.from_dict(data),
        BeliefChatMemory.from_defaults(uri=folder, user_id="ann"),
    ):
        assert rebuilt.recall("Kafka?")
        with pytest.raises(StoreReadOnly):
            rebuilt.user().remember("a", "b")


async def test_a_saved_conversation_can_be_taken_up_twice(memory: BeliefMemory) -> None:
    own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann", chat_store=SimpleChatStore())
    saved = await saved_after_a_turn(own)
    first, second = await go_on(saved), await go_on(saved)
    assert first == second


class Kept(BaseChatStore):
    """A chat store that lives outside of the process, as databases do."""

    rows: list[Any] = Field(default_factory=list)

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        self.rows[:] = messages

    def get_messages(self, key: str) -> list[ChatMessage]:
        return list(self.rows)

    def add_message(self, key: str, message: ChatMessage) -> None:
        self.rows.append(message)

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        self.rows.clear()
        return None

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        return self.rows.pop(idx)

    def delete_last_message(self, key: str) -> ChatMessage | None:
        return self.rows.pop()

    def get_keys(self) -> list[str]:
        return ["any"]


async def test_a_chat_store_of_one_s_own_is_kept_writing_to(memory: BeliefMemory) -> None:
    store = Kept()
    own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann", chat_store=store)
    await go_on(await saved_after_a_turn(own))
    questions = [message.content for message in store.rows if message.role == "user"]
    assert questions == [ASK_DB, ASK_BUS]


async def test_whatever_a_message_holds_the_memory_stays_serialisable(
    memory: BeliefMemory,
) -> None:
    own = BeliefChatMemory.from_defaults(memory=memory, user_id="ann")
    odd = ChatMessage(
        role="user",
        blocks=[TextBlock(text="\udcff \x00 é"), ImageBlock(image=b"\xff")],
        additional_kwargs={"object": object(), "bytes": b"\xff", "set": {1}},
    )
    await own.aput(odd)
    saved = await saved_after_a_turn(own)
    assert "Kafka carries" in text(await go_on(saved))
    rebuilt = BeliefChatMemory.from_json(own.to_json())
    assert rebuilt.get_all()[0].blocks == odd.blocks


def test_fields_alone_rebuild_a_memory(folder: str, memory: BeliefMemory) -> None:
    own = BeliefChatMemory.from_defaults(
        memory=memory,
        user_id="ann",
        scopes=["domain:office"],
        agent_id="a",
        follow_ups=True,
        budget=Budget(max_beliefs=3, max_tokens=50),
    )
    fields = json.loads(own.to_json())
    assert fields["uri"] == folder
    assert (fields["user_id"], fields["scopes"], fields["agent_id"]) == (
        "ann",
        ["domain:office"],
        "a",
    )
    rebuilt = BeliefChatMemory.from_dict(fields)
    assert rebuilt.budget == own.budget
    assert json.loads(rebuilt.to_json()) == fields
    assert "on_inject" not in fields
    assert "tokenizer_fn" not in fields


def test_a_memory_that_is_gone_is_not_replaced_by_an_empty_one() -> None:
    memory = BeliefMemory.open("memory://")
    fields = BeliefChatMemory.from_defaults(memory=memory, user_id="ann").to_dict()
    del memory
    gc.collect()
    rebuilt = BeliefChatMemory.from_dict(fields)
    rebuilt.put(ChatMessage("Kafka?"))
    with pytest.raises(HandleClosed, match="folder"):
        rebuilt.get()
