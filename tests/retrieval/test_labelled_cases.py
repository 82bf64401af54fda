"""Every label of the two sample packs, by rule: PrecisionMemBench and a devops pack."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from belief_memory.ledger.held import HeldIndex
from belief_memory.model.belief import Belief
from belief_memory.model.context import Budget
from belief_memory.retrieval.index import RecallIndex
from belief_memory.retrieval.recall import Question, Recalled, recall
from belief_memory.text.keys import name_keys
from tests.retrieval.world import UNIVERSAL, from_record

pytestmark = pytest.mark.data
AT = datetime(2027, 1, 1, tzinfo=UTC)


class Shelf:
    """Ledgers by user, changed the way the sessions of the packs say."""

    def __init__(self, records: Iterable[dict[str, Any]]) -> None:
        self.held: dict[str, HeldIndex] = {}
        self.indexes: dict[str, RecallIndex] = {}
        for record in records:
            self.put(from_record(record))

    def put(self, version: Belief) -> None:
        held = self.held.setdefault(version.user_id, HeldIndex())
        index = self.indexes.setdefault(version.user_id, RecallIndex(held))
        held.add(version)
        index.add(version)

    def change(self, id: str, **changes: Any) -> None:
        for held in self.held.values():
            for version in held.of_belief(id):
                changed = version.but(**changes, name_keys=())
                self.put(changed.but(name_keys=name_keys(changed)))

    def add_aliases(self, id: str, aliases: Iterable[str]) -> None:
        for held in self.held.values():
            for version in held.of_belief(id):
                self.change(id, aliases=tuple(dict.fromkeys((*version.aliases, *aliases))))

    def ask(self, user: str, scope: list[str], query: str, budget: Budget) -> Recalled:
        index = self.indexes.get(user) or RecallIndex(HeldIndex())
        return recall(Question(query, frozenset({UNIVERSAL, *scope}), AT, budget=budget), [index])


def ids(beliefs: Iterable[Belief]) -> set[str]:
    return {belief.id for belief in beliefs}


def tenure_failures(found: Recalled, expect: dict[str, Any]) -> list[str]:
    failures: list[str] = []
    relevant, pinned, questions = map(ids, (found.relevant, found.pinned, found.questions))
    persona = "\n".join(belief.content for belief in found.persona_beliefs)

    def check(holds: bool, what: str) -> None:
        if not holds:
            failures.append(f"{what}: relevant {sorted(relevant)} pinned {sorted(pinned)}")

    wanted = expect.get("relevantBeliefs", {})
    if "shouldOnlyInclude" in wanted:
        check(relevant == set(wanted["shouldOnlyInclude"]), "relevant is exactly")
    check(set(wanted.get("mustInclude", ())) <= relevant | pinned, "relevant or pinned includes")
    check(not set(wanted.get("mustExclude", ())) & (relevant | pinned), "excludes")
    for route, got in (("pinnedFacts", pinned), ("openQuestions", questions)):
        check(set(expect.get(route, {}).get("mustInclude", ())) <= got, f"{route} includes")
        check(not set(expect.get(route, {}).get("mustExclude", ())) & got, f"{route} excludes")
    prelude = expect.get("personaPrelude", {})
    check(not prelude.get("nonEmpty") or bool(persona), "persona is there")
    check(not prelude.get("isNull") or not persona, "persona is not there")
    for text in prelude.get("contains", ()):
        check(text.lower() in persona.lower(), f"persona contains {text}")
    for text in prelude.get("mustNotContain", ()):
        check(text.lower() not in persona.lower(), f"persona does not contain {text}")
    return failures


def pack_failures(found: Recalled, expect: dict[str, Any]) -> list[str]:
    failures: list[str] = []
    relevant, pinned, questions = map(ids, (found.relevant, found.pinned, found.questions))
    if relevant != set(expect["relevant_only"]):
        failures.append(f"relevant {sorted(relevant)}, wanted {expect['relevant_only']}")
    for key, got in (("pinned", pinned), ("questions", questions), ("relevant", relevant)):
        missing = set(expect.get(f"{key}_include", ())) - got
        extra = set(expect.get(f"{key}_exclude", ())) & got
        if missing or extra:
            failures.append(f"{key}: missing {sorted(missing)}, extra {sorted(extra)}")
    return failures


def budget_of(case: dict[str, Any]) -> Budget:
    given = case.get("budget") or {}
    return Budget(
        max_beliefs=given.get("maxBeliefs", 20),
        max_pinned=given.get("maxPinnedFacts", 10),
        max_questions=given.get("maxQuestions", 15),
    )


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_single_turn_case_of_precisionmembench_holds(data: Path) -> None:
    folder = data / "precisionmembench"
    shelf = Shelf(load(folder / "beliefs.seed.json"))
    cases = load(folder / "retrieval.cases.json")
    failures = {
        case["caseId"]: failed
        for case in cases
        if (
            failed := tenure_failures(
                shelf.ask(
                    case.get("userId", "test-user"), case["scope"], case["query"], budget_of(case)
                ),
                case["expect"],
            )
        )
    }
    assert len(cases) == 77
    assert failures == {}


def test_every_session_turn_of_precisionmembench_holds(data: Path) -> None:
    folder = data / "precisionmembench"
    shelf = Shelf(load(folder / "beliefs.seed.json"))
    failures: dict[str, list[str]] = {}
    turns = [
        (session["caseId"], turn)
        for session in load(folder / "session-retrieval.cases.json")
        for turn in session["turns"]
    ]
    for session, turn in turns:
        found = shelf.ask("test-user", turn["scope"], turn["userMessage"], Budget())
        if failed := tenure_failures(found, turn["expect"]):
            failures[f"{session}[{turn['turnIndex']}]"] = failed
        if created := turn.get("createBeliefAtTurn"):
            shelf.put(from_record(created))
        if update := turn.get("updateBeliefAtTurn"):
            aliases = update.get("aliases") or update.get("addAliases") or []
            id = update.get("beliefId") or update.get("_id") or update.get("id")
            shelf.add_aliases(id, [alias.strip().lower() for alias in aliases])
    assert len(turns) == 12
    assert failures == {}


def test_every_case_of_the_pack_holds(data: Path) -> None:
    pack = load(data / "pack_devops" / "pack_devops.json")
    shelf = Shelf(pack["beliefs"])
    failures = {
        case["id"]: failed
        for case in pack["cases"]
        if (
            failed := pack_failures(
                shelf.ask(case["user_id"], case["scope"], case["query"], budget_of(case)),
                case["expect"],
            )
        )
    }
    assert len(pack["cases"]) == 104
    assert failures == {}


def test_every_session_turn_of_the_pack_holds(data: Path) -> None:
    pack = load(data / "pack_devops" / "pack_devops.json")
    failures: dict[str, list[str]] = {}
    for session in pack["sessions"]:
        shelf = Shelf(pack["beliefs"])
        for number, turn in enumerate(session["turns"]):
            found = shelf.ask(turn["user_id"], turn["scope"], turn["query"], Budget())
            if failed := pack_failures(found, turn["expect"]):
                failures[f"{session['id']}[{number}]"] = failed
            for id, aliases in turn.get("add_aliases", {}).items():
                shelf.add_aliases(id, aliases)
            if added := turn.get("add_belief"):
                shelf.put(from_record(added))
            if change := turn.get("supersede"):
                shelf.put(from_record(change["new"]))
                shelf.change(change["old_id"], superseded_by=change["new"]["id"])
    assert failures == {}
