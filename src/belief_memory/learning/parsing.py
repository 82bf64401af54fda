"""Reading what a model answered: strict where it is JSON, tolerant where it almost is.

What cannot be read is a :class:`Skip` with the text kept. An answer that was cut off
loses only the item it was cut in: half a sentence is not a belief.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from belief_memory.learning.items import learned_from
from belief_memory.model.learning import Extraction, Learned, Skip

_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_LISTS = ("beliefs", "items", "memories", "facts", "drafts", "learned", "results", "data")
_SINGLE = frozenset(("content", "statement", "canonical_name", "name", "slot"))
_KEY = re.compile(r"[\"'“]?\b(?:content|statement)\b[\"'”]?\s*:", re.IGNORECASE)
_STRAIGHT = dict.fromkeys(map(ord, "“”„«»"), '"')
_CLOSED = re.compile(r"[}\]][\s`;,.)]*$")


def parse_answer(answer: object, *, model: str | None = None) -> Extraction:
    """The drafts in a model's answer, and what of it could not be read.

    Args:
        answer: text, or structured output: a mapping, a list, a dataclass, or an object
            with ``model_dump``.
    """
    skipped: list[Skip] = []
    learned: list[Learned] = []
    for item in _items(answer, skipped):
        read = learned_from(item)
        if isinstance(read, Skip):
            skipped.append(read)
        else:
            learned.append(read)
    return Extraction(tuple(learned), tuple(skipped), model)


def _items(answer: object, skipped: list[Skip]) -> list[object]:
    if isinstance(answer, (bytes, bytearray)):
        answer = answer.decode("utf-8", "replace")
    if isinstance(answer, str):
        return _from_text(answer, skipped)
    if hasattr(answer, "model_dump"):
        answer = answer.model_dump()
    elif is_dataclass(answer) and not isinstance(answer, type):
        answer = asdict(answer)
    found = _listed(answer)
    if found is None:
        skipped.append(Skip("the answer holds no list of beliefs", repr(answer)))
        return []
    return found


def _listed(value: object, depth: int = 0) -> list[object] | None:
    """The list of items in a decoded answer, whatever it is wrapped in."""
    if isinstance(value, list):
        # A repaired answer may hold the prose around the JSON as strings.
        kept = [one for one in value if not isinstance(one, str) or one.strip()]
        if len(kept) == 1 and isinstance(kept[0], Mapping) and not _is_item(kept[0]):
            return _listed(kept[0], depth + 1) if depth < 4 else None
        return kept
    if isinstance(value, Mapping):
        if not value:
            return []
        for name in _LISTS:
            inner = value.get(name)
            if isinstance(inner, list):
                return inner
            if isinstance(inner, Mapping):
                return [inner]
        if _is_item(value):
            return [value]
        if depth < 4 and len(value) == 1:
            return _listed(next(iter(value.values())), depth + 1)
        if all(isinstance(one, Mapping) for one in value.values()):
            return [{"canonical_name": name, **one} for name, one in value.items()]
    if isinstance(value, str) and depth < 4 and value.strip()[:1] in ("{", "["):
        try:
            return _listed(json.loads(value), depth + 1)
        except ValueError:
            return None
    return None


def _is_item(value: Mapping[Any, Any]) -> bool:
    return any(str(name).lower() in _SINGLE for name in value)


def _from_text(text: str, skipped: list[Skip]) -> list[object]:
    body = _THOUGHT.sub("", text).strip().lstrip("\ufeff")
    if '"' not in body:
        body = body.translate(_STRAIGHT)
    if not body:
        skipped.append(Skip("the answer is empty", text))
        return []
    strict = _strict(body)
    if strict is not None:
        return strict
    chunks: list[list[object] | None] = []
    for candidate in _candidates(body):
        strict = _strict(candidate)
        chunks.append(_repaired(candidate, skipped) if strict is None else strict)
    found = [item for chunk in chunks if chunk is not None for item in chunk]
    if all(chunk is None for chunk in chunks):
        skipped.append(Skip("the answer is not JSON, not even almost", text))
    return found


def _strict(text: str) -> list[object] | None:
    try:
        return _listed(json.loads(text))
    except (ValueError, RecursionError):
        return _lines(text)


def _lines(text: str) -> list[object] | None:
    """Several JSON values one after another, as in JSON Lines."""
    decoder = json.JSONDecoder()
    found: list[object] = []
    at = 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        inner = _listed(value)
        if inner is None:
            return None
        found += inner
        while at < len(text) and text[at] in " \t\r\n,;":
            at += 1
    return found or None


def _candidates(body: str) -> list[str]:
    """The parts of an answer that may be JSON: fenced blocks, else from the first bracket."""
    fenced = [m[1].strip() for m in _FENCE.finditer(body) if re.search(r"[{\[]", m[1])]
    if fenced:
        return fenced
    starts = [m.start() for m in re.finditer(r"\{\s*[\"'“\w}/]|\[\s*[\{\]\"'/]|\[\s*$", body)]
    if not starts:
        return []
    start = min(starts)
    decoder = json.JSONDecoder()
    for at in starts:
        try:
            value, end = decoder.raw_decode(body, at)
        except (ValueError, RecursionError):
            continue
        if at == start or (_listed(value) is not None and not _KEY.search(body, start, at)):
            rest = body[end:]
            if not re.search(r"[{\[]\s*[\"'{]", rest):
                return [body[at:end]]
        break
    return [_without_afterword(body[start:])]


def _without_afterword(text: str) -> str:
    """Without prose behind the last bracket; a tail with quotes in it is cut-off JSON."""
    last = max(text.rfind("}"), text.rfind("]"))
    tail = text[last + 1 :]
    return text[: last + 1] if last >= 0 and '"' not in tail and ":" not in tail else text


def _repaired(text: str, skipped: list[Skip]) -> list[object] | None:
    """The items of JSON that is broken, each repaired by itself where they can be told
    apart, so that a fault in one costs no other."""
    pieces, rest = _objects(text)
    cut_off = rest.strip(" {[\n") != ""
    if pieces and len(pieces) + (_KEY.search(rest) is not None) >= len(_KEY.findall(text)):
        items: list[object] = [_repair(piece) for piece in pieces]
        if cut_off:
            skipped.append(Skip("the answer was cut off here", rest))
        return items
    found = _listed(_repair(text))
    if found is None:
        return None
    if found and not _CLOSED.search(text):
        cut = found.pop()
        start = text.rfind("{")
        skipped.append(
            Skip("the answer was cut off here", text[start:] if start >= 0 else str(cut))
        )
    elif not found:
        skipped.append(Skip("the answer is broken, and nothing could be read", text))
    if len(found) + 1 < len(_KEY.findall(text)):
        skipped.append(Skip("a part of the answer could not be read", text))
    return found


def _repair(text: str) -> object:
    import json_repair

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return text


def _objects(text: str) -> tuple[list[str], str]:
    """The whole objects in ``text`` that look like items, and what an unclosed one left."""
    opened: list[int] = []
    found: list[tuple[int, int]] = []
    inside = False
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == '"':
            inside = not inside
        elif not inside and char == "{":
            opened.append(at)
        elif not inside and char == "}" and opened:
            start = opened.pop()
            inner = [span for span in found if span[0] > start]
            if _KEY.search(_without(text, start, at, inner)):
                found = [*found[: len(found) - len(inner)], (start, at + 1)]
        at += 1
    left = text[opened[-1] :] if opened and (not found or opened[-1] >= found[-1][1]) else ""
    return [text[start:end] for start, end in found], left


def _without(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> str:
    """The text of an object without the objects in it."""
    parts: list[str] = []
    for inner_start, inner_end in spans:
        parts.append(text[start:inner_start])
        start = inner_end
    return "".join([*parts, text[start:end]])
