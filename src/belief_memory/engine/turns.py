"""Turns that wait to be learned from, on disk where the store is a folder."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from belief_memory.errors import StoreError
from belief_memory.model.learning import Said

RETRIES = 5
"""Failures after which only ``flush`` tries a turn again."""


_DRAFT = ".new"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Some turns of one conversation; secrets and injected text are already out of them."""

    name: str
    user_id: str
    agent_id: str | None
    scopes: tuple[str, ...]
    session_id: str | None
    turns: tuple[Said, ...]
    attempts: int = 0


class TurnQueue:
    """Keeps turns until they are learned from. One file each, written atomically.

    Args:
        folder: where; None keeps them in this process only.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: dict[str, Waiting] = {}

    def put(
        self,
        user_id: str,
        agent_id: str | None,
        scopes: tuple[str, ...],
        session_id: str | None,
        turns: tuple[Said, ...],
    ) -> Waiting:
        """Keep some turns; they are on disk when this returns."""
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}"
        waiting = Waiting(name, user_id, agent_id, scopes, session_id, turns)
        self._save(waiting)
        return waiting

    def failed(self, waiting: Waiting) -> Waiting:
        """Count one more failure."""
        again = replace(waiting, attempts=waiting.attempts + 1)
        self._save(again)
        return again

    def done(self, waiting: Waiting) -> None:
        """Keep it no longer."""
        self._kept.pop(waiting.name, None)
        if self._folder is not None:
            self._path(waiting).unlink(missing_ok=True)

    def of_user(self, user_id: str) -> list[Waiting]:
        """What waits for one user, oldest first."""
        if self._folder is None:
            mine = [one for one in self._kept.values() if one.user_id == user_id]
            return sorted(mine, key=lambda one: one.name)
        folder = self._folder / _hashed(user_id)
        return [one for path in sorted(folder.glob("*.json")) if (one := _load(path)) is not None]

    def unreadable(self, user_id: str) -> list[str]:
        """Names of files that hold no turns any more; they stay where they are."""
        if self._folder is None:
            return []
        folder = self._folder / _hashed(user_id)
        return [path.name for path in sorted(folder.glob("*.json")) if _load(path) is None]

    def sweep(self, user_id: str) -> None:
        """Remove what processes left of one user that died while they wrote it."""
        if self._folder is not None:
            for path in (self._folder / _hashed(user_id)).glob(f"*{_DRAFT}"):
                path.unlink(missing_ok=True)

    def erase(self, user_id: str) -> None:
        """Remove everything that waits for one user, from disk too."""
        for waiting in self.of_user(user_id):
            self.done(waiting)
        if self._folder is not None:
            folder = self._folder / _hashed(user_id)
            for path in folder.glob("*"):
                path.unlink(missing_ok=True)
            if folder.is_dir():
                folder.rmdir()

    def _path(self, waiting: Waiting) -> Path:
        assert self._folder is not None
        return self._folder / _hashed(waiting.user_id) / f"{waiting.name}.json"

    def _save(self, waiting: Waiting) -> None:
        if self._folder is None:
            self._kept[waiting.name] = waiting
            return
        path = self._path(waiting)
        text = json.dumps(_plain(waiting), ensure_ascii=False)
        try:
            try:
                _write(path, text)
            except FileNotFoundError:  # taken for a dead process's by an erasure just now
                _write(path, text)
        except OSError as error:
            raise StoreError(f"keeping turns failed: {error.strerror}") from None


def _write(path: Path, text: str) -> None:
    draft = path.with_suffix(_DRAFT)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _hashed(user_id: str) -> str:
    digest = hashlib.sha256(user_id.encode()).digest()
    return base64.b32encode(digest).decode().rstrip("=").lower()


def _plain(waiting: Waiting) -> dict[str, Any]:
    record = asdict(waiting)
    for turn, said in zip(record["turns"], waiting.turns, strict=True):
        turn["at"] = said.at.isoformat()
        turn["zone"] = getattr(said.at.tzinfo, "key", None)
    return record


def _load(path: Path) -> Waiting | None:
    try:
        record = json.loads(path.read_text("utf-8"))
        return _waiting(record)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _waiting(record: dict[str, Any]) -> Waiting:
    turns = tuple(_said(turn) for turn in record.pop("turns"))
    record["scopes"] = tuple(record["scopes"])
    return Waiting(**record, turns=turns)


def _said(turn: dict[str, Any]) -> Said:
    zone = turn.pop("zone")
    return Said(**{**turn, "at": _at(turn["at"], zone)})


def _at(text: str, zone: str | None) -> datetime:
    at = datetime.fromisoformat(text)
    try:
        return at if zone is None else at.astimezone(ZoneInfo(zone))
    except ZoneInfoNotFoundError:
        return at


def mentions(waiting: Waiting, names: Iterator[str] | list[str]) -> bool:
    """Whether any of the turns holds one of the texts."""
    said = " ".join(turn.text for turn in waiting.turns).casefold()
    return any(name.casefold() in said for name in names if len(name) > 1)
