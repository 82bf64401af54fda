"""Rule R3 for beliefs about the user: named by attribute, in several languages."""

from __future__ import annotations

import pytest

from belief_memory.retrieval.user_attributes import phrases
from belief_memory.retrieval.user_phrases import PLAIN
from belief_memory.retrieval.user_questions import NARROWER, OWN, SPEAKERS, SYNONYMS
from tests.retrieval.world import belief, named

SLOTS = [
    belief("user", attribute=attribute)
    for attribute in (
        "residence", "job", "employer", "phone", "partner", "birthday", "dog", "cat",
        "favorite_tea", "shoe size",
    )
]  # fmt: skip

CASES = [
    ("where do I live?", "residence"),
    ("is my job at risk", "job"),
    ("who do I work for", "employer"),
    ("what's my wife's name", "partner"),
    ("when is my birthday", "birthday"),
    ("my dog is ill", "dog"),
    ("what was my shoe size", "shoe size"),
    ("which favorite tea again?", "favorite_tea"),
    ("Wo wohne ich?", "residence"),
    ("Was ist mein Beruf?", "job"),
    ("Wie ist meine Telefonnummer?", "phone"),
    ("où j'habite ?", "residence"),
    ("quel est mon travail", "job"),
    ("¿dónde vivo?", "residence"),
    ("cuál es mi teléfono", "phone"),
    ("dove abito?", "residence"),
    ("onde moro?", "residence"),
    ("gdzie mieszkam?", "residence"),
    ("nerede yaşıyorum?", "residence"),
    ("где я живу?", "residence"),
    ("私の仕事は何ですか", "job"),
    ("私はどこに住んでいますか", "residence"),
    ("我住在哪里", "residence"),
    ("我的电话是多少", "phone"),
    ("내 전화번호 알려줘", "phone"),
    ("أين أسكن", "residence"),
    ("मैं कहाँ रहता हूँ", "residence"),
    # somebody else's, or nobody's
    ("user settings of the user", ""),
    ("the job scheduler is broken", ""),
    ("my sister's birthday", ""),
    ("the phone rang. I left", ""),
    ("reset the phone, my friend", ""),
    ("仕事が忙しい", ""),
    ("where does she live", ""),
]


@pytest.mark.parametrize(("query", "attribute"), CASES)
def test_an_attribute_of_the_user_is_named(query: str, attribute: str) -> None:
    expected = [f"user/{attribute}"] if attribute else []
    assert named(query, *SLOTS) == expected


@pytest.mark.parametrize(
    ("stored", "query"),
    [("home_city", "where do I live"), ("spouse", "my husband"), ("Kids", "do I have children")],
)
def test_other_names_of_a_known_attribute_ship_the_same_phrases(stored: str, query: str) -> None:
    assert named(query, belief("user", attribute=stored)) == [f"user/{stored}"]


def test_an_alias_names_a_belief_about_the_user_anywhere() -> None:
    flat = belief("User", "Elm Street flat", attribute="residence")
    assert named("is the Elm Street flat insured", flat) == ["User/residence"]


def test_the_broader_attribute_comes_with_the_narrower_but_no_sibling_does() -> None:
    pets = [belief("user", attribute=attribute) for attribute in ("pet", "dog", "cat")]
    assert set(named("my dog", *pets)) == {"user/dog", "user/pet"}
    assert set(named("do I have a pet", *pets)) == {"user/dog", "user/cat", "user/pet"}


def test_every_shipped_phrase_finds_its_attribute() -> None:
    slots = {attribute: belief("user", attribute=attribute) for attribute in SYNONYMS}
    slots |= {
        name: belief("user", attribute=name)
        for names in NARROWER.values()
        for name in names.split()
    }
    missed = []
    for own, table in ((False, PLAIN), (True, OWN)):
        for language, lines in table.items():
            speaker = "" if own else SPEAKERS[language].split()[0]
            for line in filter(None, lines.split("\n")):
                attribute, _, texts = line.partition(": ")
                for text in texts.split(", "):
                    found = named(f"{speaker} {text}", slots[attribute])
                    if found != [f"user/{attribute}"]:
                        missed.append((language, attribute, text))
    assert len(phrases().by_run) > 500
    assert missed == []
