"""Which slot a draft belongs to: keys are reused, not invented.

A key that a held belief answers to by its own names is that belief's. One that only looks
like another name of what is held is doubtful: a person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from belief_memory.learning.evidence import Evidence
from belief_memory.learning.heard import folded_once
from belief_memory.learning.languages import folded, languages
from belief_memory.learning.words import first_word, meaning
from belief_memory.model.belief import Belief
from belief_memory.model.learning import Learned
from belief_memory.model.slot import Slot
from belief_memory.text.fold import slot_key, value_key
from belief_memory.text.keys import name_key
from belief_memory.text.tokens import tokenise

USER = "user"
_SELF = frozenset(
    ("user", "the user", "me", "myself", "i", "self", "speaker", "the speaker", "human")
)
_FILLERS = frozenset(
    (
        "current",
        "currently",
        "new",
        "now",
        "main",
        "primary",
        "present",
        "actual",
        "latest",
        "my",
        "the",
        "user",
        "user's",
        "users",
        "of",
        "own",
        "is",
        "name",
        "value",
        "info",
        "details",
        "status",
    )
)

cached_slot_key = lru_cache(maxsize=16384)(slot_key)
cached_name_key = lru_cache(maxsize=16384)(name_key)

SameAttribute = Callable[[str], str | None]
"""The well-known attribute that a name of a user's attribute stands for, if any."""


class Held(Protocol):
    """What is current, within a draft's reach, in a stable order."""

    def __iter__(self) -> Iterator[Belief]: ...

    def in_slot(self, slot: Slot) -> Sequence[Belief]:
        """Those of a slot, by its key."""
        ...

    def answering(self, slot: Slot) -> Sequence[Belief]:
        """Those that answer to a slot by their own names, or but for filler words."""
        ...


@dataclass(frozen=True, slots=True)
class Keyed:
    """The slot to use, and what is doubtful about it (None: nothing)."""

    slot: Slot
    doubt: str | None = None


def is_user(name: str, user_id: str = "") -> bool:
    """Whether a canonical name stands for the user."""
    plain = folded(name).replace("_", " ").strip()
    return plain in _SELF or (bool(user_id) and plain == folded(user_id))


def choose_slot(
    learned: Learned,
    evidence: Evidence,
    held: Held,
    *,
    user_id: str,
    same_attribute: SameAttribute,
) -> Keyed:
    """The slot a draft is about, among those held or its own.

    Args:
        held: what is current, within the draft's reach.
    """
    name, attribute = learned.slot
    if is_user(name, user_id):
        name = USER
    slot = Slot(name, attribute)
    if held.in_slot(slot):
        return Keyed(slot)
    named = [belief.slot for belief in held.answering(slot)]
    if len({cached_slot_key(*one) for one in named}) == 1:
        return Keyed(named[0])
    for belief in () if learned.declared else held:
        doubt = _doubt(learned, slot, belief, evidence, same_attribute)
        if doubt is not None:
            return Keyed(slot, doubt)
    return Keyed(slot)


def bare_key(key: str) -> str:
    """A name's key without its filler words; ``""`` where nothing is left."""
    return " ".join(word for word in key.split() if word not in _FILLERS)


def _doubt(
    learned: Learned,
    slot: Slot,
    belief: Belief,
    evidence: Evidence,
    same_attribute: SameAttribute,
) -> str | None:
    about = f"it looks like another name of {belief.slot}"
    ours, theirs = _key_words(slot), _key_words(belief.slot)
    own = ours - theirs - _FILLERS
    said = folded_once(evidence.said.prose)[0]
    motivated = any(_said(word, said) for word in own)
    same_subject = cached_name_key(slot.canonical_name) == cached_name_key(belief.canonical_name)
    if same_subject and slot.attribute and belief.attribute and not motivated:
        if ours - _FILLERS == theirs - _FILLERS:
            return about
        known = same_attribute(slot.attribute)
        if slot.canonical_name == USER and known and known == same_attribute(belief.attribute):
            return about
    if learned.type != belief.type or value_key(learned.content) == value_key(belief.content):
        return None
    named = belief.canonical_name != USER and any(
        len(name) > 2 and folded(name).replace("_", " ") in said
        for name in (belief.canonical_name, *belief.aliases)
    )
    if motivated and not named:
        return None
    if not named and not same_subject and USER not in (belief.canonical_name, slot.canonical_name):
        return None
    alike, different = _compared(learned.content, belief)
    if named and not motivated:
        return about if alike else None
    return about if alike and 2 * alike >= different else None


def _compared(content: str, belief: Belief) -> tuple[int, int]:
    """How many words two sentences share, and how many only one of them has. A name of the
    belief's that the other one only mentions is no likeness."""
    plain = folded(content)
    mentioned: set[str] = set()
    for name in (belief.canonical_name, *belief.aliases):
        words = meaning(name.replace("_", " "))
        if folded(name).replace("_", " ") in plain and first_word(content) not in words:
            mentioned |= words
    ours, theirs = meaning(content) - mentioned, meaning(belief.content) - mentioned
    return len(ours & theirs), len(ours ^ theirs)


def _key_words(slot: Slot) -> set[str]:
    return set(tokenise(folded(f"{slot.canonical_name} {slot.attribute or ''}")))


def _said(word: str, text: str) -> bool:
    """Whether a key's word is said, in whatever inflection."""
    stem = word if len(word) < 5 else word[: max(4, len(word) - 2)]
    return len(word) > 1 and stem in text


def people_named(belief: Belief) -> set[str]:
    """Folded names of the people that a belief is about."""
    names: tuple[str, ...] = ()
    if belief.canonical_name == USER and folded(belief.attribute or "") in _people():
        names = belief.aliases
    elif belief.canonical_name != USER and belief.type == "relationship":
        names = belief.canonical_name, *belief.aliases
    return {plain for name in names if len(plain := folded(name)) > 1}


@lru_cache(maxsize=1)
def _people() -> frozenset[str]:
    return frozenset(word for language in languages() for word in language.words("people"))
