"""Learning from conversations through the adapters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from belief_memory import BeliefMemory, Report
from belief_memory.learning import DeterministicExtractor
from belief_memory.model.learning import Extraction, Lesson
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.chat_engine import ContextChatEngine, SimpleChatEngine
from llama_index.core.memory import Memory
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context

from llama_index.memory.belief import BeliefChatMemory, BeliefMemoryBlock
from tests.conftest import MARK, Recorder, call, text
from tests.test_callers import Documents

HOME = "I live in Lisbon."


class Listener:
    """An extractor that learns nothing and keeps what it was given; fails when told to."""

    name = "listener"

    def __init__(self) -> None:
        self.lessons: list[Lesson] = []
        self.failing = False

    async def extract(self, lesson: Lesson) -> Extraction:
        if self.failing:
            raise ConnectionError("no model")
        self.lessons.append(lesson)
        return Extraction()

    @property
    def heard(self) -> list[tuple[str, str]]:
        """Role and text of every turn, in order."""
        return [(turn.role, turn.text) for lesson in self.lessons for turn in lesson.turns]

    @property
    def statements(self) -> list[str]:
        """What the user said, in order."""
        return [words for role, words in self.heard if role == "user"]


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def listening(listener: Listener) -> Iterator[BeliefMemory]:
    with BeliefMemory.open("memory://", extractor=listener) as memory:
        yield memory


@pytest.fixture
def learning() -> Iterator[BeliefMemory]:
    with BeliefMemory.open("memory://", extractor=DeterministicExtractor()) as memory:
        yield memory


def chat_of(memory: BeliefMemory, **options: Any) -> BeliefChatMemory:
    return BeliefChatMemory.from_defaults(memory=memory, user_id="ann", **options)


def block_of(memory: BeliefMemory, **options: Any) -> BeliefMemoryBlock:
    return BeliefMemoryBlock.from_defaults(memory=memory, user_id="ann", **options)


def residence(memory: BeliefMemory) -> list[str]:
    return [b.content for b in memory.for_user("ann").beliefs() if b.attribute == "residence"]


@pytest.mark.parametrize("with_block", [True, False])
async def test_a_chat_of_one_turn_is_learned_and_recalled_in_the_next_chat(
    learning: BeliefMemory, with_block: bool
) -> None:
    def memory() -> Any:
        if with_block:
            return Memory.from_defaults(memory_blocks=[block_of(learning)])
        return chat_of(learning)

    await SimpleChatEngine.from_defaults(llm=Recorder().llm, memory=memory()).achat(HOME)
    (learned,) = residence(learning)
    assert "Lisbon" in learned
    (belief,) = learning.for_user("ann").beliefs()
    assert belief.provenance is not None
    assert belief.provenance.message_ids

    recorder = Recorder()
    await SimpleChatEngine.from_defaults(llm=recorder.llm, memory=memory()).achat(
        "Where do I live?"
    )
    assert "Lisbon" in text(recorder.last)


@pytest.mark.parametrize("with_block", [True, False])
async def test_injected_beliefs_are_never_learned_again(
    learning: BeliefMemory, with_block: bool
) -> None:
    def echo(messages: Sequence[ChatMessage]) -> ChatMessage:
        return ChatMessage(role=MessageRole.ASSISTANT, content=text(messages))

    block = Memory.from_defaults(memory_blocks=[block_of(learning)])
    own: Any = block if with_block else chat_of(learning)
    engine = SimpleChatEngine.from_defaults(llm=Recorder(echo).llm, memory=own)
    await engine.achat(HOME)
    before = len(learning.for_user("ann").export())
    for _ in range(15):
        await engine.achat("Where do I live?")
    assert len(learning.for_user("ann").export()) == before


def test_a_chat_memory_learns_each_turn_once_when_it_is_answered(
    listening: BeliefMemory, listener: Listener
) -> None:
    own = chat_of(listening)
    own.put(ChatMessage("One."))
    own.get()
    assert listener.heard == []
    own.put(ChatMessage(role="assistant", content="Two?"))
    own.put_messages([ChatMessage("Three."), ChatMessage(role="assistant", content="Four.")])
    assert listener.heard == [
        ("user", "One."),
        ("assistant", "Two?"),
        ("user", "Three."),
        ("assistant", "Four."),
    ]
    ids = [turn.id for lesson in listener.lessons for turn in lesson.turns]
    assert len(set(ids)) == 4


async def test_words_of_tools_and_pictures_are_not_the_user_s(
    listening: BeliefMemory, listener: Listener
) -> None:
    def script(messages: Sequence[ChatMessage]) -> ChatMessage | None:
        return None if messages[-1].role == MessageRole.TOOL else call("lookup", name="x")

    def lookup(name: str) -> str:
        """Looks up."""
        return "I live in Rome."

    agent = FunctionAgent(llm=Recorder(script).llm, tools=[FunctionTool.from_defaults(lookup)])
    shown = ChatMessage(blocks=[ImageBlock(image=b"x"), TextBlock(text="Look at this.")])
    await agent.run(shown, memory=chat_of(listening))
    assert listener.heard == [("user", "Look at this."), ("assistant", "Understood.")]


async def test_a_context_engine_and_a_reused_context_are_learned_from(
    listening: BeliefMemory, listener: Listener
) -> None:
    engine = ContextChatEngine.from_defaults(
        retriever=Documents(), llm=Recorder().llm, memory=chat_of(listening)
    )
    engine.chat("One.")
    agent = FunctionAgent(llm=Recorder().llm)
    context = Context(agent)
    await agent.run("Two.", memory=chat_of(listening), ctx=context)
    await agent.run("Three.", ctx=context)
    assert listener.statements == ["One.", "Two.", "Three."]


async def test_a_history_that_is_set_is_learned_from_its_open_turn_only(
    listening: BeliefMemory, listener: Listener
) -> None:
    agent = FunctionAgent(llm=Recorder().llm)
    history = [ChatMessage("Old."), ChatMessage(role="assistant", content="Yes.")]
    await agent.run(chat_history=[*history, ChatMessage("New.")], memory=chat_of(listening))
    assert listener.statements == ["New."]
    chat_of(listening, chat_history=history)
    own = chat_of(listening)
    own.put(ChatMessage("Dropped."))
    own.reset()
    own.put_messages([ChatMessage("Newer."), ChatMessage(role="assistant", content="Yes.")])
    assert listener.statements == ["New.", "Newer."]


@pytest.mark.parametrize("options", [{"learn": False}, {}])
def test_nothing_is_learned_where_that_is_not_wanted(options: dict[str, Any]) -> None:
    listener = Listener()
    mode: Any = "autonomous" if options else "inject_only"
    with BeliefMemory.open("memory://", extractor=listener, mode=mode) as memory:
        engine = SimpleChatEngine.from_defaults(
            llm=Recorder().llm, memory=chat_of(memory, **options)
        )
        engine.chat(HOME)
        own = Memory.from_defaults(memory_blocks=[block_of(memory, **options)])
        SimpleChatEngine.from_defaults(llm=Recorder().llm, memory=own).chat(HOME)
    assert listener.lessons == []


@pytest.mark.parametrize("with_block", [True, False])
async def test_a_model_that_fails_to_learn_neither_stops_the_chat_nor_loses_the_turn(
    listening: BeliefMemory,
    listener: Listener,
    with_block: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    block = Memory.from_defaults(memory_blocks=[block_of(listening)])
    own: Any = block if with_block else chat_of(listening)
    engine = SimpleChatEngine.from_defaults(llm=Recorder().llm, memory=own)
    listener.failing = True
    assert str(await engine.achat("One.")) == "Understood."
    assert "kept for a retry" in caplog.text
    assert "One." not in caplog.text
    listener.failing = False
    await engine.achat("Two.")
    assert sorted(listener.statements) == ["One.", "Two."]


def test_a_memory_that_may_not_be_written_to_says_so_and_the_chat_goes_on(
    folder: str, memory: BeliefMemory, caplog: pytest.LogCaptureFixture
) -> None:
    with BeliefMemory.open(folder, extractor=Listener(), read_only=True) as reading:
        recorder = Recorder()
        engine = SimpleChatEngine.from_defaults(llm=recorder.llm, memory=chat_of(reading))
        engine.chat("Is Kafka up?")
    assert MARK in text(recorder.last)
    assert "read_only" in caplog.text


async def test_what_was_learned_is_reported(learning: BeliefMemory) -> None:
    reports: list[Report] = []
    own = chat_of(learning, on_learn=reports.append)
    await own.aput(ChatMessage(HOME))
    await own.aput(ChatMessage(role="assistant", content="Nice."))
    assert [belief.attribute for belief in reports[0].beliefs] == ["residence"]
    block = block_of(learning, on_learn=reports.append)
    await block.aget([ChatMessage("I live in Porto.")])
    assert "Porto" in reports[-1].beliefs[0].content


async def test_what_is_learned_in_the_background_is_there_after_closing() -> None:
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), background=True
    ) as memory:
        engine = SimpleChatEngine.from_defaults(llm=Recorder().llm, memory=chat_of(memory))
        await engine.achat(HOME)
        memory.for_user("ann").flush()
        assert residence(memory)


class TestFlushing:
    async def test_every_statement_of_200_turns_is_learned_once(
        self, listening: BeliefMemory, listener: Listener
    ) -> None:
        own = Memory.from_defaults(
            memory_blocks=[block_of(listening)], token_limit=800, token_flush_size=100
        )
        said = []
        for number in range(200):
            # Every third turn repeats the last one word for word.
            said.append(f"Statement {number - number % 3 // 2}. " + "filler " * 10)
            await own.aput(ChatMessage(said[-1]))
            await own.aget()
            await own.aput(ChatMessage(role="assistant", content="Right."))
        await own.aget()
        assert listener.statements == [words.strip() for words in said]
        assert [role for role, _ in listener.heard].count("assistant") >= 199

    async def test_what_was_never_asked_about_is_learned_when_it_leaves(
        self, listening: BeliefMemory, listener: Listener
    ) -> None:
        own = Memory.from_defaults(
            memory_blocks=[block_of(listening)], token_limit=300, token_flush_size=50
        )
        for number in range(40):
            await own.aput(ChatMessage(f"Statement {number}. " + "filler " * 5))
            await own.aput(ChatMessage(role="assistant", content="Right."))
        left = len(listener.statements)
        assert 20 < left < 40
        await own.aput(ChatMessage("The last."))
        await own.aget()
        assert listener.statements[-1] == "The last."
        assert len(set(listener.statements)) == len(listener.statements)
        for number in range(40, 80):
            await own.aput(ChatMessage(f"Statement {number}. " + "filler " * 5))
            await own.aget()
        expected = [f"Statement {number}." for number in range(80)]
        heard = [" ".join(words.split()[:2]) for words in listener.statements]
        assert sorted(heard) == sorted([*expected, "The last."])

    async def test_a_session_met_in_the_middle_is_not_learned_all_over(
        self, listening: BeliefMemory, listener: Listener
    ) -> None:
        history = [
            message
            for number in range(5)
            for message in (
                ChatMessage(f"Statement {number}."),
                ChatMessage(role="assistant", content=f"Question {number}?"),
            )
        ]
        for words in ("Yes.", "No."):
            fresh = block_of(listening)
            history.append(ChatMessage(words))
            await fresh.aget(history, session_id="s")
            await fresh.aget(history, session_id="s")
            history.append(ChatMessage(role="assistant", content="Good."))
        assert listener.heard == [
            ("assistant", "Question 4?"),
            ("user", "Yes."),
            ("assistant", "Good."),
            ("user", "No."),
        ]

    async def test_sessions_of_one_block_do_not_hide_each_other_s_words(
        self, listening: BeliefMemory, listener: Listener
    ) -> None:
        block = block_of(listening)
        for session in ("a", "b", "a"):
            await block.aget([ChatMessage("Hello there.")], session_id=session)
        assert listener.statements == ["Hello there."] * 2

    async def test_a_memory_that_was_reset_is_listened_to_again(
        self, listening: BeliefMemory, listener: Listener
    ) -> None:
        own = Memory.from_defaults(memory_blocks=[block_of(listening)])
        for words in ("One.", "Two.", "Three."):
            await own.aput(ChatMessage(words))
            await own.aget()
            await own.areset()
        assert listener.statements == ["One.", "Two.", "Three."]


async def test_a_memory_without_an_extractor_only_recalls(memory: BeliefMemory) -> None:
    before = len(memory.for_user("ann").export())
    own = Memory.from_defaults(memory_blocks=[block_of(memory)])
    for engine_memory in (own, chat_of(memory)):
        recorder = Recorder()
        engine = SimpleChatEngine.from_defaults(llm=recorder.llm, memory=engine_memory)
        await engine.achat("I live in Lisbon. Is Kafka up?")
        assert MARK in text(recorder.last)
    assert len(memory.for_user("ann").export()) == before
