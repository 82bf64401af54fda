"""The gate against what is held: keys are reused, siblings kept apart, fixed things left."""

from __future__ import annotations

import pytest

from belief_memory import BeliefMemory, Message
from tests.learning.gate import AT, observed
from tests.learning.messages import item, replaying

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


def test_a_word_is_an_answer_only_where_something_was_asked() -> None:
    answer = item("user", "residence", "Lives in Ghent", "Ghent")
    for asked, believed in (("And where do you live?", True), ("I see.", False)):
        extractor, _ = replaying([answer])
        with BeliefMemory.open("memory://", extractor=extractor, clock=lambda: AT) as memory:
            user = memory.for_user("u")
            user.observe([Message("assistant", asked, at=AT), Message("user", "Ghent.", at=AT)])
            assert bool(user.beliefs()) is believed


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("ok thanks!", "Is thankful"),
        ("please continue", "Wants to continue"),
        ("lol that's hilarious", "Finds it hilarious"),
        ("hello", "Says hello"),
    ],
)
def test_small_talk_is_not_believed_whatever_the_model_makes_of_it(text: str, content: str) -> None:
    report, user = observed(text, item("user", "mood", content, text))
    assert user.beliefs() == []
    assert len(report.pending) + len(report.skipped) == 1


CHANGES_OF_MIND = [
    ("Je n'habite plus à Lyon.", "retract", "", "retracted"),
    ("Ya no vivo en Lyon.", "retract", "", "retracted"),
    ("I never lived in Lyon, that was a mistake.", "retract", "", "retracted"),
    ("I don't live in Nantes anymore.", "retract", "No longer lives in Nantes", None),
    ("My brother left Lyon.", "retract", "", None),
    ("If I left Lyon, I'd travel.", "retract", "", None),
    ("Nein, ich wohne in Bonn, nicht in Lyon.", "correct", "Wohnt in Bonn", "corrected"),
    ("Sorry, I meant Nantes, not Lyon.", "correct", "Lives in Nantes", "corrected"),
    ("No, quise decir Nantes.", "correct", "Vive en Nantes", "corrected"),
    ("Is it Nantes?", "correct", "Lives in Nantes", None),
]


@pytest.mark.parametrize(("text", "act", "content", "action"), CHANGES_OF_MIND)
def test_what_is_held_is_ended_or_corrected_only_by_the_user_s_own_statement(
    text: str, act: str, content: str, action: str | None
) -> None:
    known = (("user", "residence"), "Lives in Lyon")
    report, user = observed(
        text, item("user", "residence", content, text, act=act), before=(known,)
    )
    assert [outcome.action for outcome in report.outcomes] == ([action] if action else [])
    if action is None:
        assert [b.content for b in user.beliefs()] == ["Lives in Lyon"]
        assert len(report.skipped) == 1
