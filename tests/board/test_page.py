"""The page shows what is held, loads nothing, and cannot be broken out of."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from belief_memory import BeliefMemory
from belief_memory.board import look, render_page
from belief_memory.board.page import MAX_VERSIONS
from tests.board.reading import Page
from tests.conftest import SetClock

HOSTILE = [
    "<script>alert(1)</script>",
    "</td></tr></table><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    "</style><style>*{display:none}",
    "</script><script>alert(1)//",
    "<!-- comment -->",
    "]]><![CDATA[<b>",
    "<svg><script>alert(1)</script></svg>",
    "javascript:alert(1)",
    "&lt;b&gt; &amp; &#60;i&#62;",
    "\x00<b>\x1b\x85",
    "\u202eoverride",
    "</title><base href=//example.org>",
    "<?php ?> <% %> {{ x }} ${x}",
]


def page_of(memory: BeliefMemory, user: str = "alice") -> Page:
    return Page(render_page(look(memory, user)))


def remember_everywhere(memory: BeliefMemory, text: str, user: str = "alice") -> None:
    """A memory with the text in every field that may hold it, in each part of the page."""
    alice = memory.for_user(user, scopes=[f"x:{text}" if text.strip() == text else "x:y"])
    fields = {
        "attribute": text,
        "why_it_matters": text,
        "aliases": [text],
        "attribute_aliases": [text],
        "provenance": {
            "source": text,
            "session_id": text,
            "extractor": text,
            "model": text,
            "quote": text,
        },
    }
    alice.remember(f"{text} 1", text, **fields)
    alice.remember(f"{text} 1", f"{text} changed", **fields)
    alice.remember(f"{text} 2", text, type="open_question", **fields)
    alice.remember(f"{text} 3", text, cardinality="many", member=f"m {text}", **fields)
    waiting = {"pending": True, "metadata": {"waits_because": text}}
    alice.remember_many([{"canonical_name": text, "content": text, **fields, **waiting}])
    at = {"valid_from": "2020-01-01"}
    alice.remember("phone", text, **at, provenance={"source": "a"})
    alice.remember("phone", f"not {text}", **at, provenance={"source": text})
    memory.for_user(user, agent_id=f"a{text}").remember("tone", text)


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_in_beliefs_is_text_on_the_page(text: str, memory: BeliefMemory) -> None:
    remember_everywhere(memory, text, user=f"u {text}")
    plain = "y"
    remember_everywhere(memory, plain, user=f"u {plain}")
    page, same = page_of(memory, f"u {text}"), page_of(memory, f"u {plain}")
    assert page.foreign() == []
    assert page.comments == []
    assert Counter(tag for tag, _ in page.elements) == Counter(tag for tag, _ in same.elements)
    visible = re.sub("[\x00\x1b\x85]", lambda match: f"\\u{ord(match[0]):04x}", text)
    assert page.text().count(visible) > 25


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_no_text_whatever_adds_an_element_or_attribute(text: str) -> None:
    if not text.strip():
        return
    with BeliefMemory.open("memory://") as memory:
        alice = memory.for_user("alice")
        alice.remember(text, text, why_it_matters=text, aliases=[text], provenance={"quote": text})
        page = page_of(memory)
    assert page.foreign() == []
    assert page.comments == []
    assert [a["href"] for a in page.of("a") if not re.fullmatch(r"#[a-z]+(-1)?", a["href"])] == []


def test_the_page_asks_nothing_of_any_network(memory: BeliefMemory) -> None:
    memory.for_user("alice").remember("site", "See https://example.org/x.png")
    text = render_page(look(memory, "alice"))
    page = Page(text)
    for tag, attributes in page.elements:
        assert not {"src", "srcset", "action", "style"} & set(attributes), tag
        assert str(attributes.get("href", "#")).startswith("#")
    assert "url(" not in text
    assert "@import" not in text
    (policy,) = [m["content"] for m in page.of("meta") if "http-equiv" in m]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    for kind in ("style", "script"):
        (inline,) = [data for tag, data in page.texts if tag == kind]
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_an_unchanged_memory_gives_the_same_bytes(tmp_path: Path, clock: SetClock) -> None:
    uri = str(tmp_path / "m")
    with BeliefMemory.open(uri, clock=clock) as memory:
        remember_everywhere(memory, "x")
        first = render_page(look(memory, "alice"))
        clock.advance(days=40)
        assert render_page(look(memory, "alice")) == first
        memory.maintain()
        memory.backup(tmp_path / "copy")
    with BeliefMemory.open(uri, clock=clock, read_only=True) as again:
        assert render_page(look(again, "alice")) == first
    with BeliefMemory.open(tmp_path / "copy", clock=clock) as copy:
        assert render_page(look(copy, "alice")) == first
        copy.for_user("alice").remember("new", "thing")
        assert render_page(look(copy, "alice")) != first


def test_an_empty_memory_has_a_page_that_says_so(memory: BeliefMemory) -> None:
    page = page_of(memory, "nobody")
    assert page.foreign() == []
    assert page.of("table") == []
    assert page.text().count("None.") == 6
    assert memory.users() == []


def test_a_page_is_read_by_its_headings_labels_and_table_headers(memory: BeliefMemory) -> None:
    remember_everywhere(memory, "x")
    page = page_of(memory)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(th.get("scope") in ("col", "row") for th in page.of("th"))
    assert len(page.of("caption")) == len(page.of("table"))
    assert len(page.of("tbody")) == len(page.of("thead")) == len(page.of("table"))
    (label,) = page.of("label")
    (box,) = page.of("input")
    assert label["for"] == box["id"]
    assert all(svg["aria-hidden"] == "true" for svg in page.of("svg"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {str(a["href"])[1:] for a in page.of("a")}
    targets |= {str(section["aria-labelledby"]) for section in page.of("section")}
    assert targets <= set(ids)
    assert page.of("html") == [{"lang": "en"}]


@pytest.mark.parametrize(
    "text", ["Лисбон — дом", "東京の本社", "خادم الإنتاج", "הבית שלי", "บ้านของฉัน", "घर 🏠", "Ærø"]
)
def test_other_scripts_stand_as_they_are_and_by_their_own_direction(
    text: str, memory: BeliefMemory
) -> None:
    memory.for_user("alice").remember(text, f"{text}!", aliases=[text])
    html = render_page(look(memory, "alice"))
    assert f'<div dir="auto">{text}!</div>' in html
    assert f"<bdi>{text}</bdi>" in html


def test_a_long_history_shows_its_newest_versions_and_counts_the_others(
    memory: BeliefMemory, clock: SetClock
) -> None:
    alice = memory.for_user("alice")
    values = MAX_VERSIONS + 50
    alice.remember_many(
        {
            "canonical_name": "price",
            "content": f"value {number}",
            "valid_from": datetime(1900 + number, 1, 1, tzinfo=UTC),
        }
        for number in range(values)
    )
    board = look(memory, "alice")
    (story,) = board.stories
    page = Page(render_page(board))
    left_out = len(story.versions) - MAX_VERSIONS
    assert left_out > 0
    assert f"{left_out} earlier versions are not shown here." in page.text()
    assert len(page.of("svg")) == MAX_VERSIONS
    for rect in page.of("rect"):
        assert float(str(rect["x"])) >= 0
        assert float(str(rect["width"])) > 0
        assert float(str(rect["x"])) + float(str(rect["width"])) <= 240.1


def test_both_clocks_are_drawn_and_said(memory: BeliefMemory, clock: SetClock) -> None:
    alice = memory.for_user("alice")
    alice.remember("city", "Oslo", valid_from="2020-01-01", valid_to="2020-07-01")
    clock.advance(days=181)
    alice.correct("city", "Bergen", valid_from="2020-01-01", valid_to="2020-07-01")
    page = page_of(memory)
    times = {time["datetime"] for time in page.of("time")}
    assert {"2020-01-01T00:00:00+00:00", "2020-07-01T00:00:00+00:00"} <= times
    assert {"2026-01-01T00:00:00+00:00", "2026-07-01T00:00:00+00:00"} <= times
    bars = [(r["class"], float(str(r["x"])), float(str(r["width"]))) for r in page.of("rect")]
    (_, x, wide), (_, known_x, known_wide), (_, x2, wide2), (_, later, still) = bars
    assert (x, wide) == (x2, wide2)
    assert known_x > x + wide
    assert later >= known_x + known_wide - 0.2
    assert later + still == pytest.approx(240)


def test_the_digest_reads_as_headings_and_lists_with_the_words_as_they_were(
    memory: BeliefMemory,
) -> None:
    name, said = "a*b_[c] \\ `d`", "# x <i> **y** \\*\u2028- z"
    memory.for_user("alice").remember(name, said)
    page = page_of(memory)
    assert ("h3", "New") in page.texts
    assert ("strong", name) in page.texts
    assert ("li", ": # x <i> **y** \\* - z") in page.texts
