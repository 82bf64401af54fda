"""No turn is lost, and no secret kept: what waits, and what happens to it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from belief_memory import (
    BeliefMemory,
    ExtractionFailed,
    Message,
    StoreError,
)
from belief_memory.learning import DeterministicExtractor
from belief_memory.model.learning import Lesson
from tests.learning.messages import item, replaying

AT = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOME = item("user", "residence", "Lives in Ghent", "I live in Ghent")


def queued(folder: Path) -> list[Path]:
    return [p for p in (folder / "m" / "learning-queue").rglob("*") if p.is_file()]


def test_secrets_reach_neither_the_model_nor_the_ledger_nor_the_disk(tmp_path: Path) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    answer = item("deploy", "key", f"The key is {secret}", f"The deploy key is {secret}")
    extractor, model = replaying([answer], RuntimeError("down"))
    with BeliefMemory.open(tmp_path / "m", extractor=extractor) as memory:
        user = memory.for_user("u")
        report = user.observe(f"The deploy key is {secret}.")
        assert report.redacted == 1
        with pytest.raises(ExtractionFailed):
            user.observe(f"Again, {secret} it is.")
        assert secret not in json.dumps(user.export())
    assert all(secret not in prompt for prompt in model.prompts)
    assert all(
        secret.encode() not in p.read_bytes() for p in (tmp_path / "m").rglob("*") if p.is_file()
    )


def test_a_failing_extractor_loses_no_turn(tmp_path: Path) -> None:
    extractor, _ = replaying(RuntimeError("model down"), RuntimeError("still down"))
    with BeliefMemory.open(tmp_path / "m", extractor=extractor) as memory:
        user = memory.for_user("u")
        with pytest.raises(ExtractionFailed, match="model down"):
            user.observe([Message("user", "I live in Ghent.", at=AT)], session_id="s1")
        assert user.flush().queued == 1
        assert user.beliefs() == []
    extractor, model = replaying([HOME])
    with BeliefMemory.open(tmp_path / "m", extractor=extractor) as memory:
        user = memory.for_user("u")
        report = user.flush()
        assert [b.content for b in report.beliefs] == ["Lives in Ghent"]
        assert report.queued == 0
        (belief,) = user.beliefs()
        assert belief.valid_from == AT
        assert belief.provenance is not None
        assert belief.provenance.session_id == "s1"
        assert user.flush().outcomes == []
        assert len(model.prompts) == 1


def test_what_waits_is_learned_with_the_next_turn() -> None:
    extractor, _ = replaying(RuntimeError("down"), [], [HOME])
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        user = memory.for_user("u")
        with pytest.raises(ExtractionFailed):
            user.observe("I live in Ghent.")
        report = user.observe("Nice weather.")
        assert [b.content for b in report.beliefs] == ["Lives in Ghent"]
        assert report.queued == 0


def test_one_user_s_waiting_turns_are_not_another_s() -> None:
    extractor, _ = replaying(RuntimeError("down"), [])
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        with pytest.raises(ExtractionFailed):
            memory.for_user("alice").observe("I live in Ghent.")
        assert memory.for_user("bob").flush().outcomes == []
        assert memory.for_user("bob").observe("Hello.").queued == 0
        assert memory.for_user("bob").beliefs() == []


class Erratic(DeterministicExtractor):
    """Answers some turns with what is no answer."""

    async def extract(self, lesson: Lesson) -> Any:
        if any("kiln" in turn.text for turn in lesson.turns):
            return None
        return await super().extract(lesson)


def test_turns_that_nothing_can_be_made_of_do_not_stand_in_the_way_of_others(
    tmp_path: Path,
) -> None:
    with BeliefMemory.open(tmp_path / "m", extractor=Erratic()) as memory:
        user = memory.for_user("u")
        with pytest.raises(ExtractionFailed, match="kept for a retry"):
            user.observe("I have a kiln, and I work for Vestas.")
        for said in ("I live in Ghent.", "My name is Ada.", "I work as a nurse."):
            report = user.observe(said)
            assert (len(report.outcomes), report.queued) == (1, 1)
    with BeliefMemory.open(tmp_path / "m", extractor=DeterministicExtractor()) as memory:
        assert memory.for_user("u").flush().outcomes


def test_forgetting_also_forgets_what_waits(tmp_path: Path) -> None:
    extractor, _ = replaying(
        [item("Yuki", None, "Yuki is the cat.", "Yuki is the cat")], *[RuntimeError("down")] * 3
    )
    with BeliefMemory.open(tmp_path / "m", extractor=extractor) as memory:
        user = memory.for_user("u")
        user.observe("Yuki is the cat.")
        for text in ("Yuki is ill.", "The garden is wet."):
            with pytest.raises(ExtractionFailed):
                user.observe(text)
        user.forget("Yuki")
        waiting = b"".join(p.read_bytes() for p in queued(tmp_path))
        assert b"Yuki" not in waiting
        assert b"garden" in waiting
        user.forget(everything=True)
    assert queued(tmp_path) == []


def test_forgetting_takes_what_a_process_left_that_died_while_it_kept_turns(
    tmp_path: Path,
) -> None:
    extractor, _ = replaying(RuntimeError("down"))
    with BeliefMemory.open(tmp_path / "m", extractor=extractor) as memory:
        user = memory.for_user("u")
        user.remember("Yuki", "Yuki is the cat.")
        with pytest.raises(ExtractionFailed):
            user.observe("The garden is wet.")
        (waiting,) = queued(tmp_path)
        waiting.with_name("1-half.new").write_text('{"turns": [{"text": "Yuki is the c')
        user.forget("Yuki")
    assert queued(tmp_path) == [waiting]


def test_turns_that_cannot_be_kept_are_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "queue").write_text("in the way")
    extractor, _ = replaying([HOME])
    with BeliefMemory.open(tmp_path / "m", extractor=extractor, queue=tmp_path / "queue") as memory:
        with pytest.raises(StoreError, match="keeping turns failed"):
            memory.for_user("u").observe("I live in Ghent.")
        assert memory.for_user("u").beliefs() == []


def test_background_learning_is_done_when_flushed_and_when_closed(tmp_path: Path) -> None:
    options = {"extractor": DeterministicExtractor(), "background": True}
    with BeliefMemory.open(tmp_path / "m", **options) as memory:
        user = memory.for_user("u")
        report = user.observe("I live in Ghent.")
        assert (report.outcomes, report.queued) == ([], 1)
        flushed = user.flush()
        assert [b.content for b in flushed.beliefs] == ["Lives in Ghent."]
        assert flushed.queued == 0
        user.observe("I work for Vestas.")
    with BeliefMemory.open(tmp_path / "m") as memory:
        assert {b.content for b in memory.for_user("u").beliefs()} == {
            "Lives in Ghent.",
            "Works at Vestas.",
        }


def test_background_learning_is_done_when_the_interpreter_ends(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from belief_memory import BeliefMemory\n"
        "from belief_memory.learning import DeterministicExtractor\n"
        "extractor = DeterministicExtractor()\n"
        "memory = BeliefMemory.open(sys.argv[1], extractor=extractor, background=True)\n"
        "memory.for_user('u').observe('I live in Ghent.')\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "m")], check=True, timeout=120)
    with BeliefMemory.open(tmp_path / "m") as memory:
        assert [b.content for b in memory.for_user("u").beliefs()] == ["Lives in Ghent."]
    assert queued(tmp_path) == []


def test_a_file_that_no_longer_holds_turns_is_reported(tmp_path: Path) -> None:
    extractor, _ = replaying(RuntimeError("down"), [HOME])
    with BeliefMemory.open(tmp_path / "m", extractor=extractor) as memory:
        user = memory.for_user("u")
        with pytest.raises(ExtractionFailed):
            user.observe("I live in Ghent.")
        (waiting,) = queued(tmp_path)
        waiting.with_name("0-broken.json").write_text("{half")
        report = user.flush()
        assert [b.content for b in report.beliefs] == ["Lives in Ghent"]
        assert [skip.text for skip in report.skipped] == ["0-broken.json"]
