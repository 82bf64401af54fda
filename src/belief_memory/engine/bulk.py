"""Bulk work without the cyclic garbage collector.

Loading makes hundreds of thousands of objects that live on. The collector walks all of them
again and again meanwhile, for a third of the time, and finds nothing.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_paused = 0
_was_enabled = False


BULK = 1000
"""Beliefs from which pausing the collector is worth it."""


@contextmanager
def collector_paused(beliefs: int) -> Iterator[None]:
    """No cyclic collection in this process for the time of the block, which must not wait,
    if it makes many beliefs.

    Blocks may overlap on several threads: the last one to end lets the collector go on,
    if it was enabled when the first began.
    """
    if beliefs < BULK:
        yield
        return
    global _paused, _was_enabled  # noqa: PLW0603 - the collector is the process's own
    with _lock:
        if _paused == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _paused += 1
    try:
        yield
    finally:
        with _lock:
            _paused -= 1
            if _paused == 0 and _was_enabled:
                gc.enable()
