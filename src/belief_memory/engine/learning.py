"""What learning keeps per memory: the extractor, the mode, and the turns that wait."""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import threading
import weakref
from collections.abc import Coroutine, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from belief_memory.engine.names import checked_text
from belief_memory.engine.thread import EngineThread
from belief_memory.engine.turns import TurnQueue
from belief_memory.errors import InvalidQuery
from belief_memory.injection.marker import strip_injected
from belief_memory.learning.redaction import redact
from belief_memory.model.learning import Message, Mode, Report, Said, to_message
from belief_memory.ports import Embedder, Extractor
from belief_memory.retrieval.noise import mask

QUEUE_FOLDER = "learning-queue"


class Learning:
    """One memory's learning; see :meth:`AsyncBeliefMemory.open` for the options.

    Args:
        place: the store's URI; a folder keeps the queue, unless ``queue`` names another.
            Without either, what waits is kept in this process only.
    """

    def __init__(
        self,
        extractor: Extractor | None = None,
        embedder: Embedder | None = None,
        mode: Mode = "autonomous",
        redact: bool = True,
        background: bool = False,
        queue: str | os.PathLike[str] | None = None,
        *,
        place: str | os.PathLike[str] = "memory://",
    ) -> None:
        if mode not in get_args(Mode):
            raise InvalidQuery(
                "mode", f"expected one of {', '.join(get_args(Mode))}, got {mode!r:.80}"
            )
        if extractor is not None and not callable(getattr(extractor, "extract", None)):
            raise InvalidQuery("extractor", f"has no extract(lesson): {extractor!r:.80}")
        if embedder is not None and not callable(getattr(embedder, "embed", None)):
            raise InvalidQuery("embedder", f"has no embed(texts): {embedder!r:.80}")
        self.extractor = extractor
        self.embedder = embedder
        self.mode: Mode = mode
        self.background = background
        self.queue = TurnQueue(_queue_folder(queue, place))
        self.lock = _UserLocks()
        self._redact = redact
        self._tasks: dict[asyncio.Task[Any], None] = {}
        self._reports: dict[str, Report] = {}
        self._finishes_at_exit = False

    def read(
        self, messages: object, now: datetime, session_id: str | None, *, unique: bool = False
    ) -> tuple[tuple[Said, ...], int]:
        """The messages as learning sees them, and how many secrets were taken out.

        Messages without an id are numbered, as is enough within one call; with ``unique``
        they get ids that no other message has.
        """
        if session_id is not None:
            checked_text(session_id, "session_id")
        if isinstance(messages, (str, Message, dict)):
            messages = [messages]
        if not isinstance(messages, Sequence):
            raise InvalidQuery("messages", f"expected a list of messages, got {messages!r:.80}")
        said: list[Said] = []
        redacted = 0
        used: set[str] = set()
        for index, value in enumerate(messages):
            message = to_message(value, index)
            text = strip_injected(message.text).strip()
            if self._redact:
                text, count = redact(text)
                redacted += count
            if not text:
                continue
            name = message.id or (
                secrets.token_hex(8) if unique else f"{session_id or 'message'}-{index + 1}"
            )
            while name in used:
                name += "'"
            used.add(name)
            at = message.at or now
            said.append(Said(message.role, text, mask(text), at, name, message.at is not None))
        return tuple(said), redacted

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Let work go on in the background; :meth:`settled` waits for it, at the latest
        when the interpreter ends."""
        if not self._finishes_at_exit:
            self._finishes_at_exit = True
            _at_exit(weakref.ref(self))
        task = asyncio.ensure_future(work)
        self._tasks[task] = None
        task.add_done_callback(lambda done: self._tasks.pop(done, None))

    async def settled(self) -> None:
        """Wait for what goes on in the background; its failures left their turns queued."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def keep(self, user_id: str, report: Report) -> None:
        """Keep what background learning reports, for the next ``flush``."""
        self._reports.setdefault(user_id, Report()).add(report)

    def reported(self, user_id: str) -> Report:
        """What background learning has reported since it was last asked."""
        return self._reports.pop(user_id, None) or Report()


class _UserLocks:
    """One lock a user, so that a user's turns are learned from in order."""

    def __init__(self) -> None:
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    def __call__(self, user_id: str) -> asyncio.Lock:
        lock = self._locks.get(user_id)
        if lock is None:
            lock = self._locks[user_id] = asyncio.Lock()
        return lock


def _at_exit(learning: weakref.ref[Learning]) -> None:
    """Have background work finished while threads can still be started: ``atexit`` comes
    too late for that, the thread pools are closed by then."""

    def finish() -> None:
        unfinished = learning()
        if unfinished is not None:
            EngineThread.shared().wait(unfinished.settled())

    register = getattr(threading, "_register_atexit", atexit.register)
    register(finish)


def _queue_folder(
    queue: str | os.PathLike[str] | None, place: str | os.PathLike[str]
) -> Path | None:
    if queue is not None:
        return Path(queue).absolute()
    if "://" in os.fspath(place):
        return None
    return Path(place).absolute() / QUEUE_FOLDER
