"""Escapes that keep a belief's text inside its place, reversible and readable.

Structure is never made from a belief's characters: whatever could close an element, end
a line, or be taken for a placeholder by a template engine downstream is written in
another way; everything else stays as it was stored.
"""

from __future__ import annotations

import re

_PLACEHOLDER = r"\{(?=\s*[^\W\d]\w*(?:[.\[!:][^{}]*)?\})"
"""The brace of ``{query_str}`` and the like, which LlamaIndex's prompts substitute even
in text that is not theirs. Braces of JSON and code that name nothing stay."""

_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
_LOOKS_ESCAPED = r"u[0-9a-f]{4}"

# A run of backslashes is looked at once, as a whole: long ones must not cost their square.
_RUN = r"(?<!\\)(\\*+)"
_UNPRINTABLE = re.compile(rf"{_RUN}(?:([{_CONTROL}])|(?<=\\)(?={_LOOKS_ESCAPED}))")
_BREAK = re.compile(
    rf"{_RUN}(?:([\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|(?<=\\)(?=n|{_LOOKS_ESCAPED}))"
)
_IN_ELEMENT = re.compile(rf"[&<\r]|(?<=\]\])>|{_PLACEHOLDER}")
_IN_ATTRIBUTE = re.compile(rf'[&<"\t\n\r]|{_PLACEHOLDER}')
_IN_MARKDOWN = re.compile(rf"[\\<\n\r\u2028\u2029{_CONTROL}]|&(?=#?\w+;)|{_PLACEHOLDER}")

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_MARKED = {"\\": "\\\\", "<": "&lt;", "&": "&amp;", "\n": "\\n"}


def element(text: str) -> str:
    """``text`` as the content of an XML element."""
    return _IN_ELEMENT.sub(_entity, _UNPRINTABLE.sub(_visible, text))


def attribute(text: str) -> str:
    """``text`` as a double-quoted XML attribute value."""
    return _IN_ATTRIBUTE.sub(_entity, _UNPRINTABLE.sub(_visible, text))


def markdown(text: str) -> str:
    """``text`` on one line of Markdown, by its own backslashes and entities."""
    return _IN_MARKDOWN.sub(_mark, text)


def markdown_name(text: str) -> str:
    """``text`` on one line of Markdown, between pairs of asterisks."""
    return markdown(text).replace("*", "\\*")


def one_line(text: str) -> str:
    """``text`` without line breaks, which become ``\\n``."""
    return _BREAK.sub(_visible, text)


def _visible(match: re.Match[str]) -> str:
    run, char = match.groups()
    if char is None:
        return str(run * 2)
    return str(run * 2) + ("\\n" if char == "\n" else f"\\u{ord(char):04x}")


def _entity(match: re.Match[str]) -> str:
    char = match[0]
    return _ENTITIES.get(char) or f"&#{ord(char)};"


def _mark(match: re.Match[str]) -> str:
    char = match[0]
    return _MARKED.get(char) or f"\\u{ord(char):04x}"
