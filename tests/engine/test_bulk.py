"""Bulk work leaves the process's garbage collector as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from belief_memory import BeliefMemory, InvalidBelief
from belief_memory.engine.bulk import BULK, collector_paused


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    enabled = gc.isenabled()
    yield
    (gc.enable if enabled else gc.disable)()


def test_overlapping_blocks_let_it_go_on_when_the_last_one_ends() -> None:
    gc.enable()
    with collector_paused(BULK):
        with collector_paused(BULK):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with collector_paused(BULK):
        pass
    assert not gc.isenabled()


def test_small_work_does_not_touch_it() -> None:
    gc.enable()
    with collector_paused(BULK - 1):
        assert gc.isenabled()


def test_a_bulk_load_that_fails_leaves_it_on(memory: BeliefMemory) -> None:
    gc.enable()
    records = [{"canonical_name": f"topic {n}", "content": "Noted."} for n in range(BULK)]
    with pytest.raises(InvalidBelief):
        memory.for_user("u").load([*records, {"canonical_name": "bad"}])
    assert gc.isenabled()
    assert memory.for_user("u").load(records) == BULK
    assert gc.isenabled()
