"""The persona: who the user is to every answer, as one compact text."""

from __future__ import annotations

from collections.abc import Sequence

from belief_memory.injection.escape import one_line
from belief_memory.injection.marks import marks
from belief_memory.model.belief import Belief
from belief_memory.text.fold import fold_slot


def persona_text(beliefs: Sequence[Belief]) -> str:
    """One line a belief, in the order given; ``""`` for none.

    A line is ``- name: content → why it matters``. A belief about the user goes by its
    attribute alone. Line breaks inside a belief become ``\\n``, so that no belief can
    write a line of its own. Which beliefs belong here is rule R2's to say.
    """
    return "\n".join(_line(belief) for belief in beliefs)


def _line(belief: Belief) -> str:
    name = _name(belief)
    mark = marks(belief)
    why = belief.why_it_matters.strip()
    text = (
        (f"({mark}) " if mark else "")
        + (f"{name}: " if name else "")
        + belief.content.strip()
        + (f" → {why}" if why else "")
    )
    return f"- {one_line(text)}"


def _name(belief: Belief) -> str:
    about = "" if fold_slot(belief.canonical_name) == "user" else belief.canonical_name
    return " ".join(f"{about} {belief.attribute or ''}".replace("_", " ").split())
