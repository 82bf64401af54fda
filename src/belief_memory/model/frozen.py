"""JSON values that cannot be changed in place: what recall returns is what is resident.

They equal, and serialise like, the plain ones. A copy (``dict(value)``, ``copy.deepcopy``,
a pickle) is plain again, and can be changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def _refused(name: str) -> Callable[..., NoReturn]:
    def method(self: object, *args: object, **options: object) -> NoReturn:
        raise TypeError(
            "a belief's metadata cannot be changed in place: give update(…, metadata=…) a copy"
        )

    method.__name__ = name
    return method


class FrozenDict(dict[str, Any]):
    """A JSON object that stays as it is."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _thawed, (dict(self),)

    def __deepcopy__(self, memo: object) -> Any:
        return _thawed(self)

    def copy(self) -> dict[str, Any]:
        return dict(self)


class FrozenList(list[Any]):
    """A JSON array that stays as it is."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _thawed, (list(self),)

    def __deepcopy__(self, memo: object) -> Any:
        return _thawed(self)

    def copy(self) -> list[Any]:
        return list(self)


for _name in (
    *("__setitem__", "__delitem__", "__ior__"),
    *("clear", "pop", "popitem", "setdefault", "update"),
):
    setattr(FrozenDict, _name, _refused(_name))
for _name in (
    *("__setitem__", "__delitem__", "__iadd__", "__imul__"),
    *("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"),
):
    setattr(FrozenList, _name, _refused(_name))

EMPTY = FrozenDict()


def frozen(value: Any) -> Any:
    """The JSON value as one that cannot be changed, all the way down."""
    if isinstance(value, dict):
        return FrozenDict({key: frozen(one) for key, one in value.items()}) if value else EMPTY
    return FrozenList(map(frozen, value)) if isinstance(value, list) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _thawed(one) for key, one in value.items()}
    return [_thawed(one) for one in value] if isinstance(value, list) else value
