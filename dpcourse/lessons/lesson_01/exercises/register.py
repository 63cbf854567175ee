"""Exercise 01.2: names from a register that may be a year old, linked to a release without names."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcourse.attacks import records
from dpcourse.checks.cases import Equals, Mistake, Returns
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.lessons.lesson_01.exercises.tables import people, selected
from dpcourse.lessons.lesson_01.exercises.texts import reworded

_HOME = ("street", "sex", "job", "floor", "flat")


def _release_and_register(
    rng: np.random.Generator, everyone: pd.DataFrame | None = None, names: tuple[str, ...] = ("street", "sex", "job")
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """A release, and a register that may be a year old, of whom some fit one row, some several and some none."""
    everyone = people(rng, int(rng.integers(100, 160))) if everyone is None else everyone
    columns = rng.permutation(names)[: int(rng.integers(len(names) - 2, len(names) + 1))].tolist()
    order = rng.permutation(len(everyone))
    released = everyone.iloc[order[: len(order) * 2 // 3]].reset_index(drop=True)
    register = everyone.iloc[order[len(order) // 3 :]][[*columns, "age"]].reset_index(drop=True)
    return released, register.assign(age=register["age"] - rng.integers(0, 2, len(register))), columns


def _town(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """The same with three to six hundred people in either; more, and a loop within a loop takes too long."""
    return _release_and_register(rng, reworded(people(rng, int(rng.integers(450, 900))), rng), _HOME)


def _village(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """The same with one person to three hundred in either; the index of `released` alone has to be 0, 1, 2, …"""
    everyone = reworded(people(rng, whole(rng, 2, 450)), rng)
    released, register, columns = _release_and_register(rng, everyone, _HOME)
    return released, selected(register, rng), columns


def _joins(
    released: pd.DataFrame, register: pd.DataFrame, on: list[str], years: tuple[int, ...]
) -> list[records.Linkage]:
    """One join for each number of years that people may have grown older since the register was made."""
    older = [register.assign(age=register["age"] + year) for year in years]
    return [records.link(released, aged, [*on, "age"]) for aged in older]


def _match(
    released: pd.DataFrame, register: pd.DataFrame, on: list[str], years: tuple[int, ...] = (0, 1)
) -> np.ndarray:
    joins = _joins(released, register, on, years)
    fitting = sum(join.candidates for join in joins)
    return np.where(fitting == 1, np.max([join.match for join in joins], axis=0), -1)


def _candidates(released: pd.DataFrame, register: pd.DataFrame, on: list[str]) -> np.ndarray:
    return np.sum([join.candidates for join in _joins(released, register, on, (0, 1))], axis=0)


def _one_of(released: pd.DataFrame, register: pd.DataFrame, on: list[str], last: bool = False) -> np.ndarray:
    rows = np.arange(len(released))
    found = []
    for _, person in register.iterrows():
        fits = rows[(released[on] == person[on]).all(axis=1) & released["age"].isin([person["age"], person["age"] + 1])]
        found.append(fits[-1 if last else 0] if len(fits) else -1)
    return np.array(found)


def _either_join(released: pd.DataFrame, register: pd.DataFrame, on: list[str]) -> np.ndarray:
    this_year, next_year = _joins(released, register, on, (0, 1))
    return np.where(this_year.match >= 0, this_year.match, next_year.match)


def _one_join_alone(released: pd.DataFrame, register: pd.DataFrame, on: list[str]) -> np.ndarray:
    this_year, next_year = (join.match for join in _joins(released, register, on, (0, 1)))
    return np.where((this_year >= 0) ^ (next_year >= 0), np.maximum(this_year, next_year), -1)


_GUESSED = Diagnosis(
    "names-one-of-several",
    "Where several released rows fit a person you name one of them. The attacker cannot know which is theirs.",
    "Answer −1 unless exactly one row fits.",
)

LINK = (
    Returns(_release_and_register, what="array", shape=lambda released, register, on: (len(register),), random=False),
    Equals(
        _release_and_register,
        expected=_match,
        wide=_village,
        wide_times=10,
        full=_town,
        mistakes=(
            Mistake(
                "same-age",
                lambda released, register, on: _match(released, register, on, (0,)),
                "You find only people whose age is the same in both tables.",
                "How old can somebody be in the release who is 40 in the register?",
            ),
            Mistake(
                "age-ignored",
                lambda released, register, on: records.link(released, register, on).match,
                "That is what comes out when the ages are not used.",
                "Which ages in the release fit a person of 40?",
            ),
            Mistake(
                "younger",
                lambda released, register, on: _match(released, register, on, (0, -1)),
                "You let people grow younger.",
                "Which of the two tables is the older one?",
            ),
            Mistake(
                "younger",
                lambda released, register, on: _match(released, register, on, (-1, 0, 1)),
                "You let people grow younger, too.",
                "Which of the two tables is the older one?",
            ),
            Mistake(
                "one-age-at-a-time",
                _either_join,
                "You look at each age on its own: one row fits at 40 and another at 41, and you name one of them.",
                "How many rows fit a person at both ages together?",
            ),
            Mistake(
                "one-age-at-a-time",
                _one_join_alone,
                "You look at each age on its own: several rows fit at 40 and one at 41, and you name the one at 41.",
                "How many rows fit a person at both ages together?",
            ),
            Mistake.told(_GUESSED, _one_of),
            Mistake.told(_GUESSED, lambda released, register, on: _one_of(released, register, on, last=True)),
            Mistake(
                "counts",
                _candidates,
                "You give how many released rows fit each person.",
                "Where that number is 1, which row is it? Elsewhere answer −1.",
            ),
            Mistake(
                "yes-or-no",
                lambda released, register, on: _match(released, register, on) >= 0,
                "You say whether each person is found.",
                "Give the position of the row found.",
            ),
            Mistake(
                "one-column",
                lambda released, register, on: _match(released, register, on[:1]),
                "Of the columns in `on` you compare only the first.",
                "All columns of `on` must agree.",
            ),
            Mistake(
                "zero-for-none",
                lambda released, register, on: np.maximum(_match(released, register, on), 0),
                "People who are not found are given row 0.",
                "Answer −1 for them.",
            ),
            Mistake(
                "one-too-many",
                lambda released, register, on: _match(released, register, on) + 1,
                "Each of your numbers is 1 too large.",
                "Positions start at 0, and −1 means nobody.",
            ),
        ),
    ),
)
