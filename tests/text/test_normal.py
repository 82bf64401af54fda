"""Folding: what a reader would call the same letters, with a way back to the original."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.text.normal import fold


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Łódź", "lodz"),
        ("İSTANBUL", "istanbul"),
        ("ıstanbul", "istanbul"),
        ("Straße", "STRASSE"),
        ("Ｒｅｄｉｓ", "redis"),
        ("Crème brûlée", "creme brulee"),
        ("ёлка", "ЕЛКА"),
        ("ﾊﾞｽ", "バス"),
        ("القَاهِرَة", "القاهرة"),
        ("smørrebrød", "smorrebrod"),
        ("Re\u00addis", "redis"),
        ("Re\u200bdis", "redis"),
        ("Jack’s", "jack's"),
        ("ΕΛΛΆΣ", "ελλας"),
        ("Redis™", "redis "),
        ("👍🏽", "👍"),
        ("\u1112\u1161\u11ab", "한"),
    ],
)
def test_same_letters_fold_to_the_same(one: str, other: str) -> None:
    assert fold(one)[0] == fold(other)[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("йод", "иод"),
        ("ўсё", "усё"),
        ("バス", "ハス"),
        ("ぱん", "はん"),
        ("की", "कि"),
        ("ก่า", "กา"),
    ],
)
def test_marks_that_make_another_letter_stay(one: str, other: str) -> None:
    assert fold(one)[0] != fold(other)[0]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_decomposing_a_text_does_not_change_how_it_folds(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert fold(unicodedata.normalize("NFD", composed))[0] == fold(composed)[0]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_every_folded_character_knows_where_it_stood(text: str) -> None:
    folded, offsets = fold(text)
    if offsets is None:
        assert len(folded) == len(text)
        return
    assert len(offsets) == len(folded) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_folding_twice_changes_nothing(text: str) -> None:
    once = fold(text)[0]
    assert fold(once)[0] == once
