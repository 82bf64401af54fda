"""Fixtures that every room's tests may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from belief_memory import BeliefMemory

ROOT = Path(__file__).resolve().parent.parent


class SetClock:
    """A clock that tests set; it also stands still."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def advance(self, **step: float) -> datetime:
        self.at += timedelta(**step)
        return self.at


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture(scope="session")
def data() -> Path:
    """The evaluation data; its absence is a failure in CI and a skip elsewhere."""
    folder = Path(os.environ.get("BELIEF_MEMORY_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the evaluation data is not at {folder}")
        pytest.skip(f"the evaluation data is not at {folder}; set BELIEF_MEMORY_DATA")
    return folder


@pytest.fixture(params=["memory", "folder"])
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, clock: SetClock
) -> Iterator[BeliefMemory]:
    """An empty memory, once on each store that needs nothing to be started."""
    uri = "memory://" if request.param == "memory" else str(tmp_path / "beliefs")
    with BeliefMemory.open(uri, clock=clock) as opened:
        yield opened


@pytest.fixture(params=["UTC", "America/New_York", "Asia/Tokyo"])
def timezone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The machine's own time zone, which must not matter."""
    import time

    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()
