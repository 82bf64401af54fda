"""Precision among two thousand real names: languages, brands and products as one user's."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from belief_memory.model.belief import Belief
from belief_memory.model.context import Budget
from belief_memory.retrieval.index import RecallIndex
from belief_memory.retrieval.ordinary import is_ordinary
from belief_memory.retrieval.query import shorter_forms
from belief_memory.text.keys import name_key
from tests.retrieval.world import ask, belief, index_of

pytestmark = pytest.mark.data
ALL = Budget(max_beliefs=10_000)
SENTENCES = ("please tell me about {} now", "so how would {} fit in here")


def texts(value: Any) -> list[str]:
    """Every string in a value of the files, whatever its shape."""
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, dict) else value or ()
    return [text for one in values for text in texts(one)]


@pytest.fixture(scope="module")
def beliefs(data: Path) -> list[Belief]:
    names: dict[str, list[str]] = {}
    for entry in json.loads((data / "alias/linguist_aliases.json").read_text()):
        names.setdefault(entry["name"], []).extend(entry["aliases"])
    for entry in json.loads((data / "alias/simple_icons_aliases.json").read_text()):
        title = entry.pop("title")
        names.setdefault(title, []).extend(texts(entry))
    for entry in json.loads((data / "endoflife/aliases.json").read_text()):
        names.setdefault(entry["title"], []).extend([entry["slug"], *entry["aliases"]])
    return [
        belief(name, *dict.fromkeys(alias for alias in aliases if alias.strip() and alias != name))
        for name, aliases in names.items()
    ]


@pytest.fixture(scope="module")
def index(beliefs: list[Belief]) -> RecallIndex:
    return index_of(beliefs)


def keys_of(one: Belief) -> set[str]:
    return {name_key(name) for name in (one.canonical_name, *one.aliases)}


def test_every_name_recalls_its_belief_and_no_other(
    beliefs: list[Belief], index: RecallIndex
) -> None:
    keys = {one.id: keys_of(one) for one in beliefs}
    missed, wrong = [], []
    for one in beliefs:
        for name in (one.canonical_name, *one.aliases):
            key = name_key(name)
            same = {key, *(form for form, _ in shorter_forms(key))} if key else set()
            found = ask(SENTENCES[0].format(name), index=index, budget=ALL).relevant
            if one.id not in {other.id for other in found}:
                missed.append(name)
            wrong += [(name, other.id) for other in found if not same & keys[other.id]]
    assert len(beliefs) > 1_000
    assert missed == []
    assert wrong == []


def test_single_edits_of_longer_names_are_forgiven(
    beliefs: list[Belief], index: RecallIndex
) -> None:
    chance = random.Random(7)
    tried = recalled = 0
    for one in beliefs:
        for name in (one.canonical_name, *one.aliases):
            if len(name) < 5 or not (name.isascii() and name.isalpha()):
                continue
            at = chance.randrange(2, len(name))
            letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
            misspelt = chance.choice(
                [
                    name[:at] + name[at + 1 :],
                    name[:at] + letter + name[at:],
                    name[:at] + letter + name[at + 1 :],
                ]
            )
            if misspelt.lower() == name.lower():
                continue
            tried += 1
            found = ask(SENTENCES[1].format(misspelt), index=index, budget=ALL).relevant
            recalled += one.id in {other.id for other in found}
    assert tried > 500
    assert recalled / tried > 0.95


def test_no_frequent_word_is_taken_for_a_misspelt_name(index: RecallIndex) -> None:
    from wordfreq import top_n_list

    taken = []
    words = [
        word
        for language in ("en", "de", "es", "pl", "ru")
        for word in top_n_list(language, 6_000, "small")
    ]
    for start in range(0, len(words), 50):
        sentence = " ; ".join(words[start : start + 50])
        matcher = ask(sentence, index=index, budget=ALL).trace.matcher
        assert matcher is not None
        taken += [
            (hit.name, sentence) for hit in matcher.hits if hit.typo and hit.end - hit.start == 1
        ]
    assert is_ordinary("people")
    assert taken == []
