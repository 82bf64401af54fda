"""The persona texts of recall, kept until a belief changes."""

from __future__ import annotations

from belief_memory.injection.persona import standing_persona
from belief_memory.model.belief import Belief

_KEPT = 2048
"""Texts that are kept."""


class Personas:
    """The persona texts of beliefs, each made once for the same objects.

    Keyed by object, not by name: ids are the users' own and may repeat between them. An
    entry holds its objects, so their addresses are not used again.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[int, ...], tuple[list[Belief], str, list[Belief]]] = {}

    def of(self, beliefs: list[Belief]) -> tuple[str, list[Belief]]:
        """The text, and the beliefs that it tells of."""
        if not beliefs:
            return "", beliefs
        key = tuple(map(id, beliefs))
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= _KEPT:
                self._made.clear()
            made = self._made[key] = (beliefs, *standing_persona(beliefs))
        # A caller may change the list it is given.
        return made[1], list(made[2])

    def drop(self) -> None:
        """Let go of all texts: something in them may have been erased."""
        self._made.clear()
