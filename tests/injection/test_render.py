"""The exact text a model reads."""

from __future__ import annotations

from datetime import timedelta

import pytest

from belief_memory.errors import InvalidQuery
from belief_memory.injection.persona import persona_text
from belief_memory.model.belief import Provenance
from tests.injection.beliefs import NOW, belief, context, turn

FULL = context(
    [
        belief(
            "response_length",
            "Prefers direct answers.",
            why_it_matters="Skip preambles.",
            type="preference",
        ),
        belief("user", "Vegetarian", attribute="diet", type="preference"),
    ],
    pinned=[belief("prod_region", "Production runs in eu-central-1 only.", type="decision")],
    relevant=[
        belief(
            "redis_cache",
            "A cache. Single node.",
            why_it_matters="A datastore here.",
            type="entity",
        ),
        belief("user", "Lisbon", attribute="residence", epistemic_status="inferred"),
    ],
    questions=[belief("auth", "JWT or sessions?", type="open_question")],
    related=[belief("kafka", "Kafka was tried.", type="observation", confidence=0.3)],
    evidence=[turn("We moved off Kafka.")],
)

STABLE_XML = """\
<persona>
- response length: Prefers direct answers. → Skip preambles.
- diet: Vegetarian
</persona>
<standing_facts>
<decision about="prod_region">Production runs in eu-central-1 only.</decision>
</standing_facts>"""

QUERY_XML = """\
<relevant>
<entity about="redis_cache">A cache. Single node.<directive>A datastore here.</directive></entity>
<fact about="user" attribute="residence" note="inferred">Lisbon</fact>
</relevant>
<open_questions>
<open_question about="auth">JWT or sessions?</open_question>
</open_questions>
<related authority="low">
<observation about="kafka" note="low confidence">Kafka was tried.</observation>
</related>
<evidence authority="low">
<turn role="user">We moved off Kafka.</turn>
</evidence>"""

OPEN, CLOSE = '<memory source="belief-memory">', "</memory>"


def test_the_whole_memory_is_one_block_with_the_stable_part_first() -> None:
    assert FULL.render() == f"{OPEN}\n{STABLE_XML}\n{QUERY_XML}\n{CLOSE}"


def test_the_stable_and_the_query_part_come_apart() -> None:
    assert FULL.render(section="stable") == f"{OPEN}\n{STABLE_XML}\n{CLOSE}"
    assert FULL.render(section="query") == f"{OPEN}\n{QUERY_XML}\n{CLOSE}"


def test_markdown_says_the_same_between_two_comments() -> None:
    assert (
        FULL.render("markdown")
        == """\
<!-- belief-memory -->
## About the user
- response length: Prefers direct answers. → Skip preambles.
- diet: Vegetarian

## Standing facts
- **prod_region**: Production runs in eu-central-1 only.

## Relevant
- **redis_cache**: A cache. Single node.
  → A datastore here.
- **user** / **residence** (inferred): Lisbon

## Open questions
- **auth**: JWT or sessions?

## Possibly related (lower authority)
- **kafka** (low confidence): Kafka was tried.

## Evidence (lower authority)
- **user**: We moved off Kafka.
<!-- /belief-memory -->"""
    )


@pytest.mark.parametrize("format", ["xml", "markdown"])
@pytest.mark.parametrize("section", ["all", "stable", "query"])
def test_an_empty_memory_renders_as_nothing(format, section) -> None:
    assert context().render(format, section=section) == ""


def test_a_section_without_beliefs_renders_as_nothing() -> None:
    only_named = context(relevant=[belief("redis", "A cache.")])
    assert only_named.render(section="stable") == ""
    assert context(pinned=[belief("redis", "A cache.")]).render(section="query") == ""


def test_an_alternative_beside_the_current_value_is_marked_disputed() -> None:
    text = context(
        relevant=[
            belief("db", "Postgres"),
            belief("db", "MySQL", standing="annotated", confidence=0.2),
        ]
    ).render()
    assert '<fact about="db">Postgres</fact>' in text
    assert '<fact about="db" note="disputed, low confidence">MySQL</fact>' in text


def test_the_persona_marks_what_was_not_stated() -> None:
    assert persona_text([belief("tone", "Dry humour", epistemic_status="exploratory")]) == (
        "- (exploratory) tone: Dry humour"
    )


@pytest.mark.parametrize("format", ["xml", "markdown"])
def test_what_nobody_said_changes_no_byte(format) -> None:
    said = {"canonical_name": "redis", "content": "A cache."}
    plain = belief(**said)
    restated = belief(
        **said,
        id="another",
        rev=9,
        confidence=0.71,
        aliases=["REDIS"],
        reinforcement_count=12,
        last_reinforced_at=NOW,
        valid_from=NOW - timedelta(days=90),
        valid_to=NOW + timedelta(days=90),
        recorded_at=NOW + timedelta(seconds=1),
        provenance=Provenance(session_id="s-1", quote="we use redis"),
        metadata={"n": 1},
    )
    for route in ("pinned", "relevant", "questions", "related"):
        assert context(**{route: [plain]}).render(format) == context(**{route: [restated]}).render(
            format
        )
    assert persona_text([plain]) == persona_text([restated])
    once = turn("A cache.")
    later = NOW + timedelta(days=9)
    again = turn("A cache.", id="m-2", session_id="s-1", at=later, recorded_at=later)
    assert context(evidence=[once]).render(format) == context(evidence=[again]).render(format)


def test_an_unknown_format_or_section_is_an_error() -> None:
    with pytest.raises(InvalidQuery):
        FULL.render("html")
    with pytest.raises(InvalidQuery):
        FULL.render(section="persona")
