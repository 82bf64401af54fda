"""What learning costs and what it gets right: churn, later-wins facts, aliases, messages a second.

python -m benchmarks.learning [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from belief_memory import BeliefMemory, UserMemory
from belief_memory.learning import CompletionExtractor, DeterministicExtractor, redact
from benchmarks.report import Report


def churn(report: Report, data: Path) -> None:
    """Share of questions whose recalled context holds the current value."""
    rows = [json.loads(line) for line in (data / "churnbench" / "churn_u2_u8.jsonl").open()]
    with BeliefMemory.open("memory://", extractor=DeterministicExtractor()) as memory:
        memory.for_user("warm up").observe("I live in Ghent since May.")
        messages = 0
        asked: dict[int, list[bool]] = {}
        started = time.perf_counter()
        for number, row in enumerate(rows):
            user = memory.for_user(str(number))
            for session in row["sessions"]:
                user.observe(session)
                messages += len(session)
        seconds = time.perf_counter() - started
        for number, row in enumerate(rows):
            user = memory.for_user(str(number))
            for question in row["questions"]:
                context = user.recall(question["question"]).render()
                updates = row["config"]["updates_per_fact"]
                asked.setdefault(updates, []).append(question["gold"] in context)
    for updates, found in sorted(asked.items()):
        report.figure(f"churn, {updates} updates: current value recalled", share(found), "%")
    report.figure("observe, small talk and changes", messages / seconds, "messages/s")


def facts(report: Report, data: Path) -> None:
    """Numbered facts in one message, later wins."""
    given = json.loads((data / "factconsolidation" / "sh_6k_dev.json").read_text())
    extractor = DeterministicExtractor(rules=["facts"])
    with BeliefMemory.open("memory://", extractor=extractor) as memory:
        user = memory.for_user("reader")
        started = time.perf_counter()
        learned = user.observe(given["context"])
        seconds = time.perf_counter() - started
        current = [belief.content.rstrip(".") for belief in user.beliefs()]
        found = [
            any(fact.endswith(answer) for fact in current for answer in answers)
            for answers in given["answers"]
        ]
    report.figure("later-wins facts: answers among the current ones", share(found), "%")
    report.figure("facts in one message", len(learned.outcomes) / seconds, "facts/s")


def aliases(report: Report, data: Path) -> None:
    """The flywheel: of names that miss, how many hit after one sentence of clarification."""
    known = json.loads((data / "alias" / "simple_icons_aliases.json").read_text())
    pairs = [(name, alias) for name, alias in named(known) if name.isascii() and alias.isascii()]
    clarified: list[str] = []

    def complete(prompt: str, schema: dict[str, object]) -> str:
        name, alias = clarified
        item = {
            "canonical_name": name,
            "content": "",
            "act": "alias",
            "aliases": [alias],
            "quote": f"By {alias} I mean {name}",
        }
        return json.dumps({"beliefs": [item]})

    missed: list[bool] = []
    hit: list[bool] = []
    with BeliefMemory.open("memory://", extractor=CompletionExtractor(complete)) as memory:
        for number, (name, alias) in enumerate(pairs[:100]):
            user = memory.for_user(str(number))
            user.remember(name, "One of our tools.")
            if recalls(user, f"Is {alias} up to date?", name):
                continue
            missed.append(True)
            clarified[:] = [name, alias]
            user.observe(f"By {alias} I mean {name}.")
            hit.append(recalls(user, f"Is {alias} up to date?", name))
    report.figure("names that missed at first", len(missed), "of the first 100")
    report.figure("of them recalled after one clarification", share(hit), "%")


def named(entries: list[dict[str, object]]) -> list[tuple[str, str]]:
    """Name and alias pairs."""
    return [
        (str(entry["title"]), alias)
        for entry in entries
        for listed in entry.values()
        if isinstance(listed, list)
        for alias in listed
    ]


def recalls(user: UserMemory, query: str, name: str) -> bool:
    return any(belief.canonical_name == name for belief in user.recall(query).relevant)


def redaction(report: Report) -> None:
    text = "I moved to Porto last week and the deploy runs at noon, see the wiki for details. " * 12
    redact(text)
    started = time.perf_counter()
    for _ in range(50):
        redact(text)
    report.figure("redaction of 1 kB", (time.perf_counter() - started) * 20, "ms")


def long_messages(report: Report) -> None:
    """One message with many statements: four times as many should take four times as long."""
    kinds = {
        "the same statement": lambda one: "I live in Oslo.",
        "different statements": lambda one: f"My tool{one} is Maker{one}.",
        "values of one slot": lambda one: f"I moved to Town{one}.",
    }
    with BeliefMemory.open("memory://", extractor=DeterministicExtractor()) as memory:
        memory.for_user("warm up").observe("I live in Ghent since May.")
        for kind, statement in kinds.items():
            # Caches of a few hundred texts are of no use to either.
            few, many = (observed(memory, statement, count) for count in (600, 2400))
            report.figure(f"one message, {kind}: 2,400 / 600 (linear: 4)", many / few, "")
        user = memory.for_user("nothing said")
        started = time.perf_counter()
        user.observe("The trees are green over there, as they are every year. " * 3600)
        report.figure("200 kB without a statement", time.perf_counter() - started, "s")


def observed(memory: BeliefMemory, statement: Callable[[int], str], count: int) -> float:
    user = memory.for_user(f"{statement(1)} {count}")
    message = " ".join(map(statement, range(count)))
    started = time.perf_counter()
    user.observe(message)
    return time.perf_counter() - started


def share(found: list[bool]) -> float:
    return 100 * sum(found) / max(1, len(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    report = Report("Learning")
    churn(report, options.data)
    facts(report, options.data)
    aliases(report, options.data)
    redaction(report)
    long_messages(report)
    report.show()


if __name__ == "__main__":
    main()
