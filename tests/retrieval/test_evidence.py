"""Ranking turns: what bears on the query most, among those that may be seen."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.model.episode import Episode
from belief_memory.retrieval.evidence import Room, Turns, chosen, terms, wanted
from belief_memory.testing.builders import day


def turn(text: str, number: int = 0, **fields: object) -> Episode:
    return Episode(
        **{  # type: ignore[arg-type]
            "id": f"m{number}",
            "role": "user",
            "text": text,
            "at": day(number),
            "recorded_at": day(number),
            "user_id": "alice",
            "scopes": ("user:universal",),
            **fields,
        }
    )


def turns(*texts: str) -> Turns:
    found = Turns()
    found.add(turn(text, number) for number, text in enumerate(texts))
    return found


def ranked(of: Turns, query: str) -> list[str]:
    found = of.ranked(wanted(query, frozenset()), lambda _: True)
    return [one.text for one in found]


def test_rare_words_and_short_turns_weigh_more() -> None:
    long = "The garage, " + "and so on, " * 30
    of = turns(long, "The garage.", "A garage with a bicycle.", "The garage again.", "Nothing.")
    assert ranked(of, "garage bicycle")[0] == "A garage with a bicycle."
    assert ranked(of, "garage")[-1] == long
    assert "Nothing." not in ranked(of, "garage bicycle")


def test_of_equals_the_newest_comes_first() -> None:
    assert ranked(turns("A box.", "A box.", "a BOX"), "box") == ["a BOX", "A box.", "A box."]


def test_a_word_of_most_turns_admits_nothing_beside_a_rare_one() -> None:
    of = turns(*(f"Note {n} about tea." for n in range(9)), "A kettle.")
    assert ranked(of, "note kettle") == ["A kettle."]
    assert len(ranked(of, "note")) == 9


def test_code_links_and_traces_of_a_query_are_not_looked_for() -> None:
    assert wanted("```\nkettle()\n```\nhttps://example.org/kettle", frozenset()) == frozenset()
    assert wanted("the tea", frozenset(["the"])) == {"tea"}


def test_scripts_without_spaces_are_ranked_by_pairs() -> None:
    assert list(terms("車庫はAB")) == ["車庫", "庫は", "ab"]


def take(of: list[Episode], query: str, most: int = 9, tokens: int | None = None) -> list[str]:
    looked_for = wanted(query, frozenset())
    found, reasons = chosen(of, query, looked_for, [], Room(most, tokens, len))
    assert [reason.turn for reason in reasons if reason.returned] == found
    return [one.text for one in found]


def test_the_query_itself_and_repetitions_are_no_evidence() -> None:
    said = [turn(text) for text in ("my box", "A red box.", "a red BOX", "A box?")]
    assert take(said, "My box!") == ["A red box."]


def test_the_first_turn_that_does_not_fit_ends_it() -> None:
    said = [turn("A box of tea."), turn("A box " + "of tea " * 9), turn("Box.")]
    assert take(said, "box", tokens=40) == ["A box of tea."]
    assert take(said, "box", most=0) == []


words = st.sampled_from(["box", "tea", "garage", "車庫", "ключ", "is", "a"])
sayings = st.lists(st.lists(words, min_size=1, max_size=6).map(" ".join), max_size=12)


@settings(deadline=None)
@given(sayings, sayings, st.integers(0, 12), words)
def test_ranking_sees_nothing_of_what_is_hidden(
    mine: list[str], theirs: list[str], at: int, query: str
) -> None:
    """However many others there are, and wherever they come in between."""
    alone = Turns()
    alone.add(turn(text, n) for n, text in enumerate(mine))
    mixed = Turns()
    mixed.add(turn(text, n) for n, text in enumerate(mine[:at]))
    mixed.add(turn(text, 99, agent_id="other") for text in theirs)
    mixed.add(turn(text, n) for n, text in enumerate(mine[at:], len(mine[:at])))
    looked_for = wanted(query, frozenset())

    def visible(one: Episode) -> bool:
        return one.agent_id is None

    assert mixed.ranked(looked_for, visible) == alone.ranked(looked_for, visible)


@settings(deadline=None)
@given(sayings, st.integers(0, 12), words)
def test_turns_taken_out_of_sight_are_as_if_they_had_never_been(
    said: list[str], first: int, query: str
) -> None:
    of = turns(*said)
    of.skip(first)
    fresh = Turns()
    fresh.add(list(turns(*said))[first:])
    looked_for = wanted(query, frozenset())
    assert of.ranked(looked_for, lambda _: True) == fresh.ranked(looked_for, lambda _: True)
    assert list(of) == list(fresh)
