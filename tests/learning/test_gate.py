"""The gate: what was plainly stated gets in at once, everything else does not."""

from __future__ import annotations

from typing import Any

import pytest

from belief_memory import BeliefMemory, Message
from belief_memory.learning import DeterministicExtractor
from tests.learning.gate import AT, observed
from tests.learning.gate_cases import STATED, UNSTATED
from tests.learning.messages import item, replaying


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


def test_the_patterns_read_none_of_it_as_stated_either() -> None:
    for text, answer in UNSTATED:
        if "valid_from" in answer or "confidence" in answer:
            continue  # the statement is true there, only the answer is not
        with BeliefMemory.open("memory://", extractor=DeterministicExtractor()) as memory:
            report = memory.for_user("u").observe([Message("user", text, at=AT)])
        value = answer["content"].split()[-1]
        kept = [b for b in report.beliefs if str(b.slot) == f"user / {answer['attribute']}"]
        assert not any(value in belief.content for belief in kept), text


def test_an_answer_to_a_question_may_agree_first() -> None:
    answer = item("user", "residence", "Lives in Ghent", "I live in Ghent")
    asked = Message("assistant", "Do you live in Ghent?", at=AT)
    for before, believed in (((), False), ((asked,), True)):
        extractor, _ = replaying([answer])
        with BeliefMemory.open("memory://", extractor=extractor, clock=lambda: AT) as memory:
            said = Message("user", "Sure, I live in Ghent.", at=AT)
            report = memory.for_user("u").observe([*before, said])
        assert bool(report.beliefs) is believed


def test_a_moment_copied_into_both_ends_is_no_interval() -> None:
    moment = AT.isoformat()
    answer = item(
        "user", "residence", "Lives in Ghent", "I live in Ghent", valid_from=moment, valid_to=moment
    )
    report, _ = observed("I live in Ghent.", answer)
    (belief,) = report.beliefs
    assert belief.valid_to is None


def test_words_of_one_language_mean_nothing_in_another() -> None:
    for text in ("I just moved to Osaka.", "I live in Ghent, near the Ziraat bank."):
        where = "Osaka" if "Osaka" in text else "Ghent"
        report, _ = observed(text, item("user", "residence", f"Lives in {where}", text))
        assert report.beliefs, str(report)


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("I'm allergic to hazelnuts.", ("user", "residence")),
        ("Ich wohne jetzt in Kiel.", ("user", "residence")),
        ("My partner is called Jonas.", ("jonas", "residence")),
        ("Mi pareja se llama Jonas.", ("jonas", "residence")),
    ],
)
def test_what_is_known_is_not_said_again_by_other_words(text: str, slot: tuple[str, str]) -> None:
    known = (("user", "residence"), "Lives in Trondheim.")
    report, user = observed(text, item(*slot, "Lives in Trondheim.", text), before=(known,))
    assert report.beliefs == []
    (held,) = user.beliefs()
    assert held.reinforcement_count == 0


def test_what_is_known_of_a_thing_may_be_carried_on() -> None:
    known = (("standup", "time"), "The standup is at 9 in room Vega.")
    answer = item("standup", "time", "The standup is at 10 in room Vega.", "standup moved to 10")
    report, _ = observed("The standup moved to 10.", answer, before=(known,))
    assert [belief.content for belief in report.beliefs] == [answer["content"]]
