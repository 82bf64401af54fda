"""Items as beliefs, and back."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from belief_memory import Belief, InvalidBelief, Slot
from langgraph.store.base import Item, PutOp, SearchItem, get_text_at_path, tokenize_path

from langchain_belief_memory.store.namespaces import Namespace

TYPE: Literal["artifact"] = "artifact"
_MARK = "langgraph_store"
_NAME_MAX = 1000


@dataclass(frozen=True, slots=True)
class ItemVersion:
    """One value that an item had, and when."""

    item: Item
    valid_from: datetime
    valid_to: datetime | None
    """When the next value or a deletion ended it; None: it still stands."""
    recorded_at: datetime
    retired_at: datetime | None
    """When this version stopped being what the ledger holds; None: it still is."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An item as found in the ledger."""

    belief: Belief
    namespace: Namespace
    key: str
    record: Mapping[str, Any]

    @property
    def value(self) -> Mapping[str, Any]:
        """Its value; not to be changed or handed out."""
        found: Mapping[str, Any] = self.record["value"]
        return found

    @property
    def created_at(self) -> datetime:
        return datetime.fromisoformat(self.record["created_at"])

    @property
    def order(self) -> tuple[str, str]:
        """Sorts items by age; written in UTC, instants sort as their texts do."""
        return self.record["created_at"], self.key

    @property
    def written_at(self) -> datetime:
        """When this value was put first."""
        return datetime.fromisoformat(self.record["updated_at"])

    @property
    def updated_at(self) -> datetime:
        """When it was put last, the same value or another."""
        restated = self.belief.last_reinforced_at
        return self.written_at if restated is None else max(self.written_at, restated)

    @property
    def words(self) -> str:
        """What a search by words looks at."""
        return f"{self.key.replace('_', ' ')}\n{self.belief.content}"

    @property
    def indexed(self) -> bool:
        return bool(self.record["indexed"])

    def expired(self, now: datetime) -> bool:
        until = self.record["expires_at"]
        return until is not None and datetime.fromisoformat(until) <= now

    def refreshed(self, now: datetime) -> dict[str, Any] | None:
        """The belief's metadata with the item's time to live begun anew; None without one."""
        if self.record["ttl"] is None:
            return None
        record = {**self.record, "expires_at": _expiry(now, self.record["ttl"])}
        return {**self.belief.metadata, _MARK: record}

    def item(self) -> Item:
        return Item(
            value=copy.deepcopy(dict(self.value)),
            key=self.key,
            namespace=self.namespace,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )

    def search_item(self, score: float | None) -> SearchItem:
        return SearchItem(
            value=copy.deepcopy(dict(self.value)),
            key=self.key,
            namespace=self.namespace,
            created_at=self.created_at,
            updated_at=self.updated_at,
            score=score,
        )

    def version(self) -> ItemVersion:
        belief = self.belief
        return ItemVersion(
            self.item(), belief.valid_from, belief.valid_to, belief.recorded_at, belief.retired_at
        )


def stored(belief: Belief) -> Stored | None:
    """The item that a belief holds, if it is one."""
    record: Any = belief.metadata.get(_MARK)
    if not isinstance(record, Mapping):
        return None
    return Stored(belief, tuple(record["namespace"]), record["key"], record)


def versions(beliefs: Iterable[Belief]) -> list[ItemVersion]:
    """One version for each put, oldest first, out of every version of an item's slot.

    The ledger records a value again when its end becomes known and when its time to live
    begins anew: only the last record of a put counts.
    """
    last: dict[tuple[str, str], Stored] = {}
    for belief in beliefs:
        item = stored(belief)
        if item is not None:
            last[belief.id, item.record["updated_at"]] = item
    return [item.version() for item in sorted(last.values(), key=lambda item: item.written_at)]


def differs(belief: Belief, asserted: dict[str, Any]) -> bool:
    """Whether a held belief lacks something of what was asserted of the item, other than
    when. To the ledger, values that differ only in case, or in what is not indexed, are the
    same value said again."""
    held: Any = belief.metadata.get(_MARK) or {}
    record = asserted["metadata"][_MARK]
    return any(held.get(name) != record[name] for name in ("value", "indexed", "expires_at"))


def slot_of(namespace: Namespace, key: str) -> Slot:
    """The slot of an item: named by its key, kept apart by its exact path, as slots fold
    case and separators and paths do not."""
    path = json.dumps([namespace, key]).encode()
    digest = base64.b32encode(hashlib.sha256(path).digest()).decode().lower()[:26]
    return Slot(key if key.strip() and len(key) <= _NAME_MAX else "item", digest)


def draft(
    op: PutOp, fields: list[str] | None, before: Stored | None, now: datetime
) -> dict[str, Any]:
    """What to assert for a put; ``before`` is what it replaces.

    Raises:
        InvalidBelief: the value is not JSON.
    """
    value = _json(op.value)
    slot = slot_of(op.namespace, op.key)
    return {
        "canonical_name": slot.canonical_name,
        "attribute": slot.attribute,
        "content": _content(value, op.index, fields),
        "type": TYPE,
        "on_conflict": "supersede",
        "provenance": {"source": "store"},
        "metadata": {
            _MARK: {
                "namespace": list(op.namespace),
                "key": op.key,
                "value": value,
                "created_at": (before.created_at if before else now).isoformat(),
                "updated_at": now.isoformat(),
                "indexed": op.index is not False,
                "ttl": op.ttl,
                "expires_at": _expiry(now, op.ttl),
            }
        },
    }


def _expiry(now: datetime, ttl: float | None) -> str | None:
    return None if ttl is None else (now + timedelta(minutes=ttl)).isoformat()


def _json(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidBelief("value", f"expected a mapping, got {type(value).__name__}")
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidBelief("value", f"must be JSON: {error}") from None
    return copied


def _content(value: dict[str, Any], index: object, fields: list[str] | None) -> str:
    """The words an item is found by. Where there are none, a digest, so that a change of
    the value is still a change of the belief."""
    if index is not False:
        paths = index if isinstance(index, list) else fields
        if paths is None:
            words = [f"{path}: {leaf}" if path else leaf for path, leaf in _leaves(value, "")]
        else:
            words = [text for path in paths for text in get_text_at_path(value, _tokens(path))]
        text = "\n".join(words)
        if text.strip():
            return text
    return "sha256 " + hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _tokens(path: str) -> Any:
    return path if path == "$" else tokenize_path(path)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, path)
    elif value is not None:
        yield path, value if isinstance(value, str) else json.dumps(value)
