"""Follow-ups: queries that name nothing and point back with a pronoun."""

from __future__ import annotations

import re

from belief_memory.retrieval.query import Query, is_hangul, shorter_forms
from belief_memory.text.normal import fold

_WORDS = """
it its itself that this these those they them their theirs he him his she hers there
es sie ihn ihm ihr ihnen das dies diese dieser dieses diesen diesem dessen
er damit davon dafür darauf darin daran dazu dort
il elle ils elles leur leurs lui ça cela ceci celui celle ceux celles
él ella ellos ellas ello eso esto esa esos esas esta lo
esso essa quello quella questo questa lei loro
ele ela eles elas isso isto esse nele nela dele dela
hij zij hem dat deze hen hun ervan ermee
ona ono oni jego jej ich tego tym tej nim nią niego
onu onun ona ondan onda bu bunu buna bunun bundan bunlar şu şunu onlar onları
det dess hon honom henne
он она оно они его её их ему ей им ним ней них это этот эта эти этого тот та те
він вона воно вони його її їх це цей ця
αυτό αυτή αυτός αυτά
هو هي هم هذا هذه ذلك تلك عنه عنها منه منها فيه فيها له لها به بها إليه إليها معه معها
הוא היא הם הן זה זאת זו אותו אותה אותם שלו שלה שלהם אלה אלו
यह वह ये वे इसे उसे इसका उसका
그것 그거 이것 이거 저것 저거 그녀 그들 그게 이게 그건 이건 그걸 이걸 그분
itu ini mereka
"""
_DENSE = re.compile("[そこあ]れ|[そこあ]の|[そこ]こ|彼|它|他|她|牠|这|這|那|其|มัน|นั่น|นี่|นั้น|นี้|เขา")
_POINTERS = frozenset(fold(_WORDS)[0].split())


def _bare(token: str) -> list[str]:
    """A token without a possessive or Korean particles, if it has any."""
    if token.endswith("'s") or is_hangul(token[-1]):
        return [form for form, _ in shorter_forms(token)]
    return []


def points_back(query: Query) -> bool:
    """Whether a pronoun of the query can stand for what was named a turn before."""
    if not _POINTERS.isdisjoint(query.tokens):
        return True
    if any(form in _POINTERS for token in query.tokens for form in _bare(token)):
        return True
    return not query.folded.isascii() and _DENSE.search(query.folded) is not None
