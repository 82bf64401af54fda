"""Another bi-temporal store's expected histories, reproduced through the front door."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from belief_memory import BeliefMemory, BeliefNotFound, UserMemory
from belief_memory.model.time import TICK
from tests.conftest import SetClock
from tests.ledger.test_bitempura import END, Row, cells, expected_rows, files, joined, value_at

pytestmark = pytest.mark.data


def replay(user: UserMemory, clock: SetClock, slot: str, rows: list[Row]) -> None:
    """Set and delete, at each instant of system time, exactly what changed then."""
    edges = sorted({at for row in rows for at in (row.start, row.end)} | {END})
    before: dict = dict.fromkeys(edges)
    for tx in sorted({at for row in rows for at in (row.tx_start, row.tx_end)} - {END}):
        clock.at = tx
        after = {start: value_at(rows, tx, start) for start in edges if start != END}
        for start, end in pairwise(edges):
            if after[start] == before[start]:
                continue
            until = None if end == END else end
            if after[start] is None:
                user.retract(slot, valid_from=start, valid_to=until)
            else:
                user.correct(slot, after[start], valid_from=start, valid_to=until)
        before = {**before, **after}


def history_of(user: UserMemory, slot: str) -> list[Row]:
    """The history with the instants of one replayed transaction taken together."""

    def whole(at):
        return at.replace(microsecond=0) if at.microsecond * TICK < 1000 * TICK else at

    return joined(
        Row(
            version.content,
            whole(version.recorded_at),
            END if version.retired_at is None else whole(version.retired_at),
            version.valid_from,
            END if version.valid_to is None else version.valid_to,
        )
        for version in user.history(slot)
    )


def test_every_expected_history_is_reproduced(data: Path, clock: SetClock) -> None:
    checked = 0
    for path in files(data):
        for key, history in json.loads(path.read_text())["Histories"].items():
            expected = expected_rows(history)
            with BeliefMemory.open("memory://", clock=clock) as memory:
                user = memory.for_user(path.name)
                replay(user, clock, key, expected)
                got = history_of(user, key)
            assert cells(got, expected) == cells(expected, expected), (path.name, key)
            checked += len(expected)
    assert checked > 50


def test_deleting_what_is_not_there_changes_nothing(memory: BeliefMemory) -> None:
    user = memory.for_user("u")
    with pytest.raises(BeliefNotFound):
        user.retract("A")
    assert user.export() == []
    user.remember("A", "Old", valid_from="2022-01-05")
    assert user.retract("A", valid_from="2022-01-01", valid_to="2022-01-02").action == "unchanged"
    assert len(user.export()) == 1
