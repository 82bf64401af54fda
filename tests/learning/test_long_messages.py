"""What a long message costs grows with its length, and not faster: counted, not timed."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from types import FrameType
from typing import Any

import pytest

from belief_memory import BeliefMemory
from belief_memory.engine import teaching
from belief_memory.engine.work import Writer
from belief_memory.learning import DeterministicExtractor, words
from belief_memory.learning.doubts import Setting
from belief_memory.learning.heard import Heard
from belief_memory.learning.sentences import quoted, sentences, within_quotation
from belief_memory.ledger.held import HeldIndex
from belief_memory.model.learning import Learned, Lesson, Said

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOPES = ("user:ada",)
EXTRACTOR = DeterministicExtractor()


def same(count: int) -> str:
    return "I live in Oslo. " * count


def different(count: int) -> str:
    return " ".join(f"My tool{one} is Maker{one}." for one in range(count))


def siblings(count: int) -> str:
    return " ".join(f"I am allergic to fruit{one}." for one in range(count))


def one_slot(count: int) -> str:
    return " ".join(f"I moved to Town{one}." for one in range(count))


def said(text: str) -> Said:
    return Said("user", text, text, NOW, "m")


def teach(text: str) -> tuple[int, list[Any]]:
    """Calls that planning what ``text`` says takes, and what comes of it."""
    turn = said(text)
    learned = EXTRACTOR.read(turn)
    writer = Writer("ada", None, SCOPES, "record")
    setting = Setting("ada", SCOPES, NOW)
    calls = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        heard = Heard(Lesson((turn,)))
        _, (outcomes, _) = teaching.Teaching(writer, heard, learned, setting).plan(HeldIndex(), NOW)
    finally:
        sys.setprofile(before)
    return calls, outcomes


@pytest.mark.parametrize("message", [same, different, siblings])
def test_twice_as_many_statements_take_twice_the_calls(message: Any) -> None:
    teach(message(20))  # what is read and compiled once
    once, outcomes = teach(message(150))
    twice, more = teach(message(300))
    assert (len(outcomes), len(more)) == (150, 300)
    assert twice < 2.3 * once


@pytest.mark.parametrize("message", [same, different, siblings, one_slot])
def test_a_statement_more_has_no_more_read_of_the_others(
    message: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = 0
    spans = words.spans

    def counted(plain: str) -> list[tuple[int, int]]:
        nonlocal read
        read += len(plain)
        return spans(plain)

    monkeypatch.setattr(words, "spans", counted)
    teach(message(150))
    once, read = read, 0
    teach(message(300))
    assert 0 < read < 2.3 * once


def test_a_sentence_is_looked_up_and_not_searched_for() -> None:
    text = different(200) + ' She said "I live in Oslo, you know." And then some.'
    spans = quoted(text)
    for one in sentences(text):
        inside = any(start <= one.start and one.end <= end for start, end in spans)
        assert within_quotation(text, one.start, one.end) == inside
    at = text.index("Oslo")
    assert within_quotation(text, at, at + 4)


def test_what_is_refused_without_a_trace_has_nothing_planned_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the policy is to raise, each contradiction is refused."""
    weighed: list[Learned] = []
    decide = teaching.decide

    def counted(learned: Learned, *rest: Any) -> Any:
        weighed.append(learned)
        return decide(learned, *rest)

    monkeypatch.setattr(teaching, "decide", counted)
    with BeliefMemory.open("memory://", extractor=EXTRACTOR, on_conflict="raise") as memory:
        user = memory.for_user("ada")
        user.remember("user", "Lives in Ghent.", attribute="residence", pinned=True)
        report = user.observe(one_slot(30))
        assert [belief.content for belief in user.beliefs()] == ["Lives in Ghent."]
    assert len(report.skipped) == 30
    assert len(weighed) == 30


@pytest.mark.parametrize(
    "text",
    ["!" * 200_000 + "x", "“" * 200_000, "(" * 200_000, "in my novel " * 20_000, '"a. " ' * 20_000],
    ids=["marks", "openings", "brackets", "stories", "quotations"],
)
def test_a_message_of_marks_alone_ends(text: str) -> None:
    """Each of these took the square of its length: hours."""
    assert EXTRACTOR.read(said(text)) == []


def test_a_quotation_without_an_end_hides_no_other() -> None:
    text = "An „opening, and «another.\nHe wrote «I live in Oslo, as ever» and “I am a cook, too”."
    found = {text[start:end] for start, end in quoted(text)}
    assert found == {"«I live in Oslo, as ever»", "“I am a cook, too”"}
