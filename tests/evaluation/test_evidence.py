"""Evidence of facts that change again and again: what is shown is not what was said before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from belief_memory import UserMemory
from belief_memory.retrieval import evidence
from tests.evaluation.test_churn import after_all_sessions, stated_values

pytestmark = pytest.mark.data

Told = list[tuple[dict[str, Any], UserMemory]]


@pytest.fixture(scope="module")
def told(data: Path) -> Iterator[Told]:
    with after_all_sessions(data, episodes=True) as found:
        yield found


def shown(told: Told, *routes: str) -> tuple[int, int, int]:
    """Questions, and of them those whose context lacks the current value, or has a former."""
    asked = missing = stale = 0
    for row, user in told:
        for question in row["questions"]:
            text = user.recall(question["question"], routes=routes).render()
            asked += 1
            missing += question["gold"] not in text
            stale += any(value in text for value in stated_values(row, question["gold"]))
    return asked, missing, stale


def test_no_former_value_is_shown_as_evidence(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(told, "relevant", "evidence") == (100, 0, 0)
    assert shown(told, "evidence")[2] == 0, "beliefs that are not shown are read all the same"
    with monkeypatch.context() as patched:
        patched.setattr(evidence, "echoed", lambda *_: [])
        assert shown(told, "evidence")[2] > 20, "the control: they would be"


def test_every_belief_leads_to_a_turn_that_says_it(told: Told) -> None:
    seen = 0
    for _, user in told:
        for belief in user.beliefs():
            (turn,) = user.evidence_of(belief)
            assert belief.provenance is not None
            assert belief.provenance.quote in turn.text
            seen += 1
    assert seen > 50
