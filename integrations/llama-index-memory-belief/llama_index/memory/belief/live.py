"""What cannot be serialised, behind names that can.

LlamaIndex turns a memory into JSON between two runs of an agent and builds it anew. Its
fields then hold only names; here is where a process finds the open memory behind them.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from belief_memory import AsyncBeliefMemory, BeliefMemory, HandleClosed, InvalidQuery
from llama_index.core.storage.chat_store import BaseChatStore

Memory = BeliefMemory | AsyncBeliefMemory

_VOLATILE = "memory://"


@dataclass(eq=False, slots=True, weakref_slot=True)
class Live:
    """The open memory of one adapter, and what else of it no JSON can carry."""

    memory: AsyncBeliefMemory
    on_inject: Callable[[Any], object] | None = None
    on_learn: Callable[[Any], object] | None = None
    tokenizer_fn: Callable[[str], list[Any]] | None = None
    chat_store: BaseChatStore | None = None

    def __copy__(self) -> Live:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Live:
        return self


_lock = Lock()
_lives: WeakValueDictionary[str, Live] = WeakValueDictionary()
_memories: WeakValueDictionary[str, AsyncBeliefMemory] = WeakValueDictionary()
_names: WeakKeyDictionary[AsyncBeliefMemory, str] = WeakKeyDictionary()
_by_uri: WeakValueDictionary[str, AsyncBeliefMemory] = WeakValueDictionary()
_opened: dict[str, AsyncBeliefMemory] = {}


def register_memory(memory: Memory) -> None:
    """Let adapters restored in this process use this open memory for its ``uri``.

    Without it they open the ``uri`` themselves, with default options. Needed where a new
    process goes on with a serialised ``Context`` and the memory takes options: credentials,
    an extractor, a clock. A memory that any adapter was given is registered already.
    """
    handle = handle_of(memory)
    name_of(handle)
    uri = full_uri(handle.uri)
    if not uri.startswith(_VOLATILE):
        with _lock:
            _opened[uri] = handle


def handle_of(memory: object) -> AsyncBeliefMemory:
    """The async handle of a memory; InvalidQuery for what is none."""
    if isinstance(memory, BeliefMemory):
        return memory.asynchronous
    if isinstance(memory, AsyncBeliefMemory):
        return memory
    raise InvalidQuery("memory", f"expected an open BeliefMemory, got {memory!r:.80}")


def name_of(handle: AsyncBeliefMemory) -> str:
    """A name for the handle, the same for as long as it lives; none has it again."""
    with _lock:
        name = _names.get(handle)
        if name is None:
            name = _names[handle] = uuid.uuid4().hex
            _memories[name] = handle
        uri = full_uri(handle.uri)
        if not uri.startswith(_VOLATILE):
            _by_uri[uri] = handle
        return name


def full_uri(uri: str | os.PathLike[str]) -> str:
    """The uri, with a folder made absolute: it may be read elsewhere, or after a chdir."""
    place = os.fspath(uri)
    if not isinstance(place, str) or not place.strip():
        raise InvalidQuery("uri", f"expected a folder or a URI, got {uri!r:.80}")
    return place if "://" in place else str(Path(place).expanduser().absolute())


def open_uri(uri: str) -> AsyncBeliefMemory:
    """The handle on ``uri`` that all adapters of this process share that name only a uri: the
    registered one, or one of our own."""
    with _lock:
        known = _opened.get(uri)
        if known is None or known.engine.pid != os.getpid():
            known = _opened[uri] = AsyncBeliefMemory.open(uri)
        return known


def find_memory(uri: str, name: str | None, closed: AsyncBeliefMemory | None) -> AsyncBeliefMemory:
    """The handle that serialised fields mean: the same one, else one on that uri.

    ``closed`` is a handle that turned out to be closed, or to be from before a fork.

    Raises:
        HandleClosed: it was a memory of another process, or one that is gone.
    """
    with _lock:
        found = [
            None if name is None else _memories.get(name),
            _by_uri.get(uri),
        ]
        if closed is not None and _opened.get(uri) is closed:
            del _opened[uri]
    for handle in found:
        if handle is not None and handle is not closed and handle.engine.pid == os.getpid():
            return handle
    if uri.startswith(_VOLATILE) and name is not None:
        raise HandleClosed(
            f"{uri} was the memory of a process or a handle that is gone; keep beliefs that are "
            "to be found again in a folder"
        )
    return open_uri(uri)


def keep(name: str, live: Live) -> Live:
    """Let later copies of the same adapter find ``live`` for as long as one of them lives."""
    with _lock:
        return _lives.setdefault(name, live)


def find_live(name: str) -> Live | None:
    """What :func:`keep` was given under that name, while it lives."""
    with _lock:
        return _lives.get(name)
