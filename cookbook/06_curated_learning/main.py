"""Learning that waits for a person: observe, review, correct, decide a conflict, read the digest.

Runs offline with an extractor that needs no model; `--model provider:name` takes a real one.
"""

from __future__ import annotations

import argparse
import tempfile
from datetime import UTC, datetime

from langchain.chat_models import init_chat_model
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from belief_memory import BeliefMemory, Message, UserMemory
from belief_memory.learning import DeterministicExtractor
from langchain_belief_memory import LangChainExtractor

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TUESDAY = datetime(2026, 3, 3, 9, 0, tzinfo=UTC)
SECRET = "ghp_" + "a1B2" * 9  # looks like a token, and is none
FIRST_TALK = [
    Message("user", "Hi! I work for Tidewater Ecology now."),
    Message("assistant", "Congratulations! I suppose you live in Ghent, then?"),
    Message("user", "If I lived in Ghent I would cycle. Do I live in Ghent? No."),
    Message("user", "The survey database runs on PostGIS."),
    Message("user", "My supervisor is called Ngozi Adeyemi."),
    Message("user", "Brannoch is our mascot. My sister said: “I live in Oslo.”"),
    Message("user", f"The key is {SECRET}, keep it to yourself."),
]
SECOND_TALK = [Message("user", "I work for Marram Surveys now.")]
console = Console(highlight=False, width=110)


class Day:
    """The clock of the story."""

    def __init__(self) -> None:
        self.now = MONDAY

    def __call__(self) -> datetime:
        return self.now


def step(title: str) -> None:
    console.print(f"\n[bold]{title}[/bold]")


def known(user: UserMemory, question: str) -> None:
    relevant = [belief.content for belief in user.recall(question).relevant]
    console.print(f"   {question} {' '.join(relevant) or '(nothing is recalled)'}", style="cyan")


def observe(user: UserMemory, talk: list[Message], session: str) -> None:
    report = user.observe(talk, session_id=session)
    table = Table("waits", "about", "because the user said", box=None)
    for belief in report.pending:
        quote = belief.provenance.quote if belief.provenance else ""
        table.add_row(belief.content, str(belief.slot), quote or "")
    console.print(table)
    for skip in report.skipped:
        console.print(f"   not learned, {skip.reason}: {skip.text}", markup=False, style="dim")
    console.print(f"   secrets taken out before anything was stored: {report.redacted}")


def review(user: UserMemory) -> None:
    """The person's part. In an application this is a page with two buttons."""
    for belief in user.pending():
        if "mascot" in belief.content:
            user.reject(belief)
            console.print(f"   rejected: {belief.content}", markup=False)
        else:
            outcome = user.approve(belief)
            console.print(f"   approved, {outcome.action}: {belief.content}", markup=False)


def correct(user: UserMemory) -> None:
    for belief in user.search("Adeyemi"):
        right = user.correct(belief, belief.content.replace("Adeyemi", "Adeyemo")).belief
        assert right is not None
        console.print(f"   {belief.content} -> {right.content}", markup=False)
    for belief in user.search("Tidewater"):
        # From now on no conversation overrules this silently.
        user.update(belief, user_edited=True)


def decide(user: UserMemory) -> None:
    for conflict in user.conflicts():
        held = conflict.held.content if conflict.held else "nothing"
        console.print(f"   held: {held}  said: {conflict.alternative.content}", markup=False)
        known(user, "Where do I work?")
        outcome = user.resolve_conflict(conflict, "supersede")
        console.print(f"   a person decides for what was said: {outcome.action}")
        known(user, "Where do I work?")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    options = parser.parse_args()
    extractor = (
        LangChainExtractor(init_chat_model(options.model))
        if options.model
        else DeterministicExtractor(["en"])
    )
    day = Day()
    with (
        tempfile.TemporaryDirectory() as folder,
        BeliefMemory.open(folder, extractor=extractor, mode="curated", clock=day) as memory,
    ):
        user = memory.for_user("botanist")
        step("1. Monday: a conversation. What was learned waits; recall does not know it")
        observe(user, FIRST_TALK, "monday")
        known(user, "Where do I work?")

        step("2. A person reviews")
        review(user)
        known(user, "Where do I work?")
        known(user, "Can the survey database do buffers?")

        step("3. A person corrects what was misheard, and vouches for the employer")
        correct(user)
        known(user, "Who is my supervisor?")

        day.now = TUESDAY
        step("4. Tuesday: a conversation says otherwise")
        observe(user, SECOND_TALK, "tuesday")
        review(user)
        console.print(Markdown(user.digest("2026-03-03")))

        step("5. What a person vouched for is not overruled: the conflict is decided by one")
        decide(user)

        step("6. The digest of both days")
        console.print(Markdown(user.digest("2026-03-02", days=2)))


if __name__ == "__main__":
    main()
