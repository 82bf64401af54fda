"""The gate: what was plainly stated gets in at once, everything else does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from belief_memory import BeliefMemory, Message, Report, UserMemory
from tests.learning.messages import item, replaying

AT = datetime(2026, 3, 10, 12, tzinfo=UTC)


def observed(
    text: str, *items: dict[str, Any], before: tuple = (), role: str = "user"
) -> tuple[Report, UserMemory]:
    """What becomes of a model's answer to one message."""
    extractor, _ = replaying(list(items))
    memory = BeliefMemory.open("memory://", extractor=extractor, clock=lambda: AT)
    user = memory.for_user("u")
    for slot, content, *more in before:
        user.remember(
            slot, content, valid_from=AT - timedelta(days=100), **(more[0] if more else {})
        )
    messages = [Message("user", text, at=AT)]
    if role != "user":
        messages = [Message(role, text, at=AT), Message("user", "ok, thanks", at=AT)]  # type: ignore[arg-type]
    return user.observe(messages), user


STATED: list[tuple[str, dict[str, Any]]] = [
    (
        "I live in Ghent with my wife.",
        item("user", "residence", "Lives in Ghent", "I live in Ghent"),
    ),
    (
        "My wife and I moved to Ghent.",
        item("user", "residence", "Lives in Ghent", "My wife and I moved to Ghent"),
    ),
    (
        "Vivo en Rosario y trabajo como soldador.",
        item("user", "residence", "Vive en Rosario", "Vivo en Rosario"),
    ),
    (
        "Vivo en Rosario y trabajo como soldador.",
        item("user", "job", "Works as a welder", "trabajo como soldador"),
    ),
    ("Mieszkam w Krakowie.", item("user", "residence", "Lives in Kraków", "Mieszkam w Krakowie")),
    (
        "Abito a Torino da marzo.",
        item(
            "user", "residence", "Vive a Torino", "Abito a Torino da marzo", valid_from="da marzo"
        ),
    ),
    (
        "Moro em Recife desde 2021.",
        item("user", "residence", "Mora em Recife", "Moro em Recife desde 2021", valid_from="2021"),
    ),
    (
        "Я живу в Казани с мая.",
        item("user", "residence", "Живёт в Казани", "Я живу в Казани с мая", valid_from="с мая"),
    ),
    (
        "私は去年から京都に住んでいます。",
        item(
            "user",
            "residence",
            "京都に住んでいる",
            "私は去年から京都に住んでいます",
            valid_from="去年から",
        ),
    ),
    (
        "我上个月搬到了成都。",
        item("user", "residence", "住在成都", "我上个月搬到了成都", valid_from="上个月"),
    ),
    (
        "J'habite à Nantes depuis septembre.",
        item(
            "user",
            "residence",
            "Habite à Nantes",
            "J'habite à Nantes depuis septembre",
            valid_from="depuis septembre",
        ),
    ),
    (
        "Ik woon sinds vorige week in Gent.",
        item(
            "user",
            "residence",
            "Woont in Gent",
            "Ik woon sinds vorige week in Gent",
            valid_from="sinds vorige week",
        ),
    ),
    (
        "I'm allergic to shellfish.",
        item("user", "allergy", "Allergic to shellfish", "I'm allergic to shellfish"),
    ),
    ("I don't eat meat.", item("user", "diet", "Does not eat meat", "I don't eat meat")),
    (
        "Please never use tabs in my code.",
        item("user", "code style", "Never use tabs in code", "never use tabs", type="instruction"),
    ),
    (
        "We picked Kafka for the event bus.",
        item(
            "event bus",
            None,
            "Kafka is the event bus",
            "We picked Kafka for the event bus",
            type="decision",
        ),
    ),
    (
        "The Athena project ships in June.",
        item(
            "athena project",
            "ship date",
            "Athena ships in June",
            "The Athena project ships in June",
        ),
    ),
    (
        "Our office is on Baker Street 5.",
        item(
            "office",
            "address",
            "The office is at Baker Street 5",
            "Our office is on Baker Street 5",
        ),
    ),
    (
        "My new bike is a Canyon Grail.",
        item("user", "bike", "Rides a Canyon Grail", "My new bike is a Canyon Grail"),
    ),
    ("Mein Beruf ist Imker.", item("user", "job title", "Ist Imker", "Mein Beruf ist Imker")),
    (
        "My employer is Vestas.",
        item("user", "employer", "Works at Vestas", "My employer is Vestas"),
    ),
    (
        "I started at Vestas on February 2nd.",
        item(
            "user",
            "employer",
            "Works at Vestas",
            "I started at Vestas on February 2nd",
            valid_from="2026-02-02",
        ),
    ),
    (
        "I want to run a marathon.",
        item("user", "goal", "Wants to run a marathon", "I want to run a marathon", type="goal"),
    ),
    ("My son Theo turned nine.", item("user", "son", "Theo is nine", "My son Theo turned nine")),
    (
        "My landlord is called Mr. Okafor.",
        item("landlord", None, "The landlord is Mr. Okafor", "My landlord is called Mr. Okafor"),
    ),
    (
        "I quit smoking in January.",
        item(
            "user", "smoking", "Quit smoking", "I quit smoking in January", valid_from="2026-01-01"
        ),
    ),
    ("Call me Bea.", item("user", "name", "Is called Bea", "Call me Bea")),
    (
        "Mi perro se llama Tango.",
        item("user", "dog", "The dog is called Tango", "Mi perro se llama Tango"),
    ),
    ("My timezone is CET.", item("user", "timezone", "Timezone CET", "My timezone is CET")),
    (
        "I have two kids, Max and Mia.",
        item("user", "children", "Has two children, Max and Mia", "I have two kids, Max and Mia"),
    ),
    (
        "I prefer tea over coffee",
        item(
            "user",
            "drink",
            "Prefers tea over coffee",
            "I prefer tea over coffee",
            type="preference",
        ),
    ),
    ("I'm a nurse, by the way.", item("user", "job title", "Is a nurse", "I'm a nurse")),
    (
        "Since last Monday I work from home.",
        item(
            "user",
            "workplace mode",
            "Works from home",
            "Since last Monday I work from home",
            valid_from="last Monday",
        ),
    ),
    (
        "Ich bin gestern nach Graz gezogen.",
        item(
            "user",
            "residence",
            "Lives in Graz",
            "Ich bin gestern nach Graz gezogen",
            valid_from="2026-03-09",
        ),
    ),
    (
        "Hey! Quick update: I now lead the Phoenix team.",
        item("user", "role", "Leads the Phoenix team", "I now lead the Phoenix team"),
    ),
    (
        "Nosotros usamos Terraform.",
        item("terraform", None, "Terraform is used", "usamos Terraform", type="entity"),
    ),
    ("I love hiking.", item("user", "hobby", "Loves hiking", "I love hiking")),
    (
        "My doctor is Dr. Haas.",
        item("user", "doctor", "Doctor is Dr. Haas", "My doctor is Dr. Haas"),
    ),
    ("나는 부산에 살아요.", item("user", "residence", "부산에 산다", "나는 부산에 살아요")),
    ("أنا أعيش في عمّان", item("user", "residence", "Lives in Amman", "أنا أعيش في عمّان")),
    ("मैं पुणे में रहता हूँ", item("user", "residence", "पुणे में रहता है", "मैं पुणे में रहता हूँ")),
    ("Bor i Malmö nu.", item("user", "residence", "Bor i Malmö", "Bor i Malmö nu")),
]

UNSTATED: list[tuple[str, dict[str, Any]]] = [
    ("Our intern speaks Korean.", item("user", "language", "Speaks Korean", "speaks Korean")),
    (
        "My commute partner Jo works at Bosch.",
        item("user", "employer", "Works at Bosch", "works at Bosch"),
    ),
    ("Mi jefe vive en Quito.", item("user", "residence", "Vive en Quito", "vive en Quito")),
    ("Mein Bruder ist Koch.", item("user", "job title", "Ist Koch", "ist Koch")),
    ("Elle habite à Lille.", item("user", "residence", "Habite à Lille", "habite à Lille")),
    ("他住在北京。", item("user", "residence", "住在北京", "住在北京")),
    (
        "妹は大阪に住んでいます。",
        item("user", "residence", "大阪に住んでいる", "大阪に住んでいます"),
    ),
    ("Моя сестра живёт в Омске.", item("user", "residence", "Живёт в Омске", "живёт в Омске")),
    (
        "Great, another outage. I adore this provider.",
        item("user", "favorite provider", "Adores the provider", "I adore this provider"),
    ),
    (
        "Genial, otra vez sin luz. Me encanta este barrio.",
        item("user", "neighborhood", "Le encanta el barrio", "Me encanta este barrio"),
    ),
    (
        "Super, encore une grève. J'adore les trains.",
        item("user", "hobby", "Adore les trains", "J'adore les trains"),
    ),
    (
        "Toll, schon wieder Regen. Ich liebe diese Stadt.",
        item("user", "city", "Liebt die Stadt", "Ich liebe diese Stadt"),
    ),
    (
        "I love being on hold for two hours 🙄",
        item("user", "hobby", "Loves being on hold", "I love being on hold"),
    ),
    (
        "Yeah right, I'm the queen of England.",
        item("user", "job title", "Is the queen of England", "I'm the queen of England"),
    ),
    (
        "I used to live in Rome.",
        item("user", "residence", "Lives in Rome", "I used to live in Rome"),
    ),
    ("Antes vivía en Bogotá.", item("user", "residence", "Vive en Bogotá", "vivía en Bogotá")),
    ("I don't live in Rome.", item("user", "residence", "Lives in Rome", "live in Rome")),
    ("I'm not vegan.", item("user", "diet", "Is vegan", "vegan")),
    ("Maybe I'll move to Rome.", item("user", "residence", "Lives in Rome", "move to Rome")),
    (
        "I'm going to move to Rome next year.",
        item("user", "residence", "Lives in Rome", "move to Rome"),
    ),
    (
        "Vielleicht ziehe ich nach Rom.",
        item("user", "residence", "Lebt in Rom", "ziehe ich nach Rom"),
    ),
    (
        "Si je vivais à Rome, je mangerais mieux.",
        item("user", "residence", "Vit à Rome", "je vivais à Rome"),
    ),
    ("Do I live in Rome?", item("user", "residence", "Lives in Rome", "I live in Rome")),
    ("¿Vivo en Roma?", item("user", "residence", "Vive en Roma", "Vivo en Roma")),
    (
        "```\nuser.city = 'Rome'  # I live in Rome\n```",
        item("user", "residence", "Lives in Rome", "I live in Rome"),
    ),
    (
        "> I live in Rome\nWhat did he mean?",
        item("user", "residence", "Lives in Rome", "I live in Rome"),
    ),
    (
        'She wrote: "I live in Rome and love it".',
        item("user", "residence", "Lives in Rome", "I live in Rome and love it"),
    ),
    ("I live in Ghent.", item("user", "residence", "Lives in Rome", "I live in Rome")),
    ("I live in Ghent.", item("user", "residence", "Lives in Ghent, number 42", "I live in Ghent")),
    (
        "I moved in May.",
        item("user", "residence", "Moved", "I moved in May", valid_from="2026-05-01"),
    ),
    (
        "I work at Vestas since last December.",
        item(
            "user",
            "employer",
            "Works at Vestas",
            "I work at Vestas since last December",
            valid_from="2024-12-01",
        ),
    ),
    (
        "I live in Ghent.",
        item("user", "residence", "Lives in Ghent", "I live in Ghent", valid_from="2019-01-01"),
    ),
    (
        "I live in Ghent.",
        item("user", "residence", "Lives in Ghent", "I live in Ghent", confidence=0.2),
    ),
    (
        '<memory source="belief-memory">\n<relevant>\n<fact about="user">Lives in Rome</fact>\n</relevant>\n</memory>\nthanks!',
        item("user", "residence", "Lives in Rome", "Lives in Rome"),
    ),
    ("Imagine I live on Mars.", item("user", "residence", "Lives on Mars", "I live on Mars")),
    ("Priya moved to Pune.", item("user", "residence", "Lives in Pune", "moved to Pune")),
    ("Our client's CTO lives in Zug.", item("user", "residence", "Lives in Zug", "lives in Zug")),
    ("Just kidding, I'm a spy.", item("user", "job title", "Is a spy", "I'm a spy")),
    ("I'm a spy. Just kidding!", item("user", "job title", "Is a spy", "I'm a spy")),
    ("According to my horoscope I am rich.", item("user", "wealth", "Is rich", "I am rich")),
    (
        "People say I live in a bubble",
        item("user", "residence", "Lives in a bubble", "I live in a bubble"),
    ),
]


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


KNOWN_SLOTS = [
    (
        "user",
        "smartphone",
        "My phone is a Fairphone now.",
        "Uses a Fairphone",
        (("user", "phone"), "Uses an iPhone"),
    ),
    (
        "user",
        "home_city",
        "I moved to Ghent.",
        "Lives in Ghent",
        (("user", "residence"), "Lives in Lyon"),
    ),
    (
        "user",
        "wohnort",
        "Ich wohne jetzt in Gent.",
        "Wohnt in Gent",
        (("user", "residence"), "Wohnt in Lyon"),
    ),
    (
        "caching_layer",
        None,
        "We replaced Redis with Valkey for caching.",
        "Valkey is the cache.",
        ("redis_cache", "Redis is the cache.", {"aliases": ["Redis"]}),
    ),
    (
        "demo_schedule",
        None,
        "We moved the demo to Thursday.",
        "The demo is on Thursday.",
        ("demo", "The demo is on Tuesday."),
    ),
    (
        "infra",
        "region",
        "The deploy target is eu-west-3 now.",
        "Deploys to eu-west-3",
        ("deploy target", "Deploys to us-east-1"),
    ),
    (
        "hosting",
        None,
        "Nuestro servidor ahora es Hetzner.",
        "El servidor es Hetzner",
        ("servidor", "El servidor es OVH"),
    ),
]


@pytest.mark.parametrize(("name", "attribute", "text", "content", "known"), KNOWN_SLOTS)
def test_an_invented_key_for_a_known_slot_waits(name, attribute, text, content, known) -> None:
    report, user = observed(text, item(name, attribute, content, text), before=(known,))
    assert [belief.content for belief in report.pending] == [content], str(report)
    assert [belief.content for belief in user.beliefs()] == [known[1]]


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("user", "current_phone"),
        ("the user", "phone"),
        ("u", "phone"),
        ("USER", "Phone"),
        ("me", "handset"),
    ],
)
def test_a_key_that_the_belief_answers_to_is_its_key(name: str, attribute: str) -> None:
    known = (("user", "phone"), "Uses an iPhone", {"attribute_aliases": ["handset"]})
    answer = item(name, attribute, "Uses a Fairphone", "My phone is a Fairphone now")
    report, user = observed("My phone is a Fairphone now.", answer, before=(known,))
    assert report.outcomes[0].action == "superseded", str(report)
    assert [b.content for b in user.beliefs(slot=("user", "phone"))] == ["Uses a Fairphone"]


SIBLINGS = [
    (
        "The Tuesday standup is at 11.",
        "meeting_tuesday",
        None,
        "The Tuesday standup is at 11.",
        ("meeting_monday", "The Monday standup is at 10."),
    ),
    (
        "Our daughter Mia plays chess.",
        "user",
        "daughter",
        "The daughter Mia plays chess.",
        (("user", "son"), "The son Max plays chess."),
    ),
    (
        "Our second kid is Mia.",
        "user",
        "child",
        "Has a child, Mia",
        (("user", "child"), "Has a child, Max"),
    ),
    (
        "I worked as a baker from 2010 to 2014.",
        "user",
        "job",
        "Worked as a baker",
        (("user", "job"), "Works as a welder"),
    ),
    (
        "My work phone is a Fairphone.",
        "user",
        "work phone",
        "Work phone is a Fairphone",
        (("user", "phone"), "Uses an iPhone"),
    ),
    (
        "Notre deuxième chien s'appelle Filou.",
        "user",
        "dog",
        "Un chien appelé Filou",
        (("user", "dog"), "Un chien appelé Rex"),
    ),
]


@pytest.mark.parametrize(("text", "name", "attribute", "content", "known"), SIBLINGS)
def test_siblings_never_take_each_other_s_place(text, name, attribute, content, known) -> None:
    years = {"valid_from": "2010", "valid_to": "2014"} if "2010" in text else {}
    report, user = observed(text, item(name, attribute, content, text, **years), before=(known,))
    held = {belief.content for belief in user.beliefs()}
    assert known[1] in held
    told = (
        held
        | {p.content for p in report.pending}
        | {v.content for v in user.history((name, attribute))}
    )
    assert content in told


def test_two_children_in_one_sentence_are_both_kept() -> None:
    report, user = observed(
        "We have two kids, Max and Mia.",
        item("user", "child", "Has a child, Max", "two kids, Max"),
        item("user", "child", "Has a child, Mia", "Max and Mia"),
    )
    assert {b.content for b in user.beliefs(include_pending=True)} == {
        "Has a child, Max",
        "Has a child, Mia",
    }
    assert [b.content for b in user.beliefs()] == ["Has a child, Max"]
    assert [b.content for b in report.pending] == ["Has a child, Mia"]


@pytest.mark.parametrize("fixed", [{"user_edited": True}, {"pinned": True}])
def test_what_the_user_fixed_is_not_overruled_but_put_up_for_decision(fixed: dict) -> None:
    known = (("user", "residence"), "Lives in Lyon", fixed)
    for act in ("change", "correct"):
        answer = item("user", "residence", "Lives in Ghent", "I moved to Ghent", act=act)
        report, user = observed("I moved to Ghent.", answer, before=(known,))
        assert [outcome.action for outcome in report.outcomes] == ["conflict"]
        assert [b.content for b in user.beliefs()] == ["Lives in Lyon"]
        assert [c.alternative.content for c in user.conflicts()] == ["Lives in Ghent"]
    answer = item("user", "residence", "", "I no longer live in Lyon", act="retract")
    report, user = observed("I no longer live in Lyon.", answer, before=(known,))
    assert len(report.skipped) == 1
    assert [b.content for b in user.beliefs()] == ["Lives in Lyon"]


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_only_the_user_teaches(role: str) -> None:
    answer = item("user", "residence", "Lives in Ghent", "You live in Ghent")
    report, user = observed("You live in Ghent.", answer, role=role)
    assert user.beliefs(include_pending=True) == []
    assert role in report.skipped[0].reason


def test_without_a_reason_to_matter_there_is_no_belief() -> None:
    answer = item("user", "residence", "Lives in Ghent", "I live in Ghent", why_it_matters="")
    report, user = observed("I live in Ghent.", answer)
    assert user.beliefs(include_pending=True) == []
    assert "why it matters" in report.skipped[0].reason


@pytest.mark.parametrize("again", ["lives in lyon", "Lives in Lyon.", "“Lives  in Lyon”"])
def test_a_restatement_reinforces_and_adds_nothing(again: str) -> None:
    known = (("user", "residence"), "Lives in Lyon")
    report, user = observed(
        "I live in Lyon!", item("user", "residence", again, "I live in Lyon"), before=(known,)
    )
    assert [outcome.action for outcome in report.outcomes] == ["reinforced"]
    (belief,) = user.beliefs()
    assert (belief.content, belief.reinforcement_count) == ("Lives in Lyon", 1)
    assert len(user.history(belief.id)) == 1


def test_another_value_that_nothing_says_has_changed_waits() -> None:
    known = (("printer", "toner"), "The printer takes toner A.")
    answer = item(
        "printer", "toner", "The printer takes toner B.", "The printer takes toner B", act="assert"
    )
    report, user = observed("The printer takes toner B.", answer, before=(known,))
    assert [b.content for b in report.pending] == ["The printer takes toner B."]
    assert [b.content for b in user.beliefs()] == ["The printer takes toner A."]


def test_a_scope_that_is_not_allowed_waits_in_the_handle_s_own() -> None:
    answer = item("user", "residence", "Lives in Ghent", "I live in Ghent", scopes=["org:secret"])
    report, _ = observed("I live in Ghent.", answer)
    assert [b.scopes for b in report.pending] == [("user:universal",)]


def test_provenance_leads_back_to_the_words() -> None:
    extractor, _ = replaying([item("user", "residence", "Lives in Ghent", "I live in Ghent")])
    with BeliefMemory.open("memory://", extractor=extractor, clock=lambda: AT) as memory:
        user = memory.for_user("u")
        user.observe([Message("user", "Hi. I live in Ghent.", at=AT, id="m7")], session_id="s1")
        provenance = user.beliefs()[0].provenance
    assert provenance is not None
    assert (provenance.source, provenance.session_id, provenance.message_ids) == (
        "extraction",
        "s1",
        ("m7",),
    )
    assert (provenance.extractor, provenance.model, provenance.quote) == (
        "replay",
        "fake-1",
        "I live in Ghent",
    )
    assert provenance.at == AT


def test_the_model_is_shown_the_slots_that_the_turn_names() -> None:
    extractor, model = replaying([])
    with BeliefMemory.open("memory://", extractor=extractor, clock=lambda: AT) as memory:
        user = memory.for_user("u")
        user.remember("redis_cache", "Redis is the cache.", aliases=["Redis"])
        user.remember("billing", "Billing runs on Mondays.")
        user.remember(("user", "residence"), "Lives in Ghent")
        user.observe("We will shut down Redis.")
    known = model.prompts[0].partition("KNOWN")[2].partition("CONVERSATION")[0]
    assert "redis_cache" in known
    assert "residence" in known
    assert "billing" not in known
