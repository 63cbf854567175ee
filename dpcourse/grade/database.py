"""A connection that an exercise hands to an answer stays with the grader: what a student's SQL may do there.

One statement at a time: its rows are read before anything else is asked, and then it is closed. A cursor that stays
open keeps memory and files, and SQLite must not go on in a statement that a function of its own has closed.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from dpcourse.checks.rows import Rows

SECONDS = 5.0  # after which a statement is stopped that is not over at once
PAGES = 256  # of 4,096 bytes, which a file may have
READ = 2**24  # bytes of rows, in all
VALUE = 10**4  # bytes of one value
PATTERN = 100  # bytes of one that LIKE or GLOB looks for
STEPS = 1000  # of SQLite's machine, between two looks at the clock

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_SAVEPOINT,
    sqlite3.SQLITE_CREATE_TABLE,
    sqlite3.SQLITE_CREATE_TEMP_TABLE,
    sqlite3.SQLITE_CREATE_INDEX,
    sqlite3.SQLITE_CREATE_TEMP_INDEX,
}
_PRAGMAS = {"busy_timeout", "foreign_keys", "journal_mode", "synchronous"}
# What comes with SQLite and can do harm: the rest of its functions are arithmetic and text.
_HARMFUL = {"fts3_tokenizer", "load_extension", "printf", "format", "zeroblob", "randomblob", "readfile", "writefile"}


def _authorized(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Rows of its own file, and nothing else: no other file, no setting, no virtual table, no endless recursion."""
    if action == sqlite3.SQLITE_FUNCTION:
        fine = (second or "").lower() not in _HARMFUL
    elif action == sqlite3.SQLITE_PRAGMA:
        fine = (first or "").lower() in _PRAGMAS
    else:
        fine = action in _ALLOWED
    return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY


def guard(connection: sqlite3.Connection) -> None:
    """Let a student's process use it: within its file of a megabyte, for some seconds, with small values.

    What SQLite sorts stays in memory, which `lent` bounds, and in no files of its own.
    """
    started, read = time.monotonic(), 0

    def row(_: sqlite3.Cursor, values: tuple[Any, ...]) -> tuple[Any, ...]:
        nonlocal read
        read += sum(map(sys.getsizeof, values), sys.getsizeof(values))
        if read > READ:
            raise sqlite3.DataError(f"more than {READ:,} bytes were read")
        return values

    for pragma in (f"main.max_page_count = {PAGES}", f"temp.max_page_count = {PAGES}", "temp_store = MEMORY"):
        sqlite3.Connection.cursor(connection).execute(f"PRAGMA {pragma}")
    connection.row_factory = row
    connection.set_authorizer(_authorized)
    connection.set_progress_handler(lambda: time.monotonic() > started + SECONDS, STEPS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN)


class Connection:
    """A connection as a student's process has it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        guard(connection)
        self._connection, self._busy = connection, False

    @contextlib.contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The connection, unless one of its statements is at work, which has called a function of the student's."""
        if self._busy:
            raise sqlite3.ProgrammingError("a function in a statement cannot use the statement's connection")
        self._busy = True
        try:
            yield self._connection
        finally:
            self._busy = False

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def cursor(self) -> Cursor:
        return Cursor(self)

    def execute(self, *arguments: Any) -> Cursor:
        return Cursor(self).execute(*arguments)

    def executemany(self, *arguments: Any) -> Cursor:
        return Cursor(self).executemany(*arguments)

    def commit(self) -> None:
        with self.alone() as connection:
            connection.commit()

    def rollback(self) -> None:
        with self.alone() as connection:
            connection.rollback()

    def create_function(self, *arguments: Any, **keywords: Any) -> None:
        with self.alone() as connection:
            connection.create_function(*arguments, **keywords)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *error: Any) -> Any:
        with self.alone() as connection:
            return connection.__exit__(*error)


class Cursor(Rows):
    """A cursor as a student's process has it."""

    def __init__(self, lent: Connection) -> None:
        super().__init__()
        self._lent, self.rowcount = lent, -1

    def execute(self, *arguments: Any) -> Cursor:
        return self._read(lambda connection: connection.execute(*arguments))

    def executemany(self, *arguments: Any) -> Cursor:
        return self._read(lambda connection: connection.executemany(*arguments))

    def _read(self, told: Callable[[sqlite3.Connection], sqlite3.Cursor]) -> Cursor:
        self.close()
        with self._lent.alone() as connection, contextlib.closing(told(connection)) as cursor:
            self._left = iter(cursor.fetchall())
            self.rowcount = cursor.rowcount
        return self
