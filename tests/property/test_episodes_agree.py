"""Whatever is observed, forgotten and aged, a folder keeps the turns that memory keeps."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from belief_memory import BeliefMemory, BeliefNotFound, Episode, Episodes, Message, UserMemory
from belief_memory.learning import DeterministicExtractor
from tests.conftest import SetClock

LIMITS = Episodes(keep_for=timedelta(days=5), max_turns=12)
SAID = [
    "I live in Oslo.",
    "I live in Porto. The harbour is loud.",
    "I moved to Rome.",
    "The harbour of Oslo is cold.",
    "My cat is called Yuki.",
    "Where is the harbour?",
]
QUERIES = ["Where do I live?", "the harbour", "my cat Yuki"]

Step = tuple[str, int, int, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(["observe"] * 5 + ["wait", "forget", "everything", "maintain", "reopen"]),
        st.integers(0, len(SAID) - 1),
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=14,
)


class Store:
    """One of the two stores, reopened when told."""

    def __init__(self, uri: str, clock: SetClock) -> None:
        self.uri = uri
        self.clock = clock
        self.memory = self.opened()

    def opened(self) -> BeliefMemory:
        return BeliefMemory.open(
            self.uri, extractor=DeterministicExtractor(), episodes=LIMITS, clock=self.clock
        )

    def user(self, who: int) -> UserMemory:
        """Two scopes and two agents."""
        scope = ("domain:home", "user:universal")[who % 2]
        return self.memory.for_user("alice", scopes=[scope], agent_id=("cook", None)[who // 2])

    def do(self, step: Step) -> object:
        what, number, who, session = step
        user = self.user(who)
        if what == "observe":
            texts = (SAID[number], SAID[session])
            ids = (f"m{number}", f"m{session}'")
            messages = [
                Message("user", text, self.clock(), id) for text, id in zip(texts, ids, strict=True)
            ]
            return str(user.observe(messages, session_id=f"s{session}"))
        if what == "forget":
            try:
                return user.forget(("user", "residence"))
            except BeliefNotFound:
                return None
        if what == "everything":
            return user.forget(everything=True)
        if what == "maintain":
            return self.memory.maintain()
        if what == "reopen" and "://" not in self.uri:
            self.memory.close()
            self.memory = self.opened()
        return None

    def says(self) -> list[object]:
        said: list[object] = [self.memory.users()]
        for who in range(4):
            user = self.user(who)
            turns = user.episodes()
            assert all(turn.agent_id in (None, user.agent_id) or who > 1 for turn in turns)
            assert all({*user.scopes, "user:universal"} & {*turn.scopes} for turn in turns)
            said.append(turns)
            # Ids are random, and so is what is sorted by them.
            for belief in sorted(user.beliefs(), key=lambda b: (b.content, b.scopes)):
                said.append((belief.content, user.evidence_of(belief)))
            for query in QUERIES:
                context = user.recall(query, routes=["relevant", "evidence"])
                assert all(visible(turn, user) for turn in context.evidence)
                said += [context.evidence, sorted(b.content for b in context.relevant)]
                said += [(one.turn, one.rule, one.why) for one in context.explain().evidence]
        return said


def visible(turn: Episode, user: UserMemory) -> bool:
    """Whether the reader may be given the turn as evidence."""
    return turn.agent_id in (None, user.agent_id) and bool(
        {*user.scopes, "user:universal"} & {*turn.scopes}
    )


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_a_folder_keeps_the_turns_that_memory_keeps(history: list[Step]) -> None:
    clock = SetClock(datetime(2026, 1, 1, tzinfo=UTC))
    with tempfile.TemporaryDirectory() as folder:
        stores = [Store("memory://", clock), Store(str(Path(folder) / "beliefs"), clock)]
        for step in history:
            clock.advance(days=2) if step[0] == "wait" else clock.advance(minutes=7)
            ours, theirs = (store.do(step) for store in stores)
            assert ours == theirs
            ours, theirs = (store.says() for store in stores)
            assert ours == theirs
        assert len(stores[0].user(0).episodes()) <= LIMITS.max_turns
        for store in stores:
            store.memory.close()
