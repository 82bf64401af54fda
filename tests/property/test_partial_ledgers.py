"""A ledger too large to keep answers like one that is kept."""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory import BeliefMemory, UserMemory
from belief_memory.engine import partial
from belief_memory.errors import BeliefMemoryError
from belief_memory.model.belief import Belief
from belief_memory.model.context import Context
from belief_memory.store.in_memory import InMemoryStore
from belief_memory.store.lance import LanceStore, fulltext
from belief_memory.testing.builders import Scribe
from tests.retrieval.world import NOW, SCOPE, UNIVERSAL, belief

NAMES = [
    *("Redis", "Redis Cluster", "Redis Cluster Operator Guide", "Kafka", "Go", "C++", "VM"),
    *("東京", "東京タワー", "레디스", "user", "dead letter queue", "кафка", "ไทย", "Rave"),
    *("Apollo", "Apollo Hospitals"),
]
MENTIONS = [
    *NAMES,
    *("redsi", "Rediss cluster", "Redis clutser operator", "kafkas", "кавка", "레디스를", "VMs"),
    *("東京タワーに", "dead leter queues", "my job", "the port", "where do I live", "Apollo's"),
    *("rate", "and it", "?"),
]
IDS = "abcdefgh"

VERSIONS = st.builds(
    lambda name, alias, letter, rev, fields: belief(
        name, *([alias] if alias else []), id=letter, rev=rev, **fields
    ),
    st.sampled_from(NAMES),
    st.sampled_from([None, *NAMES]),
    st.sampled_from(IDS),
    st.integers(1, 3),
    st.fixed_dictionaries(
        {},
        optional={
            "attribute": st.sampled_from(["job", "port", "residence", "Redis"]),
            "attribute_aliases": st.sampled_from([("Hafen",), ("dead letter queue",)]),
            "pinned": st.booleans(),
            "type": st.sampled_from(["fact", "preference", "open_question", "relation"]),
            "subtype": st.sampled_from([None, "expertise"]),
            "scopes": st.sampled_from([(SCOPE,), (UNIVERSAL,), ("domain:other",)]),
            "standing": st.sampled_from(["held", "held", "pending", "conflict"]),
            "agent_id": st.sampled_from([None, "scout", "other"]),
            "superseded_by": st.sampled_from(IDS),
            "participants": st.lists(st.sampled_from(IDS), max_size=3).map(tuple),
            "resolved_at": st.sampled_from([NOW - timedelta(days=1), NOW + timedelta(days=1)]),
            "valid_to": st.sampled_from([NOW - timedelta(days=1), NOW + timedelta(days=1)]),
            "content": st.sampled_from(["Der Hafen", "port 6379", "東京タワーの港", "порт открыт"]),
        },
    ),
)
LEDGERS = st.lists(VERSIONS, max_size=14, unique_by=lambda version: version.version_id)
QUERIES = st.lists(st.sampled_from(MENTIONS), max_size=5).map(" and ".join)
AGENTS = st.sampled_from([None, "scout"])


@contextmanager
def resident_up_to(most: int) -> Iterator[None]:
    before = partial.MAX_RESIDENT_BELIEFS_PER_USER
    partial.MAX_RESIDENT_BELIEFS_PER_USER = most
    try:
        yield
    finally:
        partial.MAX_RESIDENT_BELIEFS_PER_USER = before


def stored(versions: Sequence[Belief], uri: str | None = None) -> str:
    """The uri of a memory that holds these versions, whatever the ledger's rules say."""
    uri = uri or f"memory://{uuid.uuid4().hex}"

    async def write() -> None:
        store = InMemoryStore(uri)
        await Scribe(store.ledger("u"), at=NOW).write(
            *(version.but(recorded_at=NOW - timedelta(days=9)) for version in versions)
        )

    asyncio.run(write())
    return uri


def later() -> datetime:
    return NOW + timedelta(hours=1)


def bound(uri: str, agent: str | None = None) -> UserMemory:
    memory = BeliefMemory.open(uri, clock=later)
    return memory.for_user("u", scopes=[SCOPE], agent_id=agent)


def shown(context: Context) -> list[Any]:
    routes = (context.persona_beliefs, context.pinned, context.relevant, context.questions)
    return [
        context.render(),
        *([belief.version_id for belief in route] for route in routes),
        sorted((r.belief.version_id, r.route or "", r.rule, r.why) for r in context.explain()),
    ]


@settings(deadline=None)
@given(LEDGERS, st.lists(QUERIES, min_size=1, max_size=3), AGENTS)
def test_recall_is_the_same_by_lookups_and_from_memory(
    versions: list[Belief], queries: list[str], agent: str | None
) -> None:
    uri = stored(versions)
    kept, looked_up, grown = bound(uri, agent), bound(uri, agent), bound(uri, agent)
    for query in queries:
        for options in ({}, {"previous": "Redis or Kafka"}, {"valid_at": NOW - timedelta(days=5)}):
            expected = shown(kept.recall(query, **options))
            with resident_up_to(-1):
                assert shown(looked_up.recall(query, **options)) == expected
            with resident_up_to(len(versions) - 1):
                assert shown(grown.recall(query, **options)) == expected


async def written_in_parts(folder: str, versions: Sequence[Belief]) -> None:
    """Some that an index knows, some of them retired since, some that no index knows."""
    store = LanceStore(folder)
    await store.open()
    scribe = Scribe(store.ledger("u"), at=NOW - timedelta(days=9))
    early = [version.but(rev=version.rev + 10) for version in versions[::2]]
    await scribe.write(*early, *(belief(f"filler {n}", id=f"filler {n}") for n in range(6)))
    await scribe.ledger.maintain()
    await scribe.write(*versions, retire=early)
    await store.close()


@settings(deadline=None, max_examples=8)
@given(LEDGERS, st.lists(QUERIES, min_size=1, max_size=3), AGENTS)
def test_an_index_that_lags_behind_gives_the_same_recall(
    versions: list[Belief], queries: list[str], agent: str | None
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
        resident_up_to(10**9),
    ):
        patch.setattr(fulltext, "FROM", 3)
        asyncio.run(written_in_parts(folder, versions))
        with (
            BeliefMemory.open(folder, clock=later) as ours,
            BeliefMemory.open(folder, clock=later) as theirs,
        ):
            kept, looked_up = (
                memory.for_user("u", scopes=[SCOPE], agent_id=agent) for memory in (ours, theirs)
            )
            for query in queries:
                expected = shown(kept.recall(query, valid_at=NOW))
                texts = [kept.search(word) for word in ("port", "港", "haf")]
                with resident_up_to(-1):
                    assert shown(looked_up.recall(query, valid_at=NOW)) == expected
                    assert [looked_up.search(word) for word in ("port", "港", "haf")] == texts


@settings(deadline=None)
@given(LEDGERS, QUERIES, AGENTS)
def test_lookups_by_slot_id_and_text_are_the_same(
    versions: list[Belief], query: str, agent: str | None
) -> None:
    uri = stored(versions)
    kept, looked_up = bound(uri, agent), bound(uri, agent)

    def answers(user: UserMemory) -> list[Any]:
        found: list[Any] = [user.beliefs(include_pending=True), user.conflicts(), user.pending()]
        found += [user.beliefs(slot=name) for name in NAMES]
        found += [
            user.search(word) for word in (query, "port", "po", "東京", "港", "ПОР", "der haf")
        ]
        for id in (*IDS, "a#1"):
            try:
                found.append(user.get(id))
            except BeliefMemoryError as error:
                found.append(repr(error))
        return found

    expected = answers(kept)
    with resident_up_to(-1):
        assert answers(looked_up) == expected


RICH = [
    belief("user", attribute="residence", id="home", content="Bonn"),
    belief("Acme board", id="seat", type="relation", participants=("ceo", "old")),
    belief("Mara Quist", id="ceo", superseded_by="cfo", valid_to=NOW - timedelta(days=2)),
    belief("Mara Holm", id="cfo", valid_from=NOW - timedelta(days=2)),
    belief("Olaf Brandt", id="old"),
    belief("editor", id="shared", content="vim"),
    belief("editor", id="own", content="emacs", agent_id="scout"),
    belief("ledger", attribute="port", id="port"),
    belief("ledger", "the books", attribute="host", id="host"),
    belief("Why so slow?", id="open", type="open_question", pinned=True),
]


@pytest.mark.parametrize("agent", [None, "scout"])
@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("where do I live?", ["home"]),
        ("what does the acme board say?", ["seat", "cfo", "old"]),
        ("ask Mara Quist", ["cfo"]),
        ("which editor?", ["shared"]),
        ("the port of the ledger", ["port"]),
        ("the books", ["host"]),
    ],
)
def test_everything_that_a_name_leads_to_is_looked_up(
    query: str, named: list[str], agent: str | None
) -> None:
    uri = stored(RICH)
    with resident_up_to(3):
        found = bound(uri, agent).recall(query)
    if agent is not None:
        named = ["own" if id == "shared" else id for id in named]
    assert [b.id for b in found.relevant] == named
    assert [b.id for b in found.questions] == ["open"]
    assert shown(bound(uri, agent).recall(query)) == shown(found)


WRITES = st.lists(
    st.tuples(
        st.sampled_from(
            ["remember", "remember", "correct", "retract", "update", "names", "forget"]
        ),
        st.sampled_from(NAMES),
        st.sampled_from(["one", "two", "three"]),
    ),
    min_size=1,
    max_size=8,
)


def perform(user: UserMemory, write: tuple[str, str, str]) -> str:
    verb, name, value = write
    try:
        if verb == "remember":
            return user.remember(name, value, aliases=[f"{name} {value}"]).action
        if verb == "correct":
            return user.correct(name, value).action
        if verb == "retract":
            return repr([outcome.action for outcome in user.retract([name])])
        if verb == "update":
            return user.update(name, pinned=value == "one").action
        if verb == "names":
            return user.add_aliases(name, [f"{value} {name}"]).action
        return repr(user.forget(name).versions)
    except BeliefMemoryError as error:
        return repr(error)


def told(user: UserMemory) -> list[Any]:
    return [
        (b.canonical_name, b.content, b.aliases, b.pinned, b.valid_from, b.valid_to, b.rev)
        for name in NAMES
        for b in sorted(user.history(name), key=lambda b: (b.recorded_at, b.content, b.rev))
    ]


@settings(deadline=None, max_examples=40)
@given(WRITES)
def test_writes_do_the_same_to_a_ledger_that_is_not_kept(
    writes: list[tuple[str, str, str]],
) -> None:
    kept, looked_up, grown = (bound(f"memory://{uuid.uuid4().hex}") for _ in range(3))
    for write in writes:
        expected = perform(kept, write)
        with resident_up_to(-1):
            assert perform(looked_up, write) == expected
        with resident_up_to(2):
            assert perform(grown, write) == expected
            assert [b.content for b in grown.recall(f"so, {write[1]}?").relevant] == [
                b.content for b in kept.recall(f"so, {write[1]}?").relevant
            ]
        assert told(looked_up) == told(grown) == told(kept)


def test_what_others_write_is_seen_in_a_ledger_that_is_not_kept() -> None:
    uri = stored([belief("Redis", id="a"), belief("Kafka", id="b"), belief("Go", id="c")])
    ours, theirs = bound(uri), bound(uri)
    with resident_up_to(2):
        for value in ("one", "two"):
            assert ours.recall("Redis and Kafka").relevant
            theirs.remember("Redis", value)
            theirs.remember(f"Kafka {value}", value, aliases=["Redis"])
            found = [b.content for b in ours.recall("Redis and Kafka").relevant]
            assert value in found
        theirs.forget("a")
        assert "a" not in [b.id for b in ours.recall("Redis and Kafka").relevant]


@pytest.mark.parametrize("length", [3, 40])
def test_a_long_chain_of_renamed_things_is_followed_to_its_end(length: int) -> None:
    names = [f"name{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(length)]
    versions = [
        belief(name, id=name, superseded_by=later, valid_from=NOW - timedelta(days=length - n))
        for n, (name, later) in enumerate(zip(names, [*names[1:], None], strict=True))
    ]
    uri = stored(versions)
    with resident_up_to(1):
        assert [b.id for b in bound(uri).recall(f"about {names[0]}").relevant] == [names[-1]]


def test_only_what_is_asked_for_is_kept() -> None:
    versions = [belief(f"topic {n} of many", id=f"{n}") for n in range(60)]
    user = bound(stored(versions))
    with resident_up_to(50):
        assert [b.id for b in user.recall("topic 7 of many or topic 8?").relevant] == ["7"]
        state = user.asynchronous._desk.state
        assert state is not None
        assert 1 <= len(state.held) < 10


def test_a_large_ledger_that_is_only_read_gets_its_indexes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "FROM", 5)
    with BeliefMemory.open(tmp_path) as memory:
        user = memory.for_user("u")
        user.load([{"canonical_name": f"topic {n}", "content": f"on {n}"} for n in range(30)])
        with resident_up_to(20):
            assert [b.content for b in user.recall("about topic 7").relevant] == ["on 7"]
            assert user.remember("topic 8", "new").action == "superseded"
            found = user.recall("about topic 8 or topic 9").relevant
            assert sorted(b.content for b in found) == ["new", "on 9"]
    with BeliefMemory.open(tmp_path, read_only=True) as memory, resident_up_to(20):
        user = memory.for_user("u")
        assert [b.content for b in user.recall("about topic 7").relevant] == ["on 7"]
        state = user.asynchronous._desk.state
        assert state is not None
        assert len(state.held) < 5, "the index was used"
