"""What did we believe in March 2022, and what was true then?

Runs offline with a scripted model; `--model provider:name` takes a real one.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from datetime import UTC, datetime
from typing import Any

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from rich.console import Console
from rich.table import Table

from belief_memory import BeliefMemory, Context, UserMemory

MARCH = "2022-03-31"
# The day on which it was recorded, the release, the end of support that it gave (None: not
# known yet). From the history of endoflife.date (MIT licence).
HISTORY: list[tuple[str, str, str | None]] = [
    ("2019-10-03", "Go 1.12", None),
    ("2020-10-28", "Node.js 16", "2024-04-30"),
    ("2020-12-17", "Kubernetes 1.20", None),
    ("2021-04-09", "Kubernetes 1.20", "2021-12-30"),
    ("2021-05-04", "Kubernetes 1.20", "2022-02-28"),
    ("2021-11-17", "Kotlin 1.5", None),
    ("2022-03-21", "Vue 2", "2023-09-23"),
    ("2022-06-11", "Node.js 16", "2023-09-11"),
    ("2022-07-05", "Vue 2", "2023-12-31"),
    ("2022-12-22", "Go 1.12", "2020-02-25"),
    ("2022-12-28", "Kotlin 1.5", "2021-11-26"),
    ("2023-01-05", "Kotlin 1.5", "2021-11-29"),
]
ALSO = {"Node.js 16": ["Node 16"], "Kubernetes 1.20": ["k8s 1.20"], "Go 1.12": ["golang 1.12"]}
SUPPORTED, ENDED = "supported", "out of support"
console = Console(highlight=False, width=110)


class Replay:
    """A clock that stands where the history being replayed stands, then runs on."""

    def __init__(self) -> None:
        self.at: datetime | None = None

    def __call__(self) -> datetime:
        return self.at or datetime.now(UTC)


def learn(user: UserMemory, clock: Replay) -> None:
    """Record each date on the day on which it became known.

    A new date is a correction, not a change: the release did not begin to have another end,
    it always had that one and we were wrong. `correct` overwrites exactly the interval that
    it is given, and keeps what we believed before on the other clock.
    """
    first: dict[str, str] = {}
    for day, release, end in HISTORY:
        clock.at = datetime.fromisoformat(day).replace(tzinfo=UTC)
        begun = first.setdefault(release, day)
        slot, aliases = (release, "support"), ALSO.get(release, [])
        user.correct(slot, SUPPORTED, valid_from=begun, valid_to=end, aliases=aliases)
        if end is not None:
            user.correct(slot, ENDED, valid_from=end, valid_to=None, aliases=aliases)
    clock.at = None


def state(user: UserMemory, release: str, *, valid_at: str, known_at: str | None = None) -> str:
    found = user.beliefs(slot=(release, "support"), valid_at=valid_at, known_at=known_at)
    return found[0].content if found else "nothing"


def two_clocks(user: UserMemory) -> None:
    table = Table(
        "release",
        f"on {MARCH},\nas believed that day",
        f"on {MARCH},\nas known today",
        "on 2023-10-15,\nas believed in March 2022",
        "on 2023-10-15,\nas known today",
        title="The two instants are independent",
    )
    for release in sorted({release for _, release, _ in HISTORY}):
        believed = state(user, release, valid_at=MARCH, known_at=MARCH)
        known = state(user, release, valid_at=MARCH)
        ahead = state(user, release, valid_at="2023-10-15", known_at=MARCH)
        behind = state(user, release, valid_at="2023-10-15")
        table.add_row(release, believed, marked(known, believed), ahead, marked(behind, ahead))
    console.print(table)


def marked(known: str, believed: str) -> str:
    return known if known == believed else f"[red]{known}[/red]"


def how_we_know(user: UserMemory) -> None:
    console.print("\n[bold]When did we learn that Kotlin 1.5 had ended?[/bold]")
    for change in user.changes("2022-12-01", "2023-02-01"):
        belief = change.belief
        if belief.canonical_name == "Kotlin 1.5" and change.kind == "recorded":
            end = f"{belief.valid_to:%Y-%m-%d}" if belief.valid_to else "now"
            span = f"{belief.content} {belief.valid_from:%Y-%m-%d} to {end}"
            console.print(f"   on {change.at:%Y-%m-%d}: {span}")


class ScriptedModel(BaseChatModel):
    """Stands in for a real model: it repeats the beliefs that it was given, and no others."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        known = re.findall(r'about="([^"]+)"[^>]*>([^<]+)', messages[0].text)
        answer = "; ".join(f"{name} is {status}" for name, status in known)
        message = AIMessage(f"{answer or 'I know nothing about that'}.")
        return ChatResult(generations=[ChatGeneration(message=message)])


def the_same_question_again(user: UserMemory, model: BaseChatModel) -> None:
    """Replay an answer as it was given, and as it would have been had we known."""
    question = "Can we stay on Kotlin 1.5 and Node 16?"
    console.print(f"\n[bold]{question}[/bold] [dim](asked on {MARCH})[/dim]")

    def answer(title: str, context: Context) -> None:
        told = f"Answer about {MARCH}, from this memory only.\n{context.render()}"
        reply = model.invoke([("system", told), ("human", question)])
        console.print(f"   {title}: {reply.text}", markup=False)

    answer("answered then            ", user.recall(question, as_of=MARCH))
    answer("answered, knowing it all ", user.recall(question, valid_at=MARCH))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    options = parser.parse_args()
    model = init_chat_model(options.model) if options.model else ScriptedModel()
    clock = Replay()
    with (
        tempfile.TemporaryDirectory() as folder,
        BeliefMemory.open(folder, clock=clock) as memory,
    ):
        user = memory.for_user("ops")
        learn(user, clock)
        two_clocks(user)
        how_we_know(user)
        the_same_question_again(user, model)


if __name__ == "__main__":
    main()
