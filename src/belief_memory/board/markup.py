"""HTML that cannot be broken out of: text is escaped unless it is :class:`Html`."""

from __future__ import annotations

import html
import re

_VOID = frozenset({"input", "meta"})
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


class Html(str):
    """Markup that was made here."""

    __slots__ = ()


def tag(name: str, /, *children: str | Html, **attributes: str | bool | None) -> Html:
    """An element. Children and attribute values that are not :class:`Html` are escaped.

    Attributes: False and None leave one out, True gives it no value; underscores in names
    become hyphens, and one at the end (``class_``) goes.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{html.escape(_printable(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: str | Html) -> Html:
    """Children one after the other."""
    return Html("".join(child if isinstance(child, Html) else text(child) for child in children))


def text(plain: str) -> Html:
    """Text as markup. What HTML cannot hold is shown as its code point."""
    return Html(html.escape(_printable(plain)))


def _printable(plain: str) -> str:
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", plain)
