"""Filters on the values of items."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def passes(value: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    """Whether every condition of ``filter`` holds for ``value``.

    Raises:
        ValueError: an unknown operator.
    """
    return all(_holds(value.get(key), wanted) for key, wanted in (filter or {}).items())


def check(filter: Mapping[str, Any] | None) -> None:
    """Raises ValueError for an unknown operator, even where no item would meet it."""
    for wanted in (filter or {}).values():
        _check(wanted)


def _check(wanted: Any) -> None:
    if isinstance(wanted, Mapping):
        for key, value in wanted.items():
            if key.startswith("$"):
                if key not in ("$eq", "$ne", *_ORDER):
                    raise ValueError(f"Unsupported operator: {key}")
            else:
                _check(value)


def _holds(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(key.startswith("$") for key in wanted):
            return all(_applies(key, found, value) for key, value in wanted.items())
        return isinstance(found, Mapping) and all(
            _holds(found.get(key), value) for key, value in wanted.items()
        )
    if isinstance(wanted, (list, tuple)):
        return (
            isinstance(found, (list, tuple))
            and len(found) == len(wanted)
            and all(_holds(*pair) for pair in zip(found, wanted, strict=True))
        )
    return bool(found == wanted)


def _applies(name: str, found: Any, wanted: Any) -> bool:
    if name == "$eq":
        return bool(found == wanted)
    if name == "$ne":
        return bool(found != wanted)
    compare = _ORDER.get(name)
    if compare is None:
        raise ValueError(f"Unsupported operator: {name}")
    pair = _comparable(found, wanted)
    return pair is not None and compare(*pair)


def _comparable(found: Any, wanted: Any) -> tuple[Any, Any] | None:
    """Both as numbers where both are, or look like, numbers; both as strings else."""
    numbers = _number(found), _number(wanted)
    if numbers[0] is not None and numbers[1] is not None:
        return numbers
    if isinstance(found, str) and isinstance(wanted, str):
        return found, wanted
    return None


def _number(value: Any) -> float | int | None:
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None
