"""A process that writes to a store until it is killed.

    python -m tests.store.victim FOLDER MODE [POINT]

Every commit n retires the versions of the one before and writes ``width(n)`` new ones, so
that a reader can tell a whole commit from half of one. What was acknowledged is printed.
POINT (``merge:before:3``) kills it before or after the third call of a driver method.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import lancedb

from belief_memory.store.lance import LanceStore
from belief_memory.testing.builders import Scribe, belief


def width(number: int) -> int:
    return number % 4 + 1


def versions_of(number: int) -> list[str]:
    return [f"n{number}.{part}" for part in range(width(number))]


def die_at(point: str) -> None:
    method, when, nth = point.split(":")
    owner: Any = lancedb.AsyncTable
    if method == "merge":
        owner, name = lancedb.table.AsyncTable, "_do_merge"
    elif method == "create":
        owner, name = lancedb.AsyncConnection, "create_table"
    else:
        name = method
    original: Callable[..., Awaitable[Any]] = getattr(owner, name)
    calls = 0

    @wraps(original)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == int(nth) and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = await original(*args, **kwargs)
        if calls == int(nth) and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, wrapped)


def say(*words: object) -> None:
    print(*words, flush=True)


async def write_on(store: LanceStore, mode: str) -> None:
    ledger = store.ledger("alice")
    scribe = Scribe(ledger)
    delta = await scribe.catch_up()
    live = [] if delta is None else list(delta.held)
    number = 1 + max((v.metadata["n"] for v in live), default=0)
    say("ready")
    while True:
        commit = await scribe.write(
            *(belief(name, id=name, metadata={"n": number}) for name in versions_of(number)),
            retire=live,
        )
        say("ack", number)
        live = list(commit.writes)
        if mode in ("maintain", "mixed") and number % 3 == 0:
            await ledger.maintain()
            say("maintained")
        if mode == "erase" or (mode == "mixed" and number % 5 == 0):
            say("erasing", number - 1)
            await scribe.erase(*versions_of(number - 1))
            say("erased", number - 1)
        number += 1


async def main(folder: str, mode: str, point: str | None) -> None:
    store = LanceStore(folder)
    await store.open()
    if point is not None:
        die_at(point)
    await write_on(store, mode)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
