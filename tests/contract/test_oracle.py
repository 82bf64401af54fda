"""Whatever is done to a ledger in LanceDB, it says what the one in memory says."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from belief_memory.model.belief import Belief
from belief_memory.ports import Head, VersionFilter
from belief_memory.store.in_memory import InMemoryStore
from belief_memory.store.lance import LanceStore
from belief_memory.testing.builders import Knowledge, Scribe
from belief_memory.testing.strategies import beliefs

Step = tuple[str, list[Belief], int]

steps = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "write", "maintain", "erase", "reopen", "everything"]),
        st.lists(beliefs(), max_size=3),
        st.integers(0, 2**16),
    ),
    min_size=1,
    max_size=8,
)


class Pair:
    """The same ledger on two stores."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.oracle = InMemoryStore()
        self.heads: list[Head] = []
        self.known = Knowledge()
        self.numbers = 0

    async def open(self) -> None:
        self.store = LanceStore(self.folder)
        await self.store.open()

    async def step(self, what: str, drawn: list[Belief], seed: int) -> None:
        ledger, truth = self.store.ledger("alice"), self.oracle.ledger("alice")
        if what == "maintain":
            await ledger.maintain()
            return
        if what == "reopen":
            await self.store.close()
            await self.open()
            return
        scribe = Scribe(truth)
        delta = await scribe.catch_up()
        held = [] if delta is None else sorted(delta.held, key=lambda v: v.version_id)
        if what == "everything":
            plan = scribe.plan()
            assert await ledger.erase(None, plan) == await truth.erase(None, plan)
        elif what == "erase":
            ids = frozenset(v.id for n, v in enumerate(held) if seed >> n & 1) | {"nobody"}
            if delta is not None:
                plan = scribe.plan()
                assert await ledger.erase(ids, plan) == await truth.erase(ids, plan)
        else:
            retired = [v for n, v in enumerate(held) if seed >> n & 3 == 3]
            kept = [v for v in held if v not in retired]
            plan = scribe.plan(
                *(self.renamed(version) for version in drawn),
                retire=retired,
                reinforce=[(v, seed + n) for n, v in enumerate(kept) if seed >> n & 1],
            )
            await truth.commit(plan)
            await ledger.commit(plan)
            self.heads.append(plan.head)

    def renamed(self, version: Belief) -> Belief:
        self.numbers += 1
        return version.but(id=f"{version.id} {self.numbers}")

    async def compare(self) -> None:
        ledger, truth = self.store.ledger("alice"), self.oracle.ledger("alice")
        assert await ledger.versions(VersionFilter()) == await truth.versions(VersionFilter())
        for head in [None, *self.heads[-3:]]:
            ours, theirs = await ledger.read(head), await truth.read(head)
            assert (ours is None) == (theirs is None)
            if ours is None or theirs is None:
                continue
            assert (ours.head, ours.whole) == (theirs.head, theirs.whole)
            if ours.whole:
                assert held_by(ours.held) == held_by(theirs.held)
        self.known.learn(await ledger.read(self.known.head))
        whole = Knowledge()
        whole.learn(await truth.read())
        assert self.known == whole
        for version in whole.held.values():
            which = VersionFilter(belief_ids=frozenset([version.id]))
            assert await ledger.versions(which) == await truth.versions(which)


def held_by(versions: tuple[Belief, ...]) -> dict[str, tuple[dict[str, Any], tuple[str, ...]]]:
    return {v.version_id: (v.to_record(), v.name_keys) for v in versions}


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(steps)
def test_a_folder_says_what_memory_says(history: list[Step]) -> None:
    async def play() -> None:
        with tempfile.TemporaryDirectory() as folder:
            pair = Pair(str(Path(folder) / "beliefs"))
            await pair.open()
            for step in history:
                await pair.step(*step)
                await pair.compare()
            await pair.store.close()

    asyncio.run(play())
