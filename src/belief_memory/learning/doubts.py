"""Reasons for a draft to wait for review, read off the words it rests on.

They err on the side of waiting: what waits is kept, and a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from belief_memory.learning.evidence import (
    Evidence,
    answers_a_question,
    ungrounded,
    value_words,
)
from belief_memory.learning.heard import Heard
from belief_memory.learning.keys import USER, SameAttribute, is_user
from belief_memory.learning.languages import (
    Language,
    any_of,
    folded,
    language_of,
    languages,
    spotter,
)
from belief_memory.learning.sentences import agrees_with_nobody, begins_with, clause_at, spoken
from belief_memory.learning.speakers import (
    dense_subject,
    marked_topic,
    named_by,
    owned_subject,
    owner_behind,
    speaker,
    told_by_another,
)
from belief_memory.learning.timing import Timing
from belief_memory.learning.when import find_times
from belief_memory.learning.words import meaning
from belief_memory.model.belief import Belief
from belief_memory.model.learning import Learned
from belief_memory.model.slot import Slot
from belief_memory.text.tokens import tokenise

LOW_CONFIDENCE = 0.5
"""Below it a draft waits for review."""

SEVERAL = frozenset(
    ("children", "son", "daughter", "siblings", "brother", "sister", "pet", "dog", "cat")
)
"""Attributes of a user of which there may be several at once."""

_RELATIONS = SEVERAL | {"partner", "parents", "mother", "father", "manager", "doctor"}
"""Attributes of a user that are persons or pets."""

_OF_PERSONS = frozenset(
    (
        "allergy",
        "diet",
        "age",
        "nationality",
        "residence",
        "hometown",
        "language",
        "employer",
        "job",
    )
)
"""Attributes that "my baker is …" gives to the baker, unless the noun names them."""

_TOLD_BY_NAME = frozenset(("allergy", "diet", "nationality", "birthday"))
"""Attributes that a sentence only names to tell of them."""

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
    people: Collection[str]
    """Folded names of the people that are known by name."""
    heard: Heard
    setting: Setting
    evidence: Evidence
    time: Timing

    def all(self) -> list[str | None]:
        """Every reason to wait; None where there is none."""
        learned = self.learned
        return [
            "it may be meant ironically" if self._is_ironic() else None,
            self._about_somebody_else(),
            self._is_said_otherwise(),
            self._says_more(),
            self._says_something_else(),
            self.time.doubt,
            "the extractor is not sure" if learned.confidence < LOW_CONFIDENCE else None,
            "its scope is not one of those allowed"
            if foreign_scopes(learned, self.setting)
            else None,
        ]

    def _is_ironic(self) -> bool:
        """Marked as irony, or agreed to where nothing was asked: "Sure, I love waiting"."""
        if self.evidence.kind == "irony":
            return True
        return agrees_with_nobody(self.evidence.sentence.text) and not answers_a_question(
            self.evidence, self.heard
        )

    def _about_somebody_else(self) -> str | None:
        if self.slot.canonical_name != USER and not is_user(self.learned.slot.canonical_name):
            return None
        sentence, at = self.evidence.sentence.text, self.evidence.at
        if self._is_relation(self.slot.attribute or ""):
            return self._about_anothers_relation(sentence, at)
        who = speaker(sentence, at, self.people)
        if who == "other":
            return "it is about somebody else"
        if (
            who == "unknown"
            and not self._is_understood()
            and _needs_a_subject(clause_at(sentence, at))
        ):
            return "it does not say whom it is about"
        topic = marked_topic(clause_at(sentence, at))
        if topic is not None and not self._names_the_attribute(topic):
            return f"it may be about {topic}"
        dense = dense_subject(clause_at(sentence, at))
        kind = self.setting.same_attribute(self.slot.attribute or "")
        if dense is not None and kind in _OF_PERSONS and not self._names_the_attribute(dense):
            return "it may be about somebody of the user's"
        owned = owned_subject(clause_at(sentence, at))
        if owned is not None and not self._is_what_it_says(*owned):
            return f"it may be about the user's {owned[1]}"
        return None

    def _names_the_attribute(self, topic: str) -> bool:
        """Whether a marked topic is the aspect, or when, and not somebody."""
        if find_times(topic, self.evidence.said.at) or meaning(topic) & meaning(
            self.learned.content
        ):
            return True
        kind = self.setting.same_attribute(self.slot.attribute or "")
        return kind is not None and kind in self.setting.attributes_in(topic)

    def _about_anothers_relation(self, sentence: str, at: int) -> str | None:
        """ "My sister's dog is called Rex" is about no dog of the user's."""
        if told_by_another(sentence, at):
            return "it is about somebody else"
        plain = folded(clause_at(sentence, at))
        learned, attribute = self.learned, self.slot.attribute or ""
        names = meaning(f"{attribute} {learned.content} {' '.join(learned.attribute_aliases)}")
        kind = self.setting.same_attribute(attribute)
        for match in re.finditer(r"([^\W_]+)['’]s (?=[^\W_])", plain):
            own = {self.setting.same_attribute(match[1]), *self.setting.attributes_in(match[1])}
            if spotter("people").fullmatch(match[1]) and match[1] not in names and kind not in own:
                return "it is about somebody else"
        owner = owner_behind(plain)
        if owner is None or meaning(owner) & names:
            return None
        own = {self.setting.same_attribute(owner), *self.setting.attributes_in(owner)}
        return None if kind in own else "it is about somebody else"

    def _is_understood(self) -> bool:
        """Whether the speaker need not be named: in wishes, corrections, and answers."""
        return (
            self.learned.type in _TIMELESS
            or (self.learned.act == "correct" and bool(self.here))
            or answers_a_question(self.evidence, self.heard)
        )

    def _is_what_it_says(self, owner: str, subject: str, language: Language) -> bool:
        """Whether "my job is …" is about the attribute that the draft gives it to."""
        attribute = self.slot.attribute
        if attribute is None:
            return True
        learned = self.learned
        known = dict.fromkeys(name for one in self.here for name in one.attribute_aliases)
        names = " ".join((attribute, *learned.attribute_aliases, *known))
        if meaning(named_by(subject, language)) & meaning(names.replace("_", " ")):
            return True
        ours = language_of(folded(names.replace("_", " ")))
        kind = self.setting.same_attribute(attribute)
        if (
            language.code != "en"
            and ours != language
            and kind not in _OF_PERSONS - {"job"}
            and spotter("copula", language.code).search(subject) is not None
        ):
            # Its words cannot be compared with a key in another language: what it equals or
            # is called is its own, what it does is not the user's.
            return True
        return kind in self.setting.attributes_in(f"{owner} {named_by(subject, language)}")

    def _is_said_otherwise(self) -> str | None:
        """Past, future and negation that the draft leaves out."""
        clause = clause_at(self.evidence.sentence.text, self.evidence.at)
        if self.learned.act in ("retract", "alias", "resolve") or self.learned.type in _TIMELESS:
            return None
        content, time = self.learned.content, self.time
        if self._denies_what_is_claimed(clause):
            return "the text says that it is not so"
        if begins_with("when", clause):
            return "the text only says when"
        past = spoken("past", clause) or self._was_what_it_is(clause)
        if past and time.valid_to is None and not spoken("past", content):
            return "the text says that it was so, not that it is"
        if (
            spoken("future", clause)
            and not (time.explicit and time.valid_from > self.evidence.said.at)
            and not spoken("future", content)
        ):
            return "the text says that it may come to be so, not that it is"
        return None

    def _denies_what_is_claimed(self, clause: str) -> bool:
        """ "I'm not allergic" denies "allergic"; "I don't eat meat" does not deny "avoids
        meat", "I quit smoking" that it was quit, nor "lactose intolerant, so no milk" the
        intolerance."""
        content, plain = folded(self.learned.content), folded(clause)
        if any(spoken(kind, content) for kind in ("negation", "denying")):
            return False
        words = {match[0] for match in spotter("negative", _code(content)).finditer(content)}
        denials = list(spotter("negation", _code(plain)).finditer(plain))
        if denials and words:
            said = [plain.find(word) for word in words if word in plain]
            return bool(said) and denials[0].start() < max(said)
        return bool(denials) or (spoken("denying", clause) and not words)

    def _was_what_it_is(self, clause: str) -> bool:
        """ "Back then I was vegan" says nothing of now; "I was promoted to captain" does."""
        plain = folded(clause)
        language = language_of(plain)
        if language is None or spoken("was", self.learned.content):
            return False
        articles = rf"(?:(?:{any_of(language.words('articles')) or '(?!)'})\s+)?"
        was = spotter("was", language.code).pattern
        told = re.search(rf"(?:{was})\s+{articles}([^\W\d_]+)", plain)
        return told is not None and told[1] in meaning(self.learned.content)

    def _is_relation(self, attribute: str) -> bool:
        """Whether the attribute is itself a person (or pet) of the user's."""
        words = set(folded(attribute).replace("_", " ").split())
        return (
            bool(words & _of_any_language("people"))
            or self.setting.same_attribute(attribute) in _RELATIONS
        )

    def _says_more(self) -> str | None:
        """Names and numbers that nobody said. What is known of the slot may be carried on
        by a draft that says something of its own; what is known of others may not."""

        def known() -> Iterator[str]:
            for belief in (*self.here, *self.heard.known):
                yield from (belief.canonical_name, *belief.aliases)
            if value_words(self.learned) & self.heard.meaning:
                yield from (belief.content for belief in self.here)

        def copied() -> Iterator[str]:
            return (belief.content for belief in (*self.here, *self.heard.known))

        missing = ungrounded(self.learned, self.evidence, self.heard, known, copied)
        return f"the text does not say {', '.join(missing)}" if missing else None

    def _says_something_else(self) -> str | None:
        """A draft whose own words nobody said, or that has none, or that tells of another
        aspect than its slot's ("user / name: allergic to nuts")."""
        learned = self.learned
        if learned.type in _TIMELESS or learned.act not in ("assert", "change", "correct"):
            return None
        content = folded(learned.content)
        words = value_words(learned)
        if not words:
            own = set(tokenise(content)) - set(tokenise(folded(str(self.slot))))
            own -= _of_any_language("function")
            return None if own else "it says nothing of what it is about"
        kind = self.setting.same_attribute(self.slot.attribute or "")
        told = self.setting.attributes_in(content) & _TOLD_BY_NAME
        if self.slot.canonical_name == USER and kind and told and kind not in told:
            return f"it tells of {', '.join(sorted(told))}"
        stems = {_stem(word) for word in words}
        if any(self.heard.says(stem) for stem in stems) or any(
            stem in folded(belief.content) for belief in self.here for stem in stems
        ):
            return None
        ours, theirs = language_of(content), self.heard.language(self.evidence.said)
        return "the text does not say it" if ours is None or ours is theirs else None


@lru_cache(maxsize=8)
def _of_any_language(kind: str) -> frozenset[str]:
    return frozenset(word for language in languages() for word in language.words(kind))


def _stem(word: str) -> str:
    return word if len(word) < 5 else word[: max(4, len(word) - 2)]


def _needs_a_subject(clause: str) -> bool:
    """Whether a statement about the speaker would have a word for the speaker in it. In a
    language that is not known here nobody can tell."""
    language = language_of(folded(clause))
    if language is None or not language.drops_subject:
        return True
    endings = language.words("self_endings")
    # "Vive en Quito" is about somebody, "vivo" about the speaker.
    words = re.findall(r"[^\W\d_]+", clause.lower())
    return bool(endings) and not any(word.endswith(endings) for word in words)


def _code(plain: str) -> str | None:
    language = language_of(plain)
    return None if language is None else language.code


def foreign_scopes(learned: Learned, setting: Setting) -> bool:
    """Whether a draft names scopes that it may not use."""
    return learned.scopes is not None and not set(learned.scopes) <= set(setting.scopes)
