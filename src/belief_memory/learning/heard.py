"""What a lesson's turns say, read once however many drafts rest on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

from belief_memory.learning.languages import Language, folded, language_of, languages
from belief_memory.learning.words import all_tokens, meaning
from belief_memory.model.belief import Belief
from belief_memory.model.learning import Lesson, Said
from belief_memory.text.normal import fold


@lru_cache(maxsize=64)
def folded_once(text: str) -> tuple[str, list[int] | None]:
    """:func:`belief_memory.text.normal.fold` for the text of a message, which every draft
    needs again."""
    return fold(text)


class Heard:
    """A lesson with what its drafts are compared with.

    Args:
        lesson: the turns, and what is known of what they name.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.turns = lesson.turns
        self.known: tuple[Belief, ...] = lesson.known
        self._mine = [said for said in lesson.turns if said.role == "user"]
        self._by_id: dict[str, list[Said]] = {}
        for said in self._mine:
            self._by_id.setdefault(said.id, []).append(said)
        self._before: dict[Said, Said | None] = {}
        before: Said | None = None
        for said in lesson.turns:
            self._before.setdefault(said, before)
            before = said

    def by_user(self, first: str | None) -> Iterator[Said]:
        """The user's messages, those with the id ``first`` before the others."""
        yield from () if first is None else self._by_id.get(first, ())
        yield from (said for said in self._mine if said.id != first)

    def before(self, said: Said) -> Said | None:
        """The message before one of the turns."""
        return self._before[said]

    def language(self, said: Said) -> Language | None:
        """The language of a message."""
        return language_of(folded_once(said.prose)[0])

    @cached_property
    def said(self) -> str:
        """All that the user says, folded."""
        return folded("\n".join(one.text for one in self._mine))

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The user's words and numbers."""
        return all_tokens(self.said)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers that the user says in words."""
        return frozenset(
            str(value)
            for language in languages()
            for word, value in language.time.get("numbers", {}).items()
            if word in self.tokens or (language.spaceless and word in self.said)
        )

    @cached_property
    def latin(self) -> bool:
        """Whether any of it is in letters that have a case in every name."""
        return re.search(r"[a-z]", self.said) is not None

    @cached_property
    def meaning(self) -> frozenset[str]:
        """The user's words that mean something."""
        return meaning(" ".join(one.text for one in self._mine))

    def says(self, part: str) -> bool:
        """Whether the user says a word, or one that begins like it or has it inside."""
        return part in self.tokens or part in self.said
