"""Recall of one large ledger: by lookups through the store's indexes, and from memory;
beside them SQLite's FTS5, which finds rows that share a word and decides nothing.

python -m benchmarks.candidates [--beliefs 100000] [--queries 200]

Each way runs in a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from belief_memory import AsyncBeliefMemory, BeliefMemory
from belief_memory.engine import partial
from belief_memory.store.lance import fulltext
from benchmarks.report import Report

SYLLABLES = re.findall("..", "bacedifogukaleminopurasetivozu")
FILLER = "so could you please tell me what we decided about {} and whether {} still needs it"


def word(number: int, syllables: int = 4) -> str:
    """A made-up word, as pronounceable as any."""
    base = len(SYLLABLES)
    # Spread, so that words that follow each other share neither their start nor their end.
    number = number * 7_368_787 % base**syllables
    parts = [SYLLABLES[number // base**at % base] for at in range(syllables)]
    return "".join(parts)


def record(number: int) -> dict[str, Any]:
    first, second = word(number % 3375), word(number * 7919 % 50625)
    return {
        "canonical_name": f"{first}_{second}_{number}" if number % 3 else f"{word(number, 6)}x",
        "content": f"Statement {number}: the {first} of {second} is at step {number % 97}.",
        "why_it_matters": "Use it when the topic comes up.",
        "aliases": [f"{second} {word(number * 31 % 50625)} {number}"],
        "pinned": number % 20_000 == 0,
    }


def queries(beliefs: int, count: int) -> list[str]:
    """Each names two beliefs, one of them by an alias and the other with a typo."""
    rng = random.Random(7)
    made = []
    for _ in range(count):
        one, two = (record(rng.randrange(beliefs)) for _ in range(2))
        alias = one["aliases"][0]
        name = str(two["canonical_name"]).replace("_", " ")
        at = 2 + rng.randrange(3)
        typo = name[:at] + name[at + 1 :]
        made.append(FILLER.format(alias, typo))
    return made


def resident_mb() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def build(folder: Path, beliefs: int) -> dict[str, float]:
    fulltext.FROM = min(fulltext.FROM, beliefs // 2)

    async def load() -> dict[str, float]:
        memory = await AsyncBeliefMemory.open(folder / "beliefs")
        user = memory.for_user("alice")
        started = time.perf_counter()
        for start in range(0, beliefs, 50_000):
            await user.load([record(n) for n in range(start, min(start + 50_000, beliefs))])
        loaded = time.perf_counter()
        await memory.maintain()
        built = time.perf_counter()
        for number in range(8):
            await user.remember(f"afterwards {number}", "Something new.")
        written = time.perf_counter()
        await memory.maintain()
        again = time.perf_counter()
        await memory.close()
        return {"load": loaded - started, "build": built - loaded, "again": again - written}

    figures = asyncio.run(load())
    database = sqlite3.connect(folder / "beliefs.sqlite")
    database.execute("CREATE VIRTUAL TABLE names USING fts5(name, aliases, content)")
    rows = (
        (str(r["canonical_name"]).replace("_", " "), " ".join(r["aliases"]), r["content"])
        for r in map(record, range(beliefs))
    )
    with database:
        database.executemany("INSERT INTO names VALUES (?, ?, ?)", rows)
    return figures


def ours(folder: Path, asked: list[str], most: int) -> dict[str, Any]:
    partial.MAX_RESIDENT_BELIEFS_PER_USER = most
    with BeliefMemory.open(folder / "beliefs", read_only=True) as memory:
        user = memory.for_user("alice")
        before = resident_mb()
        started = time.perf_counter()
        user.recall("")
        first = (time.perf_counter() - started) * 1000
        spent, answers = [], []
        for query in asked:
            started = time.perf_counter()
            found = user.recall(query)
            spent.append((time.perf_counter() - started) * 1000)
            answers.append([belief.content for belief in found.relevant])
        memory_used = resident_mb() - before
        again = []
        for query in asked:
            started = time.perf_counter()
            user.recall(query)
            again.append((time.perf_counter() - started) * 1000)
        started = time.perf_counter()
        hits = len(user.search("statement bacedifo", limit=1000))
        search = (time.perf_counter() - started) * 1000
    return {
        "first": first, "spent": spent, "again": again, "memory": memory_used,
        "answers": answers, "search": search, "hits": hits,
    }  # fmt: skip


def fts5(folder: Path, asked: list[str]) -> dict[str, Any]:
    database = sqlite3.connect(folder / "beliefs.sqlite")
    before = resident_mb()
    spent = []
    for query in asked:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        started = time.perf_counter()
        database.execute(
            "SELECT rowid FROM names WHERE names MATCH ? ORDER BY rank LIMIT 20",
            (f"{{name aliases}} : ({words})",),
        ).fetchall()
        spent.append((time.perf_counter() - started) * 1000)
    return {"spent": spent, "memory": resident_mb() - before}


def report(folder: Path, beliefs: int, count: int) -> None:
    figures = build(folder, beliefs)
    runs = {way: _run(way, folder, beliefs, count) for way in ("lookups", "resident", "fts5")}
    assert runs["lookups"]["answers"] == runs["resident"]["answers"], "the answers differ"
    named = sum(map(len, runs["lookups"]["answers"]))
    shown = Report(f"{beliefs:,} beliefs of one user, {count} different queries")
    shown.figure("loading", figures["load"], "s")
    shown.figure("first maintenance: columns and indexes", figures["build"], "s")
    shown.figure("maintenance after a few more commits", figures["again"], "s")
    shown.figure("beliefs recalled, the same both ways", named, "")
    for way, run in runs.items():
        if "first" in run:
            shown.figure(f"{way}: the first recall of a process", run["first"], "ms")
            shown.figure(f"{way}: a query asked before, p50", _at(run["again"], 50), "ms")
            shown.figure(f"{way}: search, {run['hits']} found", run["search"], "ms")
        shown.figure(f"{way}: a new query, p50", _at(run["spent"], 50), "ms")
        shown.figure(f"{way}: a new query, p95", _at(run["spent"], 95), "ms")
        shown.figure(f"{way}: memory after them", run["memory"], "MB")
    shown.show()


def _at(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _run(way: str, folder: Path, beliefs: int, count: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.candidates", "--way", way, "--in", str(folder)]
    command += ["--beliefs", str(beliefs), "--queries", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beliefs", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--way", choices=["lookups", "resident", "fts5"])
    parser.add_argument("--in", dest="folder", type=Path)
    options = parser.parse_args()
    asked = queries(options.beliefs, options.queries)
    if options.way is None:
        with tempfile.TemporaryDirectory() as folder:
            report(Path(folder), options.beliefs, options.queries)
    elif options.way == "fts5":
        print(json.dumps(fts5(options.folder, asked)))
    else:
        most = options.beliefs // 2 if options.way == "lookups" else 10**9
        print(json.dumps(ours(options.folder, asked, most)))


if __name__ == "__main__":
    main()
