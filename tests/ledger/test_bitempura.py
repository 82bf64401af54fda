"""Histories that another bi-temporal store expects, reproduced.

The operations are read off the histories: what an instant of system time changed is set
or deleted on exactly the valid time it changed.
"""

from __future__ import annotations

import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from belief_memory.errors import BeliefNotFound, InvalidBelief
from belief_memory.ledger.intervals import END
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger, make_draft

pytestmark = pytest.mark.data


class Row(NamedTuple):
    """One version: a value, when it was held, when it was true."""

    value: str
    tx_start: datetime
    tx_end: datetime
    start: datetime
    end: datetime


def instant(text: str | None) -> datetime:
    return END if text is None else datetime.fromisoformat(text).replace(tzinfo=END.tzinfo)


def expected_rows(history: list[dict[str, Any]]) -> list[Row]:
    return joined(
        Row(
            json.dumps(row["Value"], sort_keys=True),
            instant(row["TxTimeStart"]),
            instant(row["TxTimeEnd"]),
            instant(row["ValidTimeStart"]),
            instant(row["ValidTimeEnd"]),
        )
        for row in history
    )


def joined(rows: Any) -> list[Row]:
    """Without rows that nobody could see, and with rows that only continue another in
    system time (re-recorded for a link) taken together."""
    out: list[Row] = []
    seen = (row for row in rows if row.tx_start < row.tx_end)
    for row in sorted(seen, key=lambda r: (r.value, r.start, r.end, r.tx_start)):
        last = out[-1] if out else None
        if last is not None and (last.value, last.start, last.end, last.tx_end) == (
            row.value,
            row.start,
            row.end,
            row.tx_start,
        ):
            out[-1] = last._replace(tx_end=row.tx_end)
        else:
            out.append(row)
    return sorted(out)


def value_at(rows: list[Row], tx: datetime, valid: datetime) -> str | None:
    found = [r.value for r in rows if r.tx_start <= tx < r.tx_end and r.start <= valid < r.end]
    return found[0] if found else None


def history_of(ledger: Ledger) -> list[Row]:
    return joined(
        Row(v.content, v.recorded_at, v.retired_at or END, v.valid_from, v.valid_to or END)
        for v in ledger.ever.values()
    )


def cells(rows: list[Row], of: list[Row]) -> dict[tuple[datetime, datetime], list[str]]:
    """What ``rows`` say between any two edges of both clocks (rows of one value that touch
    are one interval here, and two there)."""
    transactions = sorted({at for row in (*rows, *of) for at in (row.tx_start, row.tx_end)})
    edges = sorted({at for row in (*rows, *of) for at in (row.start, row.end)})
    return {
        (tx, valid): [
            row.value
            for row in rows
            if row.tx_start <= tx < row.tx_end and row.start <= valid < row.end
        ]
        for tx in transactions
        for valid in edges
    }


def replay(ledger: Ledger, key: str, rows: list[Row]) -> None:
    slot = Slot(key)
    transactions = sorted({at for r in rows for at in (r.tx_start, r.tx_end) if at != END})
    edges = sorted({at for r in rows for at in (r.start, r.end)} | {END})
    before: dict[datetime, str | None] = dict.fromkeys(edges)
    for tx in transactions:
        after = {start: value_at(rows, tx, start) for start in edges if start != END}
        changed: list[tuple[datetime, datetime, str | None]] = []
        for start, end in pairwise(edges):
            if after[start] == before[start]:
                continue
            if changed and changed[-1][1:] == (start, after[start]):
                changed[-1] = (changed[-1][0], end, after[start])
            else:
                changed.append((start, end, after[start]))
        planner = ledger.planner(tx)
        for start, end, value in changed:
            until = None if end == END else end
            if value is None:
                planner.retract(slot, valid_from=start, valid_to=until)
            else:
                planner.correct(slot, value, valid_from=start, valid_to=until)
        ledger.commit(planner)
        before = {**before, **after}


def files(data: Path) -> list[Path]:
    return sorted((data / "bitempura").glob("*.json"))


def test_every_expected_history_is_reproduced(data: Path) -> None:
    checked = 0
    for path in files(data):
        for key, history in json.loads(path.read_text())["Histories"].items():
            expected = expected_rows(history)
            ledger = Ledger()
            replay(ledger, key, expected)
            assert cells(history_of(ledger), expected) == cells(expected, expected), (
                path.name,
                key,
            )
            checked += len(expected)
    assert checked > 0


def load_case(data: Path, name: str) -> dict[str, list[Row]]:
    found = [path for path in files(data) if name in path.name]
    if not found:
        pytest.skip(f"{name} is not in this part of the data")
    histories = json.loads(found[0].read_text())["Histories"]
    return {key: expected_rows(history) for key, history in histories.items()}


def on(day: int) -> datetime:
    return datetime(2022, 1, day, tzinfo=END.tzinfo)


OPERATIONS: dict[str, list[tuple[str, int, dict[str, Any]]]] = {
    "TestSet_empty_db_basic_set.": [("remember", 1, {"content": "Old"})],
    "TestSet_existing_entry_no_valid_end_basic_set": [
        ("remember", 1, {"content": "Old"}),
        ("remember", 3, {"content": "New"}),
    ],
    "TestSet_existing_entry_no_valid_end_set_w_valid_time_end_original": [
        ("remember", 1, {"content": "Old"}),
        ("remember", 4, {"content": "New", "valid_from": on(2), "valid_to": on(3)}),
    ],
    "TestSet_existing_entry_no_valid_end_set_w_valid_time_end_no_overhang": [
        ("remember", 1, {"content": "Old"}),
        ("remember", 4, {"content": "New", "valid_from": on(1)}),
    ],
    "TestSet_existing_entries_multiple_valid_time_ranges": [
        ("remember", 1, {"content": "Old"}),
        ("remember", 3, {"content": "New"}),
        ("remember", 4, {"content": "Newest", "valid_from": on(2), "valid_to": on(4)}),
    ],
    "TestDelete_existing_entry_no_valid_end_basic_delete": [
        ("remember", 1, {"content": "OLD"}),
        ("retract", 3, {}),
    ],
    "TestDelete_existing_entry_no_valid_end_set_w_valid_time_end_original": [
        ("remember", 1, {"content": "OLD"}),
        ("retract", 4, {"valid_from": on(2), "valid_to": on(3)}),
    ],
    "TestDelete_existing_entry_no_valid_end_set_w_valid_time_end_no_overhang": [
        ("remember", 1, {"content": "OLD"}),
        ("retract", 4, {"valid_from": on(1)}),
    ],
    "TestDelete_existing_entries_multiple_valid_time_ranges": [
        ("remember", 1, {"content": "OLD"}),
        ("remember", 3, {"content": "NEW"}),
        ("retract", 4, {"valid_from": on(2), "valid_to": on(4)}),
    ],
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_named_operations_give_the_expected_history(data: Path, name: str) -> None:
    (history,) = load_case(data, name).values()
    expected = [row._replace(value=json.loads(row.value)) for row in history]
    ledger = Ledger()
    for verb, tx, arguments in OPERATIONS[name]:
        planner = ledger.planner(on(tx))
        if verb == "remember":
            planner.remember(make_draft(name="A", attribute=None, **arguments))
        else:
            planner.retract(Slot("A"), **arguments)
        ledger.commit(planner)
    assert history_of(ledger) == expected


def test_what_the_cases_call_an_error_is_one() -> None:
    ledger = Ledger()
    with pytest.raises(BeliefNotFound):
        ledger.planner(on(1)).retract(Slot("A"))
    for ends in (1, 2):
        with pytest.raises(InvalidBelief):
            ledger.planner(on(2)).remember(
                make_draft("x", name="A", attribute=None, valid_to=on(ends))
            )
        with pytest.raises(InvalidBelief):
            ledger.planner(on(2)).retract(Slot("A"), valid_to=on(ends))
