"""What the engine needs from outside, as protocols. Implementations import these; these
import no implementation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from belief_memory.model.belief import Belief
from belief_memory.model.learning import Extraction, Lesson

Clock = Callable[[], datetime]
"""Returns the current instant, aware. Tests and imports of history set it."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a ledger stands: the number of its newest commit, and when that was."""

    seq: int
    at: datetime
    """System time of the newest commit; the next one is later."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """A version stopped being what the ledger holds."""

    version_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Reinforcement:
    """The new, absolute reinforcement counters of a version."""

    version_id: str
    count: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Commit:
    """One atomic change of one ledger: all of it becomes visible, or none."""

    base: Head | None
    """The head it was planned on; None for a ledger that does not exist yet."""
    head: Head
    """What the head becomes: ``seq`` is base.seq + 1. A new ledger starts at the wall
    clock's microseconds, so that one that was erased and begun again never repeats a
    number that a handle on the old one may still hold."""
    plan_id: str
    """Unique per plan, so that a commit in doubt after a crash can be recognised."""
    writes: tuple[Belief, ...] = ()
    retirements: tuple[Retirement, ...] = ()
    reinforcements: tuple[Reinforcement, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """What a ledger holds, or what has changed since a commit."""

    head: Head
    whole: bool
    """True: forget what you knew, this is everything held. False: apply to what you knew."""
    held: tuple[Belief, ...] = ()
    retired: frozenset[str] = frozenset()
    """Version ids that are held no longer (only where not ``whole``)."""
    reinforcements: tuple[Reinforcement, ...] = ()


class LostRace(Exception):
    """A rival took this commit's place; nothing was written. Read again, plan again."""


@dataclass(frozen=True, slots=True)
class VersionFilter:
    """Which versions to read, held or not. All given conditions must hold.

    ``belief_ids`` and ``slot_keys`` select by identity, ``message_ids`` by provenance;
    ``known_at`` selects what was held at that instant; ``window`` what was recorded or
    retired in [start, end).
    """

    belief_ids: frozenset[str] | None = None
    version_ids: frozenset[str] | None = None
    slot_keys: frozenset[str] | None = None
    known_at: datetime | None = None
    window: tuple[datetime, datetime | None] | None = None
    message_ids: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure removed."""

    beliefs: int
    versions: int
    verified: bool


@dataclass(frozen=True, slots=True)
class LedgerStats:
    """Measured sizes of one ledger; None where the storage cannot tell."""

    versions: int
    bytes_on_disk: int | None = None
    storage_versions: int | None = None
    extra: dict[str, int] = field(default_factory=dict)


class LedgerStore(Protocol):
    """One user's ledger. Safe under concurrent writers in threads and processes."""

    def unchanged(self, token: object) -> bool | None:
        """Whether nothing was committed since ``token``: exact, cheap and synchronous.

        None where this storage cannot tell without waiting; ask :meth:`token` then.
        """
        ...

    async def token(self) -> object:
        """A marker that differs whenever anything was committed or erased."""
        ...

    async def read(self, since: Head | None = None) -> Delta | None:
        """What is held (``since`` None) or what has changed after ``since``.

        None: the ledger does not exist (any more).
        """
        ...

    async def exceeds(self, most: int) -> bool:
        """Whether about more than ``most`` versions are held; cheap, and never no where
        far more are."""
        ...

    async def candidates(self, anchors: frozenset[str]) -> Delta | None:
        """The head, and (as ``held``, not ``whole``) every version held that has one of the
        anchors (see ``text.anchors``). More may come, never less: rows that no index knows
        yet, or that an earlier release wrote, are among them. None: no such ledger.
        """
        ...

    async def find_text(self, terms: frozenset[str]) -> Delta | None:
        """As :meth:`candidates`, every version held that has all of the terms (see
        ``text.search``); all that is held where there are no terms."""
        ...

    async def commit(self, commit: Commit) -> object | None:
        """Write ``commit``, all or nothing; raises LostRace if ``base`` is not the head.

        A commit whose ``plan_id`` is already in the ledger counts as written. Returns the
        :meth:`token` of exactly this commit, or None where something else may have been
        committed since.
        """
        ...

    async def versions(self, which: VersionFilter) -> list[Belief]:
        """Every matching version, with both clocks, in (recorded_at, id, rev) order."""
        ...

    async def erase(self, belief_ids: frozenset[str] | None, commit: Commit) -> Erased:
        """Remove beliefs (None: the whole ledger and its name) from disk, old storage
        versions included. ``commit`` is an otherwise empty commit that moves the head, so
        that other handles notice. An interrupted erasure finishes at the next open.
        """
        ...

    async def erase_beside(
        self, belief_ids: frozenset[str] | None, first: Callable[[], Awaitable[Erased]]
    ) -> tuple[Erased, Erased]:
        """Remove what goes with an erasure elsewhere: from here too, whatever its head by
        then, once ``first`` has erased there. What is to go from here is on record before
        ``first`` begins; if that raises LostRace, nothing is erased here.

        Returns what was erased here, and what ``first`` returned.
        """
        ...

    async def maintain(self) -> None:
        """Compact, fold retirements, drop old storage versions; readers survive it."""
        ...

    def wants_maintenance(self) -> bool:
        """Whether enough small commits piled up."""
        ...

    async def stats(self) -> LedgerStats:
        """How many versions there are, and what they take."""
        ...


class Store(Protocol):
    """Ledgers by user id."""

    uri: str
    read_only: bool

    async def open(self) -> None:
        """Connect, and finish erasures that a crash interrupted."""
        ...

    def ledger(self, user_id: str) -> LedgerStore:
        """The user's ledger, whether or not it exists yet; creates nothing."""
        ...

    def episodes(self, user_id: str) -> LedgerStore:
        """Where the user's turns are kept, apart from the ledger: a ledger of its own, whose
        versions are turns, whether or not it exists yet; creates nothing."""
        ...

    def users(self) -> AsyncIterator[str]:
        """Every user id that has a ledger or episodes, in a stable order."""
        ...

    async def copy_to(self, target: Store) -> int:
        """Copy every ledger, history and all, and every user's episodes into an empty
        store; returns how many users there were."""
        ...

    async def adopt(
        self, user_id: str, versions: Sequence[Belief], head: Head, *, episodes: bool = False
    ) -> None:
        """Create a ledger, or what keeps the user's ``episodes``, with these versions
        verbatim (the receiving end of copy_to).

        StoreError if the user has one already. It keeps ``head.at``; its number is new.
        """
        ...

    async def close(self) -> None:
        """Release the storage; safe to call twice."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors; optional, never on the path of ``relevant``.

    Awaited on the engine's own event loop: what blocks or computes for long belongs on a
    thread. The vectors of one embedder have one length; theirs need not be 1.
    """

    name: str

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in their order."""
        ...


class Extractor(Protocol):
    """Reads what was said and answers with what could be believed; decides nothing."""

    name: str

    async def extract(self, lesson: Lesson) -> Extraction:
        """Drafts of what the lesson's turns say, and what was left out and why. Whatever it
        raises keeps the turns for a later try."""
        ...


class PersonaWriter(Protocol):
    """What an extractor may be besides: it writes the persona in its own words."""

    async def write_persona(self, notes: str, limit: int) -> str:
        """``notes``, one belief a line, as one text of at most ``limit`` characters; every
        number in it must be in the notes, and every number of theirs in it."""
        ...
