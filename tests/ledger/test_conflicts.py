"""Conflicts and drafts that wait for review."""

from __future__ import annotations

from typing import Any

import pytest

from belief_memory.errors import BeliefNotFound, ConflictPending, InvalidBelief
from belief_memory.model.slot import Slot
from tests.ledger.fake import Ledger, day, make_draft

SLOT = Slot("user", "residence")
EXTRACTED = {"source": "extraction", "session_id": "s1"}


@pytest.fixture
def ledger() -> Ledger:
    ledger = Ledger()
    ledger.remember("Berlin", at=1, valid_from=1, provenance={"source": "crm"}, aliases=["home"])
    return ledger


def contradict(ledger: Ledger, at: float, **fields: Any) -> Any:
    return ledger.remember("Bern", at=at, valid_from=1, provenance={"source": "hr"}, **fields)


def test_another_source_for_the_same_instant_is_recorded_beside_the_held_value(
    ledger: Ledger,
) -> None:
    held = ledger.one("Berlin")
    outcome = contradict(ledger, 2)

    assert outcome.action == "conflict"
    assert outcome.belief.conflicts_with == held.id
    assert ledger.one("Berlin") == held
    assert ledger.current(3) == ["Berlin"]
    assert ledger.rows(standing="conflict") == [("Bern", 1, None, None)]


def test_the_same_alternative_again_does_not_pile_up(ledger: Ledger) -> None:
    first = contradict(ledger, 2).belief
    outcome = contradict(ledger, 3)

    assert outcome.action == "conflict"
    assert outcome.belief.id == first.id
    assert len(ledger.ever) == 2
    assert ledger.one("Bern", "conflict").reinforcement_count == 1


def test_an_alternative_for_further_scopes_is_recorded_again(ledger: Ledger) -> None:
    first = contradict(ledger, 2).belief
    wider = contradict(ledger, 3, scopes=["user:universal", "project:a"]).belief

    assert wider.id != first.id
    assert len(ledger.rows(standing="conflict")) == 2


def test_the_same_source_corrects_itself(ledger: Ledger) -> None:
    outcome = ledger.remember("Bern", at=2, valid_from=1, provenance={"source": "crm"})
    assert outcome.action == "corrected"


def test_order_in_time_decides_where_it_can(ledger: Ledger) -> None:
    outcome = ledger.remember("Bern", at=3, valid_from=2, provenance={"source": "hr"})
    assert outcome.action == "superseded"
    ledger = Ledger()
    ledger.remember("Berlin", at=1, provenance={"source": "crm"})
    planner = ledger.planner(day(2))
    # Both default to the commit's own instant: the later one of the call wins.
    planner.remember(make_draft("Lyon", provenance={"source": "crm"}))
    assert planner.remember(make_draft("Bern", provenance={"source": "hr"})).action == "corrected"


@pytest.mark.parametrize("mark", [{"pinned": True}, {"user_edited": True}])
def test_extraction_does_not_overrule_what_people_fixed(mark: dict[str, bool]) -> None:
    ledger = Ledger()
    ledger.remember("Berlin", at=1, **mark)
    assert ledger.remember("Lyon", at=5, provenance=EXTRACTED).action == "conflict"
    assert ledger.remember("Berlin", at=6, provenance=EXTRACTED).action == "reinforced"
    assert ledger.current(7) == ["Berlin"]
    assert ledger.remember("Lyon", at=8).action == "superseded"


def test_extraction_cannot_close_a_pinned_belief_of_another_slot(ledger: Ledger) -> None:
    ledger.do("update", SLOT, {"pinned": True}, at=2)
    outcome = ledger.remember(
        "Lyon", at=3, attribute="home", provenance=EXTRACTED, supersedes=ledger.one("Berlin").id
    )
    assert outcome.action == "conflict"
    assert ledger.current(4) == ["Berlin"]


def test_policy_supersede_follows_the_table(ledger: Ledger) -> None:
    assert contradict(ledger, 2, on_conflict="supersede").action == "corrected"
    assert ledger.current(3) == ["Bern"]


def test_policy_retain_keeps_the_alternative_as_history_once(ledger: Ledger) -> None:
    assert contradict(ledger, 2, on_conflict="retain").action == "retained"
    assert contradict(ledger, 3, on_conflict="retain").action == "retained"
    assert ledger.rows(standing="retained") == [("Bern", 1, None, None)]
    assert ledger.current(4) == ["Berlin"]


def test_policy_raise_plans_nothing(ledger: Ledger) -> None:
    before = dict(ledger.ever)
    with pytest.raises(ConflictPending) as caught:
        contradict(ledger, 2, on_conflict="raise")
    assert (caught.value.held, caught.value.asserted) == ("Berlin", "Bern")
    with pytest.raises(ConflictPending):
        contradict(ledger, 2, handle={"on_conflict": "raise"})
    assert ledger.ever == before


def test_a_conflict_decided_for_the_alternative_corrects(ledger: Ledger) -> None:
    old = ledger.one("Berlin")
    conflict = contradict(ledger, 2).belief
    outcome = ledger.do("resolve_conflict", conflict.id, "supersede", at=3)

    assert outcome.action == "corrected"
    assert ledger.rows() == [("Bern", 1, None, None)]
    assert ledger.rows(standing="conflict") == []
    assert ledger.one("Bern").id == old.id
    assert ledger.one("Bern").aliases == ("home",)
    assert ledger.one("Bern").conflicts_with is None


def test_a_later_alternative_becomes_current_under_its_own_id() -> None:
    ledger = Ledger()
    ledger.remember("Berlin", at=1, pinned=True)
    conflict = ledger.remember("Lyon", at=5, provenance=EXTRACTED).belief
    assert conflict is not None
    outcome = ledger.do("resolve_conflict", conflict.id, "supersede", at=7)

    assert outcome.action == "superseded"
    assert ledger.rows() == [("Berlin", 1, 5, "Lyon"), ("Lyon", 5, None, None)]
    assert ledger.one("Lyon").id == conflict.id


def test_a_conflict_decided_for_the_held_value_stays_decided(ledger: Ledger) -> None:
    conflict = contradict(ledger, 2).belief
    outcome = ledger.do("resolve_conflict", conflict.id, "retain", at=3)

    assert outcome.action == "retained"
    assert ledger.current(4) == ["Berlin"]
    assert contradict(ledger, 5).action == "retained"
    assert ledger.rows(standing="conflict") == []
    with pytest.raises(BeliefNotFound):
        ledger.do("resolve_conflict", conflict.id, "supersede", at=6)


def test_an_annotated_alternative_stays_visible_and_may_still_be_decided(ledger: Ledger) -> None:
    conflict = contradict(ledger, 2).belief
    ledger.do("resolve_conflict", conflict.id, "annotate", at=3)

    assert ledger.rows(standing="annotated") == [("Bern", 1, None, None)]
    assert ledger.current(4) == ["Berlin"]
    ledger.do("resolve_conflict", conflict.id, "supersede", at=5)
    assert ledger.current(6) == ["Bern"]


def test_a_decision_is_one_of_three_about_something_recorded(ledger: Ledger) -> None:
    conflict = contradict(ledger, 2).belief
    with pytest.raises(InvalidBelief, match="decision"):
        ledger.do("resolve_conflict", conflict.id, "maybe", at=3)
    with pytest.raises(BeliefNotFound):
        ledger.do("resolve_conflict", ledger.one("Berlin").id, "retain", at=3)


def test_a_pending_draft_is_current_only_once_approved(ledger: Ledger) -> None:
    pending = ledger.remember("Lyon", at=5, pending=True).belief
    assert pending is not None
    assert ledger.current(6) == ["Berlin"]
    outcome = ledger.do("approve", pending.id, at=8)

    assert outcome.action == "superseded"
    assert ledger.rows() == [("Berlin", 1, 5, "Lyon"), ("Lyon", 5, None, None)]
    assert ledger.one("Lyon").id == pending.id
    assert ledger.current(6, known=7) == ["Berlin"]
    with pytest.raises(BeliefNotFound):
        ledger.do("approve", pending.id, at=9)


def test_a_rejected_draft_is_history(ledger: Ledger) -> None:
    pending = ledger.remember("Lyon", at=5, pending=True).belief
    assert pending is not None
    ledger.do("reject", pending.id, at=6)

    assert ledger.current(7) == ["Berlin"]
    assert ledger.rows(standing="rejected") == [("Lyon", 5, None, None)]
    with pytest.raises(BeliefNotFound):
        ledger.do("approve", pending.id, at=8)


def test_pending_drafts_do_not_pile_up(ledger: Ledger) -> None:
    first = ledger.remember("Lyon", at=5, pending=True)
    again = ledger.remember("lyon", at=6, pending=True)
    known = ledger.remember("Berlin", at=7, pending=True)

    assert first.action == again.action == "pending"
    assert first.belief is not None
    assert again.belief is not None
    assert again.belief.id == first.belief.id
    assert known.action == "reinforced"
    assert len(ledger.ever) == 2


def test_an_approved_draft_closes_what_it_said_it_supersedes(ledger: Ledger) -> None:
    pending = ledger.remember(
        "Lyon", at=5, attribute="home", pending=True, supersedes=ledger.one("Berlin").id
    ).belief
    assert pending is not None
    assert ledger.current(6) == ["Berlin"]
    ledger.do("approve", pending.id, at=7)
    assert ledger.current(6) == []
    assert ledger.current(6, attribute="home") == ["Lyon"]
