"""Numbers of lesson 01: who is alone on a few columns, what linkage and reconstruction find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import optimize

from dpcourse import attacks

# What a neighbour sees, what a colleague knows, what only a tax office knows. The census weight fnlwgt is left out.
ORDER = (
    "sex",
    "age",
    "race",
    "native-country",
    "marital-status",
    "education",
    "occupation",
    "workclass",
    "relationship",
    "hours-per-week",
    "capital-gain",
    "capital-loss",
    "income-per-year",
)
KNOWN = list(ORDER[:7])  # what a neighbour knows

# A hamlet's columns with their values, and its six tables of two columns, in the order they are published.
HAMLET = {
    "sex": ("woman", "man"),
    "age": ("to 29", "30 to 44", "45 to 59", "60 on"),
    "married": ("no", "yes"),
    "income": ("<=50K", ">50K"),
}
SHAPE = tuple(len(values) for values in HAMLET.values())
TABLES = (
    ("age", "sex"),
    ("age", "income"),
    ("sex", "income"),
    ("married", "income"),
    ("married", "sex"),
    ("married", "age"),
)


@dataclass(frozen=True)
class Uniqueness:
    """The share of unique people as columns are added one after another, and how many of them the attacker knows."""

    columns: tuple[str, ...]
    shares: np.ndarray
    known: int
    people: int


@dataclass(frozen=True)
class TwoTables:
    """A release without names, a register with names of other people too, and the truth, for marking: which row of the
    release belongs to each person of the register, −1 for nobody's."""

    released: pd.DataFrame
    register: pd.DataFrame
    truth: np.ndarray


def two_tables(people: pd.DataFrame, rng: np.random.Generator) -> TwoTables:
    """A random half of the people is released, another random half is in the register, on the columns `KNOWN`."""
    half = len(people) // 2
    in_release, in_register = (rng.permutation(len(people))[:half] for _ in range(2))
    row = np.full(len(people), -1)
    row[in_release] = np.arange(half)
    return TwoTables(people.iloc[in_release].reset_index(drop=True), people.iloc[in_register][KNOWN], row[in_register])


def generalise(people: pd.DataFrame) -> pd.DataFrame:
    """Adult's columns made coarse: six quasi-identifiers and the income."""
    return pd.DataFrame(
        {
            "age": pd.cut(people["age"], [16, 25, 35, 45, 55, 65, 90]).astype(str),
            "sex": people["sex"],
            "race": np.where(people["race"] == "White", "White", "other"),
            "country": np.where(people["native-country"] == "United-States", "US", "other"),
            "married": people["marital-status"].str.startswith("Married"),
            "schooling": pd.cut(people["education-num"], [0, 8, 9, 12, 16]).astype(str),
            "income": people["income-per-year"],
        }
    )


@dataclass(frozen=True)
class LinkageByColumns:
    """For each set of columns known: the share of people found, and of the attacker's claims that are right."""

    labels: tuple[str, ...]
    found: np.ndarray
    right: np.ndarray


def linkage_by_columns(
    people: pd.DataFrame, in_release: np.ndarray, in_register: np.ndarray, numbers: Sequence[int]
) -> LinkageByColumns:
    """Link a register to a release on the first columns of `ORDER`, as many as `numbers` says.

    `in_release` and `in_register` are positions of people; whoever is in both can be found.
    """
    row = np.full(len(people), -1)
    row[in_release] = np.arange(len(in_release))
    truth, labels, found, right = row[in_register], [], [], []
    for before, count in pairwise([0, *numbers]):
        columns = list(ORDER[:count])
        linkage = attacks.link(people.iloc[in_release], people.iloc[in_register], columns)
        hits = linkage.claimed & (linkage.match == truth)
        found.append(hits.sum() / (truth >= 0).sum())
        right.append(hits.sum() / max(linkage.claimed.sum(), 1))
        labels.append(("+ " if before else "") + ", ".join(columns[before:]))
    return LinkageByColumns(tuple(labels), np.array(found), np.array(right))


def cells_of(frame: pd.DataFrame) -> np.ndarray:
    """The cell of the hamlet's table that each person of Adult belongs to; shape (people,), from 0 to 31."""
    codes = (
        frame["sex"] == "Male",
        np.digitize(frame["age"], [30, 45, 60]),
        frame["marital-status"].str.startswith("Married"),
        frame["income-per-year"] == ">50K",
    )
    return np.ravel_multi_index(tuple(np.asarray(code, dtype=int) for code in codes), SHAPE)


def draw_hamlet(cells: np.ndarray, people: int, rng: np.random.Generator) -> np.ndarray:
    """How many of `people` drawn at random are in each of the 32 cells; shape (32,)."""
    return np.bincount(rng.choice(cells, people, replace=False), minlength=int(np.prod(SHAPE)))


def equations(tables: int = len(TABLES)) -> np.ndarray:
    """What the first published tables add up: a row of 0 and 1 over the 32 cells for each number printed."""
    names = list(HAMLET)
    axes = [[names.index(first), names.index(second)] for first, second in TABLES[:tables]]
    return np.vstack([attacks.marginal_queries(SHAPE, pair) for pair in axes or [[]]])


def lists_left(hamlet: np.ndarray) -> tuple[int, ...]:
    """How many lists of people fit their number alone, then with each published table more; length 7."""
    systems = [equations(number) for number in range(len(TABLES) + 1)]
    return tuple(attacks.count_tables(system, system @ hamlet) for system in systems)


@dataclass(frozen=True)
class Candidates:
    """How many lists of people fit after each published table; the first `shown` tables are out."""

    hamlet: str
    published: tuple[str, ...]
    lists: tuple[int, ...]
    shown: int


@dataclass(frozen=True)
class Rebuilt:
    """Hamlets of one size: the share that only one table fits, the share of records that a rebuilt table has right,
    and the share that another hamlet, drawn at random, has right."""

    people: int
    only_one: float
    right: float
    chance: float


def rebuild_many(cells: np.ndarray, people: int, hamlets: int, rng: np.random.Generator) -> Rebuilt:
    """Draw hamlets, rebuild each from its six tables, and compare with the truth and with luck.

    A rebuilt table is the one that fits and has the least value under random weights. Where the largest value belongs
    to the same table, no other fits: two tables have the same value under random weights with probability 0.
    """
    system = equations()
    only_one, right, chance = 0, 0, 0
    for _ in range(hamlets):
        hamlet, other = draw_hamlet(cells, people, rng), draw_hamlet(cells, people, rng)
        weights = rng.random(hamlet.size)
        least, most = (_fitting(system, system @ hamlet, sign * weights) for sign in (1, -1))
        only_one += np.array_equal(least, most)
        right += np.minimum(least, hamlet).sum()
        chance += np.minimum(other, hamlet).sum()
    return Rebuilt(people, only_one / hamlets, right / hamlets / people, chance / hamlets / people)


def _fitting(system: np.ndarray, answers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    solution = optimize.milp(
        weights,
        constraints=optimize.LinearConstraint(system, answers, answers),
        integrality=np.ones(len(weights)),
        options={"mip_rel_gap": 0},
    )
    return np.rint(solution.x).astype(int)


@dataclass(frozen=True)
class Recovered:
    """The share of secret bits recovered, by the number of answers (rows) and the size of the noise (columns)."""

    people: int
    noise: np.ndarray
    answers: tuple[int, ...]
    shares: np.ndarray


def recover_many(
    people: int, noise: Sequence[float], answers: Sequence[int], draws: int, rng: np.random.Generator
) -> Recovered:
    """The linear programme against noise of several sizes and several numbers of answers; means of `draws`."""
    shares = np.zeros((len(answers), len(noise)))
    for i, number in enumerate(answers):
        for j, size in enumerate(noise):
            for _ in range(draws):
                secrets, groups = rng.integers(2, size=people), rng.integers(2, size=(number, people))
                noisy = groups @ secrets + rng.uniform(-size, size, size=number)
                shares[i, j] += np.mean(attacks.reconstruct_bits(groups, noisy) == secrets) / draws
    return Recovered(people, np.asarray(noise, dtype=float), tuple(answers), shares)
