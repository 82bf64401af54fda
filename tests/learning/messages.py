"""Conversations of the learning tests, and an extractor that replays given answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from belief_memory.learning import CompletionExtractor


class Replay:
    """A model that answers with what it was given, one answer a call, and keeps its prompts."""

    def __init__(self, answers: Iterable[Any]) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt: str, schema: dict[str, Any]) -> Any:
        self.prompts.append(prompt)
        answer = self.answers[len(self.prompts) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, str) else json.dumps({"beliefs": answer})


def replaying(*answers: Any) -> tuple[CompletionExtractor, Replay]:
    model = Replay(answers)
    return CompletionExtractor(model, name="replay", model="fake-1"), model


def always(answer: Callable[[str], Any]) -> CompletionExtractor:
    def complete(prompt: str, schema: dict[str, Any]) -> str:
        return json.dumps({"beliefs": answer(prompt)})

    return CompletionExtractor(complete)


def item(name: str, attribute: str | None, content: str, quote: str, **more: Any) -> dict[str, Any]:
    """One item of a model's answer."""
    return {
        "canonical_name": name,
        "attribute": attribute,
        "content": content,
        "why_it_matters": "It changes what is right to answer.",
        "quote": quote,
        **more,
    }
