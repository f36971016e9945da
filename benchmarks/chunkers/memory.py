"""Vectors and chunks of earlier runs, in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

_TABLES = (
    "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)
_AT_ONCE = 500
_BUSY_S = 60.0


class Memory:
    """Values by digest; several processes may use one file."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, timeout=_BUSY_S)
        self._connection.execute("PRAGMA journal_mode = WAL")
        for statement in _TABLES:
            self._connection.execute(statement)

    def vectors(self, keys: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """The vectors that are known, by key."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, npt.NDArray[np.float32]] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            places = ",".join("?" * len(part))
            query = f"SELECT key, value FROM vectors WHERE key IN ({places})"  # noqa: S608 - only places
            rows: Iterable[tuple[str, bytes]] = self._connection.execute(query, part)
            found.update((key, np.frombuffer(value, np.float32)) for key, value in rows)
        return found

    def keep_vectors(self, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Remember vectors."""
        rows = [(key, vector.astype(np.float32).tobytes()) for key, vector in vectors.items()]
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def text(self, key: str) -> str | None:
        """A text that is known, or ``None``."""
        row = self._connection.execute("SELECT value FROM texts WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def keep_text(self, key: str, value: str) -> None:
        """Remember a text."""
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO texts VALUES (?, ?)", (key, value))
