"""The file a ledger lives in: one SQLite database, append-only and sealed, opened by many, changed by one at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, query_id TEXT NOT NULL UNIQUE, analyst TEXT NOT NULL, mechanism TEXT NOT NULL,
    claim TEXT NOT NULL, price TEXT NOT NULL, total TEXT NOT NULL, at TEXT NOT NULL, description TEXT NOT NULL,
    seal TEXT NOT NULL
);
CREATE TABLE totals (owner TEXT PRIMARY KEY, total TEXT NOT NULL, number INTEGER NOT NULL, seal TEXT NOT NULL);
CREATE TRIGGER entries_are_final BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
EVERYBODY = ""  # the owner of the grand total; analysts have names
NEW_FILE_SECONDS = 5.0  # for another opener to fill a new file
LOCK_SECONDS = 30.0  # for others to finish their spends


class LedgerError(RuntimeError):
    """The ledger file cannot be used. Nothing was spent."""


@dataclass(frozen=True)
class Entry:
    """One admitted spend, as it stands in the file."""

    number: int
    query_id: str
    analyst: str
    mechanism: str
    claim: str
    price: str
    total: str
    at: str
    description: str

    def __str__(self) -> str:
        return f"{self.number}. {self.at} {self.analyst} {self.query_id}: {self.mechanism}"

    def seal(self, previous: str) -> str:
        """A hash of this entry and of the seal before it: no entry can be changed or left out unnoticed.

        It is no signature: who can write the file can seal it anew.
        """
        text = json.dumps([previous, *asdict(self).values()], ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


class LedgerFile:
    """Connections to one ledger, a connection for each thread and process.

    Every failure of SQLite or of the disk comes out as a `LedgerError` that names the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._queue, self._process = threading.Lock(), os.getpid()

    def create(self, settings: Mapping[str, str], totals: Mapping[str, str]) -> bool:
        """Whether the file is new, and now ours and filled: of several openers at once, exactly one is told so."""
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            return False
        except OSError as error:
            raise LedgerError(f"{self.path} cannot be made: {error.strerror}") from None
        with self.transaction() as connection:
            for statement in TABLES.split(";\n"):
                if statement.strip():
                    connection.execute(statement)
            connection.executemany("INSERT INTO settings VALUES (?, ?)", settings.items())
            connection.executemany("INSERT INTO totals VALUES (?, ?, 0, '')", totals.items())
        return True

    def wait_until_filled(self) -> None:
        """Give another opener a moment to fill a new file; a file still empty then was cut short, and is refused.

        SQLite would take it for a new database, and a ledger cut to nothing for a budget refreshed.
        """
        deadline = time.monotonic() + NEW_FILE_SECONDS
        while True:
            if self.path.stat().st_size:
                with self.reading() as connection:
                    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'totals'").fetchone():
                        return
            if time.monotonic() > deadline:
                raise LedgerError(f"{self.path} exists and holds no ledger; a new one needs a new file")
            time.sleep(0.01)

    def verify(
        self, connection: sqlite3.Connection, totals: dict[str, str], add: Callable[[str, str, str], str]
    ) -> None:
        """Recompute every seal and every total: edits, losses and half-written files show.

        `totals` holds the empty total of each owner; ``add(owner, total, price)`` is the owner's filter.
        """
        problems = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if problems != "ok":
            raise LedgerError(f"{self.path} is damaged: {problems}")
        seal, number = "", 0
        for row in connection.execute("SELECT * FROM entries ORDER BY number"):
            entry, number = Entry(*row[:-1]), number + 1
            seal = entry.seal(seal)
            if entry.number != number or row[-1] != seal:
                raise LedgerError(
                    f"{self.path} was changed by hand or lost a row: entry {number} does not fit its seal"
                )
            for owner in {EVERYBODY, entry.analyst} & set(totals):
                totals[owner] = add(owner, totals[owner], entry.price)
        head = connection.execute("SELECT number, seal FROM totals WHERE owner = ''").fetchone()
        if head != (number, seal) or dict(connection.execute("SELECT owner, total FROM totals").fetchall()) != totals:
            raise LedgerError(f"{self.path} was changed by hand or lost a row: its totals are not those of its entries")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection, to look."""
        try:
            yield self.connection()
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path} cannot be read: {error}") from None

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """The file at one moment, while others go on writing: checking it takes long, and must not stop them."""
        with self.reading() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, one writer at a time: the check and the spend cannot be separated."""
        with self._queued():
            try:
                connection = self.connection()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise LedgerError(f"{self.path} cannot be used, nothing was spent: {error}") from None

    @contextlib.contextmanager
    def _queued(self) -> Iterator[None]:
        """The threads of a process queue here: SQLite lets those who wait for its lock try again, and some starve."""
        if self._process != os.getpid():  # a forked child must not wait for a thread that it does not have
            self._queue, self._process = threading.Lock(), os.getpid()
        queue = self._queue
        if not queue.acquire(timeout=LOCK_SECONDS):
            raise LedgerError(f"{self.path} cannot be used, nothing was spent: locked by another thread")
        try:
            yield
        finally:
            queue.release()

    def connection(self) -> sqlite3.Connection:
        """One connection a thread and process: SQLite connections may cross neither."""
        if getattr(self._local, "connection", None) is None or self._local.process != os.getpid():
            connection = sqlite3.connect(self.path, timeout=LOCK_SECONDS, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
            except BaseException:
                connection.close()
                raise
            self._local.connection, self._local.process = connection, os.getpid()
        return self._local.connection

    def close(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None and self._local.process == os.getpid():
            connection.close()
        self._local.connection = None
