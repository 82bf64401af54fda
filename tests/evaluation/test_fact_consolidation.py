"""Numbered facts, keyed by their grammar: the later one wins, and the past stays."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from belief_memory import Belief, BeliefMemory, Message, UserMemory
from belief_memory.learning import DeterministicExtractor
from belief_memory.model.learning import Said
from belief_memory.text.fold import slot_key, value_key

pytestmark = pytest.mark.data

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(serial: int) -> datetime:
    return START + timedelta(minutes=serial)


def facts(data: Path) -> list[tuple[int, str]]:
    text = json.loads((data / "factconsolidation" / "sh_6k_dev.json").read_text())["context"]
    found = []
    for line in text.splitlines():
        number, dot, fact = line.partition(". ")
        if dot and number.isdigit():
            found.append((int(number), fact))
    return found


@pytest.fixture(scope="module")
def taught(data: Path):
    now = [START]
    extractor = DeterministicExtractor(rules=["facts"])
    with BeliefMemory.open("memory://", extractor=extractor, clock=lambda: now[0]) as memory:
        user = memory.for_user("reader")
        for serial, fact in facts(data):
            now[0] = at(serial)
            report = user.observe([Message("user", f"{serial}. {fact}", at=now[0])])
            assert report.skipped == [], report
        yield user, now


def expected(data: Path, until: int) -> dict[str, str]:
    """Each key's last statement up to a serial, by the same rules but without a ledger."""
    extractor = DeterministicExtractor(rules=["facts"])
    last: dict[str, str] = {}
    for serial, fact in facts(data):
        if serial <= until:
            (learned,) = extractor.read(Said("user", fact, fact, at(serial), str(serial)))
            last[slot_key(*learned.slot)] = fact
    return last


def held(beliefs: Iterable[Belief]) -> dict[str, str]:
    return {slot_key(*belief.slot): belief.content for belief in beliefs}


def test_every_key_holds_its_last_statement(taught, data: Path) -> None:
    user, _ = taught
    assert len(facts(data)) == 455
    assert held(user.beliefs()) == expected(data, 454)


def test_as_of_an_earlier_serial_every_key_holds_the_statement_of_then(taught, data: Path) -> None:
    user, _ = taught
    serials = sorted(random.Random(7).sample(range(455), 40))
    for serial in serials:
        assert held(user.beliefs(as_of=at(serial))) == expected(data, serial), serial


def questions(data: Path) -> list[tuple[str, list[str]]]:
    given = json.loads((data / "factconsolidation" / "sh_6k_dev.json").read_text())
    return list(zip(given["questions"], given["answers"], strict=True))


def test_every_question_has_its_answer_among_the_current_facts(taught, data: Path) -> None:
    user, _ = taught
    current = [value_key(belief.content.rstrip(".")) for belief in user.beliefs()]
    missing = [
        question
        for question, answers in questions(data)
        if not any(fact.endswith(value_key(answer)) for fact in current for answer in answers)
    ]
    assert len(questions(data)) == 50
    assert missing == []


def test_following_names_from_fact_to_fact_leads_from_the_question_to_the_answer(
    taught, data: Path
) -> None:
    """The questions take several facts each. Two ask for the head of a country whose facts
    are about its government, and one answer rests on a fact that a later line replaced."""
    user, _ = taught
    lost = [
        question for question, answers in questions(data) if not reachable(user, question, answers)
    ]
    assert len(lost) <= 3, lost


def reachable(user: UserMemory, question: str, answers: list[str], hops: int = 5) -> bool:
    """Whether the facts recalled for a question, and for what those name, state an answer."""
    wanted = {value_key(answer) for answer in answers}
    asked = question
    seen: set[str] = set()
    for _ in range(hops):
        found = [b for b in user.recall(asked).relevant if b.id not in seen]
        seen.update(b.id for b in found)
        if any(value_key(b.content.rstrip(".")).endswith(w) for b in found for w in wanted):
            return True
        asked = "\n".join(b.content for b in found)
    return False


def test_a_stale_statement_is_never_recalled(taught, data: Path) -> None:
    user, _ = taught
    current = set(expected(data, 454).values())
    for fact in {fact for _, fact in facts(data)} - current:
        assert fact not in {belief.content for belief in user.recall(fact).relevant}
