"""Reasons for a draft to wait for review, read off the words it rests on.

They err on the side of waiting: what waits is kept, and a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from belief_memory.learning.evidence import (
    Evidence,
    answers_a_question,
    meaning,
    ungrounded,
)
from belief_memory.learning.keys import USER, SameAttribute, is_user, named_people
from belief_memory.learning.languages import Language, folded, language_of, languages, spotter
from belief_memory.learning.sentences import clause_at, owned_subject, speaker, spoken
from belief_memory.learning.timing import Timing
from belief_memory.model.belief import Belief
from belief_memory.model.learning import Learned, Lesson
from belief_memory.model.slot import Slot

LOW_CONFIDENCE = 0.5
"""Below it a draft waits for review."""

SEVERAL = frozenset(
    ("children", "son", "daughter", "siblings", "brother", "sister", "pet", "dog", "cat")
)
"""Attributes of a user of which there may be several at once."""

_RELATIONS = SEVERAL | {"partner", "parents", "mother", "father", "manager", "doctor"}
"""Attributes of a user that are persons or pets."""

_TIMELESS = frozenset(
    ("open_question", "goal", "commitment", "instruction", "decision", "event", "preference")
)
"""Types that may be about what is to come, or not to be."""

Alike = Callable[[str, str], float]
"""Similarity of two texts, 0 to 1; without an embedder there is none."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the gate needs to know of where it stands."""

    user_id: str
    scopes: tuple[str, ...]
    """Those a draft may use; the first handle's own are the default."""
    now: datetime
    curated: bool = False
    session_id: str | None = None
    extractor: str = ""
    model: str | None = None
    same_attribute: SameAttribute = field(default=lambda name: None)
    attributes_in: Callable[[str], frozenset[str]] = field(default=lambda text: frozenset())
    """The well-known attributes of a user that a few words name, in any language."""
    alike: Alike | None = None


@dataclass(frozen=True, slots=True)
class Doubts:
    """What speaks against believing one draft at once."""

    learned: Learned
    slot: Slot
    here: Sequence[Belief]
    held: Sequence[Belief]
    lesson: Lesson
    setting: Setting
    evidence: Evidence
    time: Timing

    def all(self) -> list[str | None]:
        """Every reason to wait; None where there is none."""
        learned, evidence = self.learned, self.evidence
        return [
            "it may be meant ironically" if evidence.kind == "irony" else None,
            self._about_somebody_else(),
            self._is_said_otherwise(),
            self._says_more(),
            self.time.doubt,
            "the extractor is not sure" if learned.confidence < LOW_CONFIDENCE else None,
            "its scope is not one of those allowed"
            if foreign_scopes(self.learned, self.setting)
            else None,
        ]

    def _about_somebody_else(self) -> str | None:
        if self.slot.canonical_name != USER and not is_user(self.learned.slot.canonical_name):
            return None
        if self._is_relation(self.slot.attribute or ""):
            return None
        sentence, at = self.evidence.sentence.text, self.evidence.at
        who = speaker(sentence, at, named_people(self.held))
        if who == "other":
            return "it is about somebody else"
        if who == "unknown" and not self._is_understood() and _needs_a_subject(sentence):
            return "it does not say whom it is about"
        owned = owned_subject(clause_at(sentence, at))
        if owned is not None and not self._is_what_it_says(*owned):
            return f"it may be about the user's {owned[0]}"
        return None

    def _is_understood(self) -> bool:
        """Whether the speaker need not be named: in wishes, corrections, and answers."""
        return (
            self.learned.type in _TIMELESS
            or (self.learned.act == "correct" and bool(self.here))
            or answers_a_question(self.evidence, self.lesson.turns)
        )

    def _is_what_it_says(self, subject: str, language: Language) -> bool:
        """Whether "my job is …" is about the attribute that the draft gives it to."""
        attribute = self.slot.attribute
        if attribute is None:
            return True
        learned = self.learned
        known = [name for belief in self.here for name in belief.attribute_aliases]
        names = " ".join((attribute, *learned.attribute_aliases, *known))
        if meaning(subject) & meaning(names.replace("_", " ")):
            return True
        ours = language_of(folded(names.replace("_", " ")))
        if (
            language.code != "en"
            and ours != language
            and spotter("copula", language.code).search(subject) is not None
        ):
            # Its words cannot be compared with a key in another language: what it equals or
            # is called is its own, what it does is not the user's.
            return True
        return self.setting.same_attribute(attribute) in self.setting.attributes_in(subject)

    def _is_said_otherwise(self) -> str | None:
        """Past, future and negation that the draft leaves out."""
        clause = clause_at(self.evidence.sentence.text, self.evidence.at)
        if self.learned.act in ("retract", "alias", "resolve") or self.learned.type in _TIMELESS:
            return None
        content, time = self.learned.content, self.time
        if spoken("negation", clause) and not any(
            spoken(kind, content) for kind in ("negation", "negative")
        ):
            return "the text says that it is not so"
        if spoken("past", clause) and time.valid_to is None and not spoken("past", content):
            return "the text says that it was so, not that it is"
        if (
            spoken("future", clause)
            and not (time.explicit and time.valid_from > self.evidence.said.at)
            and not spoken("future", content)
        ):
            return "the text says that it may come to be so, not that it is"
        return None

    def _is_relation(self, attribute: str) -> bool:
        """Whether the attribute is itself a person (or pet) of the user's."""
        words = set(folded(attribute).replace("_", " ").split())
        people = {word for language in languages() for word in language.words("people")}
        return bool(words & people) or self.setting.same_attribute(attribute) in _RELATIONS

    def _says_more(self) -> str | None:
        known = [
            text
            for belief in (*self.here, *self.lesson.known)
            for text in (belief.canonical_name, *belief.aliases, belief.content)
        ]
        missing = ungrounded(self.learned, self.evidence, self.lesson.turns, known)
        return f"the text does not say {', '.join(missing)}" if missing else None


def _needs_a_subject(sentence: str) -> bool:
    """Whether a statement about the speaker would have a word for the speaker in it. In a
    language that is not known here, one that names nothing is taken for small talk."""
    language = language_of(folded(sentence))
    if language is not None:
        return not language.drops_subject
    return re.search(r"[^\W_]\S* .*[A-ZÀ-Þ0-9]|[^\x00-\u024f]", sentence) is None


def foreign_scopes(learned: Learned, setting: Setting) -> bool:
    """Whether a draft names scopes that it may not use."""
    return learned.scopes is not None and not set(learned.scopes) <= set(setting.scopes)
