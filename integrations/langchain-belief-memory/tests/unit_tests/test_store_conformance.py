"""What any LangGraph store must do, in our words. LangGraph's own in-memory store passes
the same suite, so that it tests the protocol and not us."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from belief_memory import BeliefMemory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from langchain_belief_memory import BeliefStore

NS = ("alice", "memories")


@pytest.fixture(params=["reference", "memory", "folder"])
def store(request: Any, tmp_path: Any) -> Iterator[BaseStore]:
    if request.param == "reference":
        yield InMemoryStore()
        return
    uri = "memory://" if request.param == "memory" else tmp_path
    with BeliefMemory.open(uri) as memory:
        yield BeliefStore(memory, across_users=True)


def keys(found: list[Any]) -> set[str]:
    return {item.key for item in found}


def test_what_is_put_is_got(store) -> None:
    store.put(NS, "food", {"likes": "pizza", "n": [1, {"deep": None}]})
    item = store.get(NS, "food")
    assert item.value == {"likes": "pizza", "n": [1, {"deep": None}]}
    assert (item.namespace, item.key) == (NS, "food")
    assert item.created_at.tzinfo is not None
    assert item.created_at <= item.updated_at


def test_what_was_never_put_is_none(store) -> None:
    assert store.get(NS, "food") is None
    assert store.search(NS) == []
    store.delete(NS, "food")
    assert store.get(NS, "food") is None


def test_a_put_replaces_the_whole_value(store) -> None:
    store.put(NS, "food", {"likes": "pizza", "hates": "kale"})
    first = store.get(NS, "food")
    store.put(NS, "food", {"likes": "sushi"})
    second = store.get(NS, "food")
    assert second.value == {"likes": "sushi"}
    assert second.updated_at >= first.updated_at
    assert [item.value for item in store.search(NS)] == [{"likes": "sushi"}]


def test_back_to_an_earlier_value(store) -> None:
    for likes in ("pizza", "sushi", "pizza"):
        store.put(NS, "food", {"likes": likes})
        assert store.get(NS, "food").value == {"likes": likes}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": "X"}, {"a": "x"}),
        ({"a": "x y"}, {"a": "x  y"}),
        ({"a": "ﬁ"}, {"a": "fi"}),
        ({"a": 1}, {"a": "1"}),
        ({"a": 1}, {"a": True}),
        ({"a": None}, {}),
        ({"a": "x"}, {"b": "x"}),
        ({}, {"a": []}),
        ({"a": {"b": 1}}, {"a.b": 1}),
    ],
)
def test_values_that_look_alike_are_different(store, one, other) -> None:
    store.put(NS, "k", one)
    store.put(NS, "k", other)
    assert json.dumps(store.get(NS, "k").value) == json.dumps(other)


PATHS = [
    (("alice",), "k"),
    (("alice", "k"), "k"),
    (("alice", "K"), "k"),
    (("alice", "k"), "K"),
    (("alice", "k"), "k "),
    (("alice", "k"), "k_1"),
    (("alice", "k"), "k-1"),
    (("alice", "k"), "k 1"),
    (("alice", "k"), "ｋ"),
    (("alice", "k", "k"), ""),
    (("alice", "k"), " "),
    (("alice", "k%2E"), "k"),
    (("alice", "日本"), "'; DROP TABLE x; --"),
    (("alice", "日本"), "🙂" * 2000),
    (("Alice", "k"), "k"),
    (("alice ", "k"), "k"),
    (("alice%", "k_"), 'say "hi"\n\x00\t'),
]


def test_paths_that_look_alike_are_different(store) -> None:
    for number, (namespace, key) in enumerate(PATHS):
        store.put(namespace, key, {"n": number})
    for number, (namespace, key) in enumerate(PATHS):
        assert store.get(namespace, key).value == {"n": number}
    store.delete(*PATHS[1])
    assert store.get(*PATHS[1]) is None
    for number, (namespace, key) in enumerate(PATHS):
        if number != 1:
            assert store.get(namespace, key).value == {"n": number}


def test_what_is_deleted_is_gone_everywhere(store) -> None:
    store.put(NS, "food", {"likes": "pizza"})
    store.put(NS, "tea", {"likes": "oolong"})
    store.delete(NS, "food")
    assert store.get(NS, "food") is None
    assert keys(store.search(NS)) == {"tea"}
    assert keys(store.search(NS, query="food pizza oolong tea")) <= {"tea"}
    assert keys(store.search(NS, filter={"likes": "pizza"})) == set()
    store.put(NS, "food", {"likes": "pizza"})
    assert store.get(NS, "food").value == {"likes": "pizza"}


def test_a_prefix_reaches_everything_below_and_nothing_beside(store) -> None:
    store.put(("alice", "a"), "1", {})
    store.put(("alice", "a", "b"), "2", {})
    store.put(("alice", "ab"), "3", {})
    store.put(("bob", "a"), "4", {})
    assert keys(store.search(("alice", "a"))) == {"1", "2"}
    assert keys(store.search(("alice",))) == {"1", "2", "3"}
    assert keys(store.search(())) == {"1", "2", "3", "4"}
    assert store.search(("al",)) == []
    assert store.search(("carol",)) == []


ITEMS = {
    "a": {"n": 1, "color": "red", "nested": {"x": 1, "y": [1, 2]}},
    "b": {"n": 2, "color": "red"},
    "c": {"n": 3.5, "color": "blue", "nested": {"x": 2}},
}


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (None, "abc"),
        ({}, "abc"),
        ({"color": "red"}, "ab"),
        ({"color": {"$eq": "red"}}, "ab"),
        ({"color": {"$ne": "red"}}, "c"),
        ({"n": {"$gt": 1}}, "bc"),
        ({"n": {"$gte": 2}}, "bc"),
        ({"n": {"$lt": 2}}, "a"),
        ({"n": {"$lte": 2}}, "ab"),
        ({"n": {"$gt": 1, "$lt": 3}}, "b"),
        ({"n": {"$gt": "1"}}, "bc"),
        ({"color": "red", "n": 2}, "b"),
        ({"color": "green"}, ""),
        ({"missing": None}, "abc"),
        ({"missing": {"$ne": 1}}, "abc"),
        ({"nested": {"x": 2}}, "c"),
        ({"nested": {"x": {"$gte": 1}}}, "ac"),
        ({"nested": {"y": [1, 2]}}, "a"),
        ({"nested": {"y": [1]}}, ""),
        ({"color": ["red"]}, ""),
    ],
)
def test_filters(store, filter, expected) -> None:
    for key, value in ITEMS.items():
        store.put(NS, key, value)
    if expected == "ac":
        store.delete(NS, "b")  # the reference cannot compare what is missing
    assert keys(store.search(NS, filter=filter)) == set(expected)


def test_an_unknown_operator_is_an_error(store) -> None:
    store.put(NS, "a", {"n": 1})
    with pytest.raises(ValueError, match="operator"):
        store.search(NS, filter={"n": {"$near": 1}})


def test_limit_and_offset_page_through_everything_once(store) -> None:
    for number in range(25):
        store.put(NS, f"k{number}", {"n": number})
    assert len(store.search(NS)) == 10
    pages = [store.search(NS, limit=7, offset=offset) for offset in (0, 7, 14, 21, 28)]
    assert [len(page) for page in pages] == [7, 7, 7, 4, 0]
    assert {item.key for page in pages for item in page} == {f"k{n}" for n in range(25)}
    assert store.search(NS, limit=0) == []


def test_a_batch_reads_what_was_there_before_and_keeps_the_last_put(store) -> None:
    store.put(NS, "k", {"v": "old"})
    results = store.batch(
        [
            PutOp(NS, "k", {"v": "newer"}),
            GetOp(NS, "k"),
            SearchOp(NS),
            PutOp(NS, "k", {"v": "newest"}),
            ListNamespacesOp(),
            PutOp(("bob", "x"), "k", {"v": "bob"}),
            GetOp(("bob", "x"), "k"),
            PutOp(NS, "gone", {"v": 1}),
            PutOp(NS, "gone", None),
        ]
    )
    assert results[0] is None
    assert results[1].value == {"v": "old"}
    assert [item.value for item in results[2]] == [{"v": "old"}]
    assert results[4] == [NS]
    assert results[6] is None
    assert store.get(NS, "k").value == {"v": "newest"}
    assert store.get(("bob", "x"), "k").value == {"v": "bob"}
    assert store.get(NS, "gone") is None


def test_an_operation_that_is_none_is_an_error(store) -> None:
    with pytest.raises(ValueError, match="operation"):
        store.batch([("get", NS, "k")])


NAMESPACES = [
    ("alice", "a", "x"),
    ("alice", "a", "y"),
    ("alice", "b", "x", "deep"),
    ("bob", "a", "x"),
    ("carol",),
]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, NAMESPACES),
        ({"prefix": ("alice",)}, NAMESPACES[:3]),
        ({"prefix": ("alice", "a")}, NAMESPACES[:2]),
        ({"prefix": ("*", "a")}, [*NAMESPACES[:2], NAMESPACES[3]]),
        ({"prefix": ("alice", "*", "x")}, [NAMESPACES[0], NAMESPACES[2]]),
        ({"suffix": ("x",)}, [NAMESPACES[0], NAMESPACES[3]]),
        ({"suffix": ("a", "*")}, [*NAMESPACES[:2], NAMESPACES[3]]),
        ({"prefix": ("alice",), "suffix": ("deep",)}, [NAMESPACES[2]]),
        ({"max_depth": 1}, [("alice",), ("bob",), ("carol",)]),
        (
            {"prefix": ("alice",), "max_depth": 2},
            [("alice", "a"), ("alice", "b")],
        ),
        ({"limit": 2}, NAMESPACES[:2]),
        ({"limit": 2, "offset": 4}, NAMESPACES[4:]),
        ({"prefix": ("nobody",)}, []),
        ({"prefix": ("carol", "x")}, []),
    ],
)
def test_namespaces_are_listed(store, asked, expected) -> None:
    for namespace in reversed(NAMESPACES):
        store.put(namespace, "1", {})
        store.put(namespace, "2", {})
    assert store.list_namespaces(**asked) == expected


def test_conditions_of_a_listing_all_hold(store) -> None:
    for namespace in NAMESPACES:
        store.put(namespace, "1", {})
    conditions = (MatchCondition("prefix", ("alice",)), MatchCondition("prefix", ("*", "b")))
    assert store.batch([ListNamespacesOp(match_conditions=conditions)]) == [[NAMESPACES[2]]]


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("a", ""), (1,), ("langgraph", "x")])
def test_namespaces_that_cannot_be_are_refused(store, namespace) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {})


async def test_the_async_verbs_do_the_same(store) -> None:
    await store.aput(NS, "food", {"likes": "pizza"})
    assert (await store.aget(NS, "food")).value == {"likes": "pizza"}
    assert keys(await store.asearch(NS, filter={"likes": "pizza"})) == {"food"}
    assert await store.alist_namespaces() == [NS]
    await store.adelete(NS, "food")
    assert await store.aget(NS, "food") is None
    assert await store.asearch(NS) == []


async def test_puts_at_once_are_all_kept(store) -> None:
    await asyncio.gather(*(store.aput(NS, f"k{n}", {"n": n}) for n in range(20)))
    assert len(await store.asearch(NS, limit=100)) == 20


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from([("alice", "a"), ("alice", "b"), ("bob", "a")]),
        st.sampled_from(["k", "K", "other key"]),
        st.none() | st.dictionaries(st.sampled_from("xy"), st.integers(0, 2), max_size=2),
    ),
    max_size=12,
)


@given(OPERATIONS, st.integers(1, 4))
@settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
def test_any_run_of_batches_ends_like_the_reference(operations, size) -> None:
    reference = InMemoryStore()
    with BeliefMemory.open("memory://") as memory:
        ours = BeliefStore(memory, across_users=True)
        for start in range(0, len(operations), size):
            ops = [PutOp(*operation) for operation in operations[start : start + size]]
            reference.batch(ops)
            ours.batch(ops)
            expected = {(i.namespace, i.key): i.value for i in reference.search((), limit=99)}
            found = {(i.namespace, i.key): i.value for i in ours.search((), limit=99)}
            assert found == expected
