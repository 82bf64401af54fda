"""One item of a model's answer as a :class:`Learned`, or a skip that says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, get_args

from belief_memory.model.belief import BeliefType, EpistemicStatus
from belief_memory.model.learning import Act, Learned, Skip
from belief_memory.model.slot import Slot

_NAMES = {
    "canonical_name": ("name", "entity", "subject", "about", "key", "topic"),
    "attribute": ("property", "aspect", "field", "predicate"),
    "content": ("statement", "fact", "text", "belief", "value", "memory"),
    "why_it_matters": ("why", "directive", "instruction", "reason", "importance"),
    "act": ("action", "operation", "op", "kind", "change"),
    "quote": ("evidence", "source_text", "span", "excerpt"),
    "message_id": ("message", "source", "source_id", "turn", "turn_id"),
    "valid_from": ("when", "since", "from", "start", "start_date", "date"),
    "valid_to": ("until", "to", "end", "end_date"),
    "resolves": ("answers", "closes"),
    "participants": ("relates", "entities", "connects"),
    "relation_type": ("relation", "relationship"),
    "aliases": ("alias", "synonyms", "also_known_as"),
    "epistemic_status": ("status", "epistemic"),
}
_ACTS: dict[str, Act] = {
    **{act: act for act in get_args(Act)},
    **dict.fromkeys(("new", "add", "insert", "create", "remember", "store"), "assert"),
    **dict.fromkeys(("update", "supersede", "replace", "changed", "move"), "change"),
    **dict.fromkeys(("correction", "fix", "corrected"), "correct"),
    **dict.fromkeys(("retraction", "end", "delete", "remove", "forget", "retracted"), "retract"),
    **dict.fromkeys(("answer", "close", "resolved"), "resolve"),
    **dict.fromkeys(("add_alias", "aliases", "add_aliases"), "alias"),
}
_TYPES = frozenset(get_args(BeliefType))
_STATUSES = frozenset(get_args(EpistemicStatus))
_TYPE_WORDS = {"question": "open_question", "open question": "open_question", "rule": "instruction"}
_CONFIDENCE = {"certain": 1.0, "high": 0.9, "medium": 0.6, "moderate": 0.6, "low": 0.3}


def learned_from(item: object) -> Learned | Skip:
    """Read one item; a field that cannot be read is a skip that names it."""
    kept = _shown(item)
    if not isinstance(item, Mapping):
        return Skip("not an object", kept)
    raw = {str(name).strip().lower().replace(" ", "_"): value for name, value in item.items()}
    for name, others in _NAMES.items():
        if name not in raw:
            raw[name] = next((raw[other] for other in others if other in raw), None)
    try:
        return _learned(raw)
    except _Unreadable as error:
        return Skip(str(error), kept)


class _Unreadable(ValueError):
    """The item breaks a rule; the message says which."""


def _learned(raw: dict[str, Any]) -> Learned:
    act = _act(raw.get("act"))
    slot = _slot(raw)
    content = _string(raw.get("content"), "content")
    if not content and act in ("assert", "change", "correct"):
        raise _Unreadable("content: missing")
    return Learned(
        slot=slot,
        content=content,
        why_it_matters=_string(raw.get("why_it_matters"), "why_it_matters"),
        act=act,
        aliases=_strings(raw.get("aliases"), "aliases"),
        attribute_aliases=_strings(raw.get("attribute_aliases"), "attribute_aliases"),
        type=_type(raw.get("type")),
        subtype=_string(raw.get("subtype"), "subtype") or None,
        scopes=_strings(raw.get("scopes", raw.get("scope")), "scopes") or None,
        epistemic_status=_status(raw.get("epistemic_status")),
        confidence=_confidence(raw.get("confidence")),
        cardinality=_cardinality(raw.get("cardinality")),
        member=_string(raw.get("member"), "member") or None,
        valid_from=_when(raw.get("valid_from"), "valid_from"),
        valid_to=_when(raw.get("valid_to"), "valid_to"),
        never_true=_flag(raw.get("never_true")),
        resolves=_slot_like(raw.get("resolves")),
        participants=_strings(raw.get("participants"), "participants"),
        relation_type=_string(raw.get("relation_type"), "relation_type") or None,
        message_id=_string(raw.get("message_id"), "message_id") or None,
        quote=_string(raw.get("quote"), "quote") or None,
    )


def _string(value: object, field: str) -> str:
    if value is None or value == []:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _Unreadable(f"{field}: expected a string")
    text = str(value).strip()
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _Unreadable(f"{field}: holds half a character") from None
    return "" if text.lower() in ("null", "none", "n/a") else text.replace("\0", "")


def _strings(value: object, field: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise _Unreadable(f"{field}: expected a list of strings")
    texts = (_string(one, field) for one in value)
    return tuple(dict.fromkeys(text for text in texts if text))


def _slot(raw: dict[str, Any]) -> Slot:
    given = _slot_like(raw.get("slot"))
    name = _string(raw.get("canonical_name"), "canonical_name")
    attribute = _string(raw.get("attribute"), "attribute") or None
    if name:
        pair = name.split("/", 1) if attribute is None and name.count("/") == 1 else None
        if pair and pair[0].strip().lower() == "user" and pair[1].strip():
            return Slot(pair[0].strip(), pair[1].strip())
        return Slot(name, attribute)
    if given is not None:
        return given
    raise _Unreadable("canonical_name: missing")


def _slot_like(value: object) -> Slot | None:
    if value is None or value in ("", [], {}, "null", "none", False):
        return None
    if isinstance(value, Mapping):
        name = _string(value.get("canonical_name", value.get("name")), "canonical_name")
        attribute = _string(value.get("attribute"), "attribute") or None
        parts: list[str | None] = [name, attribute]
    elif isinstance(value, str):
        parts = (
            [part.strip() for part in value.split("/", 1)] if " / " in value else [value.strip()]
        )
    elif isinstance(value, (list, tuple)) and len(value) in (1, 2):
        parts = [_string(part, "slot") for part in value]
    else:
        raise _Unreadable("slot: expected a name, or a name and an attribute")
    if not parts[0]:
        raise _Unreadable("slot: the name is missing")
    return Slot(parts[0], (parts[1] or None) if len(parts) > 1 else None)


def _act(value: object) -> Act:
    if value is None or isinstance(value, bool):
        return "change"
    word = str(value).strip().lower()
    if word not in _ACTS:
        raise _Unreadable("act: unknown")
    return _ACTS[word]


def _type(value: object) -> Any:
    word = str(value or "fact").strip().lower()
    word = _TYPE_WORDS.get(word, word).replace(" ", "_")
    return word if word in _TYPES else "fact"


def _status(value: object) -> Any:
    word = str(value or "active").strip().lower()
    return word if word in _STATUSES else "active"


def _cardinality(value: object) -> Any:
    word = str(value or "").strip().lower()
    return word if word in ("one", "many") else None


def _confidence(value: object) -> float:
    if value is None:
        return 1.0
    if isinstance(value, str):
        text = value.strip().lower()
        if text in _CONFIDENCE:
            return _CONFIDENCE[text]
        percent = text.endswith("%")
        try:
            value = float(text.removesuffix("%")) / (100 if percent else 1)
        except ValueError:
            raise _Unreadable("confidence: expected a number from 0 to 1") from None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise _Unreadable("confidence: expected a number from 0 to 1")
    return float(value)


def _when(value: object, field: str) -> str | datetime | None:
    if isinstance(value, datetime):
        return value
    return _string(value, field) or None


def _flag(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in ("true", "yes"))


def _shown(item: object) -> str:
    try:
        return json.dumps(item, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        return repr(item)
