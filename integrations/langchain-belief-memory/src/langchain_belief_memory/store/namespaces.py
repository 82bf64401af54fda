"""Namespaces: which label names the user, and which namespaces match."""

from __future__ import annotations

import re
from collections.abc import Iterable

from langgraph.store.base import InvalidNamespaceError, ListNamespacesOp, MatchCondition

Namespace = tuple[str, ...]

_ESCAPES = {"%": "%25", ".": "%2E", "\x00": "%00"}
_ESCAPED = {escaped: char for char, escaped in _ESCAPES.items()}


def namespace_label(user_id: str) -> str:
    """A user id as a namespace label: LangGraph forbids "." there, which e-mails have."""
    return re.sub(r"[%.\x00]", lambda match: _ESCAPES[match[0]], user_id)


def user_of(namespace: Namespace, position: int) -> str | None:
    """The user id that the label at ``position`` names; None if there is no such label."""
    if len(namespace) <= position:
        return None
    label = namespace[position]
    if "%" not in label:
        return label
    return re.sub("%25|%2E|%00", lambda match: _ESCAPED[match[0]], label)


def owner_of(namespace: Namespace, position: int) -> str:
    """The user id that owns what is in ``namespace``; raises InvalidNamespaceError."""
    user_id = user_of(namespace, position)
    if user_id is None:
        raise InvalidNamespaceError(
            f"label {position} of a namespace names the user; {namespace!r} has no such label"
        )
    return user_id


def named_by(conditions: Iterable[MatchCondition], position: int) -> str | None:
    """The one user that a listing's prefix names; None if it reaches across users."""
    for condition in conditions:
        if condition.match_type == "prefix" and len(condition.path) > position:
            label = condition.path[position]
            if label != "*":
                return user_of(condition.path, position)
    return None


def listed(found: Iterable[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    """The namespaces that ``op`` asks for, sorted, each once."""
    conditions = op.match_conditions or ()
    matching = {
        namespace[: op.max_depth]
        for namespace in found
        if all(_matches(namespace, condition) for condition in conditions)
    }
    return sorted(matching)[op.offset : op.offset + op.limit]


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    if condition.match_type == "prefix":
        part = namespace[: len(path)]
    elif condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    else:
        raise ValueError(f"no such match type: {condition.match_type!r}")
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
