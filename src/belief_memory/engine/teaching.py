"""Learned drafts as one unit of work: gated and planned on what is held."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from belief_memory.engine.work import Writer
from belief_memory.errors import BeliefNotFound, ConflictPending, InvalidBelief
from belief_memory.learning.doubts import Setting
from belief_memory.learning.gate import (
    MAX_ALIASES,
    PROMOTED_AFTER,
    SPACING,
    Decision,
    decide,
)
from belief_memory.learning.heard import Heard
from belief_memory.learning.present import Present
from belief_memory.learning.restating import restated
from belief_memory.ledger.held import HeldIndex
from belief_memory.ledger.planner import Plan, Planner
from belief_memory.ledger.reading import Reader
from belief_memory.model.belief import Belief
from belief_memory.model.draft import UNSET, WAITS_BECAUSE, Draft
from belief_memory.model.frozen import frozen
from belief_memory.model.learning import Learned, Skip
from belief_memory.model.outcome import Outcome
from belief_memory.text.fold import slot_key
from belief_memory.text.keys import name_key

Taught = tuple[list[Outcome], list[Skip]]


class Teaching:
    """Some learned drafts, in order, in one commit. One that the ledger refuses is
    reported, and the others are planned without it."""

    def __init__(
        self, writer: Writer, heard: Heard, learned: Sequence[Learned], setting: Setting
    ) -> None:
        # Weighing a draft takes several times what planning it does.
        self.size = 8 * len(learned)
        self._writer = writer
        self._heard = heard
        self._learned = learned
        self._setting = setting

    async def prepare(self, held: HeldIndex, at: datetime) -> datetime:
        """Needs nothing but what is held."""
        return at

    def plan(self, held: HeldIndex, at: datetime) -> tuple[Plan, Taught]:
        refused: dict[int, Skip] = {}
        while True:
            run = _Run(self._writer, self._heard, self._setting, held, at)
            failed = run.teach(self._learned, refused)
            if failed is None:
                return run.planner.plan(), (run.outcomes, run.skipped)


class _Run:
    """One attempt to plan all of the drafts."""

    def __init__(
        self, writer: Writer, heard: Heard, setting: Setting, held: HeldIndex, at: datetime
    ) -> None:
        self.planner: Planner = writer.planner(held, at)
        self.outcomes: list[Outcome] = []
        self.skipped: list[Skip] = []
        self._heard = heard
        self._setting = setting
        self._at = at
        self._writer = writer
        self._held = held
        latest = max((turn.at for turn in heard.turns if turn.dated), default=at)
        self._reader = Reader(
            held=held,
            valid_at=max(at, latest),
            scopes=frozenset(writer.scopes),
            agent_id=writer.agent_id,
        )
        self._told: dict[tuple[str, tuple[str, int], datetime | None], str] = {}
        self._current = Present(
            version
            for version in held
            if version.agent_id == writer.agent_id and self._reader.eligible(version)
        )

    def teach(self, learned: Sequence[Learned], refused: dict[int, Skip]) -> int | None:
        """Plan the drafts; None, or the index of one that was refused on the way."""
        for index, one in enumerate(learned):
            if index in refused:
                self.skipped.append(refused[index])
                continue
            decision = decide(one, self._heard, self._current, self._setting)
            if isinstance(decision, Skip):
                self.skipped.append(decision)
                continue
            mark = self._mark()
            try:
                self._apply(decision, one)
            except (InvalidBelief, BeliefNotFound, ConflictPending) as error:
                text = one.quote or one.content
                refused[index] = Skip(str(error), text, decision.slot, one.message_id)
                if not self._undone(mark):
                    return index
                self.skipped.append(refused[index])
        return None

    def _mark(self) -> tuple[int, ...]:
        return self.planner.changes, len(self.outcomes), len(self.skipped), len(self._told)

    def _undone(self, mark: tuple[int, ...]) -> bool:
        """Whether a draft that was refused has left nothing planned, and so need not be
        planned without: where all are refused, each would have all planned again."""
        changes, outcomes, skipped, told = mark
        if (self.planner.changes, len(self.outcomes)) != (changes, outcomes):
            return False
        del self.skipped[skipped:]
        if len(self._told) > told:
            self._told.popitem()
        return True

    def _apply(self, decision: Decision, learned: Learned) -> None:
        draft = decision.draft
        target = decision.target
        outcome: Outcome | None = None
        if decision.do == "remember" and draft is not None:
            draft = self._one_a_sentence(self._named(draft, learned), decision)
            if self._rejected(draft):
                text = learned.quote or learned.content
                reason = "it was rejected in review"
                self.skipped.append(Skip(reason, text, decision.slot, learned.message_id))
                return
            outcome = self.planner.remember(draft)
        elif decision.do == "reinforce" and draft is not None and target is not None:
            outcome = self._reinforce(self._named(draft, learned, target), target)
        elif decision.do == "correct" and draft is not None and target is not None:
            outcome = self._correct(draft, target, decision.at)
        elif decision.do == "retract" and target is not None:
            outcome = self.planner.retract(
                target.id, valid_from=decision.at, never_true=decision.never_true
            )
        elif decision.do == "alias" and target is not None:
            outcome = self._alias(decision, target, learned)
        if outcome is not None:
            self._seen(outcome)
        if decision.resolves is not None and (outcome is None or outcome.action != "pending"):
            by = outcome.belief.id if outcome is not None and outcome.belief is not None else None
            self._seen(self.planner.resolve(decision.resolves.id, by=by, at=decision.at))

    def _one_a_sentence(self, draft: Draft, decision: Decision) -> Draft:
        """A sentence that gives one slot two values at one time lists siblings: the second
        waits rather than taking the first one's place."""
        if draft.pending or decision.place is None or draft.cardinality == "many":
            return draft
        place = (slot_key(*draft.slot), decision.place, draft.valid_from)
        if self._told.setdefault(place, draft.content) == draft.content:
            return draft
        because = frozen({WAITS_BECAUSE: "the same sentence gives another value"})
        return draft.model_copy(update={"pending": True, "metadata": because})

    def _rejected(self, draft: Draft) -> bool:
        """Whether a person has decided about this value of this slot already: it does not
        wait again, and what was said before the decision does not overrule it."""
        scopes = set(draft.scopes or self._writer.scopes)
        decided = [
            version
            for version in self._held.in_slot(slot_key(*draft.slot))
            if version.standing == "rejected"
            and version.agent_id == self._writer.agent_id
            and not scopes.isdisjoint(version.scopes)
        ]
        found = restated(draft.content, decided, self._setting.alike)
        if found is None:
            return False
        said = None if draft.provenance is None else draft.provenance.at
        return draft.pending or (said is not None and said <= found.recorded_at)

    def _correct(self, draft: Draft, target: Belief, at: datetime | None) -> Outcome:
        changes = {
            "why_it_matters": draft.why_it_matters,
            "provenance": draft.provenance,
            **({"aliases": draft.aliases} if draft.aliases else {}),
        }
        return self.planner.correct(
            target.id, draft.content, valid_from=UNSET if at is None else at, changes=changes
        )

    def _reinforce(self, draft: Draft, target: Belief) -> Outcome:
        inferred = target.epistemic_status == "inferred"
        last = target.last_reinforced_at or target.recorded_at
        if inferred and self._at - last < SPACING:
            return Outcome("unchanged", target)
        outcome = self.planner.remember(draft)
        belief = outcome.belief
        if inferred and belief is not None and belief.reinforcement_count >= PROMOTED_AFTER:
            self._seen(outcome)
            return self.planner.update(belief.id, {"epistemic_status": "active"})
        return outcome

    def _alias(self, decision: Decision, target: Belief, learned: Learned) -> Outcome:
        names = self._free(decision.aliases, target, learned)
        if not names and not decision.attribute_aliases:
            return Outcome("unchanged", target)
        return self.planner.add_aliases(target.id, names, decision.attribute_aliases)

    def _named(self, draft: Draft, learned: Learned, target: Belief | None = None) -> Draft:
        """The draft with the aliases it may have."""
        if not draft.aliases:
            return draft
        here = self._current.in_slot(draft.slot)
        held = target or next((v for v in here if not v.member and v.slot == draft.slot), None)
        return draft.model_copy(update={"aliases": self._free(draft.aliases, held, learned, draft)})

    def _free(
        self,
        aliases: Iterable[str],
        target: Belief | None,
        learned: Learned,
        draft: Draft | None = None,
    ) -> tuple[str, ...]:
        """The aliases that say something new and belong to no other belief."""
        own = set[str]()
        if target is not None:
            own = {name_key(one) for one in (target.canonical_name, *target.aliases)}
        name = draft.canonical_name if draft is not None else None
        free: list[str] = []
        room = MAX_ALIASES - (len(target.aliases) if target is not None else 0)
        for alias in aliases:
            key = name_key(alias)
            if not key or key in own or (name is not None and key == name_key(name)):
                continue
            owner = self._owner(key, target, draft)
            if owner is not None or len(free) >= room:
                reason = f"the alias belongs to {owner.slot}" if owner else "it has enough aliases"
                self.skipped.append(Skip(reason, alias, learned.slot, learned.message_id))
                continue
            own.add(key)
            free.append(alias)
        return tuple(free)

    def _owner(self, key: str, target: Belief | None, draft: Draft | None) -> Belief | None:
        for belief in self._current.called(key):
            if not (target is not None and belief.id == target.id) and not (
                draft is not None and belief.slot == draft.slot
            ):
                return belief
        return None

    def _seen(self, outcome: Outcome) -> None:
        """Let the drafts that follow see what this one did."""
        self.outcomes.append(outcome)
        changed = [v for v in (outcome.belief, *outcome.touched) if v is not None]
        for version in changed:
            self._current.discard(version.id, version.rev)
        for version in changed:
            if (
                version.standing == "held"
                and version.retired_at is None
                and version.valid_at(self._reader.valid_at)
                and version.resolved_at is None
                and self._reader.reaches(version)
            ):
                self._current.add(version)
