"""A connection that lets others in between two statements: before whichever it is told."""

from __future__ import annotations

import sqlite3
from typing import Any

from dpcourse.checks.rows import Rows


class Watched(sqlite3.Connection):
    """Before every statement `look` is called, and `meddle` before statement `turn` and every `again` statements later.

    `count` of them there were.
    """

    meddle: Any = staticmethod(lambda: None)
    look: Any = staticmethod(lambda: None)
    turn: int = 0
    again: int = 1
    count: int = 0

    def counted(self) -> sqlite3.Cursor:
        """A cursor for one more statement; before theirs, they come."""
        self.count += 1
        self.look()
        if self.count >= self.turn and (self.count - self.turn) % self.again == 0:
            self.meddle()
        return super().cursor()

    def execute(self, sql: str, *arguments: Any) -> Any:
        return WatchedCursor(self).execute(sql, *arguments)

    def executemany(self, sql: str, *arguments: Any) -> Any:
        return WatchedCursor(self).executemany(sql, *arguments)

    def executescript(self, script: str) -> Any:
        return WatchedCursor(self).executescript(script)

    def commit(self) -> None:
        self.counted()
        super().commit()

    def __exit__(self, *error: Any) -> Any:
        self.counted()
        return super().__exit__(*error)

    def cursor(self, *arguments: Any, **keywords: Any) -> Any:
        return WatchedCursor(self)


class WatchedCursor(Rows):
    """A cursor whose statements are counted by the watched connection, and whose rows are read at once.

    So whoever comes next comes after the read.
    """

    def __init__(self, connection: Watched) -> None:
        super().__init__()
        self.connection = connection
        self.rowcount, self.lastrowid, self.description = -1, None, None

    def execute(self, sql: str, *arguments: Any) -> WatchedCursor:
        return self._read(self.connection.counted().execute(sql, *arguments))

    def executemany(self, sql: str, *arguments: Any) -> WatchedCursor:
        return self._read(self.connection.counted().executemany(sql, *arguments))

    def executescript(self, script: str) -> WatchedCursor:
        return self._read(self.connection.counted().executescript(script))

    def _read(self, told: Any) -> WatchedCursor:
        self._left = iter(told.fetchall())
        self.rowcount, self.lastrowid, self.description = told.rowcount, told.lastrowid, told.description
        return self
