"""A privacy budget that cannot be overspent: a durable, append-only ledger in one SQLite file."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dpcourse.budget.filters import BasicFilter, Filter, PlannedFilter, RenyiFilter, _claim
from dpcourse.privacy import BudgetExhausted, Guarantee, arguments

_TABLES = """
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
_PATIENCE = 5.0  # seconds for another opener to fill a new file
_EVERYBODY = ""  # the owner of the grand total; analysts have names


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


class PrivacyLedger:
    """A budget, shared by threads and processes, that admits a cost only if the composed total stays inside it.

    Parameters
    ----------
    path : str or Path
        The SQLite file; made if it is not there, continued if it is.
    budget : Guarantee
        (ε, δ) for everything spent, with its neighbouring relation. Costs under another relation are refused.
    method : {"basic", "rdp", "pld"}
        "basic" and "rdp" are filters: valid when each cost is chosen after seeing the answers before it. "pld" needs
        `plan` and admits nothing else.
    plan : iterable of costs or (cost, times) pairs, optional
        For "pld", fixed at opening.
    order : float, optional
        For "rdp": the order α > 1, fixed at opening. The default admits most small costs.
    analysts : mapping of str to Guarantee, optional
        Sub-budgets, by the same method: an analyst's spends must stay inside theirs too. Analysts not named have none.

    Raises
    ------
    LedgerError
        If the file is truncated, tampered with, read-only, locked for 30 s or the disk is full.
    ValueError, TypeError
        Naming the argument; also if the file was opened with another budget, method or plan.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = PrivacyLedger(pathlib.Path(folder.name) / "budget.sqlite", Guarantee(1.0))
    >>> for query in range(20):
    ...     _ = ledger.spend(Guarantee(0.05), f"query {query}", "ana")
    >>> print(ledger.remaining())
    (ε=0, δ=0)-DP, adding or removing one record
    >>> ledger.close(); folder.cleanup()
    """

    def __init__(
        self,
        path: str | Path,
        budget: Guarantee,
        method: str = "basic",
        plan: Iterable[Any] | None = None,
        *,
        order: float | None = None,
        analysts: Mapping[str, Guarantee] | None = None,
    ) -> None:
        self.path, self.method = Path(path), method
        self.budget = arguments.member("budget", budget, Guarantee)
        if method not in ("basic", "rdp", "pld"):
            raise ValueError(f"method must be 'basic', 'rdp' or 'pld', got {method!r}")
        if (plan is None) == (method == "pld"):
            raise ValueError(f"plan is needed for method 'pld' and for no other, got method {method!r}, plan {plan!r}")
        if method == "pld" and analysts:
            raise ValueError(f"analysts need method 'basic' or 'rdp', got 'pld' with {sorted(analysts)!r}")
        self._filter = self._make_filter(budget, order, plan)
        self._filters = {_EVERYBODY: self._filter}
        for name, part in (analysts or {}).items():
            # At one order for all: then one price serves every total.
            own = self._make_filter(arguments.member("analysts", part, Guarantee), getattr(self._filter, "order", None))
            self._filters[_name("analyst", name)] = own
        self._local = threading.local()
        self._open()

    def _make_filter(self, budget: Guarantee, order: float | None, plan: Iterable[Any] | None = None) -> Filter:
        if self.method == "basic":
            return BasicFilter(budget)
        return RenyiFilter(budget, order) if plan is None else PlannedFilter(budget, plan)

    def spend(self, cost: Any, query_id: str, analyst: str, description: str = "") -> Entry:
        """Pay for one release, durably, before making it.

        `cost` is a mechanism or a `Guarantee`. Raises `BudgetExhausted` if the total would leave the budget (or the
        analyst's), `ValueError` if `query_id` was spent before: an answer may be shown twice, but not drawn twice.
        """
        query_id, analyst = _name("query_id", query_id), _name("analyst", analyst)
        relation = getattr(cost, "neighbours", None)
        if relation is not self.budget.neighbours:
            raise ValueError(f"cost must be under {self.budget.neighbours} like the budget, got {cost!r}")
        owners = [_EVERYBODY, analyst] if analyst in self._filters else [_EVERYBODY]
        price = self._filter.price(cost)
        try:
            claim = str(_claim(cost))
        except ValueError:  # a noise multiplier alone has a loss but no (ε, δ)
            claim = ""
        with self._transaction() as connection:
            if connection.execute("SELECT 1 FROM entries WHERE query_id = ?", (query_id,)).fetchone():
                raise ValueError(f"query_id must be new, got {query_id!r} again")
            number, seal = connection.execute("SELECT number, seal FROM totals WHERE owner = ''").fetchone()
            totals = {}
            for owner in owners:
                (before,) = connection.execute("SELECT total FROM totals WHERE owner = ?", (owner,)).fetchone()
                try:
                    totals[owner] = self._filters[owner].add(before, price)
                except BudgetExhausted as error:
                    left = self._filters[owner].left(before)
                    whose = f"the budget of {owner}" if owner else "the budget"
                    raise BudgetExhausted(f"{query_id!r} is refused: {error}; left of {whose}: {left}") from None
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
            spent = totals[_EVERYBODY]
            entry = Entry(number + 1, query_id, analyst, repr(cost), claim, price, spent, now, description)
            seal = _seal(seal, entry)
            connection.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*asdict(entry).values(), seal)
            )
            for owner in owners:
                connection.execute(
                    "UPDATE totals SET total = ?, number = ?, seal = ? WHERE owner = ?",
                    (totals[owner], entry.number, seal, owner),
                )
        return entry

    def remaining(self, analyst: str | None = None) -> Guarantee:
        """What is left. "basic": the (ε, δ) not yet spent. "rdp": the largest pure ε one more query may cost.
        "pld": what the rest of the plan costs on its own."""
        owner = _EVERYBODY if analyst is None else analyst
        if owner not in self._filters:
            raise ValueError(f"analyst must have a budget, got {analyst!r}")
        with self._reading() as connection:
            (total,) = connection.execute("SELECT total FROM totals WHERE owner = ?", (owner,)).fetchone()
        return self._filters[owner].left(total)

    def entries(self) -> list[Entry]:
        """Every admitted spend, oldest first."""
        with self._reading() as connection:
            rows = connection.execute("SELECT * FROM entries ORDER BY number").fetchall()
        return [Entry(*row[:-1]) for row in rows]

    def report(self):
        """The entries as a pandas frame."""
        import pandas as pd

        return pd.DataFrame([asdict(entry) for entry in self.entries()], columns=list(Entry.__dataclass_fields__))

    def close(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None and self._local.process == os.getpid():
            connection.close()
        self._local.connection = None

    def __enter__(self) -> PrivacyLedger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        settings = {
            "budget": repr(self.budget),
            "method": self.method,
            "order": repr(getattr(self._filter, "order", None)),
            "plan": json.dumps(sorted(getattr(self._filter, "plan", {}).items())),
            "analysts": json.dumps({name: repr(f.budget) for name, f in sorted(self._filters.items()) if name}),
        }
        if self._make_file():
            with self._transaction() as connection:
                for statement in _TABLES.split(";\n"):
                    if statement.strip():
                        connection.execute(statement)
                connection.executemany("INSERT INTO settings VALUES (?, ?)", settings.items())
                for owner, rule in self._filters.items():
                    connection.execute("INSERT INTO totals VALUES (?, ?, 0, '')", (owner, rule.zero()))
            return
        self._wait_for_tables()
        with self._transaction() as connection:
            stored = dict(connection.execute("SELECT name, value FROM settings").fetchall())
            for name, value in settings.items():
                if stored.get(name) != value:
                    raise ValueError(f"{name} must be as the ledger was opened with, {stored.get(name)}, got {value}")
            self._verify(connection)

    def _make_file(self) -> bool:
        """Whether the file is new and ours to fill: of several openers at once, exactly one is told so."""
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            return False
        except OSError as error:
            raise LedgerError(f"{self.path} cannot be made: {error.strerror}") from None
        return True

    def _wait_for_tables(self) -> None:
        """Give another opener a moment to fill a new file; a file still empty then was cut short, and is refused.

        SQLite would take it for a new database, and a ledger cut to nothing for a budget refreshed.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            if self.path.stat().st_size:
                with self._reading() as connection:
                    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'totals'").fetchone():
                        return
            if time.monotonic() > deadline:
                raise LedgerError(f"{self.path} exists and holds no ledger; a new one needs a new file")
            time.sleep(0.01)

    def _verify(self, connection: sqlite3.Connection) -> None:
        """Recompute every seal and every total: edits, losses and half-written files show."""
        problems = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if problems != "ok":
            raise LedgerError(f"{self.path} is damaged: {problems}")
        seal, number, totals = "", 0, {owner: rule.zero() for owner, rule in self._filters.items()}
        for row in connection.execute("SELECT * FROM entries ORDER BY number"):
            entry, number = Entry(*row[:-1]), number + 1
            seal = _seal(seal, entry)
            if entry.number != number or row[-1] != seal:
                raise LedgerError(
                    f"{self.path} was changed by hand or lost a row: entry {number} does not fit its seal"
                )
            for owner in {_EVERYBODY, entry.analyst} & set(totals):
                totals[owner] = self._filters[owner].add(totals[owner], entry.price)
        head = connection.execute("SELECT number, seal FROM totals WHERE owner = ''").fetchone()
        if head != (number, seal) or dict(connection.execute("SELECT owner, total FROM totals").fetchall()) != totals:
            raise LedgerError(f"{self.path} was changed by hand or lost a row: its totals are not those of its entries")

    def _connection(self) -> sqlite3.Connection:
        """One connection a thread and process: SQLite connections may cross neither."""
        if getattr(self._local, "connection", None) is None or self._local.process != os.getpid():
            connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            self._local.connection, self._local.process = connection, os.getpid()
        return self._local.connection

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection()
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path} cannot be read: {error}") from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, one writer at a time: the check and the spend cannot be separated."""
        try:
            connection = self._connection()
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


def _seal(previous: str, entry: Entry) -> str:
    text = json.dumps([previous, *asdict(entry).values()], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _name(argument: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a string, got {value!r}")
    if not value:
        raise ValueError(f"{argument} must not be empty, got {value!r}")
    return value
