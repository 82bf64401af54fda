"""Foldings that decide identity in the ledger: slots and values. Deliberately narrow."""

from __future__ import annotations

import re
import unicodedata

_SEPARATORS = re.compile(r"[\s_\-]+")
_WIDTH = ("<wide>", "<narrow>")


def fold_slot(name: str) -> str:
    """A slot name folded by case, width and separator only: C stays apart from C++."""
    return _SEPARATORS.sub(" ", fold_width(name).casefold()).strip() or name


def slot_key(canonical_name: str, attribute: str | None = None) -> str:
    """The identity of a slot: two spellings of one slot give the same key."""
    name = fold_slot(canonical_name)
    return name if attribute is None else f"{name}\x1f{fold_slot(attribute)}"


def value_key(content: str) -> str:
    """Two contents with the same key say the same: Unicode normalisation, case and
    white space do not matter. Digits keep their form: m² is not m2."""
    return " ".join(fold_width(content).casefold().split())


def fold_width(text: str) -> str:
    """NFC, with full-width and half-width forms made ordinary."""
    if text.isascii():
        return text
    if any(unicodedata.decomposition(char).startswith(_WIDTH) for char in text):
        text = "".join(
            unicodedata.normalize("NFKC", char)
            if unicodedata.decomposition(char).startswith(_WIDTH)
            else char
            for char in text
        )
    return unicodedata.normalize("NFC", text)
