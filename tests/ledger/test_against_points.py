"""Random histories agree with a point-wise model at every instant of both clocks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from belief_memory.errors import BeliefNotFound
from belief_memory.ledger.planner import Planner
from belief_memory.ledger.reading import Reader
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger, day, make_draft
from tests.ledger.model import POINTS, Line, PointModel

SCOPES = ("project:a", "project:b", "project:c")
SLOT = Slot("user", "residence")
VERBS = ("remember", "remember", "remember", "correct", "retract", "never", "rescope")

Operation = tuple[str, dict[str, Any]]

points = st.integers(0, POINTS - 2)
scope_sets = st.sets(st.sampled_from(SCOPES), min_size=1).map(sorted)
operations = st.tuples(
    st.sampled_from(VERBS),
    st.fixed_dictionaries(
        {
            "value": st.sampled_from(["x", "y", "z"]),
            "start": st.none() | points,
            "length": st.none() | st.integers(1, 6),
            "scopes": scope_sets,
            "pick": st.integers(0, 5),
        }
    ),
)
commits = st.lists(st.lists(operations, min_size=1, max_size=3), min_size=1, max_size=6)


def apply(
    ledger: Ledger, planner: Planner, model: PointModel, now: int, operation: Operation
) -> None:
    verb, of = operation
    value, scopes = of["value"], of["scopes"]
    start = now if of["start"] is None else of["start"]
    end = None if of["length"] is None else min(start + of["length"], POINTS - 1)
    bounds = {"valid_from": day(start), "valid_to": None if end is None else day(end)}
    until = POINTS if end is None else end
    if verb == "remember":
        if of["start"] is None:
            del bounds["valid_from"]
        planner.remember(make_draft(value, scopes=scopes, **bounds))
        model.remember(value, start, end, scopes, now)
    elif verb == "correct":
        planner.correct(SLOT, value, scopes=scopes, **bounds)
        model.write(value, start, until, scopes)
    elif verb == "rescope":
        rescope(ledger, planner, model, of["pick"], scopes)
    else:
        never = verb == "never"
        try:
            planner.retract(SLOT, scopes=scopes, never_true=never, **({} if never else bounds))
        except BeliefNotFound:
            assert all(not any(model.line(scope)) for scope in scopes)
        model.write(None, *((0, POINTS) if never else (start, until)), scopes)


def rescope(
    ledger: Ledger, planner: Planner, model: PointModel, pick: int, scopes: list[str]
) -> None:
    """A belief moves to other scopes, with the days that it held in any of its own."""
    held = ledger.held()
    ids = sorted({version.id for version in held})
    if not ids or planner.plan():
        return
    id = ids[pick % len(ids)]
    rows = held.of_belief(id)
    days = [p for p in range(POINTS) if any(Reader(held, day(p)).current(v) for v in rows)]
    for row in rows:
        for point in range(POINTS):
            if Reader(held, day(point)).current(row):
                model.write(None, point, point + 1, row.scopes)
    for point in days:
        model.write(rows[0].content, point, point + 1, scopes)
    planner.update(id, {"scopes": scopes})


def check(ledger: Ledger, lines: dict[str, Line], known: float | None) -> None:
    for scope, line in lines.items():
        for point, value in enumerate(line):
            seen = ledger.current(point, known, scopes=[scope])
            assert seen == ([] if value is None else [value]), (scope, point, known)


def check_rows(ledger: Ledger) -> None:
    held = ledger.held()
    for version in held:
        successor = version.superseded_by
        if successor is not None and held.of_belief(successor):
            assert successor != version.id
            assert version.valid_to is not None
            assert version.valid_to <= min(v.valid_from for v in held.of_belief(successor))
    for id in {version.id for version in held}:
        # What lets the next revision be numbered without knowing those that are gone.
        highest = max(version.rev for version in held.of_belief(id))
        assert highest == max(v.rev for v in ledger.ever.values() if v.id == id)
        assert len({version.content for version in held.of_belief(id)}) == 1


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(commits)
def test_every_instant_of_both_clocks_reads_as_the_table_says(
    history: list[list[Operation]],
) -> None:
    ledger, model = Ledger(), PointModel()
    known: list[tuple[float, dict[str, Line]]] = []
    for now, commit in enumerate(history, start=3):
        planner = ledger.planner(day(now))
        for operation in commit:
            apply(ledger, planner, model, now, operation)
        ledger.commit(planner)
        check(ledger, model.lines, None)
        check_rows(ledger)
        known.append((now, model.copy()))
    for at, lines in known:
        check(ledger, lines, at)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(operations, min_size=1, max_size=5))
def test_one_scope_at_a_time_values_that_touch_are_one_row(history: list[Operation]) -> None:
    ledger, model = Ledger(), PointModel()
    for now, (verb, of) in enumerate(history, start=3):
        if verb == "rescope":
            continue
        planner = ledger.planner(day(now))
        apply(ledger, planner, model, now, (verb, {**of, "scopes": [SCOPES[0]]}))
        ledger.commit(planner)
    rows = sorted(ledger.held(), key=lambda version: version.valid_from)
    for earlier, later in pairwise(rows):
        assert earlier.valid_to is not None
        assert earlier.valid_to <= later.valid_from
        assert earlier.valid_to < later.valid_from or earlier.content != later.content
