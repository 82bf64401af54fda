"""What episodes cost: recalls that do not ask for them, recalls that do, and observing.

python -m benchmarks.evidence
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from belief_memory import BeliefMemory, Message, UserMemory
from belief_memory.learning import DeterministicExtractor
from benchmarks.report import Report

BELIEFS = 1000
WORDS = [f"word{number}" for number in range(5000)]
QUERY = "What about thing 7, and word12 with word99?"


def sentences(count: int) -> list[Message]:
    """Small talk of 12 words each, always the same."""
    chance = random.Random(count)
    return [Message("user", " ".join(chance.choices(WORDS, k=12)) + ".") for _ in range(count)]


def believing(memory: BeliefMemory) -> UserMemory:
    """A user with some beliefs."""
    user = memory.for_user("alice")
    user.remember_many(
        {"canonical_name": f"thing {number}", "content": f"Its number is {number}."}
        for number in range(BELIEFS)
    )
    return user


def talking(memory: BeliefMemory, turns: int) -> UserMemory:
    """The same user, of whom so many turns are kept, too."""
    user = believing(memory)
    said = sentences(turns)
    for start in range(0, turns, 500):
        user.observe(said[start : start + 500])
    return user


def alternately(rounds: int, *calls: Callable[[], object]) -> Iterator[list[float]]:
    """Milliseconds of each call, measured in turn, so that what else runs meets all alike."""
    series: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(rounds):
        for found, call in zip(series, calls, strict=True):
            started = time.perf_counter()
            call()
            found.append((time.perf_counter() - started) * 1000)
    return iter(series)


def main() -> None:
    report = Report("Episodes")
    with tempfile.TemporaryDirectory() as folder:
        plain = BeliefMemory.open(Path(folder) / "plain")
        without = believing(plain)
        for turns in (1000, 10_000):
            with BeliefMemory.open(Path(folder) / str(turns), episodes=True) as memory:
                user = talking(memory, turns)
                bare, kept = alternately(
                    30, partial(without.recall, QUERY), partial(user.recall, QUERY)
                )
                quiet, asked = alternately(
                    30,
                    partial(user.recall, QUERY),
                    partial(user.recall, QUERY, routes=["relevant", "evidence"]),
                )
            report.ratio(f"recall, {turns:,} turns kept but not asked for / none kept", kept, bare)
            report.ratio(f"recall with evidence of {turns:,} turns / without", asked, quiet)
        plain.close()
        observing(report, Path(folder))
    report.show()


def observing(report: Report, folder: Path) -> None:
    """One turn that teaches something, with and without keeping it."""
    handles = [
        BeliefMemory.open(folder / name, extractor=DeterministicExtractor(), episodes=kept)
        for name, kept in (("forgetful", False), ("keeping", True))
    ]
    users = [handle.for_user("alice") for handle in handles]
    numbers = iter(range(10_000))

    def observe(user: UserMemory) -> Callable[[], object]:
        return lambda: user.observe(f"My locker is number {next(numbers)}.")

    bare, kept = alternately(60, *map(observe, users))
    report.ratio("observe one turn, kept / not kept", kept, bare)
    for handle in handles:
        handle.close()


if __name__ == "__main__":
    main()
