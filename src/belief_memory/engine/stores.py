"""Which store a URI means. Imports a store's technology only when it is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

from belief_memory.errors import InvalidQuery
from belief_memory.ports import Store


def open_store(
    uri: str | os.PathLike[str],
    *,
    durability: Literal["process", "power"] = "process",
    read_only: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> Store:
    """The store at ``uri``, not connected yet; raises InvalidQuery for a bad option."""
    place = os.fspath(uri)
    if not isinstance(place, str) or not _names_a_place(place):
        raise InvalidQuery("uri", f"expected a folder or a URI, got {uri!r:.80}")
    if durability not in ("process", "power"):
        raise InvalidQuery("durability", f"expected 'process' or 'power', got {durability!r:.80}")
    if place.startswith("memory://"):
        from belief_memory.store.in_memory import InMemoryStore

        return InMemoryStore(place, read_only=read_only)
    from belief_memory.store.lance import LanceStore

    return LanceStore(
        place, storage_options=storage_options, read_only=read_only, durability=durability
    )


def _names_a_place(place: str) -> bool:
    try:
        place.encode()
    except UnicodeEncodeError:
        return False
    return bool(place.strip()) and "\0" not in place
