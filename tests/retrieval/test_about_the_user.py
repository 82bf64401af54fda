"""Rule R3 for beliefs about the user: named by attribute, in several languages."""

from __future__ import annotations

import pytest

from belief_memory.retrieval.speakers import SPEAKERS
from belief_memory.retrieval.user_attributes import NARROWER, SYNONYMS, shipped
from tests.retrieval.world import belief, named

SLOTS = [
    belief("user", attribute=attribute)
    for attribute in (
        "residence", "job", "employer", "phone", "partner", "birthday", "dog", "cat",
        "name", "favorite_tea", "shoe size",
    )
]  # fmt: skip

CLEAR = {"en": "my", "fr": "mon", "it": "mio", "pt": "meu", "pl": "mój", "tr": "benim"}
"""Speakers where the first of a language is another word elsewhere."""

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
    ("qual é o meu trabalho", "job"),
    ("onde é que eu moro?", "residence"),
    ("mia moglie", "partner"),
    ("benim adım ne", "name"),
    ("eşim nerede?", "partner"),
    ("Eşim nerede?", "partner"),
    ("моя робота", "job"),
    ("де мешкаю?", "residence"),
    ("πού μένω;", "residence"),
    ("το τηλέφωνό μου", "phone"),
    ("η γυναίκα μου", "partner"),
    ("איפה אני גרה?", "residence"),
    ("מה מספר הטלפון שלי", "phone"),
    ("מה העבודה שלי", "job"),
    ("ما هي وظيفتي", "job"),
    ("मेरा जन्मदिन कब है", "birthday"),
    ("나는 어디에 살아?", "residence"),
    ("제 강아지", "dog"),
    ("ผมอยู่ที่ไหน", "residence"),
    ("เบอร์โทรของผม", "phone"),
    ("I lost my job yesterday", "job"),
    ("I left the phone there", "phone"),
    ("the phone rang when I came in", "phone"),
    ("our employer's policy", "employer"),
    # a word that a longer phrase hides, or a part of a compound
    ("I love the home page", ""),
    ("my home page is slow", ""),
    ("I restarted the job scheduler", ""),
    ("my job scheduler is stuck", ""),
    ("I restarted the job worker", ""),
    ("what's my IP address", ""),
    ("my ex-wife called", ""),
    ("Ich habe den Job-Server neu gestartet", ""),
    # words that speak of oneself only in another language
    ("Ben has a new job", ""),
    ("what is Mia doing about the job", ""),
    ("the EU job market", ""),
    ("a 5 min job", ""),
    ("ja der Job läuft", ""),
    ("i partner commerciali", ""),
    ("este mes hay un job nuevo", ""),
    ("praca i job", ""),
    # words that look like a phrase, accents aside
    ("ask Karim about it", ""),
    ("does it take an eSIM", ""),
    ("isim listesi", ""),
    ("adım adım anlat", ""),
    ("التسويق رقمي", ""),
    ("تمرين عملي", ""),
    ("मुझे पता नहीं", ""),
    # speakers inside other words
    ("私立大学の仕事", ""),
    ("今週のうちに仕事を", ""),
    ("ร้านตัดผม เบอร์โทร", ""),
    ("내과 전화번호", ""),
    # somebody else's, or nobody's
    ("彼はどこに住んでいますか", ""),
    ("my parents' phone", ""),
    ("send me the phone number of the dentist", ""),
    ("мне нужен номер заказа", ""),
    ("Ich brauche die Nummer der Bestellung", ""),
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
    missed, tried = [], 0
    for language, own, attribute, phrase in shipped():
        text = phrase.removeprefix("=")
        speaker = "" if own else CLEAR.get(language, SPEAKERS[language].split()[0])
        wanted = [] if attribute == "-" else [f"user/{attribute}"]
        every = slots.values() if attribute == "-" else [slots[attribute]]
        tried += 1
        if named(f"{speaker} {text}", *every) != wanted:
            missed.append((language, attribute, text))
    assert tried > 1000
    assert missed == []
