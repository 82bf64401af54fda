"""The gate: what an extractor says was said, against what was said and what is held.

What rests on no statement of the user teaches nothing and is reported. What is doubtful
waits for review. The rest is planned, in order, as one commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from belief_memory.errors import InvalidBelief
from belief_memory.learning.doubts import SEVERAL, Doubts, Setting, foreign_scopes
from belief_memory.learning.evidence import (
    Evidence,
    NoEvidence,
    answers_a_question,
    find_evidence,
    find_quote,
    says_too_little,
)
from belief_memory.learning.heard import Heard, folded_once
from belief_memory.learning.keys import USER, cached_slot_key, choose_slot
from belief_memory.learning.present import Present, recorded_order
from belief_memory.learning.restating import facts, restated
from belief_memory.learning.timing import Timing, timing
from belief_memory.learning.words import meaning
from belief_memory.model.belief import Belief, Provenance
from belief_memory.model.draft import WAITS_BECAUSE, Draft, to_draft
from belief_memory.model.learning import Learned, Said, Skip
from belief_memory.model.slot import Slot
from belief_memory.text.fold import value_key

SPACING = timedelta(hours=20)
"""Restatements of an inferred belief count once a day, with some leeway."""

PROMOTED_AFTER = 3
"""Spaced restatements after which an inferred belief counts as stated."""

MAX_ALIASES = 32
"""Aliases a belief may have."""

_KINDS = {
    "question": "a question teaches nothing",
    "quotation": "a quotation teaches nothing",
    "hypothetical": "a hypothetical teaches nothing",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with one draft."""

    do: Literal["remember", "correct", "retract", "alias", "resolve", "reinforce"]
    slot: Slot
    draft: Draft | None = None
    target: Belief | None = None
    at: datetime | None = None
    never_true: bool = False
    resolves: Belief | None = None
    """An open question that this answers."""
    doubt: str | None = None
    """Why it waits for review; None: it does not."""
    aliases: tuple[str, ...] = ()
    attribute_aliases: tuple[str, ...] = ()
    place: tuple[str, int] | None = None
    """The sentence it rests on: message id and offset."""


def decide(learned: Learned, heard: Heard, held: Present, setting: Setting) -> Decision | Skip:
    """What becomes of one draft, given what is current as it comes."""
    found = find_evidence(learned, heard)
    if isinstance(found, NoEvidence):
        return _skip(found.reason, learned, found.said)
    asks = learned.type == "open_question"
    if found.kind in _KINDS and not (asks and found.kind != "quotation"):
        return _skip(_KINDS[found.kind], learned, found.said)
    if learned.act in ("assert", "change", "correct") and not learned.why_it_matters:
        return _skip("it does not say why it matters", learned, found.said)
    if says_too_little(found, learned.quote) and not answers_a_question(found, heard):
        return _skip("it says too little", learned, found.said)
    return _Gate(learned, heard, held, setting, found).decide()


class _Gate:
    """One draft with everything that bears on it."""

    def __init__(
        self,
        learned: Learned,
        heard: Heard,
        held: Present,
        setting: Setting,
        evidence: Evidence,
    ) -> None:
        self.learned = learned
        self.held = held
        self.setting = setting
        self.evidence = evidence
        keyed = choose_slot(
            learned,
            evidence,
            held,
            user_id=setting.user_id,
            same_attribute=setting.same_attribute,
        )
        self.slot = keyed.slot
        self.time: Timing = timing(learned, evidence)
        self.here = list(held.in_slot(self.slot))
        self.doubts = [
            keyed.doubt,
            *Doubts(
                learned, self.slot, self.here, held.people, heard, setting, evidence, self.time
            ).all(),
        ]

    def decide(self) -> Decision | Skip:
        act = self.learned.act
        if act == "alias":
            return self._alias()
        if act == "retract":
            return self._retract()
        if act == "resolve" and not self.learned.content:
            return self._resolve()
        return self._assert()

    def _assert(self) -> Decision | Skip:
        current = self._member_held()
        same = restated(self.learned.content, current, self.setting.alike)
        if same is not None:
            return self._reinforce(same)
        if self.learned.act == "assert" and current and not self._beside(current):
            self.doubts.append("another value is held, and nothing says that it changed")
        if self.learned.act != "correct" and current and self._may_be_another(current[0]):
            self.doubts.append("there may be several of them")
        protected = next((b for b in current if b.pinned or b.user_edited), None)
        doubt = self._doubt()
        question = self._question()
        if self.learned.resolves is not None and question is None:
            doubt = doubt or "no open question of that name is held"
        if self.learned.act == "correct" and current and doubt is None and protected is None:
            target = current[0]
            draft = self._draft(valid_from=None, content=self.learned.content)
            if isinstance(draft, Skip):
                return draft
            at = self.time.valid_from if self.time.explicit else None
            return Decision("correct", self.slot, draft, target=target, at=at, resolves=question)
        start = self._since()
        if self.learned.act == "correct" and current and not self.time.explicit:
            start = current[0].valid_from
        draft = self._draft(
            valid_from=start, content=self.learned.content, pending=doubt is not None
        )
        if isinstance(draft, Skip):
            return draft
        place = (self.evidence.said.id, self.evidence.sentence.start)
        return Decision(
            "remember",
            self.slot,
            draft,
            at=self._since(),
            doubt=doubt,
            resolves=question,
            place=place,
        )

    def _since(self) -> datetime | None:
        """From when it is true; None: from the commit on."""
        dated = self.time.explicit or self.evidence.said.dated
        return self.time.valid_from if dated else None

    def _member_held(self) -> list[Belief]:
        """What the draft would meet: in a slot of many, only the same member."""
        learned = self.learned
        if any(belief.cardinality == "many" for belief in self.here):
            member = value_key(learned.member or learned.content)
            return [belief for belief in self.here if belief.member == member]
        if learned.cardinality == "many" and self.here:
            self.doubts.append("the slot holds one value, not many")
        return self.here

    def _beside(self, current: list[Belief]) -> bool:
        """Whether the text gives an interval that meets nothing held."""
        time = self.time
        return time.explicit and all(
            (time.valid_to is not None and time.valid_to <= belief.valid_from)
            or (belief.valid_to is not None and belief.valid_to <= time.valid_from)
            for belief in current
        )

    def _may_be_another(self, held: Belief) -> bool:
        """Whether a thing that one has several of (children, pets) is called otherwise, and
        nothing in the text is about the one that is held."""
        kind = self.setting.same_attribute(self.slot.attribute or "")
        if self.slot.canonical_name != USER or kind not in SEVERAL or self._beside([held]):
            return False
        ours, theirs = facts(self.learned.content), facts(held.content)
        said = folded_once(self.evidence.said.prose)[0]
        return (
            bool(ours and theirs)
            and ours.isdisjoint(theirs)
            and not any(name in said for name in theirs)
        )

    def _reinforce(self, same: Belief) -> Decision | Skip:
        if self._doubt() is not None and not self.setting.curated:
            return _skip(
                f"it repeats what is held, but {self._doubt()}", self.learned, self.evidence.said
            )
        since = self._since()
        if since is not None and not self.time.explicit and since >= same.valid_from:
            since = None
        draft = self._draft(valid_from=since, content=same.content)
        if isinstance(draft, Skip):
            return draft
        question, at = self._question(), self._since()
        return Decision("reinforce", self.slot, draft, target=same, at=at, resolves=question)

    def _retract(self) -> Decision | Skip:
        current = self._member_held()
        said = self.evidence.said
        if not current:
            return _skip("nothing is held there to retract", self.learned, said)
        target = current[0]
        if target.pinned or target.user_edited:
            return _skip(
                "what the user edited or pinned is not ended by extraction", self.learned, said
            )
        if not self._is_meant(target):
            return _skip("what is held there is something else", self.learned, said)
        doubt = self._doubt()
        if doubt is not None:
            return _skip(f"it would end a belief, but {doubt}", self.learned, said)
        return Decision(
            "retract",
            self.slot,
            target=target,
            at=self.time.valid_to or self._since(),
            never_true=self.learned.never_true,
        )

    def _is_meant(self, target: Belief) -> bool:
        """Whether the value that a retraction names, if it names one, is the one held."""
        named = meaning(self.learned.content) - meaning(str(self.slot).replace("_", " "))
        return not named or bool(named & meaning(target.content))

    def _resolve(self) -> Decision | Skip:
        question = self._question()
        said = self.evidence.said
        if question is None:
            return _skip("no open question of that name is held", self.learned, said)
        doubt = self._doubt()
        if doubt is not None:
            return _skip(f"it would close a question, but {doubt}", self.learned, said)
        return Decision("resolve", self.slot, resolves=question, at=self._since())

    def _question(self) -> Belief | None:
        wanted = self.learned.resolves
        if wanted is None and self.learned.act == "resolve":
            wanted = self.learned.slot
        if wanted is None:
            return None
        found = (*self.held.in_slot(wanted), *self.held.titled(cached_slot_key(*wanted)))
        questions = [belief for belief in found if belief.type == "open_question"]
        return min(questions, key=recorded_order, default=None)

    def _alias(self) -> Decision | Skip:
        said = self.evidence.said
        if not self.here:
            return _skip("nothing is held there to be called so", self.learned, said)
        target = self.here[0]
        doubt = self._doubt()
        if doubt is not None:
            return _skip(f"an alias, but {doubt}", self.learned, said)
        unsaid = [name for name in self.learned.aliases if find_quote(said.text, name) is None]
        if unsaid:
            return _skip(f"the user does not call it {', '.join(unsaid)}", self.learned, said)
        return Decision(
            "alias",
            self.slot,
            target=target,
            aliases=self.learned.aliases,
            attribute_aliases=self.learned.attribute_aliases,
        )

    def _doubt(self) -> str | None:
        found = [doubt for doubt in self.doubts if doubt is not None]
        if not found and self.setting.curated:
            return "everything learned waits for review"
        return "; ".join(dict.fromkeys(found)) or None

    def _draft(
        self, *, valid_from: datetime | None, content: str, pending: bool = False
    ) -> Draft | Skip:
        learned, said = self.learned, self.evidence.said
        own = next((belief.cardinality for belief in self.here), None)
        many = (own or learned.cardinality) == "many"
        scopes = (
            learned.scopes if learned.scopes and not foreign_scopes(learned, self.setting) else None
        )
        fields: dict[str, Any] = {
            "canonical_name": self.slot.canonical_name,
            "attribute": self.slot.attribute,
            "content": content,
            "why_it_matters": learned.why_it_matters,
            "aliases": learned.aliases,
            "attribute_aliases": learned.attribute_aliases if self.slot.attribute else (),
            "type": learned.type,
            "subtype": learned.subtype,
            "scopes": scopes,
            "valid_from": valid_from,
            "valid_to": self.time.valid_to,
            "epistemic_status": learned.epistemic_status,
            "confidence": learned.confidence,
            "cardinality": own or learned.cardinality,
            "member": (learned.member or content) if many else None,
            "participants": self._participants(),
            "relation_type": learned.relation_type,
            "provenance": self._provenance(said),
            "metadata": {WAITS_BECAUSE: self._doubt()} if pending else {},
            "pending": pending,
        }
        try:
            return to_draft(fields)
        except InvalidBelief as error:
            return _skip(str(error), learned, said)

    def _participants(self) -> tuple[str, ...]:
        ids = []
        for name in self.learned.participants:
            ids += [belief.id for belief in self.held.titled(cached_slot_key(name))[:1]]
        return tuple(dict.fromkeys(ids))

    def _provenance(self, said: Said) -> Provenance:
        return Provenance(
            source="extraction",
            session_id=self.setting.session_id,
            message_ids=(said.id,),
            extractor=self.setting.extractor or None,
            model=self.setting.model,
            at=said.at,
            quote=self.learned.quote or self.evidence.sentence.text,
        )


def _skip(reason: str, learned: Learned, said: Said | None) -> Skip:
    text = learned.quote or learned.content or str(learned.slot)
    return Skip(reason, text, learned.slot, None if said is None else said.id)
