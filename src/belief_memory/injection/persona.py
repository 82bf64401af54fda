"""The persona: who the user is to every answer, as one compact text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from belief_memory.injection.escape import one_line
from belief_memory.injection.marks import marks
from belief_memory.model.belief import Belief
from belief_memory.text.fold import fold_slot

WRITTEN = ("user", "written persona")
WRITTEN_OF = "persona_of"
WRITTEN_FROM = "persona_from"


def persona_text(beliefs: Sequence[Belief]) -> str:
    """One line a belief, in the order given; ``""`` for none.

    A line is ``- name: content → why it matters``. A belief about the user goes by its
    attribute alone. Line breaks inside a belief become ``\\n``, so that no belief can
    write a line of its own. Which beliefs belong here is rule R2's to say.
    """
    return "\n".join(_line(belief) for belief in beliefs)


def is_written(belief: Belief) -> bool:
    """Whether this is a persona that a model wrote."""
    return (
        belief.attribute is not None
        and (fold_slot(belief.canonical_name), fold_slot(belief.attribute)) == WRITTEN
        and WRITTEN_OF in belief.metadata
    )


def written_of(beliefs: Sequence[Belief]) -> dict[str, object]:
    """What a persona written of these beliefs keeps in its metadata: a digest of the text
    it stands for, and the ids of the beliefs it tells of."""
    return {WRITTEN_OF: _digest(persona_text(beliefs)), WRITTEN_FROM: [one.id for one in beliefs]}


def tells_of(belief: Belief, ids: frozenset[str]) -> bool:
    """Whether this is a written persona that tells of one of these beliefs."""
    told_of = belief.metadata.get(WRITTEN_FROM)
    return is_written(belief) and isinstance(told_of, list) and not ids.isdisjoint(told_of)


def standing_persona(beliefs: Sequence[Belief]) -> tuple[str, list[Belief]]:
    """The persona's text and the beliefs it tells of.

    A written persona among them is used as long as it was written of exactly the others;
    else the text is built from those.
    """
    others = [belief for belief in beliefs if not is_written(belief)]
    text = persona_text(others)
    if len(others) < len(beliefs):
        digest = _digest(text)
        for belief in beliefs:
            if is_written(belief) and belief.metadata[WRITTEN_OF] == digest:
                return belief.content, others
    return text, others


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


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
