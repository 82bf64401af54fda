"""Episodes: the turns of conversations themselves, kept as evidence where asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from belief_memory.errors import InvalidQuery
from belief_memory.model.learning import Role

MOST_TURNS = 100_000
"""Of one user: they are searched in memory."""


@dataclass(frozen=True, slots=True)
class Episodes:
    """Whether and for how long turns are kept; what passes a limit is seen by nobody.

    Args:
        keep_for: how long after it was observed a turn is kept; default: without limit.
        max_turns: the newest so many of a user's turns are kept, at most 100,000.

    Raises:
        InvalidQuery: a limit is not positive, or not of its type.
    """

    keep_for: timedelta | None = None
    max_turns: int = 10_000

    def __post_init__(self) -> None:
        keep, most = self.keep_for, self.max_turns
        if keep is not None and (not isinstance(keep, timedelta) or keep <= timedelta(0)):
            raise InvalidQuery("keep_for", f"expected a positive timedelta, got {keep!r:.80}")
        if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= MOST_TURNS:
            raise InvalidQuery(
                "max_turns", f"expected a whole number from 1 to {MOST_TURNS}, got {most!r:.80}"
            )


def to_episodes(value: object) -> Episodes | None:
    """What the option ``episodes`` means: True is :class:`Episodes`'s defaults, False none.

    Raises:
        InvalidQuery: it is neither of them, nor an :class:`Episodes`.
    """
    if isinstance(value, Episodes):
        return value
    if isinstance(value, bool):
        return Episodes() if value else None
    raise InvalidQuery("episodes", f"expected True, False or Episodes(…), got {value!r:.80}")


@dataclass(frozen=True, slots=True)
class Episode:
    """One turn of a conversation, as it was observed: without secrets, and without text
    that we injected."""

    id: str
    """Of the message, as in a belief's ``provenance.message_ids``."""
    role: Role
    text: str
    at: datetime
    """When it was said."""
    recorded_at: datetime
    """When it was observed."""
    user_id: str
    scopes: tuple[str, ...]
    """The scopes that were active; only readers within them see it."""
    session_id: str | None = None
    agent_id: str | None = None
    dated: bool = True
    """Whether ``at`` was given, or is when we heard of it."""

    def to_record(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "id": self.id,
            "role": self.role,
            "text": self.text,
            "at": self.at.isoformat(),
            "recorded_at": self.recorded_at.isoformat(),
            "user_id": self.user_id,
            "scopes": list(self.scopes),
            "session_id": self.session_id,
            "agent_id": self.agent_id,
            "dated": self.dated,
        }
