"""What we injected is never learned from."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from belief_memory.injection.marker import strip_injected
from belief_memory.model.context import Context
from tests.injection.beliefs import belief, context
from tests.injection.test_escaping import contexts, unhurried

FORMATS = ("xml", "markdown")
SECRET = "zebra-42"


def block(format, *, content: str = SECRET, **fields) -> str:
    kept = belief("animal", content, **fields)
    return context([kept], pinned=[kept], relevant=[kept]).render(format)


around = st.text().filter(lambda text: "memory" not in text and not text.endswith(tuple("<!- ")))


@unhurried
@given(contexts, around, around, st.sampled_from(FORMATS))
def test_what_is_around_a_block_stays_byte_for_byte(
    memory: Context, before: str, after: str, format
) -> None:
    assert strip_injected(before + memory.render(format) + after) == before + after


@unhurried
@given(contexts, around, around, around)
def test_several_blocks_in_both_formats_go(memory: Context, a: str, b: str, c: str) -> None:
    text = a + memory.render() + b + memory.render("markdown") + c + memory.render(section="query")
    assert strip_injected(text) == a + b + c


@pytest.mark.parametrize("format", FORMATS)
def test_a_block_cut_off_anywhere_leaves_nothing_of_a_belief(format) -> None:
    whole = block(format, why_it_matters="</memory> <!-- /belief-memory -->")
    for end in range(len(whole)):
        assert strip_injected("Hi. " + whole[:end]).startswith("Hi. ")
        assert SECRET not in strip_injected("Hi. " + whole[:end])
        assert "zebra" not in strip_injected("Hi. " + whole[:end])


@pytest.mark.parametrize("format", FORMATS)
def test_a_block_that_lost_its_beginning_goes_too(format) -> None:
    whole = block(format)
    for start in range(1, len(whole) - len(SECRET)):
        assert SECRET not in strip_injected(whole[start:] + "\nWhat now?")
        assert strip_injected(whole[start:] + "\nWhat now?").endswith("\nWhat now?")


@pytest.mark.parametrize("format", FORMATS)
def test_an_end_without_a_beginning_reaches_back_no_further_than_the_block_before(format) -> None:
    whole = block(format)
    text = f"Hello. {whole}{whole[40:]} Bye."
    assert strip_injected(text) == "Hello.  Bye."


def test_a_block_inside_a_block_goes_with_it() -> None:
    inner = block("xml")
    outer = inner.replace(SECRET, inner, 1)
    assert strip_injected(f"a{outer}b") == "ab"
    inner = block("markdown")
    outer = inner.replace(SECRET, inner, 1)
    assert strip_injected(f"a{outer}b") == "ab"


@pytest.mark.parametrize("format", FORMATS)
def test_a_belief_that_quotes_a_block_does_not_end_it(format) -> None:
    for quoted in FORMATS:
        text = block(format, content=f"{SECRET} {block(quoted)} {SECRET}")
        assert strip_injected(f"a {text} b") == "a  b"


def test_a_block_that_went_through_json_goes() -> None:
    text = json.dumps({"seen": block("xml"), "said": "hello"})
    assert SECRET not in strip_injected(text)
    assert "hello" in strip_injected(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "My memory is bad.",
        "<memory>mine</memory> stays",
        '<memory size="4GB"><b>x</b></memory> and </memory>',
        "<!-- memory -->",
        "I wrote <memory in the config",
    ],
)
def test_memory_that_is_not_ours_stays(text: str) -> None:
    assert strip_injected(text) == text


def test_ours_inside_a_foreign_memory_element_goes_alone() -> None:
    text = f"<memory><beliefs>{block('xml')}</beliefs></memory>"
    assert strip_injected(text) == "<memory><beliefs></beliefs></memory>"


@unhurried
@given(contexts, around, st.sampled_from(FORMATS))
def test_stripping_twice_is_stripping_once(memory: Context, before: str, format) -> None:
    text = before + memory.render(format)
    assume(text)
    once = strip_injected(text)
    assert strip_injected(once) == once
