"""Name keys: what matching needs of a belief's names, computed once when it is written."""

from __future__ import annotations

import re
from itertools import pairwise

from belief_memory.model.belief import Statement
from belief_memory.text.normal import fold
from belief_memory.text.tokens import DEFAULT_JOINT, joint, spaceless, spans, tokenise

KEYS_VERSION = 2
"""Rises whenever :func:`name_keys` would give something else for the same names."""

_JOINTS = "\x1f"
_JOINT = "\x1d"
_SIMPLE = re.compile(r"[A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+)*")
_TO_SPACES = str.maketrans("_-", "  ")


def name_keys(statement: Statement) -> tuple[str, ...]:
    """One key per name: canonical name, aliases, then attribute and attribute aliases.

    A key is the folded tokens joined by spaces, followed by the joints where one of them
    is not the default. A name without any token has an empty key and names nothing.
    """
    names = [statement.canonical_name, *statement.aliases]
    if statement.attribute is not None:
        names.append(statement.attribute)
        names += statement.attribute_aliases
    return tuple([name_key(name) for name in names])


def name_key(name: str) -> str:
    """The key of one name."""
    if name.isascii():
        if name.isalnum():
            return name.lower()
        if _SIMPLE.fullmatch(name):
            return name.lower().translate(_TO_SPACES)
    return _general_key(name)


def split_key(key: str) -> tuple[str, tuple[str, ...] | None]:
    """The tokens of a key, joined by spaces, and its joints (None: all default)."""
    tokens, separator, joints = key.partition(_JOINTS)
    return tokens, tuple(joints.split(_JOINT)) if separator else None


def _general_key(name: str) -> str:
    folded, _ = fold(name)
    tokens = tokenise(folded)
    gaps = [folded[end:start] for (_, end), (start, _) in pairwise(spans(folded))]
    joints = [
        joint(left, gap, right) for gap, (left, right) in zip(gaps, pairwise(tokens), strict=True)
    ]
    key = " ".join(tokens)
    if all(
        wanted == default_joint(left, right)
        for wanted, (left, right) in zip(joints, pairwise(tokens), strict=True)
    ):
        return key
    return f"{key}{_JOINTS}{_JOINT.join(joints)}"


def default_joint(left: str, right: str) -> str:
    """The joint that a key leaves out."""
    return "" if spaceless(left) and spaceless(right) else DEFAULT_JOINT
