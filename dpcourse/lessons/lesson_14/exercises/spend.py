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

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.lessons.lesson_14.exercises.costs import query_ids, requests, text
from dpcourse.lessons.lesson_14.exercises.verdicts import id_wrong, one_wrong, rounded, rows_wrong
from dpcourse.lessons.lesson_14.exercises.watched import Watched

_MOST_STATEMENTS = 40  # of an answer, between which somebody else comes
# Entries before, others that come, and how many statements after the one before.
_COMING = ((0, 1, 1), (100, 1, 1), (500, 1, 1), (100, 2, 1), (100, 2, 2), (100, 2, 3), (100, 3, 2))
_QUOTED = ("Ana's hours", "women's pay")  # end a text of SQL: one is new each time, the other known
_ODD = (*_QUOTED, "", 'pay in "gross"', "%", "age_group", "hours?", "Größe; café")  # ids, too
_CASES = ("Pay in gross", "pay in gross", "Pay in gross ")
_LONG = "hours by state, "  # and so on: ids that differ at their end
_TABLE = "CREATE TABLE entries (query_id TEXT PRIMARY KEY, epsilon TEXT NOT NULL)"


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
    connection = sqlite3.connect(path, isolation_level=None, timeout=0.05, factory=kind)
    # The file is gone in a moment, and a busy disk must not cost a right answer its time.
    sqlite3.Connection.cursor(connection).execute("PRAGMA synchronous = OFF")
    return connection


def _stored(path: Path) -> list[tuple[str, Decimal]]:
    """What another connection sees: only what was committed."""
    with contextlib.closing(_connect(path)) as connection:
        rows = connection.execute("SELECT query_id, epsilon FROM entries").fetchall()
    return [(name, Decimal(str(cost))) for name, cost in rows]


def _sequence(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One analyst, nobody in between: what fits is admitted and stored, what does not is not."""
    for kind in range(5):
        with _office() as path, contextlib.closing(_connect(path)) as connection:
            costs, budget = requests(chance.rng, kind)
            left, wanted, ids = Decimal(budget), [], query_ids(chance.rng, len(costs))
            for cost in costs:
                wanted.append(Decimal(cost) <= left)
                left -= Decimal(cost) if wanted[-1] else 0
            for number, (cost, fits) in enumerate(zip(costs, wanted, strict=True)):
                got = _closed(answer, connection, ids[number], cost, budget)
                if isinstance(got, Diagnosis):
                    return got
                rows = dict(_stored(path))
                wrong = one_wrong(got, fits, ids[number] in rows, cost, budget, costs[:number])
                if wrong:
                    return rounded(wrong, [(given, rows.get(name)) for name, given in zip(ids, costs, strict=True)])
    return None


def _closed(
    answer: Answer, connection: sqlite3.Connection, query: str, cost: str, budget: str, known: bool = False
) -> bool | Diagnosis:
    """What the answer says, or what is wrong with how it stops."""
    try:
        got = answer(connection, query, cost, budget)
    except AnswerRaised as raised:
        left = ", and its transaction is still open" if connection.in_transaction else ""
        if (
            query in _ODD
            and isinstance(raised.error, sqlite3.Error)
            and not isinstance(raised.error, sqlite3.IntegrityError)
        ):
            return Diagnosis(
                "pasted-id",
                f"For the query id {query!r} your function stops with {raised}{left}.",
                "An id is any text, with a quote in it, too. What does a ? in the statement do for it?",
            )
        if known:
            return Diagnosis(
                "repeated-id",
                f"A query id that was spent before makes your function stop with {raised}{left}.",
                "Return False for it: look for the id inside the transaction, or catch sqlite3.IntegrityError and roll "
                "back.",
            )
        raise
    if connection.in_transaction:
        return Diagnosis(
            "left-open",
            "Your function returns with its transaction still open: everybody else waits, and a crash undoes "
            "the spend.",
            "COMMIT before returning True, ROLLBACK before returning False or raising.",
        )
    if not isinstance(got, bool | np.bool_):
        return Diagnosis("wrong-type", f"True or False is wanted; you return {got!r}.")
    return bool(got)


def _again(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Up to 24 entries, and once some hundreds: any of them asked again is refused, and what is new is not.

    Ids are any text. All entries stay as they are; and nothing is admitted that is too much.
    """
    rng = chance.rng
    for many in (whole(rng, 1, 20), whole(rng, 1, 20), int(rng.integers(150, 600))):
        (one, other), plain = rng.permutation(_QUOTED).tolist(), query_ids(rng, many + 4)
        odd = [one, *rng.permutation(_ODD[len(_QUOTED) :]).tolist(), other]
        cases = rng.permutation(_CASES).tolist()  # three texts, two of them new
        long = [_LONG * whole(rng, 5, 12) + end for end in rng.permutation(["age", "pay"]).tolist()]  # one is new
        new, known = [*odd[:3], *plain[:3], *cases[1:], long[0]], [*odd[3:], *plain[4:], cases[0], long[1]]
        entries = {name: int(rng.integers(1, 50)) for name in rng.permutation(known).tolist()}
        budget = sum(entries.values()) + 50 * len(new)
        asked = [*new, *odd[3:], *rng.choice(plain[4:], min(many, 4), replace=False).tolist()]
        with _office() as path, contextlib.closing(_connect(path)) as connection:
            connection.executemany("INSERT INTO entries VALUES (?, ?)", [(n, text(c)) for n, c in entries.items()])
            for query in rng.permutation(asked).tolist():
                cost, is_new = int(rng.integers(1, 50)), query not in entries
                got = _closed(answer, connection, query, text(cost), text(budget), known=not is_new)
                wrong = got if isinstance(got, Diagnosis) else id_wrong(got, is_new, query, entries)
                entries = entries | {query: cost} if is_new else entries
                wrong = wrong or rows_wrong(dict(_stored(path)), entries, query, is_new)
                if wrong:
                    return wrong
            spent = sum(entries.values())
            cost = budget - spent + 1
            got = _closed(answer, connection, plain[3], text(cost), text(budget))
            if isinstance(got, Diagnosis):
                return got
            before = [f"{len(entries)} entries that add up to {text(spent)}"]
            wrong = one_wrong(got, False, got, text(cost), text(budget), before)
            if wrong:
                return wrong
    return None


def _race(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Somebody else, who looks whether it fits, spends between any two of the answer's statements; and others after it.

    In an empty file, in one with some entries and in one with more.
    """
    for most, others, again in _COMING:
        for turn in range(1, _MOST_STATEMENTS + 2):
            found = _meddled(answer, chance.rng, turn, most, others, again)
            if isinstance(found, Diagnosis):
                return found
            if found < turn:  # it was over before their turn came
                break
        else:
            return Diagnosis(
                "too-many-statements",
                f"Your function needs more than {_MOST_STATEMENTS} statements for one spend.",
                "How many does it take to lock, to read, to write and to commit?",
            )
    return None


def _meddled(
    answer: Answer, rng: np.random.Generator, turn: int, most: int, others: int, again: int
) -> Diagnosis | int:
    """What is wrong if they come before statement `turn`; if nothing is, how many statements there were.

    There are so many entries at most before, and so many others come, one every `again` statements. All costs and the
    budget have so many decimals.
    """
    decimals = int(rng.choice((0, 1, 2, 2, 2, 3, 5, 9)))

    def text(units: int) -> str:
        return f"{Decimal(int(units)).scaleb(-decimals):f}"

    spent, left = whole(rng, 1, 1000) if most else 0, int(rng.integers(2 * others, 200))
    mine = int(rng.integers(1, left // others + 1))
    # Mine fits, and each of the first of them beside it; with the last one, it does not.
    first = [int(rng.integers(1, (left - mine) // others + 1)) for _ in range(others - 1)]
    theirs = [*first, int(rng.integers(left - mine - sum(first) + 1, left - sum(first) + 1))]
    budget = spent + left
    many = whole(rng, 1, min(spent, most)) if most else 0
    own, *ids = query_ids(rng, many + 1 + others)
    own = str(rng.choice(_ODD)) if rng.random() < 0.2 else own
    coming = list(zip(ids[:others], theirs, strict=True))
    with _office() as path:
        parts = 1 + rng.multinomial(spent - many, [1 / many] * many) if many else ()
        rows = dict(zip(ids[others:], map(text, parts), strict=True))  # all but mine
        with contextlib.closing(_connect(path)) as setup:
            setup.executemany("INSERT INTO entries VALUES (?, ?)", rows.items())
        entered: list[int] = []
        seen: list[Decimal] = []  # totals above the budget, while the answer was at work
        undecided: list[Decimal] = []  # totals of entries that are neither those of all others, nor those and mine

        def total() -> Decimal:
            return sum((cost for _, cost in _stored(path)), Decimal(0))

        def look() -> None:
            found, own_cost = dict(_stored(path)), Decimal(text(mine))
            held = sum(found.values(), Decimal(0))
            if entered and held > Decimal(text(budget)):
                seen.append(held)
            others_rows = {name: Decimal(cost) for name, cost in rows.items()}
            if found.pop(own, own_cost) != own_cost or found != others_rows:
                undecided.append(held)

        def meddle() -> None:
            if not coming:
                return
            name, cost = coming.pop(0)
            with contextlib.closing(_connect(path)) as other, contextlib.suppress(sqlite3.OperationalError):
                other.execute("BEGIN IMMEDIATE")
                if total() + Decimal(text(cost)) <= Decimal(text(budget)):
                    other.execute("INSERT INTO entries VALUES (?, ?)", (name, text(cost)))
                    entered.append(cost)
                    rows[name] = text(cost)
                other.execute("COMMIT")

        with contextlib.closing(_connect(path, Watched)) as connection:
            connection.meddle, connection.look = meddle, look  # type: ignore[attr-defined]
            connection.turn, connection.again = turn, again  # type: ignore[attr-defined]
            try:
                got = answer(connection, own, text(mine), text(budget))
            except AnswerRaised as raised:
                if isinstance(raised.error, sqlite3.OperationalError):
                    return Diagnosis(
                        "deferred",
                        f"Somebody else spent between your read and your write, and your function stopped with "
                        f"“{raised.error}”. Nothing was overspent; but a plain BEGIN takes no write lock until the "
                        "first write, and then it is too late to get one.",
                        "Which kind of BEGIN takes the write lock at once?",
                    )
                raise
        if total() > Decimal(text(budget)):
            return Diagnosis(
                "race",
                f"{text(spent)} was spent. While your function was at work others spent "
                f"{', '.join(map(text, entered))}, and you spent {text(mine)}: {total()} of {text(budget)}. "
                "Somebody spent between your last read and your write.",
                "How is the lock taken before you read, and when is it given back?",
            )
        if seen:
            return Diagnosis(
                "stored-first",
                f"While your function was at work, the file held {seen[0]} of {text(budget)}, with a request that you "
                "refused in the end. Anyone who asks in between is refused what would fit. If your process stops "
                "there, the entry stays.",
                "How do you read and write so that nobody sees what is not decided?",
            )
        if undecided:
            return Diagnosis(
                "stored-first",
                f"While your function was at work, the file held {undecided[0]} of {text(budget)}: neither what was "
                f"spent nor that and the {text(mine)} you were asked for. Anyone who asks in between is answered by "
                "it. If your process stops there, it stays.",
                "How do you read and write so that nobody sees what is not decided?",
            )
        if bool(got) != (spent + sum(entered) + mine <= budget):
            return Diagnosis(
                "unsure",
                "With somebody else spending at the same moment you refuse what fits.",
                "Read, then decide.",
            )
        return connection.count  # type: ignore[attr-defined]


SPEND = (_sequence, _again, _race)
