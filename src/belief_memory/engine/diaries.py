"""The diaries of a memory: those of the users last asked about are kept at hand."""

from __future__ import annotations

from collections.abc import Callable

from belief_memory.engine.diary import Diary
from belief_memory.model.episode import Episodes
from belief_memory.ports import Clock, LedgerStore

MOST_USERS = 512
MOST_TURNS = 200_000
"""Turns that are kept in memory, of all users: one of 20 words takes 1.2 kB."""


class Diaries:
    """One :class:`Diary` a user, made when it is asked for."""

    def __init__(
        self, limits: Episodes | None, clock: Clock, kept: Callable[[str], LedgerStore]
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._kept = kept
        self._diaries: dict[str, Diary] = {}

    def of(self, user_id: str) -> Diary:
        """The user's diary."""
        diary = self._diaries.pop(user_id, None)
        if diary is None:
            diary = Diary(self._kept(user_id), self._clock, self._limits)
        self._diaries[user_id] = diary
        self._evict()
        return diary

    async def settle(self) -> None:
        """Wait for maintenance under way, and let go of all of them."""
        for diary in list(self._diaries.values()):
            await diary.settle()
        self._diaries.clear()

    def _evict(self) -> None:
        """Let go of those least recently asked for. Whoever still works with one can go on:
        the store, not the diary, keeps writers apart."""
        turns = sum(diary.size() for diary in self._diaries.values())
        for user_id, diary in list(self._diaries.items())[:-1]:
            if len(self._diaries) <= MOST_USERS and turns <= MOST_TURNS:
                break
            if not diary.busy():
                turns -= diary.size()
                del self._diaries[user_id]
