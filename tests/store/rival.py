"""A process that competes for one slot of a ledger, or reads while others write.

    python -m tests.store.rival write|read NAME ROUNDS FOLDER-OR-URI [OPTION=VALUE …]

Writers learn one new slot a round, at the same time: whoever finds it empty writes it,
with as many further rows as its name says, and retires what it replaces elsewhere.
"""

from __future__ import annotations

import asyncio
import sys

from belief_memory.ports import LostRace, VersionFilter
from belief_memory.store.lance import LanceStore
from belief_memory.testing.builders import Knowledge, Scribe, belief


async def line() -> str:
    return (await asyncio.to_thread(sys.stdin.readline)).strip()


async def write(store: LanceStore, name: str, rounds: int) -> None:
    scribe = Scribe(store.ledger("alice"))
    width = int(name) + 1
    for number in range(rounds):
        print("ready", flush=True)
        await line()
        while True:
            delta = await scribe.catch_up()
            held = () if delta is None else delta.held
            if any(v.canonical_name == f"slot {number}" for v in held):
                print("beaten", flush=True)
                break
            counters = [v for v in held if v.canonical_name == "counter"]
            rev = max((v.rev for v in counters), default=0) + 1
            plan = scribe.plan(
                belief(f"slot {number}", id=f"slot {number} of {name}", metadata={"of": width}),
                belief("counter", id="counter", rev=rev),
                *(
                    belief(f"row of {number}", id=f"row {number} {name} {n}", member=name)
                    for n in range(width)
                ),
                retire=counters,
            )
            try:
                await scribe.commit(plan)
            except LostRace:
                continue
            if scribe.ledger.wants_maintenance() or number % 7 == 6:
                await scribe.ledger.maintain()
            print("won", flush=True)
            break


async def read(store: LanceStore, rounds: int) -> None:
    """Reads in every way until told to stop; any error ends it with a traceback."""
    ledger = store.ledger("alice")
    print("ready", flush=True)
    stop = asyncio.create_task(line())
    known, reads = Knowledge(), 0
    while not stop.done() or reads < rounds:
        known.learn(await ledger.read(known.head))
        whole = Knowledge()
        whole.learn(await ledger.read())
        if whole.head == known.head:
            assert whole.held == known.held
        assert len(await ledger.versions(VersionFilter())) >= len(known.held)
        assert len([v for v in whole.held.values() if v.canonical_name == "counter"]) <= 1
        reads += 1
    print("read", reads, flush=True)


async def main() -> None:
    what, name, rounds, uri, *options = sys.argv[1:]
    pairs = dict(option.split("=", 1) for option in options)
    store = LanceStore(uri, storage_options=pairs or None)
    await store.open()
    if what == "write":
        await write(store, name, int(rounds))
    else:
        await read(store, int(rounds))


if __name__ == "__main__":
    asyncio.run(main())
