"""The extractor without a model: what its rules say, and nothing from junk."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from belief_memory import BeliefMemory, InvalidQuery, Message
from belief_memory.learning import DeterministicExtractor
from belief_memory.model.learning import Learned, Said

AT = datetime(2026, 3, 10, 12, tzinfo=UTC)
EXTRACTOR = DeterministicExtractor()


def read(text: str, extractor: DeterministicExtractor = EXTRACTOR) -> list[Learned]:
    return extractor.read(Said("user", text, text, AT, "m1"))


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("I just moved to Ljubljana.", "user / residence", "Ljubljana"),
        ("we live in Porto Alegre now", "user / residence", "Porto Alegre"),
        ("I've been living in New York City since 2019.", "user / residence", "New York City"),
        ("I work for Ørsted.", "user / employer", "Ørsted"),
        ("I got promoted, I'm now a senior actuary.", "user / job title", "senior actuary"),
        ("I switched laptops, now using a Framework 13.", "user / laptop", "Framework 13"),
        ("I changed banks, I'm with Nordea now.", "user / bank", "Nordea"),
        ("I bought a new bike, a Canyon Grail.", "user / bike", "Canyon Grail"),
        ("My dentist is Dr. Okafor.", "user / dentist", "Dr. Okafor"),
        ("My favorite season is late autumn.", "user / favorite season", "late autumn"),
        ("I'm allergic to shellfish.", "user / allergy", "shellfish"),
        ("I have a daughter named Yuki.", "user / daughter", "Yuki"),
        ("My name is Bea.", "user / name", "Bea"),
        ("We use Kafka as our event bus.", "event bus", "Kafka"),
        ("The curator of the Louvre is Ada Stone.", "the Louvre / curator", "Ada Stone"),
        ("Project Athena is a rewrite of billing.", "Project Athena", "rewrite of billing"),
        ("Ich wohne jetzt in Graz.", "user / residence", "Graz"),
        ("Ich arbeite bei der Bahn AG.", "user / employer", "Bahn AG"),
        ("J'habite à Nantes.", "user / residence", "Nantes"),
        ("Ich habe die Bank gewechselt, ich bin jetzt bei der N26.", "user / Bank", "N26"),
        ("Ich wurde befördert, ich bin jetzt leitende Imkerin.", "user / job title", "Imkerin"),
        (
            "J'ai changé de banque, je suis maintenant chez Boursorama.",
            "user / banque",
            "Boursorama",
        ),
        ("Compré una bici nueva, una Orbea Terra.", "user / bici", "Orbea Terra"),
        ("By the green box I mean the telescope.", "telescope", ""),
        ("Me mudé a Rosario.", "user / residence", "Rosario"),
    ],
)
def test_a_statement_in_a_declared_form_is_learned(text: str, slot: str, value: str) -> None:
    (learned,) = read(text)
    assert str(learned.slot) == slot
    assert value in learned.content
    assert learned.why_it_matters or learned.act == "alias"
    assert learned.quote is not None
    assert learned.quote in text


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Graz?",
        "If I lived in Graz I'd ski.",
        "I might move to Graz.",
        'He said "I live in Graz and love it".',
        "> I live in Graz",
        "My sister lives in Graz.",
        "I live in a small flat.",
        "I moved.",
        "My boss is late again.",
        "I'm a bit tired.",
        "Traffic is a nightmare.",
        "This is a test.",
        "It is the best.",
        "Work is a mess.",
        "I live in Graz and other lies 🙄",
        "Oh great, I live in Graz.",
        "I work for free.",
        "My internet is down.",
        "My day is ruined.",
        "I use it for work.",
        "I was born.",
        "I prefer not to say.",
        "I switched it off and on again.",
        "I bought a new one.",
    ],
)
def test_what_is_not_a_plain_statement_teaches_nothing(text: str) -> None:
    assert read(text) == []


def test_time_phrases_become_valid_times() -> None:
    (since,) = read("I've lived in Berlin since May.")
    assert since.valid_from == datetime(2025, 5, 1, tzinfo=UTC)
    (past,) = read("I worked at Globex from 2015 to 2018.")
    assert (past.valid_from, past.valid_to) == (
        datetime(2015, 1, 1, tzinfo=UTC),
        datetime(2019, 1, 1, tzinfo=UTC),
    )
    (birthday,) = read("My birthday is May 3.")
    assert (birthday.valid_from, "May 3" in birthday.content) == (None, True)


def test_a_rule_file_of_one_s_own_adds_what_it_declares(tmp_path: Path) -> None:
    rules = tmp_path / "boats.toml"
    rules.write_text(
        '[[rule]]\nsay = ["the {thing:word} is moored at {value:name}"]\nname = "{thing}"\n'
        'attribute = "berth"\ncontent = "The {thing} lies at {value}."\nwhy = "Where to find it."\n'
    )
    (learned,) = read("The ketch is moored at Pier 9.", DeterministicExtractor([rules]))
    assert (str(learned.slot), learned.content) == ("ketch / berth", "The ketch lies at Pier 9.")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[rule]]\nsay = ['x']\nnonsense = 1\n", "nonsense"),
        ("[[rule]]\nsay = ['{a:b']\ncontent='c'\nwhy='w'\n", "rule 1"),
        ("[[rule]]\nsay = ['x {a:name}']\ncontent='c'\n", "why"),
        ("[[rule]\n", "boats"),
    ],
)
def test_a_rule_file_that_is_wrong_says_where(tmp_path: Path, text: str, complaint: str) -> None:
    rules = tmp_path / "boats.toml"
    rules.write_text(text)
    with pytest.raises(InvalidQuery, match=complaint):
        DeterministicExtractor([rules])
    with pytest.raises(InvalidQuery, match="no such rule file"):
        DeterministicExtractor(["xx"])


SMALL_TALK = """
hi | hello there! | good morning | hey, you up? | thanks! | thank you so much | ok | okay cool
yes | no | sure | sounds good | got it | perfect | great, thanks | lol | haha | :) | 👍 | hmm
brb | one sec | never mind | can you help me? | what can you do? | please continue | go on
try again | that's wrong | stop | start over | make it shorter | translate this to French
summarize the above | write a poem about the sea | The weather is nice today.
It's raining again. | I'm tired. | I'm so hungry right now. | I feel great! | I had a coffee.
I slept badly. | I watched a movie last night. | Traffic was terrible. | The bus was late.
My phone battery is dying. | My back hurts. | My internet is slow today.
The meeting was boring. | I need to buy milk. | Remind me to call the plumber.
I'll do it later. | I'm on my way. | See you tomorrow. | What a day! | Nice one. | That's funny.
Who knows. | Whatever. | You're welcome. | Is it Friday yet? | Let me think.
I forgot what I wanted to say. | It depends. | Maybe later. | I guess so. | Not really.
I read an interesting article. | The new season dropped. | Someone parked in my spot.
The gym was crowded.
"""
MACHINE_TALK = [
    "HEARTBEAT_OK",
    "[cron] nightly job finished in 12s",
    "System: you are a helpful assistant.",
    "Tool result: 200 OK",
    "status: healthy",
    "PING",
    "Boot sequence complete.",
    "Session started.",
    "Current time: 2026-03-10T12:00:00Z",
    "User is asking about the weather.",
    "<system-reminder>Keep going.</system-reminder>",
    "INFO 2026-03-10 worker-3 picked up task 88",
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: bad',
    "```python\nname = 'Bob'  # My name is Bob\n```",
    "https://example.org/I-live-in-Paris",
    "/home/bob/project/main.py",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    '{"role": "user", "name": "Bob"}',
    "SELECT * FROM users WHERE name = 'Bob';",
    "The assistant is an AI model.",
    "You are a coding agent.",
    "Remember to always be concise.",
    "Task completed successfully.",
    "No new messages.",
    "Agent identity: helper-7",
    "Memory updated.",
    "Checkpoint saved.",
    "Retrying in 5 seconds...",
    "---",
    "***",
    "...",
    "?",
    "404",
    "N/A",
]
JUNK = [
    line.strip() for line in SMALL_TALK.replace("\n", "|").split("|") if line.strip()
] + MACHINE_TALK


def test_ninety_seven_lines_of_junk_add_nothing() -> None:
    assert len(JUNK) >= 97
    with BeliefMemory.open("memory://", extractor=EXTRACTOR) as memory:
        user = memory.for_user("u")
        user.observe("I live in Graz.")
        for line in JUNK:
            user.observe(line)
        user.observe([Message("user", line) for line in JUNK])
        assert [b.content for b in user.beliefs(include_pending=True)] == ["Lives in Graz."]


@pytest.mark.parametrize("format", ["xml", "markdown"])
@pytest.mark.parametrize("place", ["before", "after", "alone", "system"])
def test_fifty_turns_of_injected_context_teach_nothing(format: str, place: str) -> None:
    with BeliefMemory.open("memory://", extractor=EXTRACTOR) as memory:
        user = memory.for_user("u")
        user.observe("I live in Graz. My dentist is Dr. Okafor.")
        user.remember("Athena", "I live in Kyoto.", pinned=True)
        before = {
            (b.id, b.content, b.reinforcement_count) for b in user.beliefs(include_pending=True)
        }
        for turn in range(50):
            words = f"Who is my dentist, and where do I live? ({turn})"
            block = user.recall(words).render(format)
            assert "Graz" in block
            assert "Kyoto" in block
            messages = {
                "before": [Message("user", f"{block}\n\n{words}")],
                "after": [Message("user", f"{words}\n\n{block}")],
                "alone": [Message("user", block)],
                "system": [
                    Message("system", block),
                    Message("user", words),
                    Message("assistant", block),
                ],
            }[place]
            user.observe(messages)
        after = {
            (b.id, b.content, b.reinforcement_count) for b in user.beliefs(include_pending=True)
        }
        assert after == before
