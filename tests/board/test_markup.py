"""Markup is made of tags and escaped text, and of nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belief_memory.board.markup import Html, join, tag, text
from tests.board.reading import Page


@given(st.text(), st.text())
def test_children_and_attribute_values_come_back_as_they_were(child: str, value: str) -> None:
    page = Page(tag("p", child, title=value))
    ((name, attributes),) = page.elements
    assert (name, set(attributes)) == ("p", {"title"})
    if "\\u" not in text(child + value):
        assert attributes["title"] == value
        assert "".join(data for _, data in page.texts) == child


def test_only_what_was_made_here_is_not_escaped_again() -> None:
    assert tag("p", tag("b", "<"), "<b>") == "<p><b>&lt;</b>&lt;b&gt;</p>"
    assert join("&", Html("&amp;")) == "&amp;&amp;"
    assert isinstance(tag("p", "x"), Html)


def test_attributes_are_left_out_bare_or_renamed() -> None:
    made = tag("input", class_="a", data_group=True, disabled=False, id=None)
    assert made == '<input class="a" data-group>'


@pytest.mark.parametrize("char", ["\x00", "\x1b", "\r", "\x85", "\ud800", "\uffff"])
def test_what_html_cannot_hold_is_shown_as_its_code_point(char: str) -> None:
    assert text(f"a{char}b") == f"a\\u{ord(char):04x}b"
    assert tag("p", title=char) == f'<p title="\\u{ord(char):04x}"></p>'
