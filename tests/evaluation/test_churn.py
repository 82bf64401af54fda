"""Facts that change again and again among small talk: recall knows only the last word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from belief_memory import BeliefMemory, Message, UserMemory
from belief_memory.learning import DeterministicExtractor

pytestmark = pytest.mark.data

START = datetime(2026, 1, 1, tzinfo=UTC)


def conversations(data: Path) -> list[dict]:
    return [json.loads(line) for line in (data / "churnbench" / "churn_u2_u8.jsonl").open()]


@contextmanager
def after_all_sessions(
    data: Path, *, episodes: bool = False
) -> Iterator[list[tuple[dict[str, Any], UserMemory]]]:
    """Each conversation with its user, who was told all of its sessions, an hour a turn."""
    now = [START]
    found = []
    with BeliefMemory.open(
        "memory://", extractor=DeterministicExtractor(), episodes=episodes, clock=lambda: now[0]
    ) as memory:
        for row in conversations(data):
            user = memory.for_user(f"{row['hash']}-{row['config']['updates_per_fact']}")
            for session in row["sessions"]:
                messages = []
                for text in session:
                    now[0] += timedelta(hours=1)
                    messages.append(Message("user", text, at=now[0]))
                user.observe(messages)
            found.append((row, user))
        yield found


@pytest.fixture(scope="module")
def taught(data: Path):
    with after_all_sessions(data) as found:
        yield found


def test_every_question_recalls_the_current_value_and_no_stale_one(taught) -> None:
    assert {row["config"]["updates_per_fact"] for row, _ in taught} == {2, 8}
    missing, stale, asked = [], [], 0
    for row, user in taught:
        for question in row["questions"]:
            asked += 1
            context = user.recall(question["question"]).render()
            current = question["gold"]
            if current not in context:
                missing.append(question)
            rivals = stated_values(row, current)
            stale += [(question, value) for value in rivals if value in context]
    assert asked == 100
    assert missing == []
    assert stale == []


def stated_values(row: dict, current: str) -> set[str]:
    """Values stated in the sentences that state ``current``, but for that one."""
    (frame,) = {
        tuple(text.split(current)) for _, text in row["facts"] if text.count(current) == 1
    } & set(frames(row)) or {()}
    if not frame:
        return set()
    before, after = frame
    return {
        text[len(before) : len(text) - len(after)]
        for _, text in row["facts"]
        if text.startswith(before) and text.endswith(after)
    } - {current}


def frames(row: dict) -> list[tuple[str, str]]:
    return [
        tuple(text.split(question["gold"]))  # type: ignore[misc]
        for question in row["questions"]
        for _, text in row["facts"]
        if text.count(question["gold"]) == 1
    ]


def test_every_change_is_in_the_history_and_small_talk_is_not(taught) -> None:
    for row, user in taught:
        assert len(user.beliefs()) == row["config"]["n_facts"]
        for question in row["questions"]:
            values = stated_values(row, question["gold"]) | {question["gold"]}
            (belief,) = [b for b in user.beliefs() if question["gold"] in b.content]
            told = {version.content for version in user.history(belief.slot)}
            for value in values:
                assert any(value in content for content in told), value
