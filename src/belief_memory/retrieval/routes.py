"""Which route a belief takes (Rule R2): exactly one, or none."""

from __future__ import annotations

from belief_memory.model.belief import Belief
from belief_memory.model.context import Route
from belief_memory.model.scope import UNIVERSAL


def route_of(belief: Belief) -> Route | None:
    """The route of a belief that is eligible; None for an open question not pinned."""
    if belief.type == "open_question":
        return "questions" if belief.pinned else None
    if belief.epistemic_status != "exploratory" and (
        belief.subtype == "expertise"
        or (belief.type in ("preference", "instruction") and UNIVERSAL in belief.scopes)
    ):
        return "persona"
    return "pinned" if belief.pinned else "relevant"
