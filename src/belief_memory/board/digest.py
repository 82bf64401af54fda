"""The digest's Markdown as markup: the few forms that ``learning.digest`` writes."""

from __future__ import annotations

import re

from belief_memory.board.markup import Html, join, tag

_ITEM = re.compile(r"- \*\*((?:\\.|[^\\*])*)\*\*(.*)")
_ESCAPED = re.compile(r"\\(.)")


def digest_markup(text: str) -> Html:
    """Title, headings and lists; a line of another form stands as a paragraph."""
    parts: list[Html] = []
    items: list[Html] = []
    # By line feeds alone: a belief may hold other line separators.
    for line in [*text.split("\n"), ""]:
        if (item := _ITEM.fullmatch(line)) is not None:
            items.append(tag("li", tag("strong", _plain(item[1])), _plain(item[2]), dir="auto"))
            continue
        if items:
            parts.append(tag("ul", *items))
            items = []
        if line.startswith("## "):
            parts.append(tag("h3", _plain(line[3:])))
        elif line.strip():
            parts.append(tag("p", _plain(line.removeprefix("# ")), class_="soft"))
    return join(*parts)


def _plain(markdown: str) -> str:
    return _ESCAPED.sub(r"\1", markdown)
