"""Speed of the LanceDB store, as ratios to bare LanceDB in the same run.

    python benchmarks/store.py [--folder F] [--users 10] [--commits 1000] [--only NAME]

A ratio close to 1 means that the store adds little to what the storage costs anyway.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import lancedb
import pyarrow as pa

from belief_memory.model.belief import Belief
from belief_memory.store.lance import LanceStore
from belief_memory.store.lance.durable import size
from belief_memory.store.lance.place import table_name
from belief_memory.store.lance.schema import commit_rows, ledger_schema
from belief_memory.testing.builders import Scribe, belief

WORDS = ["apollo", "billing", "redis", "kafka", "terraform", "postgres", "grafana", "nginx"]


def realistic(number: int, user: str = "alice") -> Belief:
    """A belief of ordinary length."""
    word = WORDS[number % len(WORDS)]
    return belief(
        f"{word}_{number}",
        id=uuid.uuid4().hex,
        user_id=user,
        content=f"{word} number {number} runs in region {number % 7}, owned by team {number}.",
        why_it_matters=f"Answers about {word} should assume region {number % 7}.",
        aliases=[f"{word} {number}", f"{word}-{number}"],
        scopes=["user:universal", f"project:{word}"],
        name_keys=(word, str(number)),
    )


def p50(times: list[float]) -> float:
    """Milliseconds."""
    return statistics.median(times) * 1000


def p95(times: list[float]) -> float:
    """Milliseconds."""
    return sorted(times)[int(len(times) * 0.95)] * 1000


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


class Report:
    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []

    def add(self, what: str, value: str) -> None:
        self.rows.append((what, value))
        print(f"{what:<66} {value}", flush=True)


async def connect(folder: Path) -> lancedb.AsyncConnection:
    return await lancedb.connect_async(str(folder), read_consistency_interval=timedelta(0))


async def commits(folder: Path, report: Report, rounds: int = 200) -> None:
    """Header + version + retirement, against a bare merge of the very same rows. Both
    compact every 50 rounds; the rounds alternate, so that both meet the same machine."""
    store = LanceStore(str(folder / "commits"))
    await store.open()
    ledger = store.ledger("alice")
    scribe = Scribe(ledger)
    last = (await scribe.write(realistic(0))).writes[0]
    bare = await connect(folder / "bare")
    schema = ledger_schema("alice", "x")
    first = commit_rows(replace(scribe.plan(realistic(0)), base=None), schema)
    table = await bare.create_table("t", data=pa.Table.from_batches([first]))
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(rounds):
        plan = scribe.plan(realistic(number), retire=[last])
        last = plan.writes[0]
        rows = commit_rows(plan, schema)
        merge = table.merge_insert("id").when_not_matched_insert_all()
        theirs.append(await timed(lambda merge=merge, rows=rows: merge.execute(rows)))
        ours.append(await timed(lambda plan=plan: scribe.commit(plan)))
        if number % 50 == 49:
            await ledger.maintain()
            await table.optimize(cleanup_older_than=timedelta(milliseconds=1))
    report.add(
        "commit of header + version + retirement, p50 / p95",
        f"{p50(ours):.2f} / {p95(ours):.2f} ms",
    )
    report.add(
        "bare merge_insert of the same rows, p50 / p95", f"{p50(theirs):.2f} / {p95(theirs):.2f} ms"
    )
    report.add("  ratio", f"{p50(ours) / p50(theirs):.2f}")
    await store.close()
    durable = LanceStore(str(folder / "power"), durability="power")
    await durable.open()
    scribe = Scribe(durable.ledger("alice"))
    await scribe.write(realistic(0))
    power = []
    for number in range(40):
        plan = scribe.plan(realistic(number))
        power.append(await timed(lambda plan=plan: scribe.commit(plan)))
    report.add('commit with durability="power", p50', f"{p50(power):.2f} ms")
    await durable.close()


async def bulk(folder: Path, report: Report) -> None:
    store = LanceStore(str(folder / "bulk"))
    await store.open()
    plan = Scribe(store.ledger("alice")).plan(*(realistic(n) for n in range(10_000)))
    took = await timed(lambda: store.ledger("alice").commit(plan))
    report.add("one commit of 10,000 versions", f"{10_000 / took:,.0f} records/s ({took:.2f} s)")
    await store.close()


async def cold(folder: Path, report: Report, users: int, per_user: int = 1000) -> None:
    """A cold read of 1,000 held beliefs, in a store of many users."""
    place = folder / "users"
    store = LanceStore(str(place))
    await store.open()
    others = [realistic(n, "other") for n in range(50)]
    for number in range(users - 1):
        name = f"user {number}"
        await Scribe(store.ledger(name)).write(*(v.but(user_id=name) for v in others))
    await Scribe(store.ledger("alice")).write(*(realistic(n) for n in range(per_user)))
    await store.close()
    ours: list[float] = []
    theirs: list[float] = []
    name = table_name("alice")
    for _ in range(15):
        fresh = LanceStore(str(place))
        await fresh.open()

        async def read(fresh: LanceStore = fresh) -> None:
            delta = await fresh.ledger("alice").read()
            assert delta is not None
            assert len(delta.held) == per_user

        connection = await connect(place)

        async def bare(connection: lancedb.AsyncConnection = connection) -> None:
            table = await connection.open_table(name)
            rows = (await table.query().to_arrow()).to_pylist()
            assert len(rows) == per_user + 1

        theirs.append(await timed(bare))
        ours.append(await timed(read))
        await fresh.close()
        connection.close()
    report.add(f"cold read of {per_user} held, {users} users, p50", f"{p50(ours):.2f} ms")
    report.add("bare open + read + to_pylist of the table, p50", f"{p50(theirs):.2f} ms")
    report.add("  ratio", f"{p50(ours) / p50(theirs):.2f}")
    opening = LanceStore(str(place))
    report.add("open the store", f"{await timed(opening.open) * 1000:.2f} ms")

    async def walk() -> None:
        assert len([user async for user in opening.users()]) == users

    report.add(f"list {users} users", f"{await timed(walk) * 1000:.1f} ms")
    await opening.close()


async def freshness(folder: Path, report: Report) -> None:
    store = LanceStore(str(folder / "fresh"))
    await store.open()
    ledger = store.ledger("alice")
    scribe = Scribe(ledger)
    for number in range(60):
        await scribe.write(realistic(number))
    token = await ledger.token()
    for label in ("just written", "written 3 s ago"):
        start = time.perf_counter()
        for _ in range(5000):
            assert ledger.unchanged(token)
        took = (time.perf_counter() - start) / 5000 * 1e6
        report.add(f"freshness check, {label}, 60 versions kept", f"{took:.1f} us")
        await asyncio.sleep(3)
        ledger.unchanged(token)
    start = time.perf_counter()
    for _ in range(200):
        await ledger.token()
    report.add("token()", f"{(time.perf_counter() - start) / 200 * 1e6:.1f} us")
    await store.close()


async def churn(folder: Path, report: Report, rounds: int) -> None:
    """Single commits with automatic maintenance, and what is left on disk."""
    store = LanceStore(str(folder / "churn"))
    await store.open()
    ledger = store.ledger("alice")
    scribe = Scribe(ledger)
    live = list((await scribe.write(realistic(0))).writes)
    times: list[float] = []
    upkeep: list[float] = []
    for number in range(rounds):
        old = [live.pop(0)] if number % 2 else []
        plan = scribe.plan(realistic(number), retire=old)
        live += plan.writes
        times.append(await timed(lambda plan=plan: scribe.commit(plan)))
        if ledger.wants_maintenance():
            upkeep.append(await timed(ledger.maintain))
    report.add(
        f"first 100 of {rounds} commits, p50 / p95",
        f"{p50(times[:100]):.2f} / {p95(times[:100]):.2f} ms",
    )
    report.add(
        f"last 100 of {rounds} commits, p50 / p95",
        f"{p50(times[-100:]):.2f} / {p95(times[-100:]):.2f} ms",
    )
    report.add("  ratio", f"{p50(times[-100:]) / p50(times[:100]):.2f}")
    report.add(
        f"maintenance, {len(upkeep)} times, p50 / worst",
        f"{p50(upkeep):.1f} / {max(upkeep) * 1000:.1f} ms",
    )
    await ledger.maintain()
    after = size(folder / "churn")
    source = await (await connect(folder / "churn")).open_table(table_name("alice"))
    copy = await connect(folder / "compact")
    table = await copy.create_table("t", data=await source.query().to_arrow())
    await table.optimize(cleanup_older_than=timedelta(milliseconds=1))
    compact = size(folder / "compact")
    report.add("disk after maintain()", f"{after / 1024:.0f} KiB")
    report.add("a fresh, compacted copy of the same rows", f"{compact / 1024:.0f} KiB")
    report.add("  ratio", f"{after / compact:.2f}")
    await store.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--only", choices=["commits", "bulk", "cold", "freshness", "churn"])
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    report = Report()
    parts: dict[str, Callable[[], Awaitable[None]]] = {
        "commits": lambda: commits(folder, report),
        "bulk": lambda: bulk(folder, report),
        "cold": lambda: cold(folder, report, options.users),
        "freshness": lambda: freshness(folder, report),
        "churn": lambda: churn(folder, report, options.commits),
    }
    try:
        for name, part in parts.items():
            if options.only in (None, name):
                await part()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    asyncio.run(main())
