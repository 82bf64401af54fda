"""While no belief changes, not a byte of what is put before the model does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from belief_memory import BeliefMemory, Budget, UserMemory

SCOPES = ("user:universal", "project:apollo", "domain:code")
QUERIES = [
    "Is Kafka or Redis the queue, and does Müller know?",
    "kafka, reddis and the billing service",
    "apollo hospitals",
    "nothing in particular",
]
READ = """
import json, sys
from belief_memory import BeliefMemory, Budget
from belief_memory.testing.embedders import NgramEmbedder

uri, scopes, queries = json.loads(sys.argv[1])
routes = ["persona", "pinned", "relevant", "questions", "related"]
with BeliefMemory.open(uri, embedder=NgramEmbedder()) as memory:
    user = memory.for_user("alice", scopes=scopes)
    print(json.dumps([
        user.recall(query, routes=routes, budget=budget).render(format, section=section)
        for query in queries
        for budget in (Budget(), Budget(max_beliefs=3), Budget(max_tokens=60))
        for format in ("xml", "markdown")
        for section in ("all", "stable", "query")
    ]))
"""
GOLDEN = """\
<memory source="belief-memory">
<persona>
- dates: Write dates as 2026-01-31.
- answer style: Short answers. → Three sentences at most.
</persona>
<standing_facts>
<fact about="deadline">Apollo ships on 1 March.<directive>Plan backwards from it.</directive></fact>
</standing_facts>
<relevant>
<entity about="müller">Müller runs &lt;operations> &amp; on-call.</entity>
<decision about="kafka">Kafka is the queue.</decision>
<relation about="kafka_billing">Billing reads from Kafka.</relation>
<entity about="redis_cache">Our cache.<directive>'Redis' is the datastore.</directive></entity>
<entity about="billing service">Billing is written in Go.</entity>
</relevant>
<open_questions>
<open_question about="partitions">How many partitions?</open_question>
</open_questions>
</memory>"""


def filled(user: UserMemory) -> None:
    """Beliefs of every route, with their ids given, so that ties are broken the same way."""
    general = {"scopes": ["user:universal"]}
    records = [
        ("style", "answer style", "Short answers.", {"type": "preference", **general}),
        ("dates", "dates", "Write dates as 2026-01-31.", {"type": "instruction", **general}),
        ("due", "deadline", "Apollo ships on 1 March.", {"pinned": True}),
        ("open", "partitions", "How many partitions?", {"type": "open_question", "pinned": True}),
        ("redis", "redis_cache", "Our cache.", {"type": "entity", "aliases": ["Redis"]}),
        ("kafka", "kafka", "Kafka is the queue.", {"type": "decision"}),
        ("billing", "billing service", "Billing is written in Go.", {"type": "entity"}),
        ("boss", "müller", "Müller runs <operations> & on-call.", {"type": "entity"}),
        ("hospital", "Apollo Hospitals", "A client.", {"type": "entity"}),
    ]
    why = {
        "style": "Three sentences at most.",
        "due": "Plan backwards from it.",
        "redis": "'Redis' is the datastore.",
    }
    user.load(
        [
            {
                "id": id,
                "canonical_name": name,
                "content": content,
                "why_it_matters": why.get(id, ""),
                **fields,
            }
            for id, name, content, fields in records
        ]
    )
    user.load(
        [
            {
                "id": "reads",
                "canonical_name": "kafka_billing",
                "content": "Billing reads from Kafka.",
                "type": "relation",
                "aliases": ["queue"],
                "participants": ["kafka", "billing"],
            }
        ]
    )


def read(uri: Path, seed: str) -> list[str]:
    """Every render of every query, by a process that hashes strings its own way."""
    done = subprocess.run(
        [sys.executable, "-c", READ, json.dumps([str(uri), SCOPES, QUERIES])],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert done.returncode == 0, done.stderr
    rendered: list[str] = json.loads(done.stdout)
    return rendered


def test_the_text_is_exactly_this(memory: BeliefMemory) -> None:
    user = memory.for_user("alice", scopes=SCOPES)
    filled(user)
    assert user.recall(QUERIES[0]).render() == GOLDEN


def test_no_process_no_maintenance_and_no_time_changes_a_byte(tmp_path: Path, clock) -> None:
    uri = tmp_path / "m"
    with BeliefMemory.open(uri, clock=clock) as memory:
        user = memory.for_user("alice", scopes=SCOPES)
        filled(user)
        before = user.recall(QUERIES[0], budget=Budget()).render()
        first = read(uri, "0")
        assert len(set(first)) > 8
        assert read(uri, "1") == first
        # Restated: the counters move, and they are in no text.
        clock.advance(days=400)
        assert user.remember("kafka", "Kafka is the queue.").action == "reinforced"
        memory.maintain()
        assert user.recall(QUERIES[0]).render() == before
    assert read(uri, "4242") == first
    with BeliefMemory.open(uri, clock=lambda: clock() + timedelta(days=4000)) as later:
        again = later.for_user("alice", scopes=SCOPES).recall(QUERIES[0]).render()
    assert again == before == GOLDEN


@pytest.mark.parametrize("section", ["stable", "all"])
def test_only_a_change_of_a_belief_changes_the_text(
    memory: BeliefMemory, clock, section: str
) -> None:
    user = memory.for_user("alice", scopes=SCOPES)
    filled(user)
    before = user.recall(QUERIES[0]).render(section=section)
    user.remember("unrelated", "Something else.")
    memory.for_user("bob").remember("kafka", "Another user's.")
    assert user.recall(QUERIES[0]).render(section=section) == before
    clock.advance(days=1)
    user.remember("deadline", "Apollo ships on 1 April.", pinned=True)
    after = user.recall(QUERIES[0]).render(section=section)
    assert "1 April" in after
    assert "1 March" not in after


def test_a_change_of_topic_leaves_the_stable_part_alone(memory: BeliefMemory) -> None:
    user = memory.for_user("alice", scopes=SCOPES)
    filled(user)
    stable = {user.recall(query).render(section="stable") for query in QUERIES}
    assert len(stable) == 1
    assert len({user.recall(query).render() for query in QUERIES}) > 1
