"""What keeps a ledger needs from time: races are tried again, and storage is tended."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

ATTEMPTS = 64
"""Races a writer may lose before it gives up; each loss means a rival has won."""

LONG = 1.0
REST = 20
"""Upkeep that took this many seconds does not come by itself again before it has rested
this many times as long: a large indexed ledger would be tended most of the time."""


async def pause(attempt: int) -> None:
    """A short wait after a lost race, longer and more random with every one."""
    await asyncio.sleep(random.uniform(0, 0.002 * min(attempt + 1, 16)))


class Upkeep:
    """Upkeep that comes by itself: one at a time, in the background."""

    def __init__(
        self, wanted: Callable[[], bool], tend: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        self._wanted = wanted
        self._tend = tend
        self._task: asyncio.Task[None] | None = None
        self._rests_until = 0.0

    def running(self) -> bool:
        """Whether it is under way by itself."""
        return self._task is not None and not self._task.done()

    def start_if_due(self) -> None:
        """Begin it, if it is wanted, does not run and has rested."""
        if time.monotonic() < self._rests_until or not self._wanted() or self.running():
            return
        self._task = asyncio.get_running_loop().create_task(self._tend())

    async def timed(self, work: Awaitable[None]) -> None:
        """Await the upkeep itself; how long it takes is how long it will rest."""
        began = time.monotonic()
        await work
        ended = time.monotonic()
        self._rests_until = ended + REST * (ended - began if ended - began > LONG else 0.0)

    async def settle(self) -> None:
        """Wait for what is under way."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
