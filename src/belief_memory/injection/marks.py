"""What a reader must know about how sure a belief is, in a few words."""

from __future__ import annotations

from belief_memory.model.belief import Belief

LOW_CONFIDENCE = 0.5
"""Below this a belief is marked. The number itself is never rendered: a restated belief
must not change a byte of the prompt."""


def marks(belief: Belief) -> str:
    """How far to trust it, as a comma-separated phrase; ``""`` for what the user stated."""
    found = []
    if belief.standing in ("conflict", "annotated"):
        found.append("disputed")
    if belief.epistemic_status != "active":
        found.append(belief.epistemic_status)
    if belief.confidence < LOW_CONFIDENCE:
        found.append("low confidence")
    return ", ".join(found)
