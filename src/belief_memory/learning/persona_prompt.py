"""What a model is asked to write a persona, and what of its answer is taken."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from json_repair import repair_json

_INSTRUCTIONS: Final = """\
Below are standing notes about one user: preferences and instructions that hold in every \
conversation. Write them as one compact text for an assistant that is to follow them, in the \
language of the notes, in at most {limit} characters. Keep every instruction, name and number; \
add nothing, conclude nothing, greet nobody. Answer with JSON: {{"persona": "..."}}.
"""
_NUMBER = re.compile(r"\d+")


def persona_schema() -> dict[str, Any]:
    """The JSON schema of an answer."""
    return {
        "title": "Persona",
        "type": "object",
        "properties": {"persona": {"type": "string"}},
        "required": ["persona"],
        "additionalProperties": False,
    }


def persona_prompt(notes: str, limit: int) -> str:
    """The whole prompt; the notes are fenced as JSON, so that none can end its string."""
    return f"{_INSTRUCTIONS.format(limit=limit)}\nNOTES\n{json.dumps(notes, ensure_ascii=False)}\n"


def read_persona(answer: Any) -> str:
    """The text in an answer: structured, JSON in prose, or bare prose; ``""`` if none."""
    dump = getattr(answer, "model_dump", None)
    if callable(dump):
        answer = dump()
    if isinstance(answer, str) and "{" in answer:
        answer = repair_json(answer[answer.index("{") :], return_objects=True) or answer
    if isinstance(answer, Mapping):
        answer = answer.get("persona")
    return " ".join(answer.split()) if isinstance(answer, str) else ""


def objection(text: str, notes: str, limit: int) -> str | None:
    """Why a written persona may not stand for the notes; None if it may.

    What can be checked without another model: that there is one, that it is no longer than
    asked for, and that every number of the notes is in it and no other.
    """
    if not text:
        return "the model wrote nothing"
    if len(text) > limit:
        return f"the model wrote {len(text)} characters, more than {limit}"
    said, written = set(_NUMBER.findall(notes)), set(_NUMBER.findall(text))
    if lost := sorted(said - written):
        return f"the model left out {lost[0]!r}"
    if invented := sorted(written - said):
        return f"the model wrote {invented[0]!r}, which no belief says"
    return None
