"""Exercise 14.2: a spend that nothing can come between.

The answer gets a connection whose every statement is watched. After the first statement that reads, the check itself
spends through another connection, as a second analyst would: if the answer holds the write lock by then, the check is
turned away; if not, its spend is in the file, and the answer has to notice. So a race is lost every time, not now and
then.
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis

_MOST_STATEMENTS = 40  # of an answer, between which somebody else comes
_TABLE = "CREATE TABLE entries (query_id TEXT PRIMARY KEY, epsilon TEXT NOT NULL)"


class _Watched(sqlite3.Connection):
    """A connection that lets somebody else in before one of its statements, whichever it is told."""

    meddle: Any = None
    turn: int = 0
    count: int = 0

    def _counted(self) -> sqlite3.Cursor:
        self.count += 1
        if self.count == self.turn:
            self.meddle()
        return super().cursor()

    def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
        cursor = self._counted().execute(sql, *arguments)
        # Read at once, so that whoever comes next comes after the read.
        return cursor if cursor.description is None else _Rows(cursor)  # type: ignore[return-value]

    def executemany(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
        return self._counted().executemany(sql, *arguments)

    def executescript(self, script: str) -> sqlite3.Cursor:
        return self._counted().executescript(script)

    def commit(self) -> None:
        self._counted()
        super().commit()

    def __exit__(self, *error: Any) -> Any:
        self._counted()
        return super().__exit__(*error)

    def cursor(self, *arguments: Any, **keywords: Any) -> Any:
        return _Cursor(self)


class _Rows:
    """Rows that were fetched already, read like a cursor."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor, self._left = cursor, iter(cursor.fetchall())

    def fetchone(self) -> Any:
        return next(self._left, None)

    def fetchall(self) -> list[Any]:
        return list(self._left)

    def __iter__(self) -> Iterator[Any]:
        return self._left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)


class _Cursor:
    """A cursor whose statements go through the watched connection."""

    def __init__(self, connection: _Watched) -> None:
        self._connection = connection
        self._rows: Any = None

    def execute(self, sql: str, *arguments: Any) -> _Cursor:
        self._rows = self._connection.execute(sql, *arguments)
        return self

    def executemany(self, sql: str, *arguments: Any) -> _Cursor:
        self._rows = self._connection.executemany(sql, *arguments)
        return self

    def executescript(self, script: str) -> _Cursor:
        self._rows = self._connection.executescript(script)
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)


@contextlib.contextmanager
def _office() -> Iterator[Path]:
    """A file with an empty table of entries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "budget.sqlite"
        with contextlib.closing(_connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(_TABLE)
        yield path


def _connect(path: Path, kind: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=0.05, factory=kind)


def _stored(path: Path) -> list[tuple[str, Decimal]]:
    """What another connection sees: only what was committed."""
    with contextlib.closing(_connect(path)) as connection:
        rows = connection.execute("SELECT query_id, epsilon FROM entries").fetchall()
    return [(name, Decimal(str(cost))) for name, cost in rows]


def _sequence(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One analyst, nobody in between: what fits is admitted and stored, what does not is not."""
    for kind in range(3):
        with _office() as path, contextlib.closing(_connect(path)) as connection:
            costs, budget = _costs(chance.rng, kind)
            left, wanted = Decimal(budget), []
            for cost in costs:
                wanted.append(Decimal(cost) <= left)
                left -= Decimal(cost) if wanted[-1] else 0
            for number, (cost, fits) in enumerate(zip(costs, wanted, strict=True)):
                got = answer(connection, f"q{number}", cost, budget)
                if connection.in_transaction:
                    return Diagnosis(
                        "left-open",
                        "Your function returns with its transaction still open: everybody else waits, and a crash "
                        "undoes "
                        "the spend.",
                        "COMMIT before returning True, ROLLBACK before returning False or raising.",
                    )
                if not isinstance(got, bool | np.bool_):
                    return Diagnosis("wrong-type", f"True or False is wanted; you return {got!r}.")
                there = [name for name, _ in _stored(path)]
                wrong = _one_wrong(bool(got), fits, f"q{number}" in there, cost, budget, costs[:number])
                if wrong:
                    return wrong
    return None


def _one_wrong(got: bool, fits: bool, stored: bool, cost: str, budget: str, before: list[str]) -> Diagnosis | None:
    if got and not stored:
        return Diagnosis(
            "not-stored",
            "You say True, and another connection does not find the entry in the file: it was not committed, or not "
            "written.",
            "INSERT it and COMMIT before returning True. What is not on disk was not spent.",
        )
    if stored and not got:
        return Diagnosis(
            "refused-pay",
            "You refuse, and the entry is in the file: the next total is too large.",
            "Insert only what is admitted; ROLLBACK otherwise.",
        )
    if got and not fits:
        return Diagnosis(
            "overspends",
            f"After {', '.join(before)} you admit {cost}, and the budget is {budget}: overspent.",
            "Admit only if the total *including* this request is at most the budget, exactly: "
            "a tolerance is spent too.",
        )
    if fits and not got:
        return Diagnosis(
            "float-sum",
            f"After {', '.join(before)} you refuse {cost}, and it fits exactly into the budget of {budget}.",
            "In floats 0.05 added up twenty times is more than 1. Add decimal.Decimal or fractions.Fraction of the "
            "strings.",
        )
    return None


def _costs(rng: np.random.Generator, kind: int) -> tuple[list[str], str]:
    """Decimal strings: twenty equal ones that fill the budget, a hair too much, and ordinary ones."""
    if kind == 0:
        return ["0.05"] * 21, "1"
    if kind == 1:
        half = int(rng.integers(20, 80))
        return [f"0.{half}", f"0.{100 - half}", "0.000000000001", "0.1"], "1"
    return [f"0.{cost:02d}" for cost in rng.integers(5, 40, size=8)], f"0.{int(rng.integers(80, 99))}"


def _again(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The same query id is not spent twice: False, and nothing stored."""
    with _office() as path, contextlib.closing(_connect(path)) as connection:
        answer(connection, "monday", "0.1", "1")
        try:
            got = answer(connection, "monday", "0.2", "1")
        except AnswerRaised as raised:
            if connection.in_transaction or not isinstance(raised.error, sqlite3.IntegrityError | ValueError):
                return Diagnosis(
                    "repeated-id",
                    f"A query id that was spent before makes your function stop with {raised}.",
                    "Return False for it, with no transaction left open.",
                )
            return Diagnosis(
                "repeated-id",
                "A query id that was spent before makes your function raise; False is wanted.",
                "Look for the id inside the transaction, or catch sqlite3.IntegrityError and roll back.",
            )
        if got or _stored(path) != [("monday", Decimal("0.1"))]:
            return Diagnosis(
                "repeated-id",
                "The query id “monday” was spent twice. An answer may be shown again; it must not be drawn again.",
                "Return False if the id is in the table.",
            )
    return None


def _race(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Somebody else, who looks whether it fits, spends between any two of the answer's statements."""
    for theirs, mine in (("0.3", "0.25"), ("0.4", "0.2")):
        for turn in range(1, _MOST_STATEMENTS + 1):
            found = _meddled(answer, theirs, mine, turn)
            if isinstance(found, Diagnosis):
                return found
            if found < turn:  # it was over before their turn came
                break
    return None


def _meddled(answer: Answer, theirs: str, mine: str, turn: int) -> Diagnosis | int:
    """What is wrong if they come before statement `turn`; if nothing is, how many statements there were."""
    with _office() as path:
        with contextlib.closing(_connect(path)) as setup:
            setup.execute("INSERT INTO entries VALUES ('before', '0.5')")
        entered: list[bool] = []

        def meddle() -> None:
            with contextlib.closing(_connect(path)) as other, contextlib.suppress(sqlite3.OperationalError):
                other.execute("BEGIN IMMEDIATE")
                if sum(cost for _, cost in _stored(path)) + Decimal(theirs) <= 1:
                    other.execute("INSERT INTO entries VALUES ('somebody else', ?)", (theirs,))
                    entered.append(True)
                other.execute("COMMIT")

        with contextlib.closing(_connect(path, _Watched)) as connection:
            connection.meddle, connection.turn = meddle, turn  # type: ignore[attr-defined]
            try:
                got = answer(connection, "mine", mine, "1")
            except AnswerRaised as raised:
                if isinstance(raised.error, sqlite3.OperationalError):
                    return Diagnosis(
                        "deferred",
                        f"Somebody else spent between your read and your write, and your function stopped with "
                        f"“{raised.error}”. Nothing was overspent; but a plain BEGIN takes no lock until the first "
                        "write, and then it is too late to get one.",
                        "Which kind of BEGIN takes the write lock at once?",
                    )
                raise
        total = sum(cost for _, cost in _stored(path))
        if total > 1:
            return Diagnosis(
                "race",
                f"0.5 was spent. You read that, somebody else spent {theirs}, you spent {mine}: {total} of 1. "
                "The check and the spend were not one transaction.",
                "How is the lock taken before you read, and when is it given back?",
            )
        if got != (not entered):
            return Diagnosis(
                "unsure",
                "With somebody else spending at the same moment you refuse what fits.",
                "Read, then decide.",
            )
        return connection.count  # type: ignore[attr-defined]


SPEND = (_sequence, _again, _race)
