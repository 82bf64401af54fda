"""What the model sees, call by call."""

from __future__ import annotations

import asyncio
import warnings
from dataclasses import dataclass, field
from typing import Any

import pytest
from belief_memory import BeliefMemory, Budget, InvalidQuery
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    ModelRetryMiddleware,
    SummarizationMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import ToolRuntime
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import ParrotFakeChatModel
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables.config import ensure_config
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from langchain_belief_memory import BeliefMiddleware, Injection

QUOKKA = "Quokka is the cache in front of the API."
WOMBAT = "Wombat is the job queue."
TONE = "Prefers short answers."
REGION = "Everything runs in Frankfurt."


def ask(text: Any) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


def call(name: str, **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{name}"}])


@tool
def weather(city: str) -> str:
    """The weather."""
    return f"Sunny in {city}."


def test_stable_beliefs_go_to_the_system_message_and_named_ones_to_the_question(
    memory, model, read
) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke(ask("What is Quokka?"))
    system, human = seeing.seen[0]
    assert isinstance(system, SystemMessage)
    assert TONE in read(system)
    assert REGION in read(system)
    assert QUOKKA not in read(system)
    assert QUOKKA in read(human)
    assert read(human).endswith("\n\nWhat is Quokka?")
    assert WOMBAT not in read(human)
    assert "Bob" not in read(human)


async def test_an_async_run_sees_the_same(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke(ask("What is Quokka?"))
    await agent.ainvoke(ask("What is Quokka?"))
    asynchronous = BeliefMiddleware(memory.asynchronous, user_id="alice")
    await create_agent(seeing, middleware=[asynchronous]).ainvoke(ask("What is Quokka?"))
    create_agent(seeing, middleware=[asynchronous]).invoke(ask("What is Quokka?"))
    first, *rest = [[read(message) for message in call] for call in seeing.seen]
    assert len(rest) == 3
    assert all(each == first for each in rest)


def test_every_call_of_a_run_gets_it_at_the_same_place(memory, model, read) -> None:
    seeing = model(call("weather", city="Rome"), call("weather", city="Oslo"), "done")
    agent = create_agent(seeing, [weather], middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke(ask("Weather at Quokka's office?"))
    assert [len(messages) for messages in seeing.seen] == [2, 4, 6]
    for messages in seeing.seen:
        assert [read(m) for m in messages[:2]] == [read(m) for m in seeing.seen[0]]
        assert sum(QUOKKA in read(message) for message in messages) == 1


def persisted(saver: InMemorySaver, config: dict[str, Any]) -> str:
    return repr(list(saver.list(config))) + repr(saver.storage) + repr(saver.blobs)


def test_no_checkpoint_holds_what_was_injected(memory, model, read) -> None:
    saver = InMemorySaver()
    seeing = model(call("weather", city="Rome"), "done", "done again")
    agent = create_agent(
        seeing,
        [weather],
        middleware=[BeliefMiddleware(memory, user_id="alice")],
        checkpointer=saver,
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    agent.invoke(ask("What is Quokka?"), config)
    result = agent.invoke(ask("And Wombat?"), config)
    assert len(seeing.seen) == 3
    assert all(TONE in read(messages[0]) for messages in seeing.seen)
    for secret in (TONE, REGION, QUOKKA, WOMBAT, "belief-memory"):
        assert secret not in persisted(saver, config)
        assert secret not in repr(result)
    assert "Sunny in Rome." in persisted(saver, config)


def test_the_search_of_checkpoints_finds_what_is_persisted(memory, model) -> None:
    class Persisting(AgentMiddleware[Any, Any, Any]):
        def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:
            text = memory.for_user("alice").recall("Quokka").render()
            return {"messages": [SystemMessage(text)]}

    saver = InMemorySaver()
    agent = create_agent(model(), middleware=[Persisting()], checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "t"}}
    agent.invoke(ask("What is Quokka?"), config)
    assert QUOKKA in persisted(saver, config)


def test_a_change_of_topic_changes_nothing_before_the_last_question(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(
        seeing,
        middleware=[BeliefMiddleware(memory, user_id="alice")],
        system_prompt="Be good.",
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    for question in ("What is Quokka?", "And Wombat?", "Thanks!"):
        agent.invoke(ask(question), config)
    systems = {read(messages[0]) for messages in seeing.seen}
    assert len(systems) == 1
    assert QUOKKA in read(seeing.seen[0][1])
    assert [read(m) for m in seeing.seen[2][1:]] == [
        "What is Quokka?",
        "ok",
        "And Wombat?",
        "ok",
        "Thanks!",
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "Be good.",
        SystemMessage("Be good.", name="rules"),
        SystemMessage([{"type": "text", "text": "Be good."}]),
        SystemMessage(
            [{"type": "text", "text": "Be good.", "cache_control": {"type": "ephemeral"}}]
        ),
        SystemMessage(["Be good."]),
    ],
)
def test_the_users_own_system_prompt_is_kept_as_it_is(memory, model, read, prompt) -> None:
    seeing = model()
    agent = create_agent(
        seeing,
        middleware=[BeliefMiddleware(memory, user_id="alice")],
        system_prompt=prompt,
    )
    agent.invoke(ask("Hi"))
    system, human = seeing.seen[0]
    assert isinstance(system, SystemMessage)
    assert isinstance(human, HumanMessage)
    own = prompt if isinstance(prompt, SystemMessage) else SystemMessage(prompt)
    if isinstance(own.content, str):
        assert str(system.content).startswith("Be good.\n\n<memory")
    else:
        assert system.content[:-1] == own.content
        assert system.content[-1]["text"].startswith("<memory")
    assert system.name == own.name


def test_a_system_message_in_the_conversation_is_the_one_that_is_used(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke({"messages": [SystemMessage("Be good."), HumanMessage("Hi")]})
    assert [message.type for message in seeing.seen[0]] == ["system", "human"]
    assert read(seeing.seen[0][0]).startswith("Be good.")
    assert TONE in read(seeing.seen[0][0])


def test_someone_nothing_is_known_of_gets_the_request_unchanged(memory, model) -> None:
    seeing = model()
    injected: list[Injection] = []
    middleware = BeliefMiddleware(memory, user_id="carol", on_inject=injected.append)
    create_agent(seeing, middleware=[middleware]).invoke(ask("What is Quokka?"))
    assert [message.content for message in seeing.seen[0]] == ["What is Quokka?"]
    assert injected == []


IMAGE = {"type": "image", "url": "https://example.org/a.png"}


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("", False),
        ([], False),
        ([IMAGE], False),
        (["What is Quokka?"], True),
        ([{"type": "text", "text": "What is Quokka?"}, IMAGE], True),
        ([IMAGE, {"type": "text", "text": "What is Quokka?"}], True),
    ],
)
def test_any_content_of_a_message_is_accepted(memory, model, read, content, named) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    message = HumanMessage(content)
    agent.invoke({"messages": [message]})
    system, human = seeing.seen[0]
    assert TONE in read(system)
    assert (QUOKKA in read(human)) is named
    if isinstance(content, list):
        assert [part for part in human.content if part in content] == content
    assert message.content == content


def test_results_of_tools_stay_first_in_a_message(memory, model, read) -> None:
    seeing = model()
    result = {"type": "tool_result", "tool_use_id": "1", "content": "Sunny"}
    text = {"type": "text", "text": "What is Quokka?"}
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke({"messages": [HumanMessage([result, text])]})
    first, injected, last = seeing.seen[0][1].content
    assert first == result
    assert QUOKKA in injected["text"]
    assert last == text


def test_a_message_whose_content_is_none_is_accepted(memory, model, read) -> None:
    seeing = model()
    hollow = HumanMessage("x").model_copy(update={"content": None})
    agent = create_agent(
        seeing, middleware=[BeliefMiddleware(memory, user_id="alice", placement="user")]
    )
    agent.invoke({"messages": [hollow]})
    assert TONE in read(seeing.seen[0][0])


def test_tool_calls_and_results_in_the_history_are_left_alone(memory, model, read) -> None:
    seeing = model()
    history = [
        HumanMessage("Weather?"),
        call("weather", city="Rome"),
        ToolMessage("Sunny", tool_call_id="call-weather"),
        AIMessage("Sunny."),
        HumanMessage("What is Quokka?"),
    ]
    agent = create_agent(seeing, [weather], middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke({"messages": history})
    assert [m.content for m in seeing.seen[0][1:5]] == [m.content for m in history[:4]]
    assert QUOKKA in read(seeing.seen[0][5])


def test_a_conversation_without_a_person_gets_all_in_the_system_message(
    memory, model, read
) -> None:
    memory.for_user("alice").remember("zoo", "Which zoo?", type="open_question", pinned=True)
    seeing = model()
    for placement in ("split", "system", "user"):
        middleware = BeliefMiddleware(memory, user_id="alice", placement=placement)
        create_agent(seeing, middleware=[middleware]).invoke({"messages": [AIMessage("Quokka?")]})
    for messages in seeing.seen:
        assert [message.type for message in messages] == ["system", "ai"]
        assert TONE in read(messages[0])
        assert "Which zoo?" in read(messages[0])


def test_pasted_memory_is_not_a_question(memory, model, read) -> None:
    seeing = model()
    pasted = memory.for_user("alice").recall("Quokka").render()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke(ask(f"{pasted}\nWhat is Wombat?"))
    human = read(seeing.seen[0][1])
    assert WOMBAT in human
    assert human.count(QUOKKA) == 1


@pytest.mark.parametrize("placement", ["split", "system", "user"])
@pytest.mark.parametrize("position", ["before", "after"])
def test_the_place_can_be_chosen(memory, model, read, placement, position) -> None:
    seeing = model()
    agent = create_agent(
        seeing,
        middleware=[
            BeliefMiddleware(memory, user_id="alice", placement=placement, position=position)
        ],
        system_prompt="Be good.",
    )
    agent.invoke(ask("What is Quokka?"))
    system, human = (read(message) for message in seeing.seen[0])
    assert system.startswith("Be good.")
    assert (TONE in system) is (placement != "user")
    assert (QUOKKA in system) is (placement == "system")
    assert (TONE in human) is (placement == "user")
    assert (QUOKKA in human) is (placement != "system")
    if placement != "system":
        assert human.endswith("Quokka?") is (position == "before")
        assert human.startswith("What is") is (position == "after")


async def test_format_and_budget_are_passed_on(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(
        seeing,
        middleware=[
            BeliefMiddleware(
                memory, user_id="alice", format="markdown", budget=Budget(max_pinned=0)
            )
        ],
    )
    agent.invoke(ask("What is Quokka?"))
    await agent.ainvoke(ask("What is Quokka?"))
    for messages in seeing.seen:
        system, human = (read(message) for message in messages)
        assert system.startswith("<!-- belief-memory -->")
        assert REGION not in system
        assert "**quokka_cache**" in human


def test_a_chat_message_of_a_user_is_a_question_too(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke({"messages": [ChatMessage("What is Quokka?", role="user")]})
    assert QUOKKA in read(seeing.seen[0][1])


def test_options_that_do_not_exist_are_refused(memory) -> None:
    for wrong in ({"placement": "top"}, {"position": "under"}, {"format": "html"}):
        with pytest.raises(InvalidQuery):
            BeliefMiddleware(memory, user_id="alice", **wrong)


def test_a_fact_learned_during_a_run_is_there_in_the_next(memory, model, read) -> None:
    @tool
    def learn() -> str:
        """Learn."""
        memory.for_user("alice").remember("emu", "Emu is new.", pinned=True)
        return "learned"

    seeing = model(call("learn"), "done", "done")
    agent = create_agent(seeing, [learn], middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke(ask("Hi"))
    agent.invoke(ask("Hi"))
    before, during, after = (read(messages[0]) for messages in seeing.seen)
    assert before == during
    assert "Emu is new." in after


def test_a_question_rewritten_during_a_run_is_recalled_again(memory, model, read) -> None:
    class Rewriting(AgentMiddleware[Any, Any, Any]):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            if any(message.type == "tool" for message in request.messages):
                last = request.messages[-1]
                return handler(request.override(messages=[HumanMessage("Wombat?"), last]))
            return handler(request)

    seeing = model(call("weather", city="Rome"), "done")
    agent = create_agent(
        seeing, [weather], middleware=[Rewriting(), BeliefMiddleware(memory, user_id="alice")]
    )
    agent.invoke(ask("What is Quokka?"))
    assert QUOKKA in read(seeing.seen[0][1])
    assert WOMBAT in read(seeing.seen[1][1])
    assert QUOKKA not in read(seeing.seen[1][1])


def test_a_summary_is_not_taken_for_the_users_words(memory, model, read) -> None:
    seeing = model()
    summary = HumanMessage(
        "They spoke of Wombat.", additional_kwargs={"lc_source": "summarization"}
    )
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    agent.invoke({"messages": [HumanMessage("What is Quokka?"), summary]})
    assert QUOKKA in read(seeing.seen[0][1])
    assert read(seeing.seen[0][2]) == "They spoke of Wombat."


def test_it_gets_on_with_summaries_retries_and_approvals(memory, model, read) -> None:
    seeing = model(call("weather", city="Rome"), "done", "ok")
    saver = InMemorySaver()
    agent = create_agent(
        seeing,
        [weather],
        middleware=[
            SummarizationMiddleware(
                model("They talked."), trigger=("messages", 4), keep=("messages", 1)
            ),
            HumanInTheLoopMiddleware(interrupt_on={"weather": True}),
            ModelRetryMiddleware(max_retries=1),
            BeliefMiddleware(memory, user_id="alice"),
        ],
        checkpointer=saver,
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    agent.invoke(ask("What is Quokka?"), config)
    agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    agent.invoke(ask("What is Wombat?"), config)
    summary, question = seeing.seen[2][1:]
    assert "They talked." in read(summary)
    assert WOMBAT in read(question)
    assert WOMBAT not in read(summary)
    assert QUOKKA not in persisted(saver, config)
    assert all(messages[0].type == "system" for messages in seeing.seen)
    assert sum(message.type == "system" for messages in seeing.seen for message in messages) == 3


def test_follow_ups_carry_the_names_of_one_turn_before(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(
        seeing, middleware=[BeliefMiddleware(memory, user_id="alice", follow_ups=True)]
    )
    agent.invoke(
        {
            "messages": [
                HumanMessage("What is Quokka?"),
                AIMessage("A cache."),
                HumanMessage("And how do I scale it?"),
            ]
        }
    )
    assert QUOKKA in read(seeing.seen[0][-1])


def test_streaming_reaches_the_model_and_not_the_stream(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    for mode in ("updates", "values", "messages"):
        chunks = repr(list(agent.stream(ask("What is Quokka?"), stream_mode=mode)))
        assert "ok" in chunks
        assert QUOKKA not in chunks
    assert all(QUOKKA in read(messages[1]) for messages in seeing.seen)
    assert len(seeing.seen) == 3


async def test_async_streaming_reaches_the_model_and_not_the_stream(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    stream = agent.astream(ask("What is Quokka?"), stream_mode="messages")
    chunks = repr([chunk async for chunk in stream])
    assert "ok" in chunks
    assert QUOKKA not in chunks
    assert QUOKKA in read(seeing.seen[0][1])


def test_an_interrupted_run_has_its_memory_when_it_is_resumed(memory, model, read) -> None:
    @tool
    def approve() -> str:
        """Ask a person."""
        return str(interrupt("May I?"))

    seeing = model(call("approve"), "done")
    saver = InMemorySaver()
    agent = create_agent(
        seeing,
        [approve],
        middleware=[BeliefMiddleware(memory, user_id="alice")],
        checkpointer=saver,
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    agent.invoke(ask("What is Quokka?"), config)
    memory.for_user("alice").forget("quokka_cache")
    agent.invoke(Command(resume="yes"), config)
    assert QUOKKA in read(seeing.seen[0][1])
    assert read(seeing.seen[1][-1]) == "yes"
    assert TONE in read(seeing.seen[1][0])
    assert QUOKKA not in read(seeing.seen[1][1]), "what was erased meanwhile stays gone"
    assert QUOKKA not in persisted(saver, config)


def test_structured_output_works_with_it(memory, model, read) -> None:
    class Answer(BaseModel):
        text: str

    seeing = model(call("Answer", text="a cache"))
    agent = create_agent(
        seeing,
        middleware=[BeliefMiddleware(memory, user_id="alice")],
        response_format=ToolStrategy(Answer),
    )
    result = agent.invoke(ask("What is Quokka?"))
    assert result["structured_response"] == Answer(text="a cache")
    assert QUOKKA in read(seeing.seen[0][1])


def test_a_sub_agent_reads_the_memory_of_the_same_user(memory, model, read) -> None:
    inner_model = model("a queue")
    inner = create_agent(inner_model, middleware=[BeliefMiddleware(memory)])

    @tool
    def expert(question: str) -> str:
        """Ask the expert."""
        return str(inner.invoke(ask(question))["messages"][-1].text)

    outer_model = model(call("expert", question="What is Wombat?"), "done")
    outer = create_agent(outer_model, [expert], middleware=[BeliefMiddleware(memory)])
    outer.invoke(ask("What is Quokka?"), {"configurable": {"user_id": "alice"}})
    assert WOMBAT in read(inner_model.seen[0][1])
    assert QUOKKA not in read(inner_model.seen[0][1])
    assert QUOKKA in read(outer_model.seen[1][1])


def test_one_middleware_serves_two_users_within_one_run(memory, model, read) -> None:
    middleware = BeliefMiddleware(memory)
    inner_model = model("a pet")
    inner = create_agent(inner_model, middleware=[middleware])

    @tool
    def ask_bob(question: str) -> str:
        """Ask Bob's agent."""
        config: Any = {"configurable": {"user_id": "bob"}}
        return str(inner.invoke(ask(question), config)["messages"][-1].text)

    outer_model = model(call("ask_bob", question="Quokka?"), "done")
    outer = create_agent(outer_model, [ask_bob], middleware=[middleware])
    outer.invoke(ask("Quokka?"), {"configurable": {"user_id": "alice"}})
    assert QUOKKA in read(outer_model.seen[0][1])
    assert "Quokka is Bob's pet." in read(inner_model.seen[0][1])
    assert QUOKKA not in read(inner_model.seen[0][1])
    assert QUOKKA in read(outer_model.seen[1][1])


def test_two_middlewares_with_names_of_their_own_inject_both(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(
        seeing,
        middleware=[
            BeliefMiddleware(memory, user_id="alice", name="mine"),
            BeliefMiddleware(memory, user_id="bob", name="his"),
        ],
    )
    agent.invoke(ask("What is Quokka?"))
    system, human = (read(message) for message in seeing.seen[0])
    assert TONE in system
    assert "Prefers long answers." in system
    assert QUOKKA in human
    assert "Quokka is Bob's pet." in human
    assert human.endswith("What is Quokka?")


@dataclass
class Ctx:
    user_id: str | None = None
    scopes: list[str] | None = field(default=None)


def test_the_user_comes_from_the_runs_context(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory)], context_schema=Ctx)
    agent.invoke(ask("Hi"), context=Ctx("alice"))
    agent.invoke(ask("Hi"), context=Ctx("bob"))
    create_agent(seeing, middleware=[BeliefMiddleware(memory)]).invoke(
        ask("Hi"), context={"user_id": "bob"}
    )
    assert TONE in read(seeing.seen[0][0])
    assert "Prefers long answers." in read(seeing.seen[1][0])
    assert "Prefers long answers." in read(seeing.seen[2][0])


def test_the_user_comes_from_configurable_where_the_context_has_none(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory)], context_schema=Ctx)
    agent.invoke(ask("Hi"), {"configurable": {"user_id": "bob"}})
    agent.invoke(ask("Hi"), {"configurable": {"user_id": "bob"}}, context=Ctx("alice"))
    assert "Prefers long answers." in read(seeing.seen[0][0])
    assert TONE in read(seeing.seen[1][0])


def test_the_user_can_be_computed_from_the_run(memory, model, read) -> None:
    seeing = model()
    middleware = BeliefMiddleware(memory, user_id=lambda runtime: runtime.context["who"].lower())
    create_agent(seeing, middleware=[middleware]).invoke(ask("Hi"), context={"who": "ALICE"})
    assert TONE in read(seeing.seen[0][0])


@pytest.mark.parametrize("wrong", [None, "", "  ", 7])
def test_a_run_that_does_not_say_whose_it_is_is_an_error(memory, model, wrong) -> None:
    agent = create_agent(model(), middleware=[BeliefMiddleware(memory)])
    with pytest.raises(InvalidQuery, match="user_id"):
        agent.invoke(ask("Hi"), {"configurable": {"user_id": wrong}})


async def test_a_fixed_user_goes_before_what_the_run_says(memory, model, read) -> None:
    seeing = model()
    agent = create_agent(seeing, middleware=[BeliefMiddleware(memory, user_id="alice")])
    await agent.ainvoke(ask("Hi"), {"configurable": {"user_id": "bob"}})
    assert TONE in read(seeing.seen[0][0])


@pytest.mark.parametrize(
    ("scopes", "context", "seen"),
    [
        (None, None, False),
        (["project:zoo"], None, True),
        (None, Ctx(scopes=["project:zoo"]), True),
        (lambda runtime: [f"project:{runtime.context.user_id}"], Ctx("zoo"), True),
        (lambda runtime: None, None, False),
        (["project:other"], Ctx(scopes=["project:zoo"]), False),
    ],
)
def test_scopes_are_fixed_or_the_runs_or_computed(
    memory, model, read, scopes, context, seen
) -> None:
    seeing = model()
    middleware = BeliefMiddleware(memory, user_id="alice", scopes=scopes)
    agent = create_agent(seeing, middleware=[middleware], context_schema=Ctx)
    agent.invoke(ask("Who owns Wombat?"), context=context)
    assert ("The platform team" in read(seeing.seen[0][1])) is seen


def test_hooks_and_traces_can_see_what_was_injected(memory, model) -> None:
    class Tracer(BaseCallbackHandler):
        metadata: dict[str, Any] | None = None

        def on_chat_model_start(self, *args: Any, metadata: Any = None, **kwargs: Any) -> None:
            self.metadata = metadata

    injected: list[Injection] = []
    tracer = Tracer()
    middleware = BeliefMiddleware(memory, user_id="alice", on_inject=injected.append)
    agent = create_agent(model(), middleware=[middleware])
    agent.invoke(ask("What is Quokka?"), {"callbacks": [tracer]})
    [injection] = injected
    assert injection.user_id == "alice"
    assert injection.query == "What is Quokka?"
    assert QUOKKA in injection.user_text
    assert TONE in injection.system_text
    [quokka] = injection.context.relevant
    assert tracer.metadata is not None
    assert tracer.metadata["belief_memory:BeliefMiddleware"]["relevant"] == [quokka.id]


async def test_a_hook_may_be_async_in_an_async_run(memory, model) -> None:
    seen: list[str] = []

    async def hook(injection: Injection) -> None:
        await asyncio.sleep(0)
        seen.append(injection.user_id)

    agent = create_agent(
        model(), middleware=[BeliefMiddleware(memory, user_id="alice", on_inject=hook)]
    )
    await agent.ainvoke(ask("Hi"))
    assert seen == ["alice"]


def test_a_hook_that_fails_fails_the_run(memory, model) -> None:
    def hook(injection: Injection) -> None:
        raise RuntimeError("the audit log is full")

    seeing = model()
    agent = create_agent(
        seeing, middleware=[BeliefMiddleware(memory, user_id="alice", on_inject=hook)]
    )
    with pytest.raises(RuntimeError, match="audit"):
        agent.invoke(ask("Hi"))
    assert seeing.seen == []


async def test_an_async_trace_sees_it_too_and_only_there(memory, model) -> None:
    class Tracer(BaseCallbackHandler):
        def __init__(self) -> None:
            self.metadata: list[Any] = []

        def on_chat_model_start(self, *args: Any, metadata: Any = None, **kwargs: Any) -> None:
            self.metadata.append(metadata)

    tracer = Tracer()
    agent = create_agent(model(), middleware=[BeliefMiddleware(memory)])
    for user in ("alice", "carol"):
        await agent.ainvoke(
            ask("Quokka?"), {"callbacks": [tracer], "configurable": {"user_id": user}}
        )
    assert "belief_memory:BeliefMiddleware" in tracer.metadata[0]
    assert "belief_memory:BeliefMiddleware" not in tracer.metadata[1]


async def test_what_else_a_step_does_is_not_marked_as_injected(memory, model) -> None:
    after: list[Any] = []

    class Outer(AgentMiddleware[Any, Any, Any]):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            answer = handler(request)
            after.append(ensure_config()["metadata"])
            return answer

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            answer = await handler(request)
            after.append(ensure_config()["metadata"])
            return answer

    agent = create_agent(model(), middleware=[Outer(), BeliefMiddleware(memory, user_id="alice")])
    agent.invoke(ask("Quokka?"))
    await agent.ainvoke(ask("Quokka?"))
    assert len(after) == 2
    assert not any("belief_memory:BeliefMiddleware" in metadata for metadata in after)


async def test_fifty_runs_of_ten_users_at_once_see_only_their_own() -> None:
    async with await_open() as memory:
        for number in range(10):
            user = memory.for_user(f"user-{number}")
            await user.remember("tone", f"stable-of-{number}.", type="preference")
            await user.remember("pet", f"named-of-{number}.", aliases=["Rex"])
        agent = create_agent(ParrotFakeChatModel(), middleware=[BeliefMiddleware(memory)])
        injected: dict[int, str] = {}

        async def run(number: int) -> str:
            result = await agent.ainvoke(
                ask(f"Who is Rex? ({number})"),
                {"configurable": {"user_id": f"user-{number % 10}"}},
            )
            return str(result["messages"][-1].text)

        answers = await asyncio.gather(*(run(number) for number in range(50)))
        for number, answer in enumerate(answers):
            injected[number] = answer
            assert f"named-of-{number % 10}." in answer
            assert f"({number})" in answer
            others = [f"named-of-{other}." for other in range(10) if other != number % 10]
            assert not any(other in answer for other in others)


def await_open() -> Any:
    return BeliefMemory.open("memory://").asynchronous


def test_nothing_it_does_is_deprecated(memory, model) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        agent = create_agent(
            model(),
            middleware=[BeliefMiddleware(memory, user_id="alice")],
            system_prompt="Be good.",
        )
        agent.invoke(ask("What is Quokka?"))
    assert [str(each.message) for each in caught if "Deprecat" in each.category.__name__] == []


def test_a_tool_sees_the_state_without_the_memory(memory, model) -> None:
    states: list[str] = []

    @tool
    def peek(runtime: ToolRuntime) -> str:
        """Look."""
        states.append(repr(runtime.state))
        return "looked"

    agent = create_agent(
        model(call("peek"), "done"),
        [peek],
        middleware=[BeliefMiddleware(memory, user_id="alice")],
    )
    agent.invoke(ask("What is Quokka?"))
    assert "What is Quokka?" in states[0]
    assert QUOKKA not in states[0]
