"""What people say, and what a model makes of it: rightly (stated.txt) and wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.learning.messages import item

Case = tuple[str, dict[str, Any]]


def read(name: str) -> list[Case]:
    lines = (Path(__file__).parent / f"{name}.txt").read_text("utf-8").splitlines()
    return [case(line) for line in lines if line and not line.startswith("# ")]


def case(line: str) -> Case:
    text, slot, content, quote, *more = (part.replace("\\n", "\n") for part in line.split(" | "))
    name, _, attribute = slot.partition(" / ")
    fields: dict[str, Any] = dict(pair.split("=") for pair in ", ".join(more).split(", ") if pair)
    if "confidence" in fields:
        fields["confidence"] = float(fields["confidence"])
    return text, item(name, attribute or None, content, quote, **fields)


STATED = read("stated")
UNSTATED = read("unstated")
