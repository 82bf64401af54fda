"""Beliefs about the user: which attributes ship with names of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from belief_memory.model.belief import Belief
from belief_memory.retrieval.query import Query, shorter_forms
from belief_memory.retrieval.user_phrases import PLAIN
from belief_memory.retrieval.user_questions import NARROWER, OWN, SPEAKERS, SYNONYMS
from belief_memory.text.fold import fold_slot
from belief_memory.text.keys import name_key, split_key
from belief_memory.text.tokens import spaceless

USER = "user"
"""The canonical name of the user; alone it names nothing (Rule R3)."""


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
    """A shipped name of attributes; one that is not ``own`` needs a speaker."""

    text: str
    language: str
    own: bool
    joints: tuple[str, ...] | None
    attributes: list[str]


class Phrases:
    """All shipped phrases, by token run."""

    def __init__(self) -> None:
        self.by_run: dict[str, list[Phrase]] = {}
        self.lengths: dict[str, tuple[int, ...]] = {}
        broader = {name: wide for wide, names in NARROWER.items() for name in names.split()}
        for own, table in ((False, PLAIN), (True, OWN)):
            for language, lines in table.items():
                for line in lines.split("\n"):
                    attribute, _, texts = line.partition(": ")
                    related = (broader.get(attribute, ""), *NARROWER.get(attribute, "").split())
                    attributes = [attribute, *filter(None, related)]
                    for text in filter(None, texts.split(", ")):
                        self._add(text, language, own, attributes)

    def _add(self, text: str, language: str, own: bool, attributes: list[str]) -> None:
        run, joints = split_key(name_key(text))
        self.by_run.setdefault(run, []).append(Phrase(text, language, own, joints, attributes))
        tokens = run.split(" ")
        lengths = self.lengths.get(tokens[0], ())
        if len(tokens) not in lengths:
            self.lengths[tokens[0]] = (*lengths, len(tokens))


@lru_cache(maxsize=1)
def phrases() -> Phrases:
    """The shipped phrases; folded when the first belief about a user is met."""
    return Phrases()


@lru_cache(maxsize=1)
def _speakers() -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    """Per language (and for all of them under ""): words, and texts of spaceless scripts."""
    table: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {}
    for language, words in SPEAKERS.items():
        runs = [split_key(name_key(word))[0] for word in words.split()]
        dense = tuple(run.replace(" ", "") for run in runs if spaceless(run[0]))
        table[language] = (frozenset(run for run in runs if not spaceless(run[0])), dense)
    table[""] = (
        frozenset().union(*(words for words, _ in table.values())),
        tuple(text for _, texts in table.values() for text in texts),
    )
    return table


def speaks_of_self(query: Query, start: int, end: int, language: str = "") -> bool:
    """Whether the clause around these tokens refers to the speaker, and the thing named
    is not marked as somebody else's ("my sister's birthday").

    ``language`` limits the words to one language's; any by default.
    """
    if start and query.tokens[start - 1].endswith("'s"):
        return False
    clause = query.clause(start)
    key = (clause[0], language)
    if key not in query.speakers:
        query.speakers[key] = _speaks(query.tokens[slice(*clause)], language)
    return query.speakers[key]


def _speaks(tokens: list[str], language: str) -> bool:
    words, texts = _speakers()[language]
    if not words.isdisjoint(tokens):
        return True
    if any(token[-1] >= "\uac00" for token in tokens) and _korean(tokens, words):
        return True
    return bool(texts) and any(text in "".join(tokens) for text in texts)


def _korean(tokens: list[str], words: frozenset[str]) -> bool:
    return any(form in words for token in tokens for form, _ in shorter_forms(token))
