"""The mark that shows a text is our own injection, and its removal before learning."""

from __future__ import annotations

import re

XML_OPEN = '<memory source="belief-memory">'
XML_CLOSE = "</memory>"
MARKDOWN_OPEN = "<!-- belief-memory -->"
MARKDOWN_CLOSE = "<!-- /belief-memory -->"

SECTIONS = ("persona", "standing_facts", "relevant", "open_questions", "related", "evidence")

# A block that went through a JSON encoder on its way back has \" and perhaps \/ in it.
_OURS = r"""<memory\s+source=\\*["']belief-memory\\*["'][^<>]*(?:>|\Z)"""
_XML_TAG = re.compile(rf"(?P<ours>{_OURS})|(?P<open><memory\b[^<>]*>)|(?P<close><\\?/memory\s*>)")
_MARKDOWN_TAG = re.compile(
    r"(?P<ours><!--\s*belief-memory\s*-->)|(?P<close><!--\s*/belief-memory\s*(?:-->|\Z))"
)
_NEAR = 64
"""Room enough for the end of a section and the white space behind it."""
_SECTION_END = re.compile(rf"<\\?/(?:{'|'.join(SECTIONS)})>(?:\s|\\n)*\Z")


def strip_injected(text: str) -> str:
    """``text`` without any memory block of ours, in either format.

    Blocks may be nested, repeated, or cut off: one without an end reaches to the end of
    the text, an end without a beginning reaches back to the block before it, or to the
    start. What is around them stays, byte for byte.
    """
    if "memory" not in text:
        return text
    stripped = _strip_markdown(_strip_xml(text))
    return _drop_begun_marker(stripped)


def _strip_xml(text: str) -> str:
    kept: list[str] = []
    at = 0
    depth = 0
    foreign = 0
    for tag in _XML_TAG.finditer(text):
        if depth:
            depth += -1 if tag["close"] else 1
            if not depth:
                at = tag.end()
        elif tag["ours"]:
            kept.append(text[at : tag.start()])
            depth = 1
        elif tag["open"]:
            foreign += 1
        elif foreign:
            foreign -= 1
        elif _SECTION_END.search(text, max(at, tag.start() - _NEAR), tag.start()):
            at = tag.end()
    return "".join(kept) if depth else "".join(kept) + text[at:]


def _strip_markdown(text: str) -> str:
    kept: list[str] = []
    at = 0
    depth = 0
    for tag in _MARKDOWN_TAG.finditer(text):
        if tag["ours"]:
            if not depth:
                kept.append(text[at : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                at = tag.end()
        else:
            at = tag.end()
    return "".join(kept) if depth else "".join(kept) + text[at:]


def _drop_begun_marker(text: str) -> str:
    for marker, least in ((XML_OPEN, len("<memory s")), (MARKDOWN_OPEN, len("<!-- b"))):
        for size in range(len(marker) - 1, least - 1, -1):
            if text.endswith(marker[:size]):
                return text[:-size]
    return text
