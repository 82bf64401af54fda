"""Which slot a draft belongs to: keys are reused, not invented.

A key that a held belief answers to by its own names is that belief's. One that only looks
like another name of what is held is doubtful: a person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from belief_memory.learning.evidence import Evidence, first_word, meaning
from belief_memory.learning.languages import folded, languages
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
    held: Sequence[Belief],
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
    if any(cached_slot_key(*belief.slot) == cached_slot_key(*slot) for belief in held):
        return Keyed(slot)
    named = [belief.slot for belief in held if _answers(belief, slot)]
    if len({cached_slot_key(*one) for one in named}) == 1:
        return Keyed(named[0])
    for belief in () if learned.declared else held:
        doubt = _doubt(learned, slot, belief, evidence, same_attribute)
        if doubt is not None:
            return Keyed(slot, doubt)
    return Keyed(slot)


def _answers(belief: Belief, slot: Slot) -> bool:
    """Whether the belief answers to the slot by its own names, or but for filler words."""
    names = {cached_name_key(name) for name in (belief.canonical_name, *belief.aliases)}
    if belief.canonical_name == USER:
        names = {cached_name_key(USER)}
    if cached_name_key(slot.canonical_name) not in names:
        return False
    if slot.attribute is None or belief.attribute is None:
        return slot.attribute is None and belief.attribute is None
    attributes = {cached_name_key(one) for one in (belief.attribute, *belief.attribute_aliases)}
    own = cached_name_key(slot.attribute)
    bare = {_without_fillers(one) for one in attributes} - {""}
    return own in attributes or _without_fillers(own) in bare


def _without_fillers(key: str) -> str:
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
    said = folded(evidence.said.prose)
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


def named_people(held: Iterable[Belief]) -> frozenset[str]:
    """Folded names of the people that beliefs are about."""
    people = {word for language in languages() for word in language.words("people")}
    names: set[str] = set()
    for belief in held:
        if belief.canonical_name == USER and folded(belief.attribute or "") in people:
            names.update(folded(alias) for alias in belief.aliases)
        elif belief.canonical_name != USER and belief.type == "relationship":
            names.update(folded(one) for one in (belief.canonical_name, *belief.aliases))
    return frozenset(name for name in names if len(name) > 1)
