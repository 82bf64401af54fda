"""Random lives of a ledger, on LanceDB and on the oracle: the same answers, always."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import belief_memory.engine.work as work
from belief_memory import BeliefMemory, BeliefMemoryError, UserMemory

START = datetime(2026, 1, 1, tzinfo=UTC)
SLOTS = st.sampled_from(["tea", "cake", ("user", "city")])
VALUES = st.sampled_from(["One.", "Two.", "Three.", "two."])
DAYS = st.integers(-6, 6)
SCOPES = st.sampled_from([None, ["a:x"], ["a:x", "a:y"], ["a:y"]])


class Lives(RuleBasedStateMachine):
    """Every rule is played on both; whatever one raises, the other raises too."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.now = START
        self.numbers = itertools.count()
        self.original_id = work.new_id
        work.new_id = lambda: f"id{next(self.numbers)}"
        self.oracle = BeliefMemory.open("memory://", clock=self.clock)
        self.lance = self.open()

    def clock(self) -> datetime:
        return self.now

    def open(self) -> BeliefMemory:
        return BeliefMemory.open(self.folder, clock=self.clock)

    def teardown(self) -> None:
        work.new_id = self.original_id
        self.lance.close()
        self.oracle.close()
        shutil.rmtree(self.folder)

    def both(self, call: Callable[[UserMemory], Any]) -> Any:
        """The call on both ledgers, with the same new ids; their common answer."""
        first = next(self.numbers)
        answers = []
        for memory in (self.oracle, self.lance):
            self.numbers = itertools.count(first)
            try:
                answers.append(call(memory.for_user("alice", scopes=["a:x", "a:y"])))
            except BeliefMemoryError as error:
                answers.append((type(error), str(error)))
        self.numbers = itertools.count(first + 10)
        assert answers[0] == answers[1]
        return answers[0]

    @initialize()
    def begin(self) -> None:
        self.both(lambda user: user.remember("tea", "One."))

    @rule(slot=SLOTS, value=VALUES, start=st.none() | DAYS, length=st.none() | st.integers(1, 5),
          scopes=SCOPES, source=st.sampled_from([None, "mail"]), pinned=st.booleans())  # fmt: skip
    def remember(self, slot, value, start, length, scopes, source, pinned) -> None:
        valid_from = None if start is None else START + timedelta(days=start)
        valid_to = None
        if length is not None and valid_from is not None:
            valid_to = valid_from + timedelta(days=length)
        self.both(
            lambda user: user.remember(
                slot, value, valid_from=valid_from, valid_to=valid_to, scopes=scopes,
                provenance=source and {"source": source}, pinned=pinned,
            )
        )  # fmt: skip

    @rule(values=st.lists(st.tuples(SLOTS, VALUES), min_size=1, max_size=4))
    def remember_many(self, values) -> None:
        drafts = [
            {"canonical_name": s, "content": v}
            if isinstance(s, str)
            else {"canonical_name": s[0], "attribute": s[1], "content": v}
            for s, v in values
        ]
        self.both(lambda user: user.remember_many(drafts))

    @rule(slot=SLOTS, value=VALUES, start=DAYS, length=st.none() | st.integers(1, 5))
    def correct(self, slot, value, start, length) -> None:
        valid_from = START + timedelta(days=start)
        valid_to = None if length is None else valid_from + timedelta(days=length)
        self.both(lambda user: user.correct(slot, value, valid_from=valid_from, valid_to=valid_to))

    @rule(slot=SLOTS, value=VALUES)
    def correct_what_is_held(self, slot, value) -> None:
        self.both(lambda user: user.correct(slot, value))

    @rule(slot=SLOTS, start=st.none() | DAYS, never=st.booleans(), scopes=SCOPES)
    def retract(self, slot, start, never, scopes) -> None:
        at = None if start is None or never else START + timedelta(days=start)
        self.both(lambda user: user.retract(slot, valid_from=at, never_true=never, scopes=scopes))

    @rule(slot=SLOTS, pinned=st.booleans(), why=VALUES)
    def update(self, slot, pinned, why) -> None:
        self.both(lambda user: user.update(slot, pinned=pinned, why_it_matters=why))

    @rule(slot=SLOTS, alias=st.sampled_from(["cha", "gateau", "Ω"]))
    def add_alias(self, slot, alias) -> None:
        self.both(lambda user: user.add_aliases(slot, [alias]))

    @rule(decision=st.sampled_from(["supersede", "retain", "annotate"]))
    def decide(self, decision) -> None:
        waiting = self.both(lambda user: user.conflicts())
        if waiting:
            self.both(lambda user: user.resolve_conflict(waiting[0].id, decision))

    @rule(value=VALUES, number=st.integers(0, 5), ago=st.integers(0, 3))
    def load(self, value, number, ago) -> None:
        at = self.now - timedelta(days=ago)
        record = {
            "id": f"loaded{number}", "canonical_name": f"loaded {number}", "content": value,
            "valid_from": at, "recorded_at": at,
        }  # fmt: skip
        self.both(lambda user: user.load([record]))

    @rule(slot=SLOTS)
    def forget(self, slot) -> None:
        self.both(lambda user: user.forget(slot))

    @precondition(lambda self: self.now > START + timedelta(days=2))
    @rule()
    def forget_everything(self) -> None:
        self.both(lambda user: user.forget(everything=True))

    @rule(hours=st.integers(-12, 72))
    def time_passes(self, hours) -> None:
        self.now += timedelta(hours=hours)

    @rule()
    def reopen(self) -> None:
        self.lance.close()
        self.lance = self.open()

    @rule()
    def maintain(self) -> None:
        self.lance.maintain()

    @rule(valid=DAYS, known=DAYS)
    def ask(self, valid, known) -> None:
        at = {"valid_at": START + timedelta(days=valid), "known_at": START + timedelta(days=known)}
        self.both(lambda user: user.beliefs(**at))
        self.both(lambda user: user.recall("tea, gateau and where I live", **at).render())

    @invariant()
    def the_same_is_held_and_was_recorded(self) -> None:
        self.both(lambda user: user.beliefs(include_pending=True))
        self.both(lambda user: user.export())
        self.both(lambda user: user.recall("cha, cake and where do I live?").render())


@pytest.mark.filterwarnings("ignore::UserWarning")
class TestLives(Lives.TestCase):
    settings = settings(
        max_examples=25,
        stateful_step_count=15,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
