"""Seven years of real corrections: every known-at question answered exactly."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from belief_memory import BeliefMemory, Draft, UserMemory
from belief_memory.text.fold import fold_slot

pytestmark = pytest.mark.data

Event = tuple[int, str, str, str, str | None]


def instant(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class Names:
    """Slot names for the data's releases. Slots fold case and separators by rule, and the
    data tells R450-Linux from r450-linux: later spellings of one slot get a number."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._taken: dict[str, int] = {}

    def __call__(self, slug: str, cycle: str) -> str:
        if (slug, cycle) not in self._given:
            name = f"{slug} {cycle}"
            before = self._taken.get(fold_slot(name), 0)
            self._taken[fold_slot(name)] = before + 1
            self._given[slug, cycle] = name if not before else f"{name} ({before + 1})"
        return self._given[slug, cycle]


named = Names()


def replay(user: UserMemory, events: list[Event], set_clock) -> int:
    """Assert and retract each commit's facts at its own time."""
    count = 0
    for at, group in itertools.groupby(events, key=lambda event: event[0]):
        facts = list(group)
        set_clock(instant(at))
        said = [
            Draft(canonical_name=named(slug, cycle), attribute=field, content=value)
            for _, slug, cycle, field, value in facts
            if value is not None
        ]
        gone = [
            (named(slug, cycle), field) for _, slug, cycle, field, value in facts if value is None
        ]
        if said:
            user.remember_many(said)
        if gone:
            user.retract(gone)
        count += len(facts)
    return count


@pytest.fixture(scope="module")
def replayed(data: Path, tmp_path_factory: pytest.TempPathFactory):
    events = [json.loads(line) for line in (data / "endoflife" / "events.jsonl").open()]
    now = [instant(events[0][0])]
    folder = tmp_path_factory.mktemp("endoflife")
    with BeliefMemory.open(folder, clock=lambda: now[0]) as memory:
        user = memory.for_user("ops")

        def set_clock(at: datetime) -> None:
            now[0] = at

        assert replay(user, events, set_clock) == len(events) == 77438
        set_clock(datetime(2026, 11, 1, tzinfo=UTC))
        yield user


def test_every_as_of_question_has_its_exact_answer(replayed: UserMemory, data: Path) -> None:
    questions = [json.loads(line) for line in (data / "endoflife" / "asof.jsonl").open()]
    assert len(questions) == 2000
    wrong = []
    for q in questions:
        found = replayed.beliefs(
            slot=(named(q["slug"], q["cycle"]), q["field"]), as_of=instant(q["known_at"])
        )
        answer = found[0].content if found else None
        if len(found) > 1 or answer != q["expected"]:
            wrong.append((q, answer))
    assert wrong == []


def test_what_is_current_after_the_whole_history_is_its_last_word(
    replayed: UserMemory, data: Path
) -> None:
    last: dict[tuple[str, str], str | None] = {}
    for line in (data / "endoflife" / "events.jsonl").open():
        _, slug, cycle, field, value = json.loads(line)
        last[named(slug, cycle), field] = value
    held = {(b.canonical_name, b.attribute): b.content for b in replayed.beliefs()}
    assert held == {slot: value for slot, value in last.items() if value is not None}
