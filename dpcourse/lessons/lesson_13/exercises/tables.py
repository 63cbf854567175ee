"""Exercises 13.1 and 13.2: the noise of k tables, and a noisy table, attacked."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.counting import any_table, cell_counts, large_table, one_more, tables
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.noise_laws import geometric, laplace
from dpcourse.checks.once import anywhere, whole
from dpcourse.checks.release import Release
from dpcourse.checks.words import Words

# 13.1 The noise of k tables

SIGMA = Equals(
    lambda rng: (int(rng.integers(2, 60)), float(rng.uniform(0.005, 1.0))),
    expected=lambda k, rho: math.sqrt(k / (2 * rho)),
    wide=anywhere((1, 10**6), (1e-6, 100.0)),
    mistakes=(
        Mistake(
            "composition-forgotten",
            lambda k, rho: math.sqrt(1 / (2 * rho)),
            "Each of your tables costs the whole ρ, as if it were the only one: k of them cost kρ.",
            "ρ adds up. How much of it may one table spend?",
        ),
        Mistake(
            "linear",
            lambda k, rho: k * math.sqrt(1 / (2 * rho)),
            "Your noise grows in proportion to k. That is the price of Laplace noise and ε; ρ is kinder.",
            "σ² is proportional to k, so σ is proportional to …",
        ),
        Mistake(
            "no-two",
            lambda k, rho: math.sqrt(k / rho),
            "The 2 of ρ = 1/(2σ²) is missing.",
            "Put ρ/k for ρ and solve for σ.",
        ),
        Mistake("variance", lambda k, rho: k / (2 * rho), "That is σ², the variance of the noise.", "Take the root."),
        Mistake(
            "upside-down",
            lambda k, rho: math.sqrt(2 * rho / k),
            "That is upside down: it falls when more tables share ρ.",
            "Solve ρ/k = 1/(2σ²).",
        ),
        Mistake(
            "sensitivity-two",
            lambda k, rho: math.sqrt(k / rho) * math.sqrt(2),
            "You count a sensitivity of 2 a table. Adding or removing a person changes one cell by one.",
            "Two cells change when a person is *replaced*. Which neighbours does the exercise name?",
        ),
        Mistake(
            "k-below",
            lambda k, rho: math.sqrt(1 / (2 * k * rho)),
            "Your noise falls when more tables share ρ, and with less ρ for each it has to grow.",
            "What is left for one table: kρ or ρ/k?",
        ),
    ),
)

# 13.2 A noisy table


def _codes(counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """Two columns of codes, so many people in each cell."""
    people = rng.permutation(np.repeat(np.arange(counts.size), counts.ravel()))
    a, b = np.divmod(people, counts.shape[1])
    return a, b, counts.shape


def _crosstab(a: np.ndarray, b: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    return np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1]).reshape(shape)


_TRANSPOSED = Diagnosis(
    "transposed",
    "The rows and columns of your counts are mixed up: `a` is the row, `b` the column.",
    "In an array of this shape, the cell (a, b) is number a · shape[1] + b.",
)

TABLE = Release(
    data=tables(_codes, (4, 5)),
    many=large_table(_codes, (10, 20)),
    anew=any_table(_codes, lambda rng: (whole(rng, 1, 20), whole(rng, 1, 20))),
    truth=_crosstab,
    records=2,
    noise=(laplace, geometric),
    mistakes=(
        *cell_counts(_crosstab),
        Mistake.told(_TRANSPOSED, lambda a, b, shape: _crosstab(a, b, shape).T.reshape(shape)),
        Mistake.told(_TRANSPOSED, lambda a, b, shape: _crosstab(a, b, shape).ravel().reshape(shape, order="F")),
    ),
    nobody=(np.zeros(0, dtype=int), np.zeros(0, dtype=int), (10, 20)),
    after=(one_more(_codes, (10, 20), "cell"),),
    looks=(1, 30),
    words=Words(
        unit=" people",
        cell="cell",
        draw="size=shape",
        too_much="The cells are disjoint: one person is in one of them. Does ε have to be shared among them?",
        too_little="One person changes one cell by one. Which scale does that need?",
    ),
)
