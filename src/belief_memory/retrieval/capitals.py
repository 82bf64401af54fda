"""Rule R13: a one-word name that is a single letter or an ordinary word, stored with a
capital, counts only where it is written with the same capitals."""

from __future__ import annotations

from belief_memory.retrieval.ordinary import is_common, is_common_in
from belief_memory.retrieval.query import Query


def refusal(name: str, token: str, query: Query, at: int, length: int | None) -> str | None:
    """Why the token at ``at`` does not count as this one-word name; None if it does.

    ``token`` is the name's folded token; ``length`` is how much of the query's token
    stands for the name, a dropped possessive or plural left out.
    """
    if name.islower() or name.lower() == name:
        return None
    single = len(token) == 1 and token.isalpha()
    if single:
        if query.letter_in_a_compound(at):
            return "a single letter joined to something else is not the name"
    elif not is_common(token) and not any(is_common_in(one, token) for one in query.languages):
        return None
    written = query.surface(at, length)
    wanted = _pattern(name)
    if _pattern(written) != wanted:
        return f"an ordinary word, written {written!r} where the name has other capitals"
    if wanted in ("X", "Xxx") and query.starts_sentence(at):
        return "a capital at the start of a sentence or line proves nothing"
    if query.shouted(at, at + 1):
        return "in a line of capitals they prove nothing"
    return None


def _pattern(text: str) -> str:
    letters = "".join(filter(str.isalpha, text))
    if letters.isupper():
        return "X" if len(letters) == 1 else "XXX"
    if letters[:1].isupper() and letters[1:].islower():
        return "Xxx"
    return "xxx" if letters.islower() else letters
