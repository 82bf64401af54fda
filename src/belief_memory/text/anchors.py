"""Anchors: short words by which an index finds whatever could be meant, and perhaps more.

A belief is stored with the anchors of its names, its id and its slot. Whoever looks for
something works out the anchors it would have (``retrieval.anchors`` does so for a query),
and compares what they find with the real rules: a shared anchor admits nothing, but what
shares none cannot match.

Anchors are checksums: of ASCII letters and digits, so that no tokeniser can change them,
and without any text, so that an index over them holds none.
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from belief_memory.model.belief import Belief
from belief_memory.model.scope import UNIVERSAL
from belief_memory.text.fold import fold_slot, slot_key
from belief_memory.text.keys import name_keys, split_key

ANCHORS_VERSION = 2
"""Rises whenever :func:`anchors` would give something else for the same belief."""

STANDING = "always"
"""The anchor of what may belong before the model whatever is asked (Rule R2)."""

LEADING = 3
"""Tokens of a name that its anchors speak for; more would cost a query more than it saves."""

USER = "user"


def anchors(version: Belief) -> frozenset[str]:
    """The anchors of a version."""
    found = {
        id_anchor(version.id),
        slot_anchor(slot_key(version.canonical_name, version.attribute)),
    }
    if version.standing != "held":
        return frozenset(found)
    if stands(version):
        found.add(STANDING)
    keys = version.name_keys or name_keys(version)
    if fold_slot(version.canonical_name) == USER:
        # The word "user" names nothing (Rule R3).
        keys = keys[1:]
        if version.attribute is not None:
            found.add(user_anchor(version.attribute))
    else:
        keys = keys[: 1 + len(version.aliases)]
    for key in keys:
        if key:
            found.update(_of_run(split_key(key)[0].split(" ")[:LEADING]))
    return frozenset(found)


def stands(version: Belief) -> bool:
    """Whether it may be in a route that does not depend on the query."""
    return (
        version.pinned
        or version.subtype == "expertise"
        or (version.type in ("preference", "instruction") and UNIVERSAL in version.scopes)
    )


def id_anchor(id: str) -> str:
    """The anchor of every version of the belief with this id."""
    return _anchor("i", id)


def slot_anchor(key: str) -> str:
    """The anchor of every version whose slot has this key."""
    return _anchor("s", key)


def user_anchor(attribute: str) -> str:
    """The anchor of what is held about the user under this attribute."""
    return _anchor("u", fold_slot(attribute))


def run_anchor(run: str) -> str:
    """The anchor of the names that begin with this run of tokens."""
    return _anchor("n", run)


def typo_anchor(before: str, half: str, after: str) -> str:
    """The anchor of the names that begin with such a run, but for one token of which only
    a half is known (see :func:`halves`)."""
    return _anchor("t", f"{before}\x1e{half}\x1e{after}")


def halves(token: str, length: int) -> tuple[str, str]:
    """What ``token`` shares with the words of ``length`` letters from which it is one edit
    away after the first two letters: their first half, or the second."""
    middle = 1 + length // 2
    return f"{length} {token[:middle]}", f"{length} {token[:2]}-{token[middle - length :]}"


def may_be_misspelt(token: str) -> bool:
    """Whether a typo might be forgiven in the token; the rules decide."""
    return len(token) > 3 and token.isalpha()


def _of_run(tokens: list[str]) -> Iterator[str]:
    run = " ".join(tokens)
    yield run_anchor(run)
    at = 0
    for token in tokens:
        end = at + len(token)
        if may_be_misspelt(token):
            for half in halves(token, len(token)):
                yield typo_anchor(run[:at], half, run[end:])
        at = end + 1


def _anchor(kind: str, text: str) -> str:
    return f"{kind}{crc32(text.encode()):x}"
