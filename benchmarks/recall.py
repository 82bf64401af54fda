"""What recall costs, as ratios in one run: over the bare storage engine, and beside FTS5.

python -m benchmarks.recall [--users 10000] [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import lancedb

from belief_memory import AsyncBeliefMemory, BeliefMemory, UserMemory
from belief_memory.store.lance.place import table_name
from benchmarks.fts import Fts
from benchmarks.people import name, prompt, record, turn
from benchmarks.report import Report

ROOT = Path(__file__).resolve().parent.parent
WORDS = re.compile(r"\w+(?:['’.-]\w+)*|[^\w\s]")
"""One tokenisation, as little as any recall has to do."""

RIVAL = """
import sys
from belief_memory import BeliefMemory
with BeliefMemory.open(sys.argv[1]) as memory:
    user = memory.for_user("alice")
    user.recall("ready")
    print("ready", flush=True)
    for number, _ in enumerate(sys.stdin):
        user.remember("written elsewhere", f"For the {number}th time.")
        print("done", flush=True)
"""


def timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def rounds_of(call: Callable[[], object], rounds: int) -> list[float]:
    return [timed(call) for _ in range(rounds)]


@contextmanager
def places() -> Iterator[tuple[Path, Path]]:
    """A folder for the store, and a file for SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "beliefs", Path(folder) / "fts.db"


def bare_table(folder: Path, user: str) -> lancedb.table.Table:
    connection = lancedb.connect(folder, read_consistency_interval=timedelta(0))
    return connection.open_table(table_name(user))


def filled(user: UserMemory, fts: Fts, beliefs: int) -> None:
    records = [record(number) for number in range(beliefs)]
    for start in range(0, beliefs, 10_000):
        user.load(records[start : start + 10_000])
    fts.load(user.user_id, records)


def warm(report: Report, rounds: int) -> None:
    """A resident user, fresh in every recall; writes of its own and of others."""
    chance = random.Random(1)
    with places() as (folder, file), BeliefMemory.open(folder) as memory:
        alice, fts = memory.for_user("alice"), Fts(file)
        filled(alice, fts, 1000)
        table = bare_table(folder, "alice")
        turns = [turn(chance, 1000) for _ in range(rounds)]
        found = [len(alice.recall(said).relevant) for said in turns]
        assert statistics.median(found) == 2
        time.sleep(2.5)  # a folder's time is trusted two seconds after it last changed
        alice.recall(turns[0])
        ours = [timed(lambda said=said: alice.recall(said)) for said in turns]
        check = rounds_of(lambda: table.version, rounds)
        report.ratio(
            "warm recall, 20 words, 1,000 beliefs / bare version check", ours, check, at_most=4
        )
        report.ratio(
            "  the same / FTS5",
            ours,
            [timed(lambda said=said: fts.find("alice", said)) for said in turns],
        )
        long = prompt(chance, 1000)
        report.figure("  words in the long prompt", len(long.split()), "words")
        ours_long = rounds_of(lambda: alice.recall(long), rounds // 10)
        report.ratio(
            "recall of a long prompt with code / one regex tokenisation",
            ours_long,
            rounds_of(lambda: WORDS.findall(long), rounds // 10),
            at_most=10,
        )
        report.ratio(
            "  the same / FTS5", ours_long, rounds_of(lambda: fts.find("alice", long), rounds // 10)
        )
        after_write(report, memory, turns[: rounds // 5], fts)
        elsewhere(report, folder, alice, rounds // 5)


def after_write(report: Report, memory: BeliefMemory, turns: list[str], fts: Fts) -> None:
    """The first recall after a write. A write takes milliseconds of other work, after which
    any recall finds the processor's caches cold: warm is a recall after another user's."""
    alice, bob = memory.for_user("alice"), memory.for_user("bob")
    bob.load([record(number) for number in range(1000)])
    own: list[float] = []
    others: list[float] = []
    beside: list[float] = []
    for number, said in enumerate(turns):
        for writer, spent in ((alice, own), (bob, others))[:: 1 - 2 * (number % 2)]:
            alice.recall(said)
            writer.remember(name(number), f"Changed for the {number}th time.")
            spent.append(timed(lambda said=said: alice.recall(said)))
        fts.load("alice", [record(number)])
        beside.append(timed(lambda said=said: fts.find("alice", said)))
    report.ratio(
        "recall right after an own write / after another user's write", own, others, at_most=2
    )
    report.ratio("  the same / FTS5", own, beside)


def elsewhere(report: Report, folder: Path, alice: UserMemory, rounds: int) -> None:
    """A recall that first has to read what another process wrote."""
    rival = subprocess.Popen(
        [sys.executable, "-c", RIVAL, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert rival.stdin
    assert rival.stdout
    rival.stdout.readline()
    table = bare_table(folder, "alice")
    ours: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        newest = max(row["seq"] for row in table.search().select(["seq"]).limit(10**6).to_list())
        rival.stdin.write("go\n")
        rival.stdin.flush()
        rival.stdout.readline()
        changed = f"seq > {newest} OR touched > {newest}"

        def bare_query(changed: str = changed) -> None:
            assert table.search().where(changed).limit(10**6).to_list()

        def recalled() -> None:
            (found,) = alice.recall("what was written elsewhere?").relevant
            assert found.content == f"For the {number}th time."  # noqa: B023 - called at once

        # Turn and turn about, so that neither always finds the files already read.
        for work, spent in ((recalled, ours), (bare_query, bare))[:: 1 - 2 * (number % 2)]:
            spent.append(timed(work))
    rival.stdin.close()
    rival.wait()
    report.ratio(
        "recall after another process's write / bare query for the changed rows",
        ours,
        bare,
        at_most=2,
    )


def large(report: Report, rounds: int, beliefs: int) -> None:
    """Does a user with many beliefs wait longer?"""
    chance = random.Random(2)
    with places() as (folder, file), BeliefMemory.open(folder) as memory:
        fts = Fts(file)
        small, big = memory.for_user("small"), memory.for_user("big")
        filled(small, fts, 1000)
        filled(big, fts, beliefs)
        said = [turn(chance, 1000) for _ in range(rounds)]
        for user in (small, big):
            user.recall(said[0])
        time.sleep(2.5)
        spent: dict[str, list[float]] = {"small": [], "big": [], "fts": []}
        for one in said:
            spent["small"].append(timed(lambda one=one: small.recall(one)))
            spent["big"].append(timed(lambda one=one: big.recall(one)))
            spent["fts"].append(timed(lambda one=one: fts.find("big", one)))
        report.ratio(
            f"warm recall, user of {beliefs:,} / user of 1,000",
            spent["big"],
            spent["small"],
            at_most=2,
        )
        report.ratio("  the same / FTS5", spent["big"], spent["fts"])


def cold(report: Report, rounds: int) -> None:
    """The first recall of a user with 1,000 beliefs, in an open memory."""
    with places() as (folder, file):
        users = [f"user {number}" for number in range(rounds)]
        fts = Fts(file)
        with BeliefMemory.open(folder) as memory:
            for user in users:
                filled(memory.for_user(user), fts, 1000)
        fts.close()
        ours: list[float] = []
        bare: list[float] = []
        beside: list[float] = []
        connection = lancedb.connect(folder, read_consistency_interval=timedelta(0))
        with BeliefMemory.open(folder) as memory:
            memory.for_user("nobody").recall("open the store and load the word lists")
            for user in users:
                bare.append(
                    timed(
                        lambda user=user: (
                            connection.open_table(table_name(user)).to_arrow().to_pylist()
                        )
                    )
                )
                ours.append(timed(lambda user=user: memory.for_user(user).recall(name(7))))

                def first(user: str = user) -> None:
                    opened = Fts(file)
                    opened.find(user, name(7))
                    opened.close()

                beside.append(timed(first))
        report.ratio(
            "first recall of a cold user, 1,000 beliefs / bare open + read", ours, bare, at_most=4
        )
        report.ratio("  the same / FTS5, opened and asked", ours, beside)


def many(report: Report, users: int, draws: int) -> None:
    """Many users drawn by Zipf's law, of whom some hundreds are resident."""
    chance = random.Random(3)
    size = 100
    with places() as (folder, file):
        fts = Fts(file)
        few: list[float] = []
        records = [record(number) for number in range(size)]
        with BeliefMemory.open(folder) as memory:
            for number in range(users):
                memory.for_user(f"user {number}").load(records)
                fts.load(f"user {number}", records)
                if number == 9:
                    time.sleep(2.5)
                    # As often as the many are recalled below: an index remembers the words
                    # it looked for typos of, and is the faster the more often it was asked.
                    drawn = [chance.randrange(10) for _ in range(10 * max(20, draws // users))]
                    few = [one for _, one in drawing(memory, drawn, chance, size)]
        with BeliefMemory.open(folder) as memory:
            memory.for_user("nobody").recall("open the store and load the word lists")
            weights = [1 / (rank + 1) for rank in range(users)]
            drawn = chance.choices(range(users), weights, k=draws)
            spent = list(drawing(memory, drawn, chance, size))
            # What came first in this run is cold by necessity: the figures are of the rest.
            steady = spent[draws // 2 :]
            colds = [one for was_cold, one in steady if was_cold]
            # Behind a cold recall, milliseconds of other work, any recall finds the
            # processor's caches cold; in the small store there are none.
            pairs = pairwise(steady)
            residents = [one for (before, _), (was_cold, one) in pairs if not before | was_cold]
            times = sorted(one for _, one in steady)
            report.figure(
                f"Zipf draw of {users:,} users of 100: p95", times[len(times) * 95 // 100], "ms"
            )
            report.figure("  p50", statistics.median(times), "ms")
            report.figure("  share of cold recalls", 100 * len(colds) / len(steady), "%")
            if colds:
                report.figure("  p50 of the cold ones", statistics.median(colds), "ms")
            report.figure("  resident users at the end", memory.stats().resident_users, "users")
            report.ratio(
                "  resident p50 / in a store of 1,000 beliefs", residents, few, at_most=1.2
            )
            beside = [
                timed(lambda u=u: fts.find(f"user {u}", turn(chance, size)))
                for u in drawn[: max(20, draws // 50)]
            ]
            report.ratio("  p50 of all / FTS5, all users in one index", times, beside)


def resident(report: Report, users: int, draws: int) -> None:
    """As many users as stay resident, drawn alike: no recall between is cold."""
    chance = random.Random(3)
    size = 100
    records = [record(number) for number in range(size)]
    with places() as (folder, _), BeliefMemory.open(folder) as memory:
        for number in range(users):
            memory.for_user(f"user {number}").load(records)
        time.sleep(2.5)
        few: list[float] = []
        all_of_them: list[float] = []
        for turn_of in range(6):
            # By turns, so that both meet the same load; what comes first warms them up.
            for times, most in ((all_of_them, users), (few, 10)):
                drawn = [chance.randrange(most) for _ in range(draws)]
                spent = [one for _, one in drawing(memory, drawn, chance, size)]
                if turn_of:
                    times += spent
    report.ratio(
        f"{users} resident users drawn alike, p50 / in a store of 1,000 beliefs",
        all_of_them,
        few,
        at_most=1.2,
    )


def drawing(
    memory: BeliefMemory, drawn: list[int], chance: random.Random, size: int
) -> Iterator[tuple[bool, float]]:
    """For each user drawn, whether its ledger had to be read, and milliseconds."""
    desks = memory.asynchronous._desks
    for number in drawn:
        user, said = memory.for_user(f"user {number}"), turn(chance, size)
        was_cold = user.user_id not in desks
        yield was_cold, timed(lambda user=user, said=said: user.recall(said))


async def lag(report: Report, seconds: float) -> None:
    """How late a loop's timer is while recalls and writes run beside it."""
    chance = random.Random(4)
    with places() as (folder, _):
        async with AsyncBeliefMemory.open(folder) as memory:
            alice = memory.for_user("alice")
            await alice.load([record(number) for number in range(1000)])
            idle = await lateness(seconds)
            until = time.monotonic() + seconds
            counts = {"recalls": 0, "writes": 0}

            async def recalling() -> None:
                while time.monotonic() < until:
                    await alice.recall(turn(chance, 1000))
                    counts["recalls"] += 1
                    await asyncio.sleep(0.002)

            async def writing() -> None:
                while time.monotonic() < until:
                    await alice.remember(name(counts["writes"] % 1000), f"{counts['writes']}.")
                    counts["writes"] += 1

            late, *_ = await asyncio.gather(lateness(seconds), recalling(), writing())
    report.ratio("event loop: timer late by, recalls and writes / idle (p50)", late, idle)
    for share in (0.99, 1.0):
        both = [sorted(one)[min(len(one) - 1, int(len(one) * share))] for one in (late, idle)]
        report.ratio(f"  p{share * 100:g}", both[:1], both[1:])
    report.figure("  recalls meanwhile", counts["recalls"] / seconds, "/s")
    report.figure("  writes meanwhile", counts["writes"] / seconds, "/s")


async def lateness(seconds: float, every: float = 0.005) -> list[float]:
    late: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        started = time.perf_counter()
        await asyncio.sleep(every)
        late.append((time.perf_counter() - started - every) * 1000)
    return late


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller stores")
    parser.add_argument("--only", choices=("warm", "large", "cold", "resident", "many", "lag"))
    options = parser.parse_args()
    quick = options.quick
    report = Report("Recall")
    started = time.perf_counter()
    parts: dict[str, Callable[[], None]] = {
        "warm": lambda: warm(report, 300 if quick else 1000),
        "large": lambda: large(report, 200 if quick else 1000, 20_000 if quick else 100_000),
        "cold": lambda: cold(report, 10 if quick else 30),
        "resident": lambda: resident(report, 100 if quick else 490, 200 if quick else 1000),
        "many": lambda: many(report, 700 if quick else options.users, 3000 if quick else 20_000),
        "lag": lambda: asyncio.run(lag(report, 2 if quick else 10)),
    }
    for part, run in parts.items():
        if options.only in (None, part):
            run()
    report.figure("this run", time.perf_counter() - started, "s")
    report.show()


if __name__ == "__main__":
    main()
