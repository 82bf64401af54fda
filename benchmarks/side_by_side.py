"""The same beliefs and the same questions for memories of different kinds: shared parts of the
benchmarks of the adapters."""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from belief_memory import BeliefMemory
from belief_memory.evals.precision import Suite, Turn, read_suites, seed, to_record

T = TypeVar("T")
SIZE = 512
Record = dict[str, Any]


def vector(text: str) -> list[float]:
    """Hashed words and trigrams of letters, of length 1: like words give like vectors, meaning
    plays no part, and what a real model costs is left out."""
    found = [0.0] * SIZE
    for word in re.findall(r"\w+", text.lower()):
        for part in (word, *(word[at : at + 3] for at in range(len(word) - 2))):
            found[int.from_bytes(hashlib.blake2s(part.encode()).digest()[:2]) % SIZE] += 1.0
    if not any(found):
        found[0] = 1.0
    length = math.hypot(*found)
    return [value / length for value in found]


@dataclass(frozen=True, slots=True)
class Note:
    """A belief in plain words, for memories that keep texts."""

    id: str
    user_id: str
    scopes: tuple[str, ...]
    text: str


def note(record: Record) -> Note:
    """Names, aliases, content and directive: everything that a text can hold of a belief."""
    names = ", ".join([record["canonical_name"], *record["aliases"]])
    text = f"{names}: {record['content']} {record.get('why_it_matters') or ''}"
    return Note(_id(record), record["user_id"], tuple(record["scope"]), text)


def _id(record: Record) -> str:
    return str(record.get("_id") or record["id"])


class Beliefs:
    """The beliefs of a suite as they stand while its turns are played.

    Args:
        records: as the suite has them.
        replaced: keep in :meth:`notes` what is replaced, resolved or over, as a memory does
            that only adds.
    """

    def __init__(self, records: Iterable[Record], *, replaced: bool) -> None:
        self._records = {_id(record): dict(record) for record in records}
        self._keep = replaced

    def notes(self) -> list[Note]:
        """What a memory of texts holds now."""
        stale = frozenset() if self._keep else self.stale()
        return [note(record) for id, record in self._records.items() if id not in stale]

    def stale(self) -> frozenset[str]:
        """Ids of what is no longer so."""
        return frozenset(
            id
            for id, record in self._records.items()
            if record.get("superseded_by")
            or record.get("resolved_at")
            or record.get("epistemic_status") == "superseded"
        )

    def standing(self, turn: Turn) -> frozenset[str]:
        """Ids of what is to be said whatever is asked: neither right nor wrong to find."""
        active = {*turn.scopes, "user:universal"}
        return frozenset(
            id
            for id, record in self._records.items()
            if id not in self.stale()
            and record["user_id"] == turn.user_id
            and active & set(record["scope"])
            and (
                record.get("pinned")
                or record.get("subtype") == "expertise"
                or (record["type"] == "preference" and "user:universal" in record["scope"])
            )
        )

    def after(self, turn: Turn) -> None:
        """What changes when a turn is over."""
        for id, aliases in turn.add_aliases.items():
            self._records[id]["aliases"] = [*self._records[id]["aliases"], *aliases]
        for record in turn.add_beliefs:
            self._records[_id(record)] = dict(record)
        if turn.supersede is not None:
            old, new = turn.supersede
            self._records[old]["superseded_by"] = _id(new)
            self._records[_id(new)] = dict(new)


def learn(memory: BeliefMemory, turn: Turn) -> None:
    """The same changes for a memory of beliefs."""
    user = memory.for_user(turn.user_id, scopes=turn.scopes or ("user:universal",))
    for id, aliases in turn.add_aliases.items():
        user.add_aliases(id, aliases)
    seed(memory, turn.add_beliefs)
    if turn.supersede is not None:
        old, new = turn.supersede
        memory.for_user(new["user_id"]).load([{**to_record(new), "supersedes": old}])


@dataclass(frozen=True, slots=True)
class Answer:
    """What a memory put before the model for one turn."""

    found: list[str] = field(default_factory=list)
    """Ids of the beliefs that were recalled for it."""
    text: str = ""
    """All text of the memory in the last request of the turn."""
    standing: str = ""
    """What of it is said whatever is asked."""
    milliseconds: float = 0.0
    processor: float = 0.0
    """Milliseconds of it that this process computed, on all threads."""
    calls: int = 1
    """Of the model."""


def told_by(injections: Sequence[Any]) -> Answer:
    """What an adapter of ours injected last."""
    if not injections:
        return Answer()
    injection = injections[-1]
    context = injection.context
    return Answer(
        found=[belief.id for belief in context.relevant],
        text=injection.system_text + injection.user_text,
        standing=replace(context, relevant=[]).render(),
    )


class System(Protocol):
    """One way to give a model memory."""

    name: str
    replaced: bool
    """Whether it is given what was replaced, too."""

    def load(self, beliefs: Beliefs, suite: Suite) -> None:
        """Begin anew with these beliefs."""

    async def ask(self, turn: Turn, thread: str) -> Answer:
        """One turn of the conversation ``thread``."""

    def after(self, turn: Turn, beliefs: Beliefs) -> None:
        """What changes when it is over; ``beliefs`` are those that hold then."""


class Tally:
    """What the answers of one system come to."""

    def __init__(self, name: str, count: Callable[[str], int]) -> None:
        self._name, self._count = name, count
        self._right = self._wrong = self._wanted = self._stale = 0
        self._quiet = self._noisy = 0
        self._drifts: list[float] = []
        self._answers: list[Answer] = []

    def add(self, turn: Turn, answer: Answer, beliefs: Beliefs) -> None:
        wanted = set(turn.expect["relevant"])
        found = set(answer.found) - (beliefs.standing(turn) - wanted)
        wrong = found - wanted
        self._right += len(found & wanted)
        self._wanted += len(wanted)
        self._wrong += len(wrong)
        self._stale += len(wrong & beliefs.stale())
        self._drifts.append(len(wrong) / len(found) if found else 0.0)
        if not wanted:
            self._quiet += 1
            self._noisy += bool(found)
        self._answers.append(answer)

    def __str__(self) -> str:
        answers = self._answers
        found = self._right + self._wrong
        cells = (
            self._name,
            f"{self._right / found:.2f}" if found else "",
            f"{self._right / max(self._wanted, 1):.2f}",
            f"{statistics.mean(self._drifts):.2f}",
            f"{self._wrong}",
            f"{self._stale}",
            f"{self._noisy}/{self._quiet}",
            f"{statistics.mean(self._count(one.text) for one in answers):.0f}",
            f"{statistics.mean(self._count(one.standing) for one in answers):.0f}",
            f"{statistics.mean(one.calls for one in answers):.0f}",
            f"{statistics.median(one.milliseconds for one in answers):.2f}",
            f"{statistics.median(one.processor for one in answers):.2f}",
        )
        return f"| {' | '.join(cells)} |"


HEAD = (
    "| memory | precision | recall | drift | wrong | of these stale | noise | tokens | standing "
    "| calls | ms p50 | processor |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


async def compare(data: Path, systems: Sequence[System], count: Callable[[str], int]) -> None:
    """Every suite under ``data`` played to every system; one table a suite."""
    for suite in read_suites(data):
        tallies = await played(suite, systems, count)
        turns = [*suite.cases, *(turn for session in suite.sessions for turn in session)]
        exact = sum(turn.expect["relevant"] is not None for turn in turns)
        print(f"\n{suite.name}: {len(suite.beliefs)} beliefs, {exact} turns labelled exactly")
        print("\n".join([HEAD, *map(str, tallies)]))


async def played(
    suite: Suite, systems: Sequence[System], count: Callable[[str], int]
) -> list[Tally]:
    """One turn to all of them, then the next: what else the machine does meets all alike."""
    tallies = [Tally(system.name, count) for system in systems]
    beliefs: list[Beliefs] = []

    def load() -> None:
        beliefs[:] = [Beliefs(suite.beliefs, replaced=system.replaced) for system in systems]
        for system, own in zip(systems, beliefs, strict=True):
            system.load(own, suite)

    async def play(turn: Turn, thread: str) -> None:
        for system, own, tally in zip(systems, beliefs, tallies, strict=True):
            answer = await system.ask(turn, f"{thread} {turn.user_id}")
            if turn.expect["relevant"] is not None:
                tally.add(turn, answer, own)
            own.after(turn)
            system.after(turn, own)

    load()
    for turn in suite.cases:
        await play(turn, turn.id)
    for number, session in enumerate(suite.sessions):
        if number == 0 or not suite.sessions_continue:
            load()
        for turn in session:
            await play(turn, f"session {number}")
    return tallies


async def timed(work: Awaitable[T]) -> tuple[T, dict[str, Any]]:
    """What it gives, and what it took."""
    started, used = time.perf_counter(), time.process_time()
    given = await work
    used = time.process_time() - used
    spent = time.perf_counter() - started
    return given, {"milliseconds": spent * 1000, "processor": used * 1000}


async def lag(work: Awaitable[object]) -> list[float]:
    """By how many ms a timer of the loop was late while ``work`` ran, each time."""
    late: list[float] = []

    async def tick() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append((time.perf_counter() - started - 0.001) * 1000)

    ticking = asyncio.create_task(tick())
    await work
    ticking.cancel()
    return late


def at(values: Sequence[float], percent: int) -> float:
    """The value that so many percent of them do not exceed."""
    return sorted(values)[min(len(values) * percent // 100, len(values) - 1)]
