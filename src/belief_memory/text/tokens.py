"""Tokens of folded text, and what stands between them.

Words of spaced scripts are tokens; in scripts without spaces every character is one, so
that a name inside a run is a contiguous phrase like any other. A trailing run of + or #
and a leading dot belong to the token (C++, C#, .NET), a possessive 's stays attached so
that it can be dropped by whoever matches, an emoji is a token (Rule R3).
"""

from __future__ import annotations

import re

SPACELESS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff"  # Thai, Lao
    "\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7\u17dc-\u17e9"  # Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_EMOJI = "\u231a-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_MARKS = (  # vowel signs of the Indic and Tibetan blocks, which are no letters to ``re``
    "\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0971-\u0df3\u0f18-\u0fc6\u200d"
)
_WORD = rf"[^\W_{SPACELESS}]"

_ASCII_TOKEN = re.compile(
    r"(?:(?<![a-z0-9.])\.(?=[a-z]))?[a-z0-9]+(?:[+#]++(?![a-z]))?(?:'s(?![a-z0-9]))?"
)
_TOKEN = re.compile(
    rf"[{SPACELESS}]|[{_EMOJI}](?:\u200d[{_EMOJI}])*"
    rf"|(?:(?<![\w.])\.(?=[^\W\d_]))?{_WORD}+(?:[{_MARKS}]+{_WORD}*)*"
    rf"(?:[+#]++(?![^\W\d_]))?(?:'s(?!{_WORD}))?"
)
_SPACELESS_CHAR = re.compile(f"[{SPACELESS}]")

_BREAKS = frozenset(".,;:!?…。、，；：！？|—¿¡؟،؛۔।॥\u2028\u2029\x1e")
_COUNTING = "&+#"
_NEW_PARAGRAPH = re.compile(r"\n[^\S\n]*(?:\n|[-*•+>]|\d+[.)])")
_SPACED_DASH = re.compile(r"\s[-–−]+\s")
_PLAIN_GAPS = frozenset(("", " ", "-", "_", "/", "  ", "\n"))

DEFAULT_JOINT = " "


def tokenise(folded: str) -> list[str]:
    """The tokens of folded text."""
    pattern = _ASCII_TOKEN if folded.isascii() else _TOKEN
    return pattern.findall(folded)


def spans(folded: str) -> list[tuple[int, int]]:
    """Where the tokens of folded text start and end in it."""
    pattern = _ASCII_TOKEN if folded.isascii() else _TOKEN
    return [match.span() for match in pattern.finditer(folded)]


def spaceless(token: str) -> bool:
    """Whether the token is a character of a script without spaces."""
    return len(token) == 1 and token > "\u0e00" and _SPACELESS_CHAR.match(token) is not None


def breaks(gap: str) -> str:
    """The marks in the text between two tokens that end a phrase: sentence punctuation,
    a spaced dash (-), a new paragraph or list item (newline). Empty for none."""
    if gap in _PLAIN_GAPS:
        return ""
    found = "".join(sorted(_BREAKS.intersection(gap)))
    if "\n" in gap and _NEW_PARAGRAPH.search(gap):
        found += "\n"
    if _SPACED_DASH.search(gap):
        found += "-"
    return found


def joint(left: str, gap: str, right: str) -> str:
    """What a name asks of the text between two of its tokens.

    A space by default; ``""`` for touching characters of scripts without spaces; ``.``
    for a dot inside a word; otherwise the characters that count (``& + #``) and those
    that would break a phrase but do not, because the name has them.
    """
    if gap == ".":
        return gap
    if gap == "":
        return "" if spaceless(left) and spaceless(right) else DEFAULT_JOINT
    counting = "".join(char for char in _COUNTING if char in gap)
    allowed = breaks(gap)
    return f"{counting}{allowed} " if counting or allowed else DEFAULT_JOINT


def joins(wanted: str, left: str, gap: str, right: str) -> bool:
    """Whether the text between two query tokens is what the name's joint asks for."""
    if wanted == DEFAULT_JOINT:
        if gap in _PLAIN_GAPS:
            return gap != "" or not (spaceless(left) and spaceless(right))
        return not breaks(gap)
    if wanted in ("", "."):
        return gap == wanted
    return all(char in gap for char in _COUNTING if char in wanted) and all(
        char in wanted for char in breaks(gap)
    )
