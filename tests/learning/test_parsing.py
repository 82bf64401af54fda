"""Malformed answers of models: each with what must come of it, and never a silent loss."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belief_memory.learning import parse_answer

A = (
    '{"canonical_name":"user","attribute":"residence",'
    '"content":"Lives in Porto","why_it_matters":"w"}'
)
B = '{"canonical_name":"lens","content":"The lens is cracked","why_it_matters":"w"}'
IS_A, IS_B = ("user / residence", "Lives in Porto"), ("lens", "The lens is cracked")

# What the model answered; what was said in it; in how many skips the rest is reported.
CORPUS: list[tuple[str, str, list[tuple[str, str]], int]] = [
    ("plain object", A, [IS_A], 0),
    ("list", f"[{A},{B}]", [IS_A, IS_B], 0),
    ("wrapped", f'{{"beliefs":[{A},{B}]}}', [IS_A, IS_B], 0),
    ("other wrapper", f'{{"memories":[{A}]}}', [IS_A], 0),
    ("unknown wrapper", f'{{"output":{{"list":[{A}]}}}}', [IS_A], 0),
    ("wrapper in a list", f'[{{"beliefs":[{A}]}}]', [IS_A], 0),
    ("single under beliefs", f'{{"beliefs":{A}}}', [IS_A], 0),
    ("nothing", '{"beliefs":[]}', [], 0),
    ("empty object", "{}", [], 0),
    ("empty list", "[]", [], 0),
    ("empty text", "", [], 1),
    ("white space", " \n\t ", [], 1),
    ("prose only", "There is nothing worth remembering here.", [], 1),
    ("a refusal with braces", "I cannot {really} do that.", [], 1),
    ("null", "null", [], 1),
    ("a number", "42", [], 1),
    ("fenced", f"```json\n{A}\n```", [IS_A], 0),
    ("fenced without language", f"```\n[{A}]\n```", [IS_A], 0),
    (
        "fenced in prose",
        f"Sure! Here it is:\n\n```json\n[{A},\n{B}]\n```\nAnything else?",
        [IS_A, IS_B],
        0,
    ),
    ("fence without an end", f"```json\n{A}", [IS_A], 0),
    ("two fences", f"```json\n{A}\n```\nand\n```json\n{B}\n```", [IS_A, IS_B], 0),
    ("fence with tildes around prose", f"~~~\n{A}\n~~~", [IS_A], 0),
    ("prose before", f"The beliefs are: {A}", [IS_A], 0),
    ("prose after", f"{A}\n\nI hope this helps.", [IS_A], 0),
    ("prose with quotes after", f'{A} as you said "so".', [IS_A], 0),
    ("prose both sides", f"Well, [{A}] it is.", [IS_A], 0),
    ("thinking first", f'<think>maybe {{"x": 1}}?</think>\n{A}', [IS_A], 0),
    ("unclosed thinking", "<think>hm, what is it", [], 1),
    ("json lines", f"{A}\n{B}\n", [IS_A, IS_B], 0),
    ("objects side by side", f"{A}{B}", [IS_A, IS_B], 0),
    ("objects with commas, no list", f"{A},\n{B}", [IS_A, IS_B], 0),
    ("comma missing", f"[{A} {B}]", [IS_A, IS_B], 0),
    ("trailing commas", f'{{"beliefs":[{A},{B},],}}', [IS_A, IS_B], 0),
    ("single quotes", A.replace('"', "'"), [IS_A], 0),
    ("python literals", A[:-1] + ", 'member': None, 'never_true': False}", [IS_A], 0),
    ("keys without quotes", '{canonical_name: "lens", content: "The lens is cracked"}', [IS_B], 0),
    ("curly quotes", A.replace('"', "”"), [IS_A], 0),
    ("comments", f"[ // the first\n{A}, /* and */ {B}]", [IS_A, IS_B], 0),
    (
        "line break in a string",
        A.replace("Lives in", "Lives\nin"),
        [("user / residence", "Lives\nin Porto")],
        0,
    ),
    (
        "tab in a string",
        A.replace("Lives in", "Lives\tin"),
        [("user / residence", "Lives\tin Porto")],
        0,
    ),
    (
        "quotes not escaped",
        A.replace("Lives in Porto", 'Says "hi" to all'),
        [("user / residence", 'Says "hi" to all')],
        0,
    ),
    (
        "apostrophe escaped",
        A.replace("Lives in Porto", r"It\'s Porto"),
        [("user / residence", "It's Porto")],
        0,
    ),
    (
        "bad unicode escape",
        A.replace("Porto", r"Porto \u12G4"),
        [("user / residence", r"Lives in Porto \u12G4")],
        0,
    ),
    ("half a surrogate", A.replace("Porto", r"\ud83d"), [], 1),
    (
        "a whole surrogate pair",
        A.replace("Porto", r"\ud83d\ude00"),
        [("user / residence", "Lives in 😀")],
        0,
    ),
    (
        "escaped unicode",
        A.replace("Porto", r"M\u00fcnchen"),
        [("user / residence", "Lives in München")],
        0,
    ),
    (
        "braces and brackets inside",
        A.replace("Porto", "{Porto} [PT]"),
        [("user / residence", "Lives in {Porto} [PT]")],
        0,
    ),
    ("byte order mark", "\ufeff" + A, [IS_A], 0),
    ("encoded twice", json.dumps(f"[{A}]"), [IS_A], 0),
    (
        "cut in a value",
        f'{{"beliefs":[{A},{{"canonical_name":"lens","content":"The lens is cra',
        [IS_A],
        1,
    ),
    ("cut in a key", f'{{"beliefs":[{A},{{"canonical_na', [IS_A], 1),
    (
        "cut after a value",
        f'[{A},{{"canonical_name":"lens","content":"The lens is cracked"',
        [IS_A],
        1,
    ),
    ("cut after an item", f'{{"beliefs":[{A},{B}', [IS_A, IS_B], 0),
    ("cut before the last bracket", f"[{A},{B}", [IS_A, IS_B], 0),
    ("cut at once", '{"beliefs": [{"canonical_name": "us', [], 1),
    ("only an opening", '{"beliefs": [', [], 1),
    ("one item is prose", f'[{A},"and so on"]', [IS_A], 1),
    ("one item is a list", f"[{A},[1,2]]", [IS_A], 1),
    ("one item without a name", f'[{A},{{"content":"Something"}}]', [IS_A], 1),
    (
        "one item without content",
        f'[{A},{{"canonical_name":"lens","why_it_matters":"w"}}]',
        [IS_A],
        1,
    ),
    ("content is a list", f'[{A},{{"canonical_name":"lens","content":["a","b"]}}]', [IS_A], 1),
    ("content is null", f'[{A},{{"canonical_name":"lens","content":null}}]', [IS_A], 1),
    ("confidence is NaN", f'[{A},{B[:-1]},"confidence":NaN}}]', [IS_A], 1),
    ("confidence is too much", f'[{A},{B[:-1]},"confidence":7}}]', [IS_A], 1),
    ("an unknown act", f'[{A},{B[:-1]},"act":"explode"}}]', [IS_A], 1),
    ("a slot as text", '{"slot":"user / residence","content":"Lives in Porto"}', [IS_A], 0),
    ("a slot as a pair", '{"slot":["user","residence"],"content":"Lives in Porto"}', [IS_A], 0),
    (
        "other names for the fields",
        '{"entity":"lens","statement":"The lens is cracked","why":"w"}',
        [IS_B],
        0,
    ),
    (
        "keyed by name",
        '{"lens":{"content":"The lens is cracked"},"dome":{"content":"The dome is shut"}}',
        [IS_B, ("dome", "The dome is shut")],
        0,
    ),
    ("capital keys", '{"Canonical_Name":"lens","Content":"The lens is cracked"}', [IS_B], 0),
    ("NUL inside", A.replace("Porto", r"Por\u0000to"), [IS_A], 0),
]


@pytest.mark.parametrize(
    ("answer", "said", "skips"), [c[1:] for c in CORPUS], ids=[c[0] for c in CORPUS]
)
def test_an_answer_gives_what_is_in_it_and_reports_the_rest(
    answer: str, said: list[tuple[str, str]], skips: int
) -> None:
    read = parse_answer(answer)
    assert [(str(one.slot), one.content) for one in read.learned] == said
    assert len(read.skipped) == skips, read.skipped
    for skip in read.skipped:
        assert skip.reason
        assert skip.text.strip() or not answer.strip()


def test_the_corpus_is_as_large_as_promised() -> None:
    assert len(CORPUS) >= 60


def test_the_text_of_a_skip_is_what_was_not_read() -> None:
    read = parse_answer(f'[{A},{{"canonical_name":"lens","content":"The lens is cra')
    assert "The lens is cra" in read.skipped[0].text
    prose = "Nothing to note, sorry."
    assert parse_answer(prose).skipped[0].text == prose


@pytest.mark.parametrize(
    ("given_as", "number"),
    [
        ("0.9", 0.9),
        ('"0.9"', 0.9),
        ('"90%"', 0.9),
        ('"high"', 0.9),
        ('"low"', 0.3),
        ("null", 1.0),
        ("1", 1.0),
    ],
)
def test_confidence_is_read_as_models_write_it(given_as: str, number: float) -> None:
    (learned,) = parse_answer(f'{B[:-1]},"confidence":{given_as}}}').learned
    assert learned.confidence == number


def test_structured_output_is_taken_as_it_is() -> None:
    class Answer:
        def model_dump(self) -> dict[str, Any]:
            return {"beliefs": [json.loads(A)]}

    for answer in (
        Answer(),
        [json.loads(A)],
        {"beliefs": [json.loads(A)]},
        json.loads(A),
        A.encode(),
    ):
        assert [one.content for one in parse_answer(answer).learned] == ["Lives in Porto"]
    assert len(parse_answer(object()).skipped) == 1


@given(st.text(max_size=200))
def test_no_text_breaks_the_parser_or_is_lost(text: str) -> None:
    read = parse_answer(text)
    says_nothing = re.search(r"\[\s*\]|\{\s*\}", text) is not None
    assert read.learned or read.skipped or says_nothing


@given(st.integers(0, len(f"[{A},{B}]")))
def test_wherever_an_answer_is_cut_no_half_sentence_is_believed(at: int) -> None:
    whole = f"[{A},{B}]"
    read = parse_answer(whole[:at])
    said = [(str(one.slot), one.content) for one in read.learned]
    assert said in ([], [IS_A], [IS_A, IS_B])
    if whole[:at].count('"content"') > len(said):
        assert read.skipped
