"""Folding for matching: what a reader would call the same letters, with a way back.

Case, accents, width and invisible characters do not matter (Rule R3); the letters й, ў
and the voicing marks of kana do. Folding may change the length, so :func:`fold` also
gives, where needed, the offset in the original of every folded character.
"""

from __future__ import annotations

import re
import unicodedata

_IRREGULAR = "\ufdd0"
"""A noncharacter that marks what does not fold to exactly one character."""

_APOSTROPHES = frozenset("'’‘ʼʹ＇‛´ʻ")
_BLANKS = frozenset("™®©℠№")
_LETTERS = str.maketrans(
    {
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ħ": "h",
        "ı": "i",
        "ŧ": "t",
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
        "þ": "th",
        "ə": "e",
        "ſ": "s",
    }
)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_ACCENTS = (
    range(0x0300, 0x0370),
    range(0x0483, 0x0488),
    range(0x0591, 0x05C8),
    range(0x0610, 0x061B),
    range(0x064B, 0x0660),
    range(0x0670, 0x0671),
    range(0x06D6, 0x06EE),
    range(0x1AB0, 0x1B00),
    range(0x1DC0, 0x1E00),
    range(0x20D0, 0x2100),
    range(0xFE00, 0xFE10),
    range(0xFE20, 0xFE30),
)
_TATWEEL = "\u0640"
_JOINER = "\u200d"
_CLUSTER = re.compile(
    "[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?"
    "|.[\u0300-\u036f\u0483-\u0487\u064b-\u065f\u0670\u3099\u309a\uff9e\uff9f]+",
    re.DOTALL,
)
_COMPOSES = re.compile("[\u1160-\u11ff\u3099\u309a\uff9e\uff9f]")
"""Marks that fold to themselves when alone, but to one letter with what precedes them."""


def _accent(char: str) -> bool:
    code = ord(char)
    return (
        code >= 0x300
        and any(code in block for block in _ACCENTS)
        and unicodedata.category(char)[0] == "M"  # the maqaf of תל־אביב is a hyphen
    )


def _fold_composed(char: str) -> str:
    """The folded form of one composed character; may be empty or longer."""
    if char in _APOSTROPHES:
        return "'"
    if char in _BLANKS:
        return " "
    if char == _JOINER:
        return char
    if (
        char == _TATWEEL
        or _accent(char)
        or ord(char) in _SKIN_TONES
        or unicodedata.category(char) == "Cf"
    ):
        return ""
    wide = unicodedata.normalize("NFKC", char).casefold().translate(_LETTERS)
    kept: list[str] = []
    for part in unicodedata.normalize("NFD", wide):
        letter_of_its_own = part == "\u0306" and kept and kept[-1] in "иу"
        if letter_of_its_own or not _accent(part):
            kept.append(part)
    return unicodedata.normalize("NFC", "".join(kept))


class _Folds(dict[int, str]):
    """Folded characters by code point, filled as they are met."""

    def __missing__(self, code: int) -> str:
        folded = _fold_composed(chr(code))
        value = self[code] = folded if len(folded) == 1 else _IRREGULAR
        return value


_FOLDS = _Folds()


def fold(text: str) -> tuple[str, list[int] | None]:
    """The folded text, and where each of its characters stood in ``text``.

    The offsets are None when nothing moved; otherwise they have one entry more than the
    folded text, so that a span's end can be looked up too.
    """
    if text.isascii():
        return text.lower(), None
    folded = text.translate(_FOLDS)
    if _IRREGULAR not in folded and not _COMPOSES.search(text):
        return folded, None
    return _fold_slowly(text)


def _fold_slowly(text: str) -> tuple[str, list[int]]:
    out: list[str] = []
    offsets: list[int] = []
    at = 0
    for match in _CLUSTER.finditer(text):
        _fold_chars(text, at, match.start(), out, offsets)
        cluster = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", match.group()))
        for char in cluster:
            for part in _fold_composed(char):
                out.append(part)
                offsets.append(match.start())
        at = match.end()
    _fold_chars(text, at, len(text), out, offsets)
    offsets.append(len(text))
    return "".join(out), offsets


def _fold_chars(text: str, start: int, end: int, out: list[str], offsets: list[int]) -> None:
    for at in range(start, end):
        part = _FOLDS[ord(text[at])]
        if part == _IRREGULAR:
            part = _fold_composed(text[at])
        for char in part:
            out.append(char)
            offsets.append(at)
