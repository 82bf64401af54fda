"""The nearest thing that ships with Python: the same rows in SQLite, found by FTS5."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_WORD = re.compile(r"\w+")


class Fts:
    """Names and aliases in a full-text index; a query matches any of its words in them.

    It returns what shares a word with the query, best BM25 score first: more than what
    the query names, and less (no typos, no chains, no scopes).
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS beliefs USING fts5(names, content UNINDEXED, "
            "why UNINDEXED, owner UNINDEXED)"
        )

    def load(self, owner: str, records: Iterable[dict[str, Any]]) -> None:
        """Add rows, in one transaction."""
        with self._connection:
            self._connection.executemany(
                "INSERT INTO beliefs VALUES (?, ?, ?, ?)",
                (
                    (
                        f"{one['canonical_name']} {' '.join(one['aliases'])}",
                        one["content"],
                        one["why_it_matters"],
                        owner,
                    )
                    for one in records
                ),
            )

    def find(self, owner: str, query: str) -> list[tuple[str, str]]:
        """Rows of one owner that share a word with the query."""
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(query)))
        rows = self._connection.execute(
            "SELECT content, why FROM beliefs WHERE beliefs MATCH ? AND owner = ? "
            "ORDER BY rank LIMIT 20",
            (words, owner),
        )
        return rows.fetchall()

    def close(self) -> None:
        self._connection.close()
