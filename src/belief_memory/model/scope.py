"""Scopes: ``kind:name`` labels that bound where a belief applies."""

from __future__ import annotations

import re
from collections.abc import Iterable

from belief_memory.errors import InvalidBelief, InvalidQuery

UNIVERSAL = "user:universal"
"""The scope that is active in every read."""

_SCOPE = re.compile(r"[a-z][a-z0-9_.-]*:\S(?:[^\x00-\x1f\x7f]*\S)?", re.DOTALL)
MAX_LENGTH = 512


def check_scopes(
    scopes: Iterable[str] | str,
    field: str = "scopes",
    error: type[InvalidBelief] | type[InvalidQuery] = InvalidBelief,
) -> tuple[str, ...]:
    """The scopes, sorted and without repeats; raises ``error`` if empty or malformed."""
    if isinstance(scopes, str):
        raise error(field, f"expected a list of scopes, got the string {scopes!r:.80}")
    try:
        given = list(scopes)
    except TypeError:
        raise error(field, f"expected a list of scopes, got {scopes!r:.80}") from None
    for scope in given:
        if not isinstance(scope, str):
            raise error(field, f"a scope is a string like 'project:apollo', got {scope!r:.80}")
        if len(scope) > MAX_LENGTH:
            raise error(field, f"a scope has at most {MAX_LENGTH} characters")
        if not _SCOPE.fullmatch(scope):
            raise error(
                field,
                "a scope looks like 'kind:name', the kind in lower case and no blanks around "
                f"the name; got {scope!r:.80}",
            )
        if not _encodable(scope):
            raise error(field, "a scope may not hold lone surrogates")
    if not given:
        raise error(field, "at least one scope is needed")
    return tuple(sorted(set(given)))


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
