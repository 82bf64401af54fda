"""Retrieval precision: labelled cases, run through the public API.

Two forms of labels are read: PrecisionMemBench (github.com/tenurehq/precisionmembench; its
scoring rules are kept) and packs, JSON files with ``beliefs``, ``cases`` and ``sessions``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from belief_memory import BeliefMemory, Budget, Context
from belief_memory.model.time import to_instant

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """One query, what it must give, and what changes afterwards."""

    id: str
    user_id: str
    scopes: tuple[str, ...]
    query: str
    expect: Mapping[str, Any]
    budget: Budget = field(default_factory=Budget)
    add_aliases: Mapping[str, list[str]] = field(default_factory=dict)
    add_beliefs: tuple[Record, ...] = ()
    supersede: tuple[str, Record] | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Beliefs, and runs of turns. Each run starts from a fresh load, or goes on."""

    name: str
    beliefs: list[Record]
    cases: list[Turn]
    sessions: list[list[Turn]]
    sessions_continue: bool


@dataclass(frozen=True, slots=True)
class Result:
    """How one turn went."""

    id: str
    kind: str
    """``active`` (something must be relevant), ``empty`` (nothing may), ``structural``."""
    failures: tuple[str, ...]
    hit: int
    returned: int
    wanted: int
    drifted: int
    surfaced: int
    milliseconds: float


def read_suites(data: Path) -> Iterator[Suite]:
    """The suites found under ``data``: a PrecisionMemBench folder, packs, or their parent."""
    for seed in sorted(data.rglob("beliefs.seed.json")):
        yield _tenure(seed.parent)
    for path in sorted(data.rglob("*.json")):
        if path.name.startswith("pack") or path.parent.name.startswith("pack"):
            pack = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(pack, dict) and {"beliefs", "cases"} <= pack.keys():
                yield _pack(pack)


def run(suite: Suite) -> list[Result]:
    """Every case and session of a suite, each on a memory of its own."""
    results: list[Result] = []
    with BeliefMemory.open("memory://") as memory:
        seed(memory, suite.beliefs)
        results += [_play(memory, turn) for turn in suite.cases]
    with BeliefMemory.open("memory://") as shared:
        seed(shared, suite.beliefs)
        for session in suite.sessions:
            if suite.sessions_continue:
                results += [_play(shared, turn) for turn in session]
                continue
            with BeliefMemory.open("memory://") as memory:
                seed(memory, suite.beliefs)
                results += [_play(memory, turn) for turn in session]
    return results


def seed(memory: BeliefMemory, records: Iterable[Record]) -> None:
    """Load records of several users, each into its own ledger."""
    by_user: dict[str, list[Record]] = {}
    for record in records:
        by_user.setdefault(record["user_id"], []).append(to_record(record))
    for user_id, own in by_user.items():
        memory.for_user(user_id).load(own)


def to_record(given: Record) -> Record:
    """A record of a suite as ``load`` takes it."""
    began = to_instant(given["created_at"], "created_at")
    status = given.get("epistemic_status", "active")
    dead_end = status == "superseded" and not given.get("superseded_by")
    record = {
        "id": given.get("_id") or given["id"],
        "user_id": given["user_id"],
        "scopes": given["scope"],
        "epistemic_status": "active" if status == "superseded" else status,
        "valid_from": began,
        "valid_to": began + timedelta(microseconds=1) if dead_end else None,
    }
    for name in (
        "type", "subtype", "canonical_name", "attribute", "aliases", "attribute_aliases",
        "content", "why_it_matters", "confidence", "pinned", "superseded_by", "resolved_at",
        "participants", "relation_type", "reinforcement_count", "last_reinforced_at",
        "user_edited",
    ):  # fmt: skip
        if given.get(name) is not None:
            record[name] = given[name]
    return record


def _play(memory: BeliefMemory, turn: Turn) -> Result:
    user = memory.for_user(turn.user_id, scopes=turn.scopes or ("user:universal",))
    user.recall(turn.query, budget=turn.budget)
    started = time.perf_counter()
    context = user.recall(turn.query, budget=turn.budget)
    spent = (time.perf_counter() - started) * 1000
    result = _score(turn, context, spent)
    for id, aliases in turn.add_aliases.items():
        user.add_aliases(id, aliases)
    seed(memory, turn.add_beliefs)
    if turn.supersede is not None:
        old, new = turn.supersede
        record = to_record(new)
        memory.for_user(new["user_id"]).load([{**record, "supersedes": old}])
    return result


def _score(turn: Turn, context: Context, spent: float) -> Result:
    got = {
        "relevant": _ids(context.relevant),
        "pinned": _ids(context.pinned),
        "questions": _ids(context.questions),
    }
    failures = [what for what, holds in _checks(turn.expect, got, context.persona) if not holds]
    exact = turn.expect.get("relevant")
    relevant = got["relevant"]
    wanted = relevant if exact is None else set(exact)
    noise = set(turn.expect.get("noise", ())) & relevant
    drifted = noise | (relevant - wanted)
    kind = "structural" if exact is None else "active" if exact else "empty"
    scored = exact is not None and bool(wanted or relevant)
    return Result(
        id=turn.id,
        kind=kind,
        failures=tuple(failures),
        hit=len(relevant & wanted) if scored else 0,
        returned=len(relevant) if scored else 0,
        wanted=len(wanted) if scored else 0,
        drifted=len(drifted),
        surfaced=len(relevant),
        milliseconds=spent,
    )


def _checks(
    expect: Mapping[str, Any], got: Mapping[str, set[str]], persona: str
) -> Iterator[tuple[str, bool]]:
    relevant = got["relevant"]
    if expect.get("relevant") is not None:
        wanted = set(expect["relevant"])
        yield f"relevant is {sorted(relevant)}, wanted {sorted(wanted)}", relevant == wanted
    seen = {**got, "seen": relevant | got["pinned"]}
    for route in ("relevant", "seen", "pinned", "questions"):
        missing = set(expect.get(f"{route}_include", ())) - seen[route]
        yield f"{route} lacks {sorted(missing)}", not missing
        extra = set(expect.get(f"{route}_exclude", ())) & seen[route]
        yield f"{route} has {sorted(extra)}", not extra
    prelude = expect.get("persona", {})
    yield "persona is empty", not prelude.get("nonEmpty") or bool(persona)
    yield "persona is not empty", not prelude.get("isNull") or not persona
    for text in prelude.get("contains", ()):
        yield f"persona lacks {text!r}", text.casefold() in persona.casefold()
    for text in prelude.get("mustNotContain", ()):
        yield f"persona has {text!r}", text.casefold() not in persona.casefold()


def _ids(beliefs: Iterable[Any]) -> set[str]:
    return {belief.id for belief in beliefs}


def _tenure(folder: Path) -> Suite:
    def load(name: str) -> Any:
        return json.loads((folder / name).read_text(encoding="utf-8"))

    cases = [
        _tenure_turn(case["caseId"], case, case["query"]) for case in load("retrieval.cases.json")
    ]
    sessions = [
        [
            _tenure_turn(f"{session['caseId']}[{turn['turnIndex']}]", turn, turn["userMessage"])
            for turn in session["turns"]
        ]
        for session in load("session-retrieval.cases.json")
    ]
    return Suite("PrecisionMemBench", load("beliefs.seed.json"), cases, sessions, True)


def _tenure_turn(id: str, case: Record, query: str) -> Turn:
    given = case["expect"]
    relevant = given.get("relevantBeliefs", {})
    pinned, questions = given.get("pinnedFacts", {}), given.get("openQuestions", {})
    update, created = case.get("updateBeliefAtTurn"), case.get("createBeliefAtTurn")
    return Turn(
        id=id,
        user_id=case.get("userId", "test-user"),
        scopes=tuple(case["scope"]),
        query=query,
        budget=_budget(case),
        expect={
            "relevant": relevant.get("shouldOnlyInclude"),
            "seen_include": relevant.get("mustInclude", ()),
            "seen_exclude": relevant.get("mustExclude", ()),
            "pinned_include": pinned.get("mustInclude", ()),
            "pinned_exclude": pinned.get("mustExclude", ()),
            "questions_include": questions.get("mustInclude", ()),
            "questions_exclude": questions.get("mustExclude", ()),
            "persona": given.get("personaPrelude", {}),
            "noise": given.get("noiseCheck", {}).get("mustNotSurface", ()),
        },
        add_aliases={update["beliefId"]: [alias.strip().lower() for alias in update["addAliases"]]}
        if update
        else {},
        add_beliefs=(created,) if created else (),
    )


def _pack(pack: Record) -> Suite:
    return Suite(
        pack.get("name", "pack"),
        pack["beliefs"],
        [_pack_turn(case["id"], case) for case in pack["cases"]],
        [
            [
                _pack_turn(f"{session['id']}[{number}]", turn)
                for number, turn in enumerate(session["turns"])
            ]
            for session in pack.get("sessions", ())
        ],
        sessions_continue=False,
    )


def _pack_turn(id: str, case: Record) -> Turn:
    given = case["expect"]
    added, change = case.get("add_belief"), case.get("supersede")
    keys = ("pinned_include", "pinned_exclude", "questions_include", "questions_exclude",
            "relevant_exclude")  # fmt: skip
    return Turn(
        id=id,
        user_id=case["user_id"],
        scopes=tuple(case["scope"]),
        query=case["query"],
        budget=_budget(case),
        expect={
            "relevant": given.get("relevant_only"),
            **{key: given.get(key, ()) for key in keys},
        },
        add_aliases=case.get("add_aliases") or {},
        add_beliefs=(added,) if added else (),
        supersede=(change["old_id"], change["new"]) if change else None,
    )


def _budget(case: Record) -> Budget:
    given = case.get("budget") or {}
    return Budget(
        max_beliefs=given.get("maxBeliefs", 20),
        max_pinned=given.get("maxPinnedFacts", 10),
        max_questions=given.get("maxQuestions", 15),
    )
