"""What changed in a day or a week, as Markdown. The same ledger gives the same text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from belief_memory.model.belief import Belief
from belief_memory.model.draft import WAITS_BECAUSE

_MARKS = re.compile(r"([\\`*_\[\]<>#|])")


def render_digest(
    title: str,
    versions: Sequence[Belief],
    start: datetime,
    end: datetime,
    current: Sequence[Belief],
) -> str:
    """The digest of what was recorded in [start, end).

    Args:
        versions: every version of the beliefs that changed, with both clocks.
        current: what stood at the end of it, conflicts and pending beliefs included.
    """
    events = _events([v for v in versions if v.recorded_at < end], start, end)
    lines = [f"# {title}", ""]
    for heading in ("New", "Changed", "Corrected", "Ended", "Withdrawn"):
        lines += _section(heading, events.get(heading, []))
    lines += _section(
        "Conflicts to decide",
        [f"{_about(v)}: {_text(v.content)}" for v in current if v.standing == "conflict"],
    )
    lines += _section(
        "Waiting for review", [_waiting(v) for v in current if v.standing == "pending"]
    )
    questions = [v for v in current if v.standing == "held" and v.type == "open_question"]
    lines += _section("Open questions", [f"{_about(v)}: {_text(v.content)}" for v in questions])
    if len(lines) == 2:
        lines += ["Nothing changed, and nothing waits.", ""]
    return "\n".join(lines)


def _events(versions: Sequence[Belief], start: datetime, end: datetime) -> dict[str, list[str]]:
    by_id: dict[str, list[Belief]] = {}
    for version in sorted(versions, key=lambda v: (v.recorded_at, v.id, v.rev)):
        by_id.setdefault(version.id, []).append(version)
    found: dict[str, list[tuple[datetime, str, str]]] = {}
    for id, known in by_id.items():
        before = [v for v in known if v.recorded_at < start and v.standing == "held"]
        after = [v for v in known if v.standing == "held" and _held_at(v, end)]
        event = _event(before, after, by_id, start)
        if event is not None:
            at = max(v.recorded_at for v in known)
            found.setdefault(event[0], []).append((at, id, event[1]))
    return {heading: [line for _, _, line in sorted(events)] for heading, events in found.items()}


def _event(
    before: list[Belief], after: list[Belief], by_id: dict[str, list[Belief]], start: datetime
) -> tuple[str, str] | None:
    was = before[-1] if before else None
    held = [v for v in before if v.retired_at is None or v.retired_at >= start]
    now = max(after, key=lambda v: (v.valid_from, v.rev)) if after else None
    if now is None:
        return ("Withdrawn", f"{_about(was)}: {_text(was.content)}") if held and was else None
    if now.recorded_at < start:
        return None
    if was is None:
        if now.superseded_by is not None and now.superseded_by in by_id:
            # Came and went within the window: its successor tells of it.
            return None
        old = by_id.get(now.supersedes or "", [])
        if old:
            return "Changed", f"{_about(now)}: {_text(old[-1].content)} → {_text(now.content)}"
        return "New", f"{_about(now)}: {_text(now.content)}"
    if was.content != now.content:
        return "Corrected", f"{_about(now)}: {_text(was.content)} → {_text(now.content)}"
    closed = now.valid_to is not None and was.valid_to is None and now.superseded_by is None
    if closed or (now.resolved_at is not None and was.resolved_at is None):
        return "Ended", f"{_about(now)}: {_text(now.content)}"
    return None


def _held_at(version: Belief, end: datetime) -> bool:
    return version.retired_at is None or version.retired_at >= end


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    return [f"## {heading}", "", *(f"- {line}" for line in lines), ""] if lines else []


def _waiting(belief: Belief) -> str:
    because = belief.metadata.get(WAITS_BECAUSE)
    reason = f" ({_text(because)})" if isinstance(because, str) else ""
    return f"{_about(belief)}: {_text(belief.content)}{reason}"


def _about(belief: Belief) -> str:
    return f"**{_text(str(belief.slot))}**"


def _text(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
