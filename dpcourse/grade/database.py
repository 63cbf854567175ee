"""A connection that an exercise hands to an answer stays with the grader: what a student's SQL may do there."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import time
from collections import deque
from typing import Any

SECONDS = 5.0  # after which a statement is stopped that is not over at once
PAGES = 256  # of 4,096 bytes, which a file may have
READ = 2**24  # bytes of rows, in all
VALUE = 10**4  # bytes of one value
OPEN = 8  # cursors with rows that were not fetched, each of which may keep what it sorted in files

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


_open: deque[sqlite3.Cursor] = deque()


def one_more(cursor: sqlite3.Cursor) -> None:
    """A statement was asked for: of more than `OPEN` cursors the oldest is closed."""
    if cursor in _open:
        _open.remove(cursor)
    _open.append(cursor)
    while len(_open) > OPEN:
        with contextlib.suppress(sqlite3.Error):
            _open.popleft().close()


def guard(connection: sqlite3.Connection) -> None:
    """Let a student's process use it: within its file of a megabyte, for some seconds, with small values.

    To be called once a connection, or its seconds and bytes begin anew. What a transaction writes before it ends, and
    what SQLite sorts, lies in files of its own: the worker of a class bounds these (`classroom`).
    """
    started, read = time.monotonic(), 0

    def row(_: sqlite3.Cursor, values: tuple[Any, ...]) -> tuple[Any, ...]:
        nonlocal read
        read += sum(map(sys.getsizeof, values), sys.getsizeof(values))
        if read > READ:
            raise sqlite3.DataError(f"more than {READ:,} bytes were read")
        return values

    for schema in ("main", "temp"):
        sqlite3.Connection.cursor(connection).execute(f"PRAGMA {schema}.max_page_count = {PAGES}")
    connection.row_factory = row
    connection.set_authorizer(_authorized)
    connection.set_progress_handler(lambda: time.monotonic() > started + SECONDS, 100_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, VALUE)
