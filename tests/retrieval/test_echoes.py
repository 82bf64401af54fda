"""Stale echoes are left out of turns; what is current, or about something else, is not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.model.belief import Belief, Provenance
from belief_memory.retrieval.echoes import About, SlotValues, echoed, left, values_of
from belief_memory.testing.builders import belief, day
from belief_memory.text.sentences import sentence_spans

HOME = SlotValues("user / residence", ("Lives in Porto.",), ("Lives in Oslo.",))

CASES: list[tuple[SlotValues, str, str]] = [
    (HOME, "I live in Oslo.", ""),
    (HOME, "oslo is where i live", ""),
    (HOME, "I moved from Oslo to Porto.", "I moved from Oslo to Porto."),
    (HOME, "I moved to Porto. Oslo was too cold.", "I moved to Porto. Oslo was too cold."),
    (HOME, "I live near the river.", "I live near the river."),
    (HOME, "I live in Oslo. My cat is called Yuki.", "My cat is called Yuki."),
    (
        SlotValues("user / job", ("Is a baker.",), ("Works as a nurse.",)),
        "I work as a nurse. Nurses work nights.",
        "",
    ),
    (
        SlotValues("user / job", ("Is a baker.",), ("Works as a nurse.",)),
        "The bread is in the oven.",
        "The bread is in the oven.",
    ),
    (
        SlotValues("user / phone", ("Phone 555 9876.",), ("Phone 555 1234.",)),
        "Call 555 1234! Or mail me.",
        "Or mail me.",
    ),
    (
        SlotValues("redis / role", ("Redis is a cluster now.",), ("Redis is the cache.",)),
        "Redis runs in Frankfurt.",
        "Redis runs in Frankfurt.",
    ),
    (
        SlotValues("user / 住所", ("大阪に住んでいる。",), ("東京に住んでいる。",)),
        "東京に住んでいます。猫がいます。",
        "猫がいます。",
    ),
    (
        SlotValues("user / 住所", ("大阪に住んでいる。",), ("東京に住んでいる。",)),
        "東京から大阪に引っ越した。",
        "東京から大阪に引っ越した。",
    ),
    (
        SlotValues("user / город", ("Живёт в Казани.",), ("Живёт в Омске.",)),
        "Я живу в Омске. У меня кот.",
        "У меня кот.",
    ),
    (
        SlotValues("user / Wohnort", ("Wohnt in Köln.",), ("Wohnt in München.",)),
        "Ich wohne in MÜNCHEN. Mein Hund heißt Rex.",
        "Mein Hund heißt Rex.",
    ),
    (
        SlotValues("user / مدينة", ("يعيش في دبي.",), ("يعيش في القاهرة.",)),
        "أعيش في القاهرة. عندي قطة.",
        "عندي قطة.",
    ),
    # Nothing is current: every mention is stale.
    (SlotValues("user / locker", (), ("Locker 17.",)), "My locker is 17.", ""),
    # Held again: not stale, whatever was held in between.
    (
        SlotValues("user / residence", ("Lives in Oslo.",), ("Lives in Porto.", "lives in OSLO")),
        "I live in Oslo. I live in Porto.",
        "I live in Oslo. I live in Porto.",
    ),
    # The current value only adds to the old one.
    (
        SlotValues("trip", ("Trip to Rome and Siena.",), ("Trip to Rome.",)),
        "The trip to Rome and Siena is in May.",
        "The trip to Rome and Siena is in May.",
    ),
    (
        SlotValues("trip", ("Trip to Rome.",), ("Trip to Rome and Siena.",)),
        "We go to Siena.",
        "",
    ),
    # Of several members, the one that is gone is stale, beside one that stays.
    (
        SlotValues("user / pets", ("Has a cat called Yuki.",), ("Has a dog called Rex.",)),
        "Rex is my dog.",
        "",
    ),
    # The very words it was learned from, though they do not have the value's.
    (
        SlotValues("user / diet", ("Eats fish.",), ("Vegan.",), ("no animal products for me",)),
        "As ever: no animal products, for me! Thanks.",
        "Thanks.",
    ),
]


def without(text: str, *values: SlotValues) -> str:
    gone = [span for span, _ in echoed(text, values)]
    return (left(text, gone, lambda _: True) or "").replace("[…]", "").strip()


@pytest.mark.parametrize(("values", "said", "kept"), CASES)
def test_a_stale_sentence_is_left_out_and_no_other(
    values: SlotValues, said: str, kept: str
) -> None:
    assert without(said, values) == kept


def test_what_is_left_out_is_marked() -> None:
    text = "Hello! I live in Oslo. My cat is Yuki.\nI live in Oslo, really."
    gone = [span for span, _ in echoed(text, [HOME])]
    assert left(text, gone, lambda _: True) == "Hello! […] My cat is Yuki. […]"
    assert left(text, gone, lambda sentence: "live" in sentence) is None


places = st.sampled_from(
    [
        "Oslo",
        "Porto",
        "Köln",
        "São Paulo",
        "Новгород",
        "東京",
        "القاهرة",
        "서울",
        "Area 51",
        "3 May",
    ]
)
templates = st.sampled_from(
    ["Lives in {}.", "The {} office", "It is {} now", "住在{}", "В {} давно"]
)
others = st.sampled_from(
    [
        "My cat is called Yuki.",
        "The garden is wet!",
        "猫がいます。",
        "Мне холодно.",
        "ok",
        "So what?",
    ]
)


@st.composite
def slots(draw: st.DrawFn) -> SlotValues:
    template = draw(templates)
    names = draw(st.lists(places, min_size=1, max_size=4, unique=True))
    current = draw(st.integers(0, 1))
    texts = [template.format(name) for name in names]
    return SlotValues("slot", tuple(texts[:current]), tuple(texts[current:]))


def stories(values: SlotValues) -> st.SearchStrategy[list[str]]:
    said = st.sampled_from([*values.current, *values.stale]) | others
    return st.lists(said, min_size=1, max_size=6)


told = slots().flatmap(lambda values: st.tuples(st.just(values), stories(values)))
unhurried = settings(deadline=None)


@unhurried
@given(told)
def test_no_stale_value_is_left_unless_the_turn_says_the_current_one(
    told: tuple[SlotValues, list[str]],
) -> None:
    values, said = told
    text = "\n".join(said)
    kept = without(text, values)
    if not set(said) & set(values.current):
        for stale in values.stale:
            assert stale not in kept
    else:
        assert kept == text.strip()


@unhurried
@given(told)
def test_what_is_about_something_else_always_stays(told: tuple[SlotValues, list[str]]) -> None:
    values, said = told
    kept = without("\n".join(said), values).split("\n")
    spoken = {*values.current, *values.stale}
    whole = "\n".join(kept)
    assert all(one in whole for one in said if one not in spoken)


@unhurried
@given(told)
def test_filtering_twice_changes_nothing_more(told: tuple[SlotValues, list[str]]) -> None:
    values, said = told
    once = without("\n".join(said), values)
    assert without(once, values) == once


@unhurried
@given(st.text(max_size=200), slots())
def test_arbitrary_text_is_read_without_harm(text: str, values: SlotValues) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[s:e] for s, e in spans).split()) == "".join(text.split())
    assert {span for span, _ in echoed(text, [values])} <= set(spans)
    assert left(text, (), lambda _: True) in (text, None)
    assert echoed(text, []) == []


@unhurried
@given(slots())
def test_a_stale_value_alone_leaves_nothing_and_a_current_one_is_untouched(
    values: SlotValues,
) -> None:
    assert all(without(stale, values) == "" for stale in values.stale)
    assert all(without(current, values) == current for current in values.current)


def values(*versions: Belief, **about: object) -> list[SlotValues]:
    asked = {
        "beliefs": (versions[-1],),
        "scopes": frozenset(["user:universal"]),
        "agent_id": None,
        "valid_at": day(10),
        **about,
    }
    return values_of(About(**asked), versions)  # type: ignore[arg-type]


def home(content: str, **fields: object) -> Belief:
    return belief("user", attribute="residence", content=content, **fields)


def test_what_ended_was_corrected_or_superseded_is_stale() -> None:
    told = Provenance(quote="I live in Oslo")
    (found,) = values(
        home("Oslo", valid_to=day(3), provenance=told),
        home("Rome", retired_at=day(4)),
        home("Bonn", superseded_by="x"),
        home("Porto", valid_from=day(3)),
    )
    assert found.about == "user / residence"
    assert found.current == ("Porto",)
    assert found.stale == ("Oslo", "Rome", "Bonn")
    assert found.quotes == ("I live in Oslo",)


def test_what_the_reader_may_not_see_or_does_not_know_yet_is_not_stale() -> None:
    hidden = [
        home("Oslo", valid_to=day(3), scopes=["domain:work"]),
        home("Rome", valid_to=day(3), agent_id="other"),
        home("Bonn", standing="pending"),
        home("Nice", standing="conflict"),
        home("Lima", valid_from=day(11)),
    ]
    assert values(*hidden, home("Porto", valid_from=day(3))) == []
    late = home("Oslo", valid_to=day(3), recorded_at=day(9))
    assert values(late, home("Porto"), known_at=day(8)) == []
    assert len(values(late, home("Porto"), known_at=day(9))) == 1


def test_a_value_held_at_the_asked_instants_is_current_then() -> None:
    versions = home("Oslo", valid_to=day(3)), home("Porto", valid_from=day(3), recorded_at=day(3))
    (now,) = values(*versions)
    assert (now.current, now.stale) == (("Porto",), ("Oslo",))
    assert values(*versions, valid_at=day(2)) == []
    corrected = home("Oslo", retired_at=day(5)), home("Porto", recorded_at=day(5))
    assert values(*corrected, known_at=day(5) - timedelta(seconds=1)) == []


def test_what_was_superseded_in_another_slot_is_stale_too() -> None:
    old = belief("kafka", id="a", content="Kafka", valid_to=day(3), superseded_by="b")
    middle = belief(
        "rabbit", id="b", content="Rabbit", valid_to=day(5), supersedes="a", superseded_by="c"
    )
    new = belief("nats", id="c", content="NATS", valid_from=day(5), supersedes="b")
    (found,) = values(old, middle, new)
    assert (found.current, set(found.stale)) == (("NATS",), {"Kafka", "Rabbit"})


def test_what_was_rejected_is_no_evidence_either() -> None:
    (found,) = values(home("Oslo", standing="rejected"), home("Porto"))
    assert found.stale == ("Oslo",)
