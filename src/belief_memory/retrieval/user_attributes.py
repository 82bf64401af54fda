"""Beliefs about the user: which attributes ship with names of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from belief_memory.model.belief import Belief
from belief_memory.retrieval.query import Query, shorter_forms
from belief_memory.text.fold import fold_slot
from belief_memory.text.keys import name_key, split_key

USER = "user"
"""The canonical name of the user; alone it names nothing (Rule R3)."""

SYNONYMS: Final = {
    "residence": "home city location address home_city home_address lives_in current_city country"
    " place_of_residence current_location",
    "job": "occupation profession role job_title position work career",
    "employer": "company workplace works_at works_for organization organisation",
    "phone": "phone_number mobile mobile_number telephone cell cell_phone",
    "email": "e_mail email_address mail",
    "partner": "spouse wife husband girlfriend boyfriend fiance fiancee significant_other",
    "birthday": "birth_date date_of_birth birthdate dob",
    "name": "full_name first_name surname last_name",
    "car": "vehicle automobile",
    "pet": "pets",
    "children": "kids child",
    "language": "native_language mother_tongue languages first_language",
    "age": "",
    "nationality": "citizenship",
    "hometown": "birthplace place_of_birth home_town origin",
    "diet": "dietary_preference dietary_restrictions eating_habits",
    "allergy": "allergies food_allergy",
    "gym": "fitness_studio fitness_club",
    "hobby": "hobbies pastime",
    "school": "university college alma_mater",
    "doctor": "physician gp family_doctor",
    "bank": "",
    "timezone": "time_zone",
    "salary": "income pay",
    "manager": "boss supervisor",
    "siblings": "sibling",
    "parents": "",
    "mother": "mom mum",
    "father": "dad",
}
"""Attribute names that mean the same as a known one."""

NARROWER: Final = {
    "pet": "dog cat",
    "children": "son daughter",
    "siblings": "brother sister",
    "parents": "mother father",
}
"""A phrase for the one also names beliefs about the other, but no sibling of it."""


def is_user(belief: Belief) -> bool:
    """Whether the belief is about the user."""
    name = belief.canonical_name
    return name == USER or (len(name) < 8 and fold_slot(name) == USER)


def attribute_of(belief: Belief) -> str | None:
    """The known attribute that the belief's attribute is a name of, if any."""
    if belief.attribute is None:
        return None
    return _known().get(fold_slot(belief.attribute))


@lru_cache(maxsize=1)
def _known() -> dict[str, str]:
    known = {
        fold_slot(name): attribute
        for attribute, names in SYNONYMS.items()
        for name in (attribute, *names.split())
    }
    return known | {name: name for names in NARROWER.values() for name in names.split()} | known


@lru_cache(maxsize=1)
def _names() -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name, attribute in _known().items():
        names.setdefault(attribute, []).append(name)
    return names


def names_of_attribute(attribute: str) -> list[str]:
    """The folded attributes for which :func:`attribute_of` gives this one."""
    return _names().get(attribute, [])


@dataclass(slots=True)
class Phrase:
    """A shipped name of attributes, or of none, which hides the shorter ones inside it."""

    text: str
    language: str
    own: bool
    """It refers to the speaker by itself."""
    exact: bool
    """Accents count."""
    joints: tuple[str, ...] | None
    attributes: list[str]

    def stands(self, query: Query, start: int, end: int) -> bool:
        """Whether the query's tokens, which have the phrase's letters, are the phrase."""
        if not query.joined(start, end, self.joints) or not query.whole(start, end):
            return False
        if not self.exact:
            return True
        first, last = query.span(start, end)
        return query.text[first:last].replace("İ", "i").casefold() == self.text.casefold()


def shipped() -> Iterator[tuple[str, bool, str, str]]:
    """Language, whether it speaks for itself, attribute and text of every shipped phrase."""
    language, own = "", False
    for line in files(__package__).joinpath("user_phrases.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            language, _, kind = line.strip("[]").partition(" ")
            own = kind == "own"
        elif line and not line.startswith("#"):
            attribute, _, texts = line.partition(": ")
            for text in texts.split(", "):
                yield language, own, attribute, text


class Phrases:
    """All shipped phrases, by token run."""

    def __init__(self) -> None:
        self.by_run: dict[str, list[Phrase]] = {}
        self.lengths: dict[str, tuple[int, ...]] = {}
        broader = {name: wide for wide, names in NARROWER.items() for name in names.split()}
        for language, own, attribute, text in shipped():
            related = (broader.get(attribute, ""), *NARROWER.get(attribute, "").split())
            attributes = [] if attribute == "-" else [attribute, *filter(None, related)]
            self._add(text.removeprefix("="), language, own, text.startswith("="), attributes)

    def _add(self, text: str, language: str, own: bool, exact: bool, attributes: list[str]) -> None:
        run, joints = split_key(name_key(text))
        phrase = Phrase(text, language, own, exact, joints, attributes)
        self.by_run.setdefault(run, []).append(phrase)
        tokens = run.split(" ")
        lengths = self.lengths.get(tokens[0], ())
        if len(tokens) not in lengths:
            self.lengths[tokens[0]] = (*lengths, len(tokens))

    def in_query(self, query: Query) -> Iterator[tuple[int, int, Phrase]]:
        """The phrases that stand in a query, and where."""
        for start, token in enumerate(query.tokens):
            for length in self._lengths_from(token):
                end = start + length
                if end <= len(query):
                    for phrase in self._at(query, start, end):
                        if phrase.stands(query, start, end):
                            yield start, end, phrase

    def _lengths_from(self, token: str) -> set[int]:
        forms = (token, *(form for form, _ in shorter_forms(token)))
        return {length for form in forms for length in self.lengths.get(form, ())}

    def _at(self, query: Query, start: int, end: int) -> Iterator[Phrase]:
        run, last = query.run(start, end), query.tokens[end - 1]
        head = run[: len(run) - len(last)]
        for form in (last, *(form for form, _ in shorter_forms(last))):
            yield from self.by_run.get(head + form, ())


@lru_cache(maxsize=1)
def phrases() -> Phrases:
    """The shipped phrases; folded when the first belief about a user is met."""
    return Phrases()


class Found:
    """The shipped phrases that stand in one query."""

    def __init__(self, query: Query) -> None:
        spans: dict[tuple[int, int], list[Phrase]] = {}
        for start, end, phrase in phrases().in_query(query):
            spans.setdefault((start, end), []).append(phrase)
        self._spans = spans
        self._longest: dict[int, tuple[int, int]] = {}
        for start, end in spans:
            for at in range(start, end):
                first, last = self._longest.get(at, (at, at))
                if end - start > last - first:
                    self._longest[at] = (start, end)
        self.outermost = [
            (*span, phrase)
            for span, found in spans.items()
            if not self.around(*span)
            for phrase in found
        ]
        """Start, end and phrase, without those inside longer ones."""

    def around(self, start: int, end: int) -> list[Phrase]:
        """The phrases of the longest span that these tokens lie strictly inside of."""
        first, last = self._longest.get(start, (start, end))
        if first <= start and end <= last and last - first > end - start:
            return self._spans[first, last]
        return []
