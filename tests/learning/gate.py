"""One message, one answer of a model, and what becomes of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from belief_memory import BeliefMemory, Message, Report, UserMemory
from tests.learning.messages import replaying

AT = datetime(2026, 3, 10, 12, tzinfo=UTC)


def observed(
    text: str, *items: dict[str, Any], before: tuple = (), role: str = "user"
) -> tuple[Report, UserMemory]:
    """What becomes of a model's answer to one message."""
    extractor, _ = replaying(list(items))
    memory = BeliefMemory.open("memory://", extractor=extractor, clock=lambda: AT)
    user = memory.for_user("u")
    for slot, content, *more in before:
        user.remember(
            slot, content, valid_from=AT - timedelta(days=100), **(more[0] if more else {})
        )
    messages = [Message("user", text, at=AT)]
    if role != "user":
        messages = [Message(role, text, at=AT), Message("user", "ok, thanks", at=AT)]  # type: ignore[arg-type]
    return user.observe(messages), user
