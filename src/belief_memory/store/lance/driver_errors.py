"""Driver errors, told apart and translated once, here. The driver has no error types, so
its words are read; a test pins each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from belief_memory.errors import BeliefMemoryError, StoreCorrupt, StoreError
from belief_memory.ports import LostRace

Kind = Literal["absent", "gone", "exists", "conflict", "other"]

_TAKEN = re.compile(r"Cannot cast string 'taken (.*)' to value of Int32 type", re.DOTALL)
_QUOTED = re.compile(r"['\"`].*['\"`]", re.DOTALL)
_SOURCE = re.compile(r",? ?/\S+\.rs:\d+:\d+")
"""Where in the driver's own source it came from."""
_DAMAGED = (
    "invalid magic",
    "file size is too small",
    "failed to fill whole buffer",
    "for object of size 0",
)
_CONFLICTS = ("commit conflict", "too many concurrent writers", "concurrent", "retry limit")


def taken_id(error: Exception) -> str | None:
    """The id of the row that the fence ran into, None for another error."""
    found = _TAKEN.search(str(error))
    return found[1] if found else None


def kind_of(error: Exception) -> Kind:
    """What became of a call: the table is ``absent``, files of the version it read are
    ``gone`` (somebody cleaned up), it ``exists`` already, or a rival's commit got in the
    way (``conflict``: try again)."""
    text = str(error)
    lower = text.lower()
    if taken_id(error) is not None:
        return "other"
    if "already exists" in lower:
        return "exists"
    if lower.startswith("table ") and "not found" in lower:
        return "absent"
    if any(word in lower for word in _CONFLICTS):
        return "conflict"
    if "not found" in lower or "no such file" in lower or "nosuchkey" in lower:
        return "gone"
    return "other"


def is_ours(error: Exception) -> bool:
    """Whether it is an error of this package already."""
    return isinstance(error, (BeliefMemoryError, LostRace))


def translated(error: Exception, doing: str, *, quoting: bool = False) -> StoreError:
    """Our error for the driver's. What lies between its first and its last quotation mark
    is left out unless ``quoting``: it may be a user's text."""
    words = _SOURCE.sub("", str(error)).strip(" ,")
    if not quoting:
        words = _QUOTED.sub("…", words)
    if any(sign in words.lower() for sign in _DAMAGED):
        return StoreCorrupt(f"{doing} failed: a file is damaged: {words[:400]}")
    return StoreError(f"{doing} failed: {type(error).__name__}: {words[:400]}")


@contextmanager
def of_files(doing: str) -> Iterator[None]:
    """The operating system's errors within the block come out translated."""
    try:
        yield
    except OSError as error:
        raise translated(error, doing, quoting=True) from None
