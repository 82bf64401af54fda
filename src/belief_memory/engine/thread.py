"""The one thread on which ledgers are read and written.

Every coroutine of the engine runs on its event loop, so state that several threads and
several event loops use is changed in one place, and a caller's own loop is never held up
by our work.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from functools import wraps
from typing import Any, Generic, Protocol, TypeVar, cast

from belief_memory.errors import BeliefMemoryError, HandleClosed

R = TypeVar("R")


class _Driver(threading.local):
    active = False


_driver = _Driver()


class EngineThread:
    """A daemon thread with an event loop. One per process, started at the first open."""

    _shared: EngineThread | None = None
    _starting = threading.Lock()

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="belief-memory", daemon=True)
        self._thread.start()

    @classmethod
    def shared(cls) -> EngineThread:
        """The process's thread; a forked child gets its own."""
        with cls._starting:
            if cls._shared is None or cls._shared.pid != os.getpid():
                cls._shared = cls()
            return cls._shared

    def check_process(self) -> None:
        """Raises HandleClosed in a child that was forked after this thread started."""
        if self.pid != os.getpid():
            raise HandleClosed(
                "this memory was opened before the process was forked; the storage engine does "
                "not survive a fork. Open the memory in the child, and start children with the "
                "'spawn' or 'forkserver' method"
            )

    def run(self, work: Coroutine[Any, Any, R]) -> Hop[R]:
        """Await ``work`` on the engine's loop, from any loop."""
        return Hop(self, work)

    def drive(self, verb: Coroutine[Any, Any, R]) -> R:
        """Run an async verb without a loop: in this thread up to where it has to wait.

        What needs no waiting, a warm recall above all, never leaves the calling thread.
        Works inside a running loop too, which it blocks like any blocking call.
        """
        send, value = verb.send, None
        while True:
            outer, _driver.active = _driver.active, True
            try:
                hop = send(value)
            except StopIteration as done:
                return cast(R, done.value)
            finally:
                _driver.active = outer
            try:
                send, value = verb.send, hop.engine.wait(hop.work)
            except BaseException as error:  # noqa: BLE001 - it is the verb's to handle
                send, value = verb.throw, error

    async def on_loop(self, work: Coroutine[Any, Any, R]) -> R:
        """Await ``work`` on the engine's loop, from a running loop."""
        if asyncio.get_running_loop() is self._loop:
            return await work
        return await asyncio.wrap_future(self._submit(work))

    def wait(self, work: Coroutine[Any, Any, R]) -> R:
        """Block until ``work`` has run on the engine's loop, from any other thread."""
        if threading.current_thread() is self._thread:
            work.close()
            raise BeliefMemoryError(
                "a blocking call was made on the engine's own thread; await the async verb instead"
            )
        future = self._submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _submit(self, work: Coroutine[Any, Any, R]) -> Future[R]:
        try:
            self.check_process()
        except HandleClosed:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()


class Hop(Generic[R]):
    """A step of a verb that runs on the engine's loop."""

    __slots__ = ("engine", "work")

    def __init__(self, engine: EngineThread, work: Coroutine[Any, Any, R]) -> None:
        self.engine = engine
        self.work = work

    def __await__(self) -> Generator[Any, Any, R]:
        if _driver.active:
            return cast(R, (yield self))
        return (yield from self.engine.on_loop(self.work).__await__())


class OnEngine(Protocol):
    """Something whose coroutines belong on an engine thread."""

    @property
    def engine(self) -> EngineThread: ...


F = TypeVar("F", bound=Callable[..., Coroutine[Any, Any, Any]])


def on_engine(method: F) -> F:
    """Run a coroutine method on the engine's thread, whichever loop awaits it."""

    @wraps(method)
    async def hop(self: OnEngine, /, *args: Any, **kwargs: Any) -> Any:
        return await self.engine.run(method(self, *args, **kwargs))

    return cast(F, hop)
