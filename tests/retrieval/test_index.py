"""The index follows what is held, version by version."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.ledger.held import HeldIndex
from belief_memory.model.belief import Belief
from belief_memory.retrieval.index import RecallIndex
from tests.retrieval.world import NOW, SCOPE, UNIVERSAL, ask, belief, index_of, named

NAMES = ["Redis", "Redis Cluster", "Kafka", "Go", "C++", "東京", "레디스", "user", "dead letter"]
QUERY = "does Redis Cluster beat Kafka, C++ or Go in 東京? 레디스를, my job, dead leter, Kafkas"

VERSIONS = st.builds(
    lambda name, alias, letter, rev, fields: belief(
        name, *([alias] if alias else []), id=letter, rev=rev, **fields
    ),
    st.sampled_from(NAMES),
    st.sampled_from([None, *NAMES]),
    st.sampled_from("abcdef"),
    st.integers(1, 3),
    st.fixed_dictionaries(
        {},
        optional={
            "attribute": st.sampled_from(["job", "port"]),
            "pinned": st.booleans(),
            "type": st.sampled_from(["fact", "preference", "open_question", "relation"]),
            "scopes": st.sampled_from([(SCOPE,), (UNIVERSAL,), ("domain:other",)]),
            "standing": st.sampled_from(["held", "pending"]),
            "superseded_by": st.sampled_from("abcdef"),
            "participants": st.just(("a", "b", "c")),
            "valid_to": st.just(NOW - timedelta(days=1)),
        },
    ),
)


def answer(index: RecallIndex, query: str = QUERY) -> list[list[str]]:
    found = ask(query, index=index)
    routes = (found.persona_beliefs, found.pinned, found.relevant, found.questions)
    return [[one.version_id for one in route] for route in routes]


def unique(versions: list[Belief]) -> list[Belief]:
    return list({version.version_id: version for version in versions}.values())


@settings(deadline=None)
@given(st.lists(VERSIONS, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_change_the_answer(
    versions: list[Belief], random: object
) -> None:
    versions = unique(versions)
    shuffled = list(versions)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert answer(index_of(versions)) == answer(index_of(shuffled))


@settings(deadline=None)
@given(st.lists(VERSIONS, max_size=12), st.data())
def test_an_index_that_was_changed_answers_like_one_built_anew(
    versions: list[Belief], data: st.DataObject
) -> None:
    held = HeldIndex()
    index = RecallIndex(held)
    for version in versions:
        held.add(version)
        index.add(version)
        answer(index)
    kept = unique(versions)
    leaves = data.draw(st.lists(st.booleans(), min_size=len(kept), max_size=len(kept)))
    for gone in [version for version, goes in zip(list(kept), leaves, strict=True) if goes]:
        kept = [version for version in kept if version is not gone]
        held.discard(gone.version_id)
        index.discard(gone)
    assert len(index) == len(kept)
    assert answer(index) == answer(index_of(kept))
    for version in kept:
        index.discard(version)
    assert len(index) == 0
    assert answer(index) == [[]] * 4


@settings(deadline=None)
@given(st.lists(VERSIONS, max_size=10), st.lists(VERSIONS, max_size=4))
def test_beliefs_out_of_scope_change_nothing(versions: list[Belief], others: list[Belief]) -> None:
    versions = unique(versions)
    hidden = [
        other.but(id=f"hidden-{n}", scopes=("domain:hidden",)) for n, other in enumerate(others)
    ]
    assert answer(index_of([*versions, *hidden])) == answer(index_of(versions))


@settings(deadline=None)
@given(st.lists(VERSIONS, max_size=10), st.text(max_size=30))
def test_payload_changes_nothing(versions: list[Belief], text: str) -> None:
    versions = unique(versions)
    told = [version.but(content=text + QUERY, why_it_matters=QUERY) for version in versions]
    assert answer(index_of(told)) == answer(index_of(versions))


@settings(deadline=None)
@given(st.lists(VERSIONS, max_size=10))
def test_versions_without_keys_are_indexed_all_the_same(versions: list[Belief]) -> None:
    versions = unique(versions)
    bare = [version.but(name_keys=()) for version in versions]
    assert answer(index_of(bare)) == answer(index_of(versions))


FILLER = "so what would you say about {} in the end, and why is that?"
PLANTED = st.text(
    alphabet=st.characters(categories=("Ll", "Lo", "Nd"), max_codepoint=0x2FFF), min_size=2
).filter(lambda name: name.isalnum())


@settings(deadline=None)
@given(PLANTED)
def test_a_name_planted_in_a_clean_sentence_is_found(name: str) -> None:
    found = ask(FILLER.format(name), belief(name, id="it")).trace.matcher
    assert found is not None
    whole = any(hit.target.id == "it" for hit in found.hits)
    spaceless_alone = len(name) == 1
    assert whole or spaceless_alone


def test_a_version_added_again_replaces_the_first() -> None:
    held = HeldIndex()
    index = RecallIndex(held)
    for version in (belief("Redis", id="a"), belief("Kafka", id="a")):
        held.add(version)
        index.add(version)
    assert len(index) == 1
    assert named("Redis or Kafka", index=index) == ["a"]
    assert named("Redis", index=index) == []


def test_many_beliefs_of_one_name_come_and_go() -> None:
    many = [belief("Acme", id=f"{n:02}", attribute=f"slot{n}") for n in range(40)]
    index = index_of(many)
    assert len(ask("Acme", index=index).trace.named) == 40
    for version in many[:-1]:
        index.discard(version)
    assert named("Acme", index=index) == ["39"]


def test_standing_routes_follow_the_instant() -> None:
    index = index_of(
        [
            belief("a", pinned=True, valid_to=NOW),
            belief("b", pinned=True, valid_from=NOW),
        ]
    )
    day = timedelta(days=1)
    for at, expected in ((NOW - day, "a"), (NOW, "b"), (NOW - day, "a"), (NOW + day, "b")):
        assert [one.id for one in ask("", index=index, valid_at=at).pinned] == [expected]


def test_the_word_lists_in_use_are_named() -> None:
    assert index_of([]).words_version.startswith("wordfreq 3")
