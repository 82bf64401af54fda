"""The public surface is what it says, and importing it is cheap."""

from __future__ import annotations

import inspect
import subprocess
import sys

import belief_memory
from belief_memory import AsyncBeliefMemory, AsyncUserMemory, BeliefMemory, UserMemory

SURFACE = set(
    """
AsyncBeliefMemory AsyncUserMemory Belief BeliefMemory BeliefMemoryError BeliefNotFound Budget
Change Changes Conflict ConflictPending Context Draft Duplicate Episode Episodes Explanation
ExtractionFailed
HandleClosed InvalidBelief InvalidQuery MemoryStats Message Outcome Provenance Reason Receipt
Report Skip Slot StoreBusy StoreCorrupt StoreError StoreReadOnly TurnReason UNSET UserMemory
strip_injected
""".split()  # noqa: SIM905 - a list of names reads better as words
)


def test_the_export_list_is_the_public_surface() -> None:
    assert sorted(belief_memory.__all__) == sorted(SURFACE)
    assert all(hasattr(belief_memory, name) for name in SURFACE)


def run(script: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout


def test_importing_loads_no_storage_engine_and_no_word_list() -> None:
    loaded = run("import sys, belief_memory; print(' '.join(sys.modules))").split()
    assert "belief_memory" in loaded
    heavy = {"lancedb", "pyarrow", "numpy", "wordfreq", "typer", "rich", "langchain_core"}
    assert heavy.isdisjoint(loaded)


def test_importing_starts_no_thread_and_opens_no_file() -> None:
    script = (
        "import os, threading\n"
        "before = set(os.listdir('/proc/self/fd'))\n"
        "import belief_memory\n"
        "print(threading.active_count(), len(set(os.listdir('/proc/self/fd')) - before))"
    )
    assert run(script).split() == ["1", "0"]


def public(kind: type) -> dict[str, object]:
    return {
        name: member
        for name, member in inspect.getmembers(kind)
        if not name.startswith("_") and name not in {"asynchronous", "sync", "engine"}
    }


def test_sync_and_async_users_have_the_same_verbs_with_the_same_signatures() -> None:
    blocking, waiting = public(UserMemory), public(AsyncUserMemory)
    assert blocking.keys() == waiting.keys()
    for name, member in blocking.items():
        if callable(member):
            twin = waiting[name]
            assert inspect.signature(member) == inspect.signature(twin), name  # type: ignore[arg-type]
            assert inspect.getdoc(member) == inspect.getdoc(twin), name


def test_sync_and_async_memories_have_the_same_verbs_with_the_same_parameters() -> None:
    internal = {"ready", "is_ready", "desk", "diary", "persona", "drop_personas"}
    blocking = public(BeliefMemory)
    waiting = {n: m for n, m in public(AsyncBeliefMemory).items() if n not in internal}
    assert blocking.keys() == waiting.keys()
    for name, member in blocking.items():
        if callable(member):
            ours = inspect.signature(member).parameters
            theirs = inspect.signature(waiting[name]).parameters  # type: ignore[arg-type]
            assert list(ours) == list(theirs), name


def test_every_public_verb_says_what_it_does() -> None:
    for kind in (UserMemory, BeliefMemory, AsyncUserMemory, AsyncBeliefMemory):
        for name, member in public(kind).items():
            assert inspect.getdoc(member), f"{kind.__name__}.{name}"
