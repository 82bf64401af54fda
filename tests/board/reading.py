"""Reads a page back with the standard library's parser, and says what is in it."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "input"}
ATTRIBUTES = {
    "html": {"lang"},
    "head": set(),
    "meta": {"charset", "http-equiv", "content", "name"},
    "title": set(),
    "style": set(),
    "script": set(),
    "body": set(),
    "header": set(),
    "main": set(),
    "nav": {"aria-label"},
    "section": {"id", "aria-labelledby"},
    "h1": set(),
    "h2": {"id"},
    "h3": set(),
    "h4": set(),
    "p": {"class"},
    "div": {"class", "dir", "data-group"},
    "span": {"class", "id", "role"},
    "bdi": set(),
    "ul": set(),
    "li": {"dir"},
    "a": {"href"},
    "dl": {"class"},
    "dt": set(),
    "dd": set(),
    "label": {"for"},
    "input": {"type", "id", "disabled", "autocomplete"},
    "table": set(),
    "caption": {"class"},
    "thead": set(),
    "tbody": set(),
    "tr": {"class"},
    "th": {"scope"},
    "td": {"class", "dir"},
    "time": {"datetime"},
    "details": {"id", "data-group"},
    "summary": set(),
    "strong": set(),
    "svg": {"width", "height", "aria-hidden", "focusable"},
    "line": {"x1", "y1", "x2", "y2", "class"},
    "rect": {"x", "y", "width", "height", "class"},
}
"""Every element that is ours, with the attributes we give it."""


class Page(HTMLParser):
    """The elements of a page in order, and its text. Refuses what is not balanced."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def of(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    def text(self) -> str:
        """What people read."""
        return "".join(data for tag, data in self.texts if tag not in ("style", "script"))

    def foreign(self) -> list[tuple[str, object]]:
        """Elements and attributes that are not ours."""
        return [
            (tag, attributes)
            for tag, attributes in self.elements
            if tag not in ATTRIBUTES or not set(attributes) <= ATTRIBUTES[tag]
        ]
