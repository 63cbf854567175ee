"""The exercise in which the student decides what two offices publish, and links whom the decision does not protect."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from dpcourse.attacks import records
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, a

WIDTH = 4  # columns of each release
LIMIT = 0.01  # fewer people than this share may be linkable
_FORM = f"Return two lists of {WIDTH} column names, and an array with one True or False for each person."


def draw_people(rng: np.random.Generator) -> pd.DataFrame:
    """People on six columns, q1 to q6, of which few pairs may be published twice.

    One column has few values, and some of them belong to one person only. So the two columns with the fewest values
    are no good.
    """
    while True:
        n = int(rng.integers(450, 600))
        rare = int(rng.integers(7, 9))
        columns = [rng.integers(2, size=n)]
        for most in rng.integers((11, 13), (13, 16)):  # some values are rare, so that somebody is unique on most pairs
            shares = 0.65 ** np.arange(most)
            columns.append(rng.choice(most, size=n, p=shares / shares.sum()))
        columns += [rng.integers(int(most), size=n) for most in rng.integers(60, 90, size=2)]
        columns.append(rng.permutation(np.r_[np.arange(rare), rng.integers(8, 10, n - rare)]))
        frame = _in_any_order(columns, rng)
        unique = {pair: records.unique_share(frame, list(pair)) for pair in combinations(frame, 2)}
        good = [share for share in unique.values() if share < LIMIT]
        if 0 < len(good) < 6 and min(good) > 0 and unique[_fewest_values(frame)] >= LIMIT:
            return frame


def draw_tied(rng: np.random.Generator) -> pd.DataFrame:
    """People of whom a single pair may be published twice: the two columns with the most values.

    One of these two says nearly always what the other is, but for one to three people. In every other column seven
    people or more have a value of their own.
    """
    n = int(rng.integers(450, 600))
    most, strays = int(rng.integers(22, 28)), int(rng.integers(1, 4))
    first = rng.permutation(np.arange(n) % most)
    second = rng.permutation(most)[first]
    second[rng.choice(n, strays, replace=False)] = most + np.arange(strays)  # nobody else has these
    columns = [first, second]
    for rare in rng.integers(7, 10, size=4):
        columns.append(rng.permutation(np.r_[np.arange(rare), rng.integers(rare, 12, n - rare)]))
    return _in_any_order(columns, rng)


def _in_any_order(columns: Sequence[np.ndarray], rng: np.random.Generator) -> pd.DataFrame:
    """The columns q1 to q6. Two in three times their numbers are others, of which many are 1 and a digit of others.

    So 1 and 12 are another pair than 11 and 2, unless somebody glues the numbers together.
    """
    if rng.random() < 2 / 3:
        columns = [1 + one // 2 + one % 2 * 10 if one.max() < 20 else one for one in columns]
    return pd.DataFrame({f"q{i + 1}": columns[role] for i, role in enumerate(rng.permutation(6))})


def _fewest_values(frame: pd.DataFrame) -> tuple[str, str]:
    """The two columns with the fewest values, in the order of the table."""
    fewest = set(frame.nunique().sort_values(kind="stable").index[:2])
    first, second = (column for column in frame if column in fewest)
    return first, second


def plans(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Two releases of four columns that hold all six and leave fewer than 1% linkable; and who these are."""
    for place, rng in enumerate(chance.rng.spawn(6)):
        people = draw_tied(rng) if place in (2, 4) else draw_people(rng)
        result = answer(people.copy())
        if not isinstance(result, tuple | list) or len(result) != 3:
            given = f"has {len(result)}" if isinstance(result, tuple | list) else f"is {a(result)}"
            return Diagnosis("wrong-type", f"Three things are wanted, and this {given}.", _FORM)
        first, second = (list(part) if not isinstance(part, str) else part for part in result[:2])
        wrong = _wrong_columns(people, first, second) or _wrong_people(people, first, second, np.asarray(result[2]))
        if wrong is not None:
            return wrong
    return None


def _wrong_columns(people: pd.DataFrame, first: list[str] | str, second: list[str] | str) -> Diagnosis | None:
    for columns in (first, second):
        if isinstance(columns, str) or not set(columns) <= set(people.columns):
            return Diagnosis("wrong-type", f"{columns!r} is no list of columns of `people`.", _FORM)
        if len(set(columns)) != WIDTH or len(columns) != WIDTH:
            return Diagnosis("not-four", f"A table has the columns {columns}.", f"Each needs {WIDTH} different ones.")
    missing = sorted(set(people.columns) - set(first) - set(second))
    if missing:
        return Diagnosis(
            "left-out", f"Nobody publishes {', '.join(missing)}.", "In which of the two tables should it be?"
        )
    shared = sorted(set(first) & set(second))
    share = records.unique_share(people, shared)
    if share >= LIMIT:
        return Diagnosis(
            "too-linkable",
            f"Both tables have {' and '.join(shared)}, on which {share:.1%} of the people are unique.",
            "On which columns can Boris join the two tables? For which choice of them are the fewest people unique?",
        )
    return None


def _wrong_people(
    people: pd.DataFrame, first: list[str] | str, second: list[str] | str, linked: np.ndarray
) -> Diagnosis | None:
    if linked.shape != (len(people),) or linked.dtype != bool:
        return Diagnosis(
            "wrong-shape",
            f"The third thing has shape {linked.shape} and type {linked.dtype}; there are {len(people)} people.",
            "One True or False for each row of `people`, in their order.",
        )
    shared = sorted(set(first) & set(second))
    right = records.group_sizes(people, shared) == 1
    if np.array_equal(linked, right):
        return None
    if np.array_equal(linked, ~right):
        return Diagnosis("complement", "You mark those who cannot be linked.", "Which of the two is asked for?")
    ways = [(columns, records.group_sizes(people, list(columns)) == 1) for columns in (first, second, people.columns)]
    for columns, unique in ways:
        if np.array_equal(linked, unique):
            return Diagnosis(
                "other-columns",
                f"You mark people who are unique on {', '.join(columns)}. Boris can compare {' and '.join(shared)}.",
                "Which columns do both of his tables have?",
            )
    return Diagnosis(
        "wrong-people",
        f"You mark {int(linked.sum())} people; exactly one row of each table fits for {int(right.sum())}.",
        "Who has the same values as nobody else, on the columns that both tables have?",
    )


PLAN = (plans,)
