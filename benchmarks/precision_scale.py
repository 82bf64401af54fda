"""Precision among some thousand real names: languages, brands and products as one user's.

python -m benchmarks.precision_scale --data ../shared/data [--quick] [--prose FILE ...]

Ordinary English is written in benchmarks/everyday.py, and read from the files given (one text
a line, its last tab-separated column) and from chatterbot-corpus where that is installed;
technical English from what is installed beside this package: docstrings of the standard
library and the site's packages.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import random
import re
import string
import sysconfig
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from wordfreq import top_n_list

from belief_memory import BeliefMemory, Budget, UserMemory
from belief_memory.retrieval.ordinary import is_common
from belief_memory.text.fold import fold_slot
from belief_memory.text.keys import name_key
from benchmarks.everyday import everyday
from benchmarks.report import Report

ALL = Budget(max_beliefs=10_000)
SENTENCE = re.compile(r"(?<=[.!?])\s+")
CARRIER = "please tell me about {} now"
LANGUAGES = ("en", "de", "es", "fr", "it", "pl", "ru")

Names = dict[str, list[str]]


def texts(value: Any) -> list[str]:
    """Every string in a value of the files, whatever its shape."""
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, dict) else value or ()
    return [text for one in values for text in texts(one)]


def names_of(data: Path) -> Names:
    """Canonical names and their aliases, of all three sources together."""
    entries: list[tuple[str, list[str]]] = []
    for entry in json.loads((data / "alias/linguist_aliases.json").read_text()):
        entries.append((entry["name"], entry["aliases"]))
    for entry in json.loads((data / "alias/simple_icons_aliases.json").read_text()):
        entries.append((entry.pop("title"), texts(entry)))
    for entry in json.loads((data / "endoflife/aliases.json").read_text()):
        entries.append((entry["title"], [entry["slug"], *entry["aliases"]]))
    names: Names = {}
    spelt: dict[str, str] = {}
    for name, aliases in entries:
        # NGINX and nginx are one slot, and so one belief.
        first = spelt.setdefault(fold_slot(name), name)
        known = names.setdefault(first, [])
        known += [one for one in dict.fromkeys((name, *aliases)) if one.strip() and one != first]
    return {name: list(dict.fromkeys(aliases)) for name, aliases in names.items()}


def recalled(user: UserMemory, query: str) -> set[str]:
    """The ids of what is relevant; an id here is the canonical name."""
    return {belief.id for belief in user.recall(query, budget=ALL, routes=["relevant"]).relevant}


def by_name(report: Report, user: UserMemory, names: Names) -> None:
    every = [(name, one) for name, aliases in names.items() for one in (name, *aliases)]
    missed = [one for name, one in every if name not in recalled(user, CARRIER.format(one))]
    report.figure("beliefs", len(names), "")
    report.figure("names", len(every), "")
    report.figure("names that recall their belief", 100 * (1 - len(missed) / len(every)), "%")
    keys = {name: {name_key(one) for one in (name, *aliases)} for name, aliases in names.items()}
    tried, wrong = 0, []
    for name, one in every:
        parts = {part for part in re.split(r"[\s_/-]+", one) if part.strip(string.punctuation)}
        for part in parts if len(parts) > 1 else ():
            key = name_key(part)
            if key and not {key, key.removesuffix("s")} & keys[name]:
                tried += 1
                if name in recalled(user, CARRIER.format(part)):
                    wrong.append((part, one))
    report.figure("words of longer names tried alone", tried, "")
    report.figure("  that recalled the belief with the longer name (0)", len(wrong), "")
    show("names missed", missed)
    show("recalled by one word of a name", wrong)


def installed_sentences(least: int, seed: int = 5) -> list[str]:
    """Distinct English sentences from docstrings, in an order that is the same each time."""
    found: dict[str, None] = {}
    paths = sysconfig.get_paths()
    for folder in dict.fromkeys((paths["stdlib"], paths["purelib"])):
        for path in sorted(Path(folder).rglob("*.py")):
            if "test" in str(path) or ("site-packages" in str(path) and folder == paths["stdlib"]):
                continue
            found.update(dict.fromkeys(sentences(path)))
        if len(found) > 8 * least:
            break
    every = sorted(found)
    random.Random(seed).shuffle(every)
    return every[:least]


def sentences(path: Path) -> Iterator[str]:
    """Prose in the docstrings of one file."""
    try:
        tree = ast.parse(path.read_text())
    except (SyntaxError, ValueError):
        return
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        doc = ast.get_docstring(node) if isinstance(node, documented) else None
        for paragraph in re.split(r"\n\s*\n", doc or ""):
            if re.search(r">>>|::|\w+:\s|^\s*[-*:@|]|[=<>{}\\`_]", paragraph, re.MULTILINE):
                continue
            for sentence in SENTENCE.split(" ".join(paragraph.split())):
                words = sentence.split()
                if 5 <= len(words) <= 40 and sentence[0].isupper() and sentence[-1] in ".!?":
                    yield sentence


def conversations() -> list[str]:
    """Distinct English sentences of the small talk in chatterbot-corpus, if installed."""
    found = importlib.util.find_spec("chatterbot_corpus")
    if found is None or found.origin is None:
        return []
    texts = "\n".join(
        path.read_text("utf-8")
        for path in sorted((Path(found.origin).parent / "data" / "english").glob("*.yml"))
    )
    # Lists of lists of one-line strings: YAML so plain that no parser is needed.
    lines = re.findall(r"^\s*-(?:\s*-)?\s+(.+)$", texts, re.MULTILINE)
    parts = {part.strip("'\" ") for line in lines for part in SENTENCE.split(line)}
    return sorted(part for part in parts if len(part.split()) >= 3)


def in_prose(report: Report, user: UserMemory, what: str, prose: list[str]) -> None:
    """What sentences recall that were not written about any of these beliefs.

    A name that stands there as it is stored, or is no ordinary word, is a mention. What is
    wrong: a word taken for a misspelt name, and an ordinary word for a name that is
    stored with other capitals. A name stored in lower case is unrestricted (Rule R13): who
    lists "make" or "text" as an alias gets every make and text.
    """
    mentions, listed, wrong = 0, 0, []
    for sentence in prose:
        context = user.recall(sentence, budget=ALL, routes=["relevant"])
        for reason in context.explain() if context else ():
            if reason.route is None or reason.span is None:
                continue
            surface = sentence[slice(*reason.span)]
            name = reason.name or ""
            ordinary = surface.isalpha() and is_common(surface.lower())
            if reason.rule == "R4" or (
                ordinary and not name.islower() and not as_stored(surface, name)
            ):
                wrong.append((surface, name, sentence))
            elif ordinary and name.islower():
                listed += 1
            else:
                mentions += 1
    count = len(prose)
    report.figure(f"English sentences: {what}", count, "")
    report.figure("  mentions of a name", 1000 * mentions / count, "per 1,000")
    share = 1000 * listed / count
    report.figure("  ordinary words listed as names in lower case", share, "per 1,000")
    report.figure("  wrong recalls", 1000 * len(wrong) / count, "per 1,000")
    show(f"wrong recalls: {what}", wrong)


def as_stored(surface: str, name: str) -> bool:
    return surface == name or surface.removesuffix("s").removesuffix("'") == name


def misspelt(name: str, chance: random.Random) -> str:
    """One edit after the first two letters: insert, delete, substitute, swap."""
    at = chance.randrange(2, len(name))
    letter = chance.choice([char for char in string.ascii_lowercase if char != name[at].lower()])
    swapped = name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]
    kinds = [
        name[:at] + letter + name[at:],
        name[:at] + name[at + 1 :],
        name[:at] + letter + name[at + 1 :],
        *([swapped] if at > 2 else ()),
    ]
    return chance.choice(kinds)


def with_typos(report: Report, user: UserMemory, names: Names, each: int) -> None:
    chance = random.Random(7)
    tried, missed = 0, []
    for name, aliases in names.items():
        for one in (name, *aliases):
            if len(one) < 5 or not (one.isascii() and one.isalpha()):
                continue
            for _ in range(each):
                typo = misspelt(one, chance)
                if typo.lower() != one.lower():
                    tried += 1
                    if name not in recalled(user, CARRIER.format(typo)):
                        missed.append((typo, one))
    report.figure("typos of names of 5 letters or more", tried, "")
    report.figure("  that recall the belief", 100 * (1 - len(missed) / tried), "%")
    show("typos that recalled nothing", missed)


def words_taken(report: Report, user: UserMemory, prose: list[str], most: int) -> None:
    counts = Counter(word for one in prose for word in re.findall(r"\b[a-z]{4,}\b", one))
    lists = {f"wordfreq, {lang}": top_n_list(lang, most, "best") for lang in LANGUAGES}
    lists["seen 3 times or more in the sentences"] = [w for w, n in counts.items() if n >= 3]
    for which, words in lists.items():
        taken = [(word, reason.name) for word in words for reason in typos_in(user, word)]
        what = f"words taken for misspelt names: {which}"
        report.figure(what, 1000 * len(taken) / len(words), f"per 1,000 of {len(words):,}")
        show(what, taken)


def typos_in(user: UserMemory, word: str) -> Iterable[Any]:
    context = user.recall(CARRIER.format(word), budget=ALL, routes=["relevant"])
    return [one for one in context.explain() if one.route and one.rule == "R4"] if context else ()


def show(title: str, cases: list[Any], most: int = 12) -> None:
    """A sample of what a figure counts, for a person to judge."""
    if cases:
        print(f"\n{title}, {len(cases)} in all:")
        for case in random.Random(0).sample(cases, min(most, len(cases))):
            print("  -", case)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--prose", type=Path, nargs="*", default=[], help="ordinary English")
    parser.add_argument("--quick", action="store_true", help="fewer typos and words")
    options = parser.parse_args()
    started = time.perf_counter()
    report = Report("Precision at scale")
    names = names_of(options.data)
    with BeliefMemory.open("memory://") as memory:
        user = memory.for_user("alice")
        user.load(
            [
                {"id": name, "canonical_name": name, "aliases": aliases, "content": "Known."}
                for name, aliases in names.items()
            ]
        )
        by_name(report, user, names)
        in_prose(report, user, "everyday sentences, written here", everyday(10_000))
        for path in options.prose:
            lines = path.read_text("utf-8", "replace").splitlines()
            in_prose(report, user, path.stem, [line.split("\t")[-1].strip() for line in lines])
        if talk := conversations():
            in_prose(report, user, "small talk of chatterbot-corpus", talk)
        prose = installed_sentences(options.sentences)
        in_prose(report, user, "docstrings of installed packages", prose)
        with_typos(report, user, names, 1 if options.quick else 4)
        words_taken(report, user, prose, 3000 if options.quick else 20_000)
    report.figure("this run", time.perf_counter() - started, "s")
    report.show()


if __name__ == "__main__":
    main()
