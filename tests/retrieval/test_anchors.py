"""Anchors leave out nothing that a query could name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.model.belief import Belief
from belief_memory.retrieval.anchors import asked_anchors, query_anchors
from belief_memory.retrieval.routes import route_of
from belief_memory.retrieval.user_attributes import attribute_of
from belief_memory.testing.strategies import beliefs
from belief_memory.text.anchors import STANDING, anchors
from tests.retrieval.world import ask, belief, index_of

ALPHABETS = (
    "abces",
    "кафё",
    "αβγσ",
    "東京タワー駅",
    "กขคงำ",
    "서울레디스를의",
    "ab1+#.&-'",
    "éßıøł",
)
WORDS = st.one_of(*(st.text(alphabet, min_size=1, max_size=9) for alphabet in ALPHABETS))
JOINTS = st.sampled_from([" ", "-", "_", ".", "", " & ", "+"])


@st.composite
def names(draw: st.DrawFn) -> str:
    name = draw(WORDS)
    for _ in range(draw(st.integers(0, 3))):
        name += draw(JOINTS) + draw(WORDS)
    return name


@st.composite
def mentions(draw: st.DrawFn, name: str) -> str:
    """The name as somebody might write it: with one edit, another case, an ending."""
    at = draw(st.integers(0, len(name)))
    letter = draw(st.sampled_from("abckаф"))
    written = draw(
        st.sampled_from(
            [
                name,
                name.replace("_", " ").replace("-", " "),
                name[:at] + letter + name[at:],
                name[:at] + name[at + 1 :],
                name[:at] + letter + name[at + 1 :],
                name[:at] + name[at : at + 2][::-1] + name[at + 2 :],
            ]
        )
    )
    written += draw(st.sampled_from(["", "s", "'s", "’s", "를", "에서", "s's"]))
    return draw(st.sampled_from([written, written.upper(), written.title()]))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Belief], str]:
    found: list[Belief] = []
    query = ""
    for number, name in enumerate(draw(st.lists(names(), min_size=1, max_size=5))):
        about = draw(st.sampled_from(["it", "it", "user"]))
        fields = {"attribute": name, "attribute_aliases": [f"my {name}"]} if about == "user" else {}
        found.append(belief(about if fields else name, f"alias {name}", id=f"{number}", **fields))
        query += draw(st.sampled_from([" ", ", my ", "! ", "を"])) + draw(mentions(name))
    return found, query


@settings(deadline=None, max_examples=400)
@given(worlds())
def test_whatever_is_named_or_nearly_named_shares_an_anchor_with_the_query(
    world: tuple[list[Belief], str],
) -> None:
    versions, query = world
    found = ask(query, index=index_of(versions))
    found.explain()
    wanted = query_anchors(query)
    matcher = found.trace.matcher
    for version in [
        *(hit.source for hit in (matcher.hits if matcher else ())),
        *(miss.belief for miss in (matcher.misses if matcher else ())),
    ]:
        assert anchors(version) & wanted


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("the kubernets cluster", "Kubernetes"),
        ("our kuberntees", "Kubernetes"),
        ("the kubernetse's price", "Kubernetes"),
        ("what about dead leter queues", "dead letter queue"),
        ("three VMs", "VM"),
        ("東京タワーに行く", "東京タワー"),
        ("레디스에서 읽어", "레디스"),
        ("a b c d e f", "c d e f"),
        ("rate limits", "Rave"),
    ],
)
def test_each_way_of_writing_a_name_has_an_anchor_of_it(query: str, name: str) -> None:
    assert query_anchors(query) & anchors(belief(name))


def test_words_that_no_name_begins_with_find_nothing() -> None:
    other = anchors(belief("Postgres cluster", "pg"))
    for query in ("", "cluster", "is the cluster up?", "port", "postgres"):
        assert not query_anchors(query) & other


@pytest.mark.parametrize(
    ("query", "attribute"),
    [("where do I live?", "home_address"), ("wo wohne ich", "residence"), ("my job", "Job")],
)
def test_questions_about_the_user_find_the_attribute(query: str, attribute: str) -> None:
    version = belief("user", attribute=attribute, attribute_aliases=())
    assert attribute_of(version) is not None
    assert query_anchors(query) & anchors(version)
    assert not query_anchors("who is the user?") & anchors(version)


@settings(deadline=None)
@given(beliefs(user_id="u"))
def test_whatever_stands_in_a_route_of_its_own_has_the_anchor_for_it(version: Belief) -> None:
    if version.standing == "held" and route_of(version) in ("persona", "pinned", "questions"):
        assert STANDING in anchors(version)
    assert all(anchor.isascii() and anchor.isalnum() for anchor in anchors(version))


def test_a_turn_that_points_back_carries_the_anchors_of_the_one_before() -> None:
    redis = anchors(belief("Redis"))
    assert asked_anchors("and how do I scale it?", "we use Redis") & redis
    assert not asked_anchors("and how do I scale?", "we use Redis") & redis
    assert not asked_anchors("and how do I scale it?") & redis
