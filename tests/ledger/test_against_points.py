"""Random histories agree with a point-wise model at every instant of both clocks."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.errors import BeliefNotFound
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger, day, number
from tests.ledger.model import POINTS, PointModel

SCOPES = ("project:a", "project:b", "project:c")
SLOT = Slot("user", "residence")

points = st.integers(0, POINTS - 2)
values = st.sampled_from(["x", "y", "z"])
scope_sets = st.sets(st.sampled_from(SCOPES), min_size=1).map(sorted)
ends = st.none() | st.integers(1, POINTS - 1)


@st.composite
def operation(draw: Any) -> tuple[str, dict[str, Any]]:
    verb = draw(
        st.sampled_from(["remember", "remember", "remember", "correct", "retract", "never"])
    )
    arguments = {
        "value": draw(values),
        "start": draw(st.none() | points) if verb == "remember" else draw(points),
        "end": draw(ends),
        "scopes": draw(scope_sets),
    }
    return verb, arguments


def later(end: int | None) -> int:
    return POINTS if end is None else end


def apply(ledger: Ledger, model: PointModel, now: int, verb: str, of: dict[str, Any]) -> None:
    value, end, scopes = of["value"], of["end"], of["scopes"]
    start = now if of["start"] is None else of["start"]
    at = now + 0.5 * (verb != "remember" or of["start"] is not None)
    if end is not None and end <= start:
        end = None
    if verb == "remember":
        ledger.remember(value, at=at, valid_from=start, valid_to=end, scopes=scopes)
        model.remember(value, start, end, scopes, now)
    elif verb == "correct":
        ledger.do("correct", SLOT, value, at=at, valid_from=start, valid_to=end, scopes=scopes)
        model.write(value, start, later(end), scopes)
    elif verb == "retract":
        try:
            ledger.do("retract", SLOT, at=at, valid_from=start, valid_to=end, scopes=scopes)
        except BeliefNotFound:
            assert all(not any(model.line(scope)) for scope in scopes)
        model.write(None, start, later(end), scopes)
    else:
        try:
            ledger.do("retract", SLOT, at=at, never_true=True, scopes=scopes)
        except BeliefNotFound:
            assert all(not any(model.line(scope)) for scope in scopes)
        model.write(None, 0, POINTS, scopes)


def check(ledger: Ledger, lines: dict[str, list[str | None]], known: float | None) -> None:
    for scope, line in lines.items():
        for point, value in enumerate(line):
            seen = ledger.current(point, known, scopes=[scope])
            assert seen == ([] if value is None else [value]), (scope, point, known)


def check_links(ledger: Ledger) -> None:
    held = ledger.held()
    for version in held:
        successor = version.superseded_by
        if successor is not None and held.of_belief(successor):
            assert successor != version.id
            assert version.valid_to is not None
            begins = min(v.valid_from for v in held.of_belief(successor))
            assert begins >= version.valid_to
    for id in {version.id for version in held}:
        highest = max(version.rev for version in held.of_belief(id))
        assert highest == max(v.rev for v in ledger.ever.values() if v.id == id)


@settings(max_examples=250, deadline=None)
@given(st.lists(operation(), min_size=1, max_size=7))
def test_every_instant_of_both_clocks_reads_as_the_table_says(
    operations: list[tuple[str, dict[str, Any]]],
) -> None:
    ledger, model = Ledger(), PointModel()
    known: list[tuple[float, dict[str, list[str | None]]]] = []
    for now, (verb, of) in enumerate(operations, start=2):
        apply(ledger, model, now, verb, of)
        check(ledger, model.lines, None)
        check_links(ledger)
        known.append((now + 0.75, model.copy()))
    for at, lines in known:
        check(ledger, lines, at)
    assert number(day(3)) == 3
