"""What our store does beyond, and other than, LangGraph's in-memory store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from belief_memory import BeliefMemory, InvalidBelief, InvalidQuery
from hypothesis import example, given
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.store.base import InvalidNamespaceError, PutOp
from langgraph.store.memory import InMemoryStore

from langchain_belief_memory import BeliefMiddleware, BeliefStore, namespace_label
from langchain_belief_memory.store.namespaces import user_of

NS = ("alice", "memories")


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def tick(self, minutes: float = 1) -> datetime:
        self.at += timedelta(minutes=minutes)
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(clock) -> Any:
    with BeliefMemory.open("memory://", clock=clock) as memory:
        yield memory


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


def test_a_search_finds_by_name_then_by_words_and_nothing_else(memory) -> None:
    store = BeliefStore(memory)
    store.put(NS, "food", {"text": "Loves pizza and oolong."})
    store.put(NS, "drinks", {"text": "Oolong, with food."})
    store.put(NS, "cars", {"text": "None."})
    found = store.search(NS, query="What food?")
    assert [(item.key, item.score) for item in found] == [("food", 1.0), ("drinks", 0.25)]
    assert keys(store.search(NS, query="food")) == ["food", "drinks"]
    assert set(keys(store.search(NS, query="oolong"))) == {"food", "drinks"}
    assert store.search(NS, query="bicycle") == []
    assert [item.score for item in store.search(NS, query="oolong bicycle")] == [0.25, 0.25]
    assert keys(
        store.search(NS, query="oolong", filter={"text": {"$ne": "Oolong, with food."}})
    ) == ["food"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("dark mode?", True),
        ("DARK, (mode)!", True),
        ("dark mode preference", True),
        ("what is the preferred mode", False),
        ("ark ode", False),
        ("pref", True),
        ("ダークモード", False),
        ("モード", False),
        ("設定", True),
        ("定は青", True),
        ("C++", True),
        ("C#", False),
        ("…?!", False),
        ("x", False),
        ("42", False),
        ("142", True),
        ("no\x00 'such\\ thing (", False),
    ],
)
def test_a_search_by_words_takes_them_as_people_type_them(memory, query, found) -> None:
    store = BeliefStore(memory)
    store.put(NS, "id-7", {"text": "Prefers dark mode in C++ editors, 142 px. 設定は青。"})
    assert (store.search(NS, query=query) != []) is found


def test_what_is_not_to_be_indexed_is_not_found_by_a_query(memory) -> None:
    store = BeliefStore(memory)
    store.put(NS, "food", {"text": "Loves pizza."}, index=False)
    store.put(NS, "tea", {"text": "Loves pizza too.", "note": "oolong"}, index=["note"])
    assert store.search(NS, query="pizza") == []
    assert store.search(NS, query="food") == []
    assert keys(store.search(NS, query="oolong")) == ["tea"]
    assert set(keys(store.search(NS))) == {"food", "tea"}
    store.put(NS, "food", {"text": "Loves sushi."}, index=False)
    assert store.get(NS, "food").value == {"text": "Loves sushi."}


def test_the_fields_to_search_by_can_be_configured(memory) -> None:
    store = BeliefStore(memory, fields=["a", "b[*].c"])
    store.put(NS, "k", {"a": "apple", "b": [{"c": "cherry"}, {"c": "cider"}], "d": "date"})
    assert keys(store.search(NS, query="apple cherry cider")) == ["k"]
    assert store.search(NS, query="date") == []


def test_reaching_across_users_is_an_error_unless_allowed(memory) -> None:
    store = BeliefStore(memory, user_position=1)
    store.put(("memories", "alice"), "k", {})
    for reach in (
        lambda: store.search(("memories",)),
        lambda: store.search(()),
        store.list_namespaces,
        lambda: store.list_namespaces(suffix=("alice",)),
        lambda: store.list_namespaces(prefix=("memories", "*")),
    ):
        with pytest.raises(InvalidQuery, match="across_users"):
            reach()
    assert keys(store.search(("memories", "alice"))) == ["k"]
    assert store.list_namespaces(prefix=("memories", "alice")) == [("memories", "alice")]
    with pytest.raises(InvalidNamespaceError, match="label 1"):
        store.put(("memories",), "k", {})


def test_each_users_items_are_in_their_own_ledger(memory) -> None:
    store = BeliefStore(memory, user_position=1)
    store.put(("memories", "dora"), "k", {"v": "hers"})
    assert store.get(("memories", "emil"), "k") is None
    assert "dora" in memory.users()
    memory.for_user("dora").forget(everything=True)
    assert store.get(("memories", "dora"), "k") is None


def test_an_id_with_dots_is_a_label_of_the_same_ledger(memory) -> None:
    store = BeliefStore(memory)
    label = namespace_label("ann@example.org")
    store.put((label, "memories"), "k", {"v": 1})
    assert store.get((label, "memories"), "k").namespace == (label, "memories")
    assert "ann@example.org" in memory.users()


def test_a_store_that_reads_users_elsewhere_in_a_namespace_does_not_mix_them_up(memory) -> None:
    BeliefStore(memory).put(("dora", "emil"), "k", {"v": "Dora's"})
    other = BeliefStore(memory, user_position=1, across_users=True)
    assert other.search(("dora", "emil")) == []
    assert other.search(()) == []
    assert other.list_namespaces() == []


@given(st.text(min_size=1))
@example("%2E.%25%00\x00%")
def test_every_id_comes_back_from_its_label(user_id) -> None:
    label = namespace_label(user_id)
    assert "." not in label
    assert "\x00" not in label
    assert user_of((label,), 0) == user_id


def test_an_item_has_a_past(timed, clock) -> None:
    store = BeliefStore(timed, clock=clock)
    before = clock()
    clock.tick()
    store.put(NS, "food", {"likes": "pizza"})
    first = clock.tick()
    clock.tick()
    store.put(NS, "food", {"likes": "sushi"})
    second = clock.tick()
    clock.tick()
    store.delete(NS, "food")
    third = clock.tick()
    assert store.get_as_of(NS, "food", before) is None
    assert store.get_as_of(NS, "food", first).value == {"likes": "pizza"}
    assert store.get_as_of(NS, "food", second).value == {"likes": "sushi"}
    assert store.get_as_of(NS, "food", third) is None
    assert store.get(NS, "food") is None
    versions = store.history(NS, "food")
    assert all(version.retired_at is None for version in versions)
    assert [version.item.value for version in versions] == [
        {"likes": "pizza"},
        {"likes": "sushi"},
    ]
    assert versions[0].valid_to == versions[1].valid_from
    assert versions[1].valid_to is not None
    assert store.history(NS, "never") == []


def test_a_value_that_differs_only_in_case_is_in_the_past_too(timed, clock) -> None:
    store = BeliefStore(timed, clock=clock)
    for value in ("pizza", "Pizza", "Pizza"):
        store.put(NS, "food", {"likes": value}, ttl=60)
        clock.tick()
        store.get(NS, "food")
    values = [version.item.value["likes"] for version in store.history(NS, "food")]
    assert values[0] == "pizza"
    assert values[-1] == "Pizza"
    assert store.get(NS, "food").value == {"likes": "Pizza"}


def test_created_stays_and_updated_moves(timed, clock) -> None:
    store = BeliefStore(timed, clock=clock)
    store.put(NS, "k", {"v": 1})
    created = store.get(NS, "k").created_at
    clock.tick()
    store.put(NS, "k", {"v": 2})
    item = store.get(NS, "k")
    assert item.created_at == created
    assert item.updated_at == clock()
    clock.tick()
    store.put(NS, "k", {"v": 2})
    assert store.get(NS, "k").updated_at == clock()
    store.delete(NS, "k")
    clock.tick()
    store.put(NS, "k", {"v": 3})
    assert store.get(NS, "k").created_at == clock()


def test_erasing_deletion_leaves_no_past(memory) -> None:
    store = BeliefStore(memory, erase_deleted=True)
    store.put(NS, "food", {"likes": "pizza"})
    store.put(NS, "food", {"likes": "sushi"})
    store.delete(NS, "food")
    assert store.history(NS, "food") == []


def test_the_deletions_of_a_batch_are_one_commit(timed, clock) -> None:
    store = BeliefStore(timed, clock=clock)
    names = ("a", "b", "c")
    store.batch([PutOp(NS, key, {"v": key}) for key in names])
    before = clock.tick()
    clock.tick()
    store.batch([PutOp(NS, key, None) for key in (*names, "never")])
    assert store.search(NS) == []
    changed = timed.for_user("alice").changes(before)
    assert len({change.at for change in changed}) == 1
    assert all(store.history(NS, key) for key in names)


@pytest.mark.parametrize("erase", [False, True])
def test_batches_that_delete_the_same_items_at_once_all_succeed(memory, erase) -> None:
    store = BeliefStore(memory, erase_deleted=erase)
    names = [f"k{number}" for number in range(6)]
    for _ in range(5):
        store.batch([PutOp(NS, key, {"v": key}) for key in names])
        with ThreadPoolExecutor(3) as pool:
            parts = (names[:4], names[2:], names[::2])
            done = [pool.submit(store.batch, [PutOp(NS, k, None) for k in part]) for part in parts]
        assert [one.result() for one in done] == [[None] * len(part) for part in parts]
        assert store.search(NS) == []


def test_an_item_expires_and_reading_keeps_it_alive(timed, clock) -> None:
    store = BeliefStore(timed, clock=clock)
    store.put(NS, "k", {"v": 1}, ttl=10)
    store.put(NS, "forever", {"v": 2})
    clock.tick(9)
    assert store.get(NS, "k") is not None
    clock.tick(9)
    assert store.get(NS, "k", refresh_ttl=False) is not None
    clock.tick(9)
    assert store.get(NS, "k") is None
    assert keys(store.search(NS)) == ["forever"]
    assert store.list_namespaces(prefix=("alice",)) == [NS]
    assert store.sweep_ttl(("alice",)) == 1
    assert store.sweep_ttl(("alice",)) == 0
    assert store.get(NS, "forever") is not None


def test_a_search_keeps_alive_what_it_returns(timed, clock) -> None:
    store = BeliefStore(timed, clock=clock)
    store.put(NS, "k", {"v": 1}, ttl=10)
    for _ in range(3):
        clock.tick(9)
        assert keys(store.search(NS)) == ["k"]
    clock.tick(9)
    assert keys(store.search(NS, refresh_ttl=False)) == ["k"]
    clock.tick(2)
    assert store.search(NS) == []


def test_a_put_begins_the_time_to_live_anew_or_ends_it(timed, clock) -> None:
    store = BeliefStore(timed, clock=clock, ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(NS, "k", {"v": 1})
    clock.tick(9)
    store.put(NS, "k", {"v": 1})
    clock.tick(9)
    assert store.get(NS, "k") is not None
    store.put(NS, "k", {"v": 1}, ttl=None)
    clock.tick(1000)
    assert store.get(NS, "k") is not None
    store.put(NS, "k", {"v": 1}, ttl=5)
    clock.tick(6)
    assert store.get(NS, "k") is None
    store.put(NS, "k", {"v": 1})
    assert store.get(NS, "k").created_at == clock()


def test_refreshing_does_not_count_as_an_update(timed, clock) -> None:
    store = BeliefStore(timed, clock=clock)
    store.put(NS, "k", {"v": 1}, ttl=10)
    put_at = clock()
    clock.tick()
    store.get(NS, "k")
    assert store.get(NS, "k").updated_at == put_at


@pytest.mark.parametrize("value", [{"a": float("nan")}, {"a": object()}, {"a": "\ud800"}, [1]])
def test_a_value_that_is_not_json_is_refused(memory, value) -> None:
    store = BeliefStore(memory)
    with pytest.raises(InvalidBelief):
        store.put(NS, "k", value)
    assert store.get(NS, "k") is None


def test_other_beliefs_are_no_items_and_items_are_no_noise(memory, model, read) -> None:
    store = BeliefStore(memory)
    assert store.search(("alice",)) == []
    store.put(NS, "emu", {"text": "Emu is the parser."})
    assert memory.for_user("alice").recall("What is Emu?").relevant == []
    [item] = memory.for_user("alice", scopes=["store:items"]).recall("What is Emu?").relevant
    assert item.content == "text: Emu is the parser."
    seeing = model()
    middleware = BeliefMiddleware(memory, user_id="alice", scopes=["store:items"])
    create_agent(seeing, middleware=[middleware]).invoke({"messages": [HumanMessage("Emu?")]})
    assert "Emu is the parser." in read(seeing.seen[0][1])


def test_a_belief_of_the_same_name_and_an_item_leave_each_other_alone(memory) -> None:
    store = BeliefStore(memory)
    alice = memory.for_user("alice")
    alice.remember("food", "Likes food.", cardinality="many", member="a")
    store.put(NS, "food", {"likes": "pizza"})
    store.delete(NS, "food")
    assert [belief.content for belief in alice.beliefs(slot="food")] == ["Likes food."]


def test_values_are_copied_in_and_out(memory) -> None:
    store = BeliefStore(memory)
    given = {"tags": ["a"]}
    store.put(NS, "k", given)
    given["tags"].append("z")
    store.get(NS, "k").value["tags"].append("b")
    store.search(NS)[0].value["tags"].append("c")
    assert store.get(NS, "k").value == {"tags": ["a"]}


def test_memory_tools_of_the_langmem_kind_work_in_an_agent(memory, model, read) -> None:
    @tool
    def manage_memory(content: str, runtime: ToolRuntime) -> str:
        """Keep something."""
        runtime.store.put(("memories", "alice"), "id-1", {"kind": "Memory", "content": content})
        return "created id-1"

    @tool
    async def search_memory(query: str, runtime: ToolRuntime) -> str:
        """Look something up."""
        found = await runtime.store.asearch(("memories", "alice"), query=query, limit=5)
        return repr([item.dict() for item in found])

    def call(name: str, **args: Any) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": name, "args": args, "id": name}])

    async def run() -> Any:
        seeing = model(
            call("manage_memory", content="Likes oolong tea."),
            call("search_memory", query="oolong"),
            "done",
        )
        agent = create_agent(
            seeing,
            [manage_memory, search_memory],
            store=BeliefStore(memory, user_position=1),
        )
        await agent.ainvoke({"messages": [HumanMessage("I like oolong tea.")]})
        return seeing

    import asyncio

    seeing = asyncio.run(run())
    assert "Likes oolong tea." in read(seeing.seen[2][-1])


def test_two_handles_on_one_folder_see_each_others_items(tmp_path) -> None:
    with BeliefMemory.open(tmp_path) as one, BeliefMemory.open(tmp_path) as two:
        BeliefStore(one).put(NS, "k", {"v": 1})
        assert BeliefStore(two).get(NS, "k").value == {"v": 1}
        BeliefStore(two).delete(NS, "k")
        assert BeliefStore(one).get(NS, "k") is None


class TestDifferencesFromTheReference:
    """Where LangGraph's in-memory store does something else, and why we do not."""

    def test_a_query_filters_where_the_reference_without_an_index_ignores_it(self, memory) -> None:
        reference, ours = InMemoryStore(), BeliefStore(memory)
        for store in (reference, ours):
            store.put(NS, "k", {"v": "pizza"})
        assert keys(reference.search(NS, query="bicycle")) == ["k"]
        assert ours.search(NS, query="bicycle") == []

    def test_values_that_cannot_be_compared_do_not_match_where_the_reference_raises(
        self, memory
    ) -> None:
        reference, ours = InMemoryStore(), BeliefStore(memory)
        for store in (reference, ours):
            store.put(NS, "k", {"v": "pizza"})
        for filter in ({"v": {"$gt": 1}}, {"missing": {"$gt": 1}}):
            with pytest.raises((TypeError, ValueError)):
                reference.search(NS, filter=filter)
            assert ours.search(NS, filter=filter) == []
        assert keys(ours.search(NS, filter={"v": {"$gt": "apple"}})) == ["k"]

    def test_an_unknown_operator_is_an_error_even_where_nothing_is_stored(self, memory) -> None:
        assert InMemoryStore().search(NS, filter={"v": {"$near": 1}}) == []
        for filter in ({"v": {"$near": 1}}, {"v": {"deep": {"$near": 1}}}):
            with pytest.raises(ValueError, match="operator"):
                BeliefStore(memory).search(NS, filter=filter)

    def test_an_emptied_namespace_is_listed_no_longer(self, memory) -> None:
        reference, ours = InMemoryStore(), BeliefStore(memory)
        for store in (reference, ours):
            store.put(NS, "k", {})
            store.delete(NS, "k")
        assert reference.list_namespaces(prefix=("alice",)) == [NS]
        assert ours.list_namespaces(prefix=("alice",)) == []

    def test_a_negative_page_is_an_error(self, memory) -> None:
        reference, ours = InMemoryStore(), BeliefStore(memory)
        for store in (reference, ours):
            store.put(NS, "k", {})
        assert reference.search(NS, limit=-1) == []
        with pytest.raises(InvalidQuery, match="limit"):
            ours.search(NS, limit=-1)

    def test_values_come_back_as_json(self, memory) -> None:
        reference, ours = InMemoryStore(), BeliefStore(memory)
        for store in (reference, ours):
            store.put(NS, "k", {"pair": (1, 2)})
        assert reference.get(NS, "k").value == {"pair": (1, 2)}
        assert ours.get(NS, "k").value == {"pair": [1, 2]}

    def test_time_to_live_is_supported(self, memory) -> None:
        with pytest.raises(NotImplementedError):
            InMemoryStore().put(NS, "k", {}, ttl=1)
        BeliefStore(memory).put(NS, "k", {}, ttl=1)

    def test_a_namespace_that_does_not_reach_the_users_label_is_refused(self, memory) -> None:
        InMemoryStore().batch([PutOp(("memories",), "k", {})])
        with pytest.raises(InvalidNamespaceError):
            BeliefStore(memory, user_position=1).batch([PutOp(("memories",), "k", {})])
