"""What is kept about runs that go on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


def run_of(runtime: object) -> object | None:
    """What lives as long as one run of a graph and is shared by its steps; None outside."""
    return getattr(runtime, "control", None)


class PerRun(Generic[T]):
    """Values by run and key, safe to share between threads. When there are too many the
    oldest go: nobody says when a run is over.

    Args:
        most: values kept at once.
    """

    def __init__(self, most: int = 512) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()
        self._lock = Lock()

    def get(self, run: object | None, key: Hashable = None) -> T | None:
        """What was kept; None if nothing was, or no longer is."""
        with self._lock:
            found = self._values.get((id(run), key))
        return None if found is None or run is None else found[1]

    def put(self, run: object | None, value: T, key: Hashable = None) -> None:
        """Keep a value; outside of a run nothing is kept."""
        if run is None:
            return
        with self._lock:
            # The run is kept too, so that its id is not given to another one.
            self._values[id(run), key] = (run, value)
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def __len__(self) -> int:
        return len(self._values)
