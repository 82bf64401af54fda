"""Tokens and name keys: what is one token, and what a name asks of a query."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.model.belief import Statement
from belief_memory.text.keys import name_key, name_keys, split_key
from belief_memory.text.normal import fold
from belief_memory.text.tokens import breaks, spans, tokenise


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("C++ and C#, but C++17", ["c++", "and", "c#", "but", "c++", "17"]),
        (".NET, not ASP.NET", [".net", "not", "asp", "net"]),
        ("iOS+Android", ["ios", "android"]),
        ("us-east-1", ["us", "east", "1"]),
        ("the boss's wasn't", ["the", "boss's", "wasn", "t"]),
        ("Redisを使う", ["redis", "を", "使", "う"]),
        ("Redis를 쓴다", ["redis를", "쓴다"]),
        ("ok 🚀🚀 👩‍💻", ["ok", "🚀", "🚀", "👩‍💻"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("snake_case", ["snake", "case"]),
        ("?! -- /// ++ #", []),
    ],
)
def test_what_is_one_token(text: str, tokens: list[str]) -> None:
    assert tokenise(fold(text)[0]) == tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("redis_cache", "Redis-Cache"),
        ("CI/CD", "ci cd"),
        ("@acme/ui-kit", "acme ui kit"),
        ("--frozen-lockfile", "Frozen Lockfile"),
    ],
)
def test_spellings_that_read_the_same_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Node.js", "Node JS"),
        ("AT&T", "AT T"),
        ("C++", "C"),
        ("C#", "C"),
        ("東京 タワー", "東京タワー"),
        (".NET", "net"),
    ],
)
def test_characters_that_count_make_another_key(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def test_keys_come_in_the_order_of_the_names() -> None:
    statement = Statement(
        canonical_name="redis_cache",
        attribute="port",
        content="6379",
        aliases=("Redis", "??", "Node.js"),
        attribute_aliases=("listening port",),
    )
    keys = name_keys(statement)
    assert [split_key(key)[0] for key in keys] == [
        "redis cache",
        "redis",
        "",
        "node js",
        "port",
        "listening port",
    ]


def test_attribute_aliases_without_an_attribute_have_no_key() -> None:
    statement = Statement(canonical_name="x", content="y", attribute_aliases=("z",))
    assert name_keys(statement) == ("x",)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_a_key_survives_the_round_trip_through_its_parts(name: str) -> None:
    run, joints = split_key(name_key(name))
    tokens = tokenise(fold(name)[0])
    assert run == " ".join(tokens)
    assert joints is None or len(joints) == len(tokens) - 1


@settings(deadline=None)
@given(st.from_regex(r"[A-Za-z0-9]+([ _-][A-Za-z0-9]+){0,3}", fullmatch=True))
def test_the_short_cut_for_simple_names_gives_the_same_key(name: str) -> None:
    assert name_key(name) == " ".join(tokenise(fold(name)[0]))


@settings(deadline=None)
@given(st.text(max_size=60))
def test_spans_and_tokens_agree(text: str) -> None:
    folded = fold(text)[0]
    assert [folded[start:end] for start, end in spans(folded)] == tokenise(folded)


@pytest.mark.parametrize("gap", ["? ", ", ", "。", " — ", " - ", "\n\n", "\n- ", " | ", "; "])
def test_sentence_punctuation_breaks_a_phrase(gap: str) -> None:
    assert breaks(gap)


@pytest.mark.parametrize("gap", [" ", "-", "_", "/", "\n", "** ", " (", "' ", "‑"])
def test_other_punctuation_reads_as_a_space(gap: str) -> None:
    assert not breaks(gap)
