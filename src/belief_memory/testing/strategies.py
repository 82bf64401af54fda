"""Hypothesis strategies: beliefs with anything in them that a ledger has to keep."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

from hypothesis import strategies as st

from belief_memory.model.belief import Belief, BeliefType, EpistemicStatus, Provenance, Standing
from belief_memory.model.draft import to_belief

HOSTILE = (
    "it's",
    "''",
    'a "quoted" word',
    "back\\slash",
    "nul\x00inside",
    "line\nbreak\r\n\ttab",
    "'; DROP TABLE beliefs; --",
    "' OR '1'='1",
    "a_b%c",
    "100 %",
    "{braces} ${dollar} $1 ?",
    "💥👩‍👩‍👧",
    "ß İ ı ſ",
    "e\u0301 é",
    "東京タワー",
    "\u202eright to left",
    "NULL",
    "c1",
    "vx#1",
)
"""Strings that have broken something somewhere."""


def texts(*, max_size: int = 40) -> st.SearchStrategy[str]:
    """Storable, non-blank strings, hostile ones often."""
    anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=max_size)
    return st.one_of(st.sampled_from(HOSTILE), anything).filter(lambda text: bool(text.strip()))


def instants() -> st.SearchStrategy[datetime]:
    """Aware instants of any year, to the microsecond."""
    return st.datetimes(timezones=st.just(UTC))


def provenances() -> st.SearchStrategy[Provenance]:
    """Where a belief came from."""
    maybe = st.none() | texts()
    return st.builds(
        Provenance,
        source=texts(),
        session_id=maybe,
        message_ids=st.lists(texts(), max_size=3).map(tuple),
        extractor=maybe,
        model=maybe,
        at=st.none() | instants(),
        quote=maybe,
    )


@st.composite
def beliefs(draw: st.DrawFn, /, **fixed: Any) -> Belief:
    """Valid beliefs; fields given are fixed."""
    maybe = st.none() | texts()
    names = st.lists(texts(), max_size=3, unique=True)
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
        | texts(),
        lambda children: st.lists(children, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), children, max_size=3),
        max_leaves=5,
    )  # fmt: skip
    record: dict[str, Any] = {
        "id": draw(texts()),
        "rev": draw(st.integers(1, 1000)),
        "user_id": "alice",
        "agent_id": draw(maybe),
        "scopes": draw(
            st.lists(
                st.sampled_from(["user:universal", "domain:code", "project:it's", "org:東京"]),
                min_size=1,
                max_size=3,
            )
        ),
        "type": draw(st.sampled_from(get_args(BeliefType))),
        "subtype": draw(maybe),
        "canonical_name": draw(texts()),
        "attribute": draw(maybe),
        "cardinality": draw(st.sampled_from(["one", "many"])),
        "member": draw(maybe),
        "aliases": draw(names),
        "attribute_aliases": draw(names),
        "content": draw(texts(max_size=200)),
        "why_it_matters": draw(st.just("") | texts()),
        "participants": draw(names),
        "relation_type": draw(maybe),
        "epistemic_status": draw(st.sampled_from(get_args(EpistemicStatus))),
        "confidence": draw(st.floats(0, 1)),
        "pinned": draw(st.booleans()),
        "user_edited": draw(st.booleans()),
        "metadata": draw(
            st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), values, max_size=3)
        ),
        "provenance": draw(st.none() | provenances()),
        "standing": draw(st.sampled_from(get_args(Standing))),
        "conflicts_with": draw(maybe),
        "reinforcement_count": draw(st.integers(0, 10**9)),
        "last_reinforced_at": draw(st.none() | instants()),
        "superseded_by": draw(maybe),
        "supersedes": draw(maybe),
        "resolved_at": draw(st.none() | instants()),
        "resolved_by": draw(maybe),
        "valid_from": draw(instants()),
        "valid_to": draw(st.none() | instants()),
        "recorded_at": draw(instants()),
        "retired_at": draw(st.none() | instants()),
        "name_keys": tuple(draw(st.lists(texts(), max_size=3))),
    }
    return to_belief({**record, **fixed})
