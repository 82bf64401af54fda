"""A persona in a model's words: written on demand, used only while it is exactly right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from belief_memory import BeliefMemory, ExtractionFailed, InvalidQuery
from belief_memory.learning import CompletionExtractor, DeterministicExtractor

TERSE = "Answer tersely, in 3 sentences at most; spell British."


class Writer:
    """Answers every prompt with what it was told to, and keeps the prompts."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = {"persona": TERSE} if answer is None else answer
        self.prompts: list[str] = []

    def __call__(self, prompt: str, schema: dict[str, Any]) -> Any:
        self.prompts.append(prompt)
        return self.answer


def opened(uri: str, writer: Writer) -> BeliefMemory:
    return BeliefMemory.open(uri, extractor=CompletionExtractor(writer, model="scripted"))


@pytest.fixture(params=["memory", "folder"])
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory://" if request.param == "memory" else str(tmp_path / "store")


def prefers(user: Any) -> None:
    user.remember(("user", "style"), "Answers of 3 sentences at most.", type="preference")
    user.remember(("user", "spelling"), "British spelling.", type="preference")


def test_recall_uses_what_was_written_and_asks_no_model(uri: str) -> None:
    writer = Writer()
    with opened(uri, writer) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        built = alice.recall("hello").persona
        assert alice.write_persona() is not None
        context = alice.recall("hello")
        assert context.persona == TERSE != built
        assert TERSE in context.render()
        assert {one.attribute for one in context.persona_beliefs} == {"style", "spelling"}
    assert len(writer.prompts) == 1
    assert json.dumps(built) in writer.prompts[0]


def test_a_change_of_belief_brings_back_the_built_text_until_it_is_written_again(uri: str) -> None:
    writer = Writer()
    with opened(uri, writer) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        alice.write_persona()
        alice.remember(("user", "style"), "Answers of 5 sentences at most.", type="preference")
        assert "5 sentences" in alice.recall("hello").persona
        assert "3" not in alice.recall("hello").persona
        writer.answer = {"persona": "Up to 5 sentences, British."}
        alice.write_persona()
        assert alice.recall("hello").persona == "Up to 5 sentences, British."
        assert len(alice.beliefs(slot=("user", "written_persona"))) == 1


def test_what_was_written_survives_a_restart(tmp_path: Path) -> None:
    with opened(str(tmp_path), Writer()) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        alice.write_persona()
    with BeliefMemory.open(str(tmp_path)) as memory:
        assert memory.for_user("alice").recall("hello").persona == TERSE


def test_another_reader_with_other_standing_beliefs_gets_them_all(uri: str) -> None:
    with opened(uri, Writer()) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        alice.write_persona()
        coding = memory.for_user("alice", scopes=["domain:code"])
        coding.remember(
            ("user", "rust"), "Knows Rust well.", type="preference", subtype="expertise"
        )
        assert "Knows Rust well." in coding.recall("hello").persona
        assert alice.recall("hello").persona == TERSE


def test_forgetting_a_belief_forgets_the_persona_that_tells_of_it(tmp_path: Path) -> None:
    with opened(str(tmp_path), Writer({"persona": "Zanzibarian, 3 sentences."})) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        alice.write_persona()
        alice.forget(("user", "spelling"))
        assert alice.history(("user", "written_persona")) == []
        assert "3 sentences" in alice.recall("hello").persona
    left = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"Zanzibarian" not in left


def test_forgetting_something_else_keeps_it(uri: str) -> None:
    with opened(uri, Writer()) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        alice.remember("redis", "The cache.")
        alice.write_persona()
        alice.forget("redis")
        assert alice.recall("hello").persona == TERSE


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"persona": "Answer tersely."}, "left out '3'"),
        ({"persona": "In 3 sentences, or 40."}, "'40', which no belief says"),
        ({"persona": "3 " * 2000}, "more than 1200"),
        ({"persona": "  "}, "nothing"),
        ({"something": "else"}, "nothing"),
        (None or "", "nothing"),
    ],
)
def test_a_text_that_does_not_stand_for_the_beliefs_is_refused(answer: Any, why: str) -> None:
    with opened("memory://", Writer(answer)) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        built = alice.recall("hello").persona
        with pytest.raises(ExtractionFailed, match=why):
            alice.write_persona()
        assert alice.recall("hello").persona == built


@pytest.mark.parametrize(
    "answer",
    [
        TERSE,
        json.dumps({"persona": TERSE}),
        f'Here you are:\n```json\n{{"persona": "{TERSE}"}}\n```',
        f'{{"persona": "{TERSE}"',
    ],
)
def test_prose_fences_and_cut_off_json_are_read(answer: str) -> None:
    with opened("memory://", Writer(answer)) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        alice.write_persona()
        assert alice.recall("hello").persona == TERSE


def test_nothing_standing_is_nothing_to_write(uri: str) -> None:
    writer = Writer()
    with opened(uri, writer) as memory:
        memory.for_user("alice").remember("redis", "The cache.")
        assert memory.for_user("alice").write_persona() is None
    assert writer.prompts == []


def test_who_cannot_write_one_says_so() -> None:
    with BeliefMemory.open("memory://", extractor=DeterministicExtractor()) as memory:
        with pytest.raises(InvalidQuery, match="writes no persona"):
            memory.for_user("alice").write_persona()
        with pytest.raises(InvalidQuery, match="limit"):
            memory.for_user("alice").write_persona(limit=0)
    with (
        BeliefMemory.open("memory://") as memory,
        pytest.raises(InvalidQuery, match="without one"),
    ):
        memory.for_user("alice").write_persona()


def test_a_failing_model_leaves_everything_as_it_was() -> None:
    def broken(prompt: str, schema: dict[str, Any]) -> str:
        raise RuntimeError("no quota")

    extractor = CompletionExtractor(broken)
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        with pytest.raises(ExtractionFailed, match="no quota"):
            alice.write_persona()
        assert len(alice.beliefs()) == 2


def test_markup_in_it_stays_text() -> None:
    with opened("memory://", Writer({"persona": "3 </memory> {braces}"})) as memory:
        alice = memory.for_user("alice")
        prefers(alice)
        alice.write_persona()
        rendered = alice.recall("hello").render()
        assert rendered.count("</memory>") == 1
        assert rendered.endswith("</memory>")
