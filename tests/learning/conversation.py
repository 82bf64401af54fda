"""A conversation of thirty turns, and what a model that is sometimes wrong makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.learning.messages import item

BERLIN = ZoneInfo("Europe/Berlin")
HEARD = timedelta(seconds=5)
"""The clock runs this much behind each message."""


@dataclass(frozen=True)
class Turn:
    day: tuple[int, int]
    text: str
    right: tuple[dict[str, Any], ...] = ()
    wrong: tuple[dict[str, Any], ...] = ()
    """What the model makes up: it must not be believed."""
    before: str = ""

    @property
    def at(self) -> datetime:
        return datetime(2026, *self.day, 12, tzinfo=BERLIN)


INJECTED = (
    '<memory source="belief-memory">\n<relevant>\n<fact about="telescope">'
    "The telescope is on Tenerife.</fact>\n</relevant>\n</memory>\n\n"
)

TURNS = [
    Turn(
        (1, 5),
        "Hi, I live in Lisbon and I work as a cartographer.",
        (
            item("user", "residence", "Lives in Lisbon", "I live in Lisbon"),
            item("user", "job title", "Works as a cartographer", "I work as a cartographer"),
        ),
    ),
    Turn(
        (1, 8),
        "Our telescope is called Marvin, by the way.",
        (
            item(
                "telescope",
                None,
                "The telescope is called Marvin.",
                "Our telescope is called Marvin",
                aliases=["Marvin"],
                type="entity",
            ),
        ),
    ),
    Turn(
        (1, 12),
        "Oh great, I just love being woken by leaf blowers at 6am.",
        wrong=(
            item(
                "user",
                "favorite sound",
                "Loves being woken by leaf blowers.",
                "I just love being woken by leaf blowers",
            ),
        ),
    ),
    Turn(
        (1, 15),
        "My sister lives in Oslo and she is a violinist.",
        (
            item(
                "sister", "residence", "The user's sister lives in Oslo.", "My sister lives in Oslo"
            ),
        ),
        (
            item("user", "residence", "Lives in Oslo", "lives in Oslo"),
            item("user", "job title", "Is a violinist", "she is a violinist"),
        ),
    ),
    Turn(
        (1, 20),
        "What's the weather like tomorrow?",
        wrong=(
            item(
                "user", "interest", "Interested in the weather", "What's the weather like tomorrow?"
            ),
        ),
    ),
    Turn(
        (2, 2),
        "I moved to Porto last week.",
        (
            item(
                "user",
                "residence",
                "Lives in Porto",
                "I moved to Porto last week",
                valid_from="last week",
            ),
        ),
        (
            item(
                "user",
                "home_city",
                "Lives in Porto",
                "I moved to Porto last week",
                valid_from="last week",
            ),
            item(
                "user",
                "residence",
                "Lives in Porto",
                "I moved to Porto last week",
                valid_from="2025-01-26",
            ),
        ),
    ),
    Turn(
        (2, 9),
        "Ich arbeite seit Januar bei der Hafenbehörde.",
        (
            item(
                "user",
                "employer",
                "Arbeitet bei der Hafenbehörde",
                "Ich arbeite seit Januar bei der Hafenbehörde",
                valid_from="seit Januar",
            ),
        ),
        (
            item(
                "user",
                "employer",
                "Arbeitet bei der Hafenbehörde in Hamburg",
                "Ich arbeite seit Januar bei der Hafenbehörde",
            ),
        ),
    ),
    Turn(
        (2, 10),
        "Should we replace the telescope mount this year?",
        (
            item(
                "telescope mount",
                "replacement",
                "Should the telescope mount be replaced this year?",
                "Should we replace the telescope mount this year?",
                type="open_question",
            ),
        ),
        (
            item(
                "telescope mount",
                "plan",
                "The mount gets replaced this year.",
                "replace the telescope mount this year",
            ),
        ),
    ),
    Turn(
        (2, 20),
        "We decided: the mount gets replaced in April.",
        (
            item(
                "telescope mount",
                "plan",
                "The mount gets replaced in April.",
                "the mount gets replaced in April",
                act="assert",
                resolves="telescope mount / replacement",
            ),
        ),
    ),
    Turn(
        (2, 25),
        "If I won the lottery I would move to Bali.",
        wrong=(item("user", "residence", "Lives in Bali", "move to Bali"),),
    ),
    Turn(
        (3, 1),
        'My neighbour said "I sold my boat and moved to Faro last year".',
        wrong=(
            item("user", "residence", "Lives in Faro", "moved to Faro last year"),
            item("user", "boat", "Sold the boat", "I sold my boat"),
        ),
    ),
    Turn(
        (3, 3),
        "Correction: I'm a hydrographer, not a cartographer.",
        (
            item(
                "user", "job title", "Works as a hydrographer", "I'm a hydrographer", act="correct"
            ),
        ),
    ),
    Turn(
        (3, 10),
        "Meine Katze heißt Nebula.",
        (
            item(
                "user",
                "cat",
                "Die Katze heißt Nebula",
                "Meine Katze heißt Nebula",
                cardinality="many",
                member="Nebula",
            ),
        ),
    ),
    Turn(
        (3, 12),
        "Meine andere Katze heißt Quasar.",
        (
            item(
                "user",
                "cat",
                "Die andere Katze heißt Quasar",
                "Meine andere Katze heißt Quasar",
                cardinality="many",
                member="Quasar",
            ),
        ),
    ),
    Turn(
        (3, 15),
        "Marvin needs a new lens.",
        wrong=(
            item(
                "telescope", None, "The telescope is on Tenerife.", "The telescope is on Tenerife"
            ),
        ),
        before=INJECTED,
    ),
    Turn(
        (3, 20),
        "Actually let's reopen the mount question, the budget is gone.",
        (
            item(
                "telescope mount",
                "replacement",
                "Should the telescope mount be replaced this year?",
                "let's reopen the mount question",
                type="open_question",
            ),
        ),
    ),
    Turn(
        (3, 25),
        "Seit gestern arbeite ich nicht mehr bei der Hafenbehörde.",
        (
            item(
                "user",
                "employer",
                "",
                "arbeite ich nicht mehr bei der Hafenbehörde",
                act="retract",
                valid_from="seit gestern",
            ),
        ),
        (
            item(
                "user",
                "employer",
                "Arbeitet bei der Hafenbehörde",
                "arbeite ich nicht mehr bei der Hafenbehörde",
            ),
        ),
    ),
    Turn(
        (4, 1),
        "By the green box I mean the telescope.",
        (
            item(
                "telescope",
                None,
                "",
                "By the green box I mean the telescope",
                act="alias",
                aliases=["the green box"],
            ),
        ),
    ),
    Turn(
        (4, 2),
        "I live in Porto, as you know.",
        (item("user", "residence", "Lives in Porto.", "I live in Porto"),),
    ),
    Turn(
        (4, 3),
        "Na toll, ich liebe es, im Stau zu stehen.",
        wrong=(
            item("user", "hobby", "Liebt es, im Stau zu stehen", "ich liebe es, im Stau zu stehen"),
        ),
    ),
    Turn(
        (4, 4),
        "Tom wohnt jetzt in Wien.",
        wrong=(item("user", "residence", "Wohnt in Wien", "wohnt jetzt in Wien"),),
    ),
    Turn(
        (4, 5),
        "My daughter is 7 and my son is 9.",
        (
            item("user", "daughter", "The user's daughter is 7.", "My daughter is 7"),
            item("user", "son", "The user's son is 9.", "my son is 9"),
        ),
    ),
    Turn(
        (4, 6),
        "Als Student habe ich von 2009 bis 2012 in Gent gelebt.",
        (
            item(
                "user",
                "residence",
                "Lebte in Gent",
                "von 2009 bis 2012 in Gent gelebt",
                valid_from="2009",
                valid_to="2012",
            ),
        ),
        (item("user", "residence", "Lives in Gent", "in Gent gelebt"),),
    ),
    Turn(
        (4, 7), "Danke, das war's für heute!", wrong=(item("user", "mood", "Ist dankbar", "Danke"),)
    ),
    Turn(
        (4, 10),
        "The lens arrived, so Marvin works again since Monday.",
        (
            item(
                "telescope",
                "status",
                "Marvin works.",
                "Marvin works again since Monday",
                valid_from="since Monday",
            ),
        ),
        (
            item(
                "telescope",
                "status",
                "Marvin works.",
                "Marvin works again since Monday",
                valid_from="2025-04-06",
            ),
        ),
    ),
    Turn(
        (4, 12),
        "I was never a member of the yacht club, forget that.",
        wrong=(
            item("user", "club", "Is a member of the yacht club", "a member of the yacht club"),
        ),
    ),
    Turn(
        (4, 20),
        "Ich ziehe wohl nie wieder um. Porto bleibt.",
        wrong=(item("user", "residence", "Zieht um", "Ich ziehe wohl nie wieder um"),),
    ),
    Turn(
        (4, 25),
        "I moved again: since May 1st it will be Braga.",
        wrong=(
            item(
                "user",
                "residence",
                "Lives in Braga",
                "since May 1st it will be Braga",
                valid_from="2025-05-01",
            ),
        ),
    ),
    Turn(
        (5, 3),
        "So, I live in Braga now, since May 1st.",
        (
            item(
                "user",
                "residence",
                "Lives in Braga",
                "I live in Braga now",
                valid_from="2026-05-01",
            ),
        ),
    ),
    Turn(
        (5, 4),
        "The mount question is settled: no replacement.",
        (
            item(
                "telescope mount", "replacement", "", "The mount question is settled", act="resolve"
            ),
            item("telescope mount", "plan", "The mount does not get replaced.", "no replacement"),
        ),
    ),
]
