"""Whose ledger, and by which agent: the names that callers give, checked."""

from __future__ import annotations

from collections.abc import Iterable

from belief_memory.errors import InvalidQuery

MAX_ID = 1000


def checked_id(value: object, field: str) -> str:
    """The id; raises InvalidQuery for one that is empty, too long, or cannot be stored."""
    text = checked_text(value, field)
    if not text.strip():
        raise InvalidQuery(field, "may not be empty")
    return text


def checked_text(value: object, field: str) -> str:
    """The text; raises InvalidQuery for what is none, too long, or cannot be stored."""
    if not isinstance(value, str):
        raise InvalidQuery(field, f"expected a string, got {value!r:.80}")
    if len(value) > MAX_ID:
        raise InvalidQuery(field, f"has at most {MAX_ID} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidQuery(field, "may not hold lone surrogates") from None
    return value


def checked_also(also: object, user_id: str) -> tuple[str, ...]:
    """Other users' ids, each once; raises InvalidQuery."""
    if isinstance(also, str) or not isinstance(also, Iterable):
        raise InvalidQuery("also", f"expected a list of user ids, got {also!r:.80}")
    return tuple(
        one for one in dict.fromkeys(checked_id(one, "also") for one in also) if one != user_id
    )
