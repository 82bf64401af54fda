"""What the front door costs over the bare storage engine: ratios in one run.

python -m benchmarks.engine [--users 10000] [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import lancedb
import pyarrow as pa

from belief_memory import AsyncBeliefMemory, BeliefMemory
from belief_memory.store.lance.place import table_name
from benchmarks.report import Report, timed_ms

WORDS = ["tea", "coffee", "rain", "snow", "bread", "stone", "river", "cloud", "garden", "window"]


def record(number: int) -> dict[str, object]:
    return {
        "canonical_name": f"{WORDS[number % 10]} topic {number}",
        "content": f"Statement number {number} about {WORDS[number % 10]}, as somebody said it.",
        "why_it_matters": "Use it when the topic comes up.",
        "aliases": [f"{WORDS[number % 10]}-{number}", f"t{number}"],
    }


async def bare_table(folder: Path, user: str) -> lancedb.AsyncTable:
    connection = await lancedb.connect_async(folder, read_consistency_interval=timedelta(0))
    return await connection.open_table(table_name(user))


async def remember_against_merge(report: Report, rounds: int) -> None:
    """One durable remember, and a bare merge of the rows it wrote, turn and turn about."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        memory = await AsyncBeliefMemory.open(folder)
        user = memory.for_user("alice")
        await user.load([record(number) for number in range(1000)])
        source = await bare_table(Path(folder), "alice")
        target_db = await lancedb.connect_async(other)
        target = await target_db.create_table("bare", data=await source.to_arrow())
        ours: list[float] = []
        bare: list[float] = []
        for number in range(rounds):
            name = record(number % 1000)["canonical_name"]
            ours.append(
                await timed_ms(
                    lambda name=name, number=number: user.remember(name, f"New {number}.")
                )
            )
            rows = (await source.query().where("kind <> ''").limit(3).to_arrow()).to_pylist()
            for index, row in enumerate(rows):
                row["id"] = f"bare{number}-{index}"
            batch = pa.Table.from_pylist(rows, schema=await target.schema())

            async def merge(batch: pa.Table = batch) -> None:
                builder = target.merge_insert("id").when_matched_update_all()
                await builder.when_not_matched_insert_all().execute(batch)

            bare.append(await timed_ms(merge))
            if number % 50 == 49:
                await target.optimize(cleanup_older_than=timedelta(0))
        report.ratio("one remember (p50) / bare merge_insert of 3 rows", ours, bare, at_most=2)
        await memory.close()


def size_of(folder: str) -> int:
    return sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())


async def latency_over_time(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = await AsyncBeliefMemory.open(folder)
        user = memory.for_user("alice")
        spent = [
            await timed_ms(lambda n=n: user.remember(f"topic {n}", f"Statement {n}."))
            for n in range(1000)
        ]
        report.ratio(
            "last 100 of 1,000 remembers / first 100", spent[-100:], spent[:100], at_most=1.5
        )
        worst = max(spent)
        report.figure("slowest of them (maintenance is in the background)", worst, "ms")
        files = size_of(folder)
        await memory.maintain()
        kept = size_of(folder)
        rows = await (await bare_table(Path(folder), "alice")).to_arrow()
        await memory.close()
        with tempfile.TemporaryDirectory() as fresh:
            copy = await lancedb.connect_async(fresh)
            await copy.create_table("copy", data=rows)
            least = size_of(fresh)
        report.figure("disk without maintain(), in compacted copies", files / least, "x")
        report.figure("disk after maintain(), in compacted copies (at most 2)", kept / least, "x")


async def loading(report: Report, batches: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = await AsyncBeliefMemory.open(folder)
        user = memory.for_user("alice")
        size = 10_000
        spent = []
        for batch in range(batches):
            records = [record(batch * size + number) for number in range(size)]
            spent.append(await timed_ms(lambda records=records: user.load(records)))
        rate = size / statistics.median(spent) * 1000
        report.figure("load, batches of 10,000 (at least 15,000)", rate, "records/s")
        table = await (await bare_table(Path(folder), "alice")).to_arrow()
        await memory.close()
        rows = table.slice(0, size + 1)
        from belief_memory.model.draft import to_belief

        validated = [
            await timed_ms(
                as_async(
                    lambda: [
                        to_belief(
                            {
                                **record(n),
                                "id": str(n),
                                "user_id": "a",
                                "scopes": ["user:universal"],
                                "valid_from": "2026-01-01",
                                "recorded_at": "2026-01-01",
                            }
                        )
                        for n in range(size)
                    ]
                )
            )
        ]
        arrow = [
            await timed_ms(as_async(lambda: pa.Table.from_pylist(rows.to_pylist(), rows.schema)))
        ]
        with tempfile.TemporaryDirectory() as bare:
            db = await lancedb.connect_async(bare)
            target = await db.create_table("t", data=rows.slice(0, 1))

            async def merge() -> None:
                builder = target.merge_insert("id").when_matched_update_all()
                await builder.when_not_matched_insert_all().execute(rows)

            written = [await timed_ms(merge)]
        floor = sum(statistics.median(part) for part in (validated, arrow, written))
        report.figure(
            "  floor: validation + rows to Arrow + bare merge", size / floor * 1000, "records/s"
        )


def as_async(work: Callable[[], object]) -> Callable[[], Awaitable[object]]:
    async def call() -> object:
        return work()

    return call


async def cold_reads(report: Report, users: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = await AsyncBeliefMemory.open(folder)
        few: list[float] = []
        many: list[float] = []
        bare: list[float] = []
        records = [record(number) for number in range(1000)]
        names = [f"user {number}" for number in range(users)]
        for number, name in enumerate(names):
            full = number < 10 or number >= users - 10
            await memory.for_user(name).load(records if full else records[:3])
            if number == 9:
                few = [await cold(folder, one) for one in names[:10]]
        await memory.close()
        for name in names[-10:]:
            bare.append(await bare_read(folder, name))
            many.append(await cold(folder, name))
        report.ratio(
            f"cold beliefs() of 1,000, among {users:,} users / bare open + read + to_pylist",
            many, bare, at_most=2,
        )  # fmt: skip
        report.ratio(f"  the same / among 10 users (at most about 1, {users:,} users)", many, few)


async def cold(folder: str, name: str) -> float:
    memory = await AsyncBeliefMemory.open(folder)
    spent = await timed_ms(lambda: memory.for_user(name).beliefs())
    await memory.close()
    return spent


async def bare_read(folder: str, name: str) -> float:
    connection = await lancedb.connect_async(folder, read_consistency_interval=timedelta(0))

    async def read() -> object:
        table = await connection.open_table(table_name(name))
        return (await table.to_arrow()).to_pylist()

    return await timed_ms(read)


def resident(report: Report) -> None:
    with BeliefMemory.open("memory://") as memory:
        user = memory.for_user("alice")
        user.load([record(number) for number in range(1000)])
        records = user.export()
    with tempfile.TemporaryDirectory() as folder:
        with BeliefMemory.open(folder) as memory:
            memory.for_user("alice").load(records)
        with BeliefMemory.open(folder) as memory:
            memory.for_user("bob").recall("warm up")
            gc.collect()
            tracemalloc.start()
            memory.for_user("alice").recall("tea topic 10")
            gc.collect()
            size = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
            report.figure(
                "resident memory of 1,000 beliefs, index included (under 5)", size / 1e6, "MB"
            )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    report = Report("Ledger, through the front door")
    started = time.perf_counter()
    await remember_against_merge(report, 60 if options.quick else 200)
    await latency_over_time(report)
    await loading(report, 2 if options.quick else 5)
    await cold_reads(report, 200 if options.quick else options.users)
    await asyncio.to_thread(resident, report)
    report.figure("this run", time.perf_counter() - started, "s")
    report.show()


if __name__ == "__main__":
    asyncio.run(main())
