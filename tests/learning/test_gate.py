"""The gate: what was plainly stated gets in at once, everything else does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.learning.gate import observed
from tests.learning.gate_cases import STATED, UNSTATED


@pytest.mark.parametrize(("text", "answer"), STATED, ids=[text for text, _ in STATED])
def test_what_the_user_plainly_states_is_believed(text: str, answer: dict[str, Any]) -> None:
    report, _ = observed(text, answer)
    assert [belief.content for belief in report.beliefs] == [answer["content"]], str(report)


@pytest.mark.parametrize(("text", "answer"), UNSTATED, ids=[text[:40] for text, _ in UNSTATED])
def test_what_is_not_stated_is_not_believed_and_is_reported(
    text: str, answer: dict[str, Any]
) -> None:
    report, user = observed(text, answer)
    assert report.beliefs == []
    assert user.beliefs() == []
    assert len(report.pending) + len(report.skipped) == 1
    assert all(belief.metadata["waits_because"] for belief in report.pending)
    assert all(skip.reason and skip.text for skip in report.skipped)
