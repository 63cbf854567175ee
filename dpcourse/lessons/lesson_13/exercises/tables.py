"""Exercises 13.1 and 13.2: the noise of k tables, and a noisy table, attacked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Diagnosis
from dpcourse.checks.cases import Equals, Mistake, Returns
from dpcourse.checks.counted import NO_COUNTS, Counted

# 13.1 The noise of k tables

SIGMA = Equals(
    lambda rng: (int(rng.integers(2, 60)), float(rng.uniform(0.005, 1.0))),
    expected=lambda k, rho: math.sqrt(k / (2 * rho)),
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
            "Your noise grows with k. That is the price of Laplace noise and ε; ρ is kinder.",
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
    ),
)

# 13.2 A noisy table


def _codes(counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of codes, so many people in each cell."""
    people = rng.permutation(np.repeat(np.arange(counts.size), counts.ravel()))
    a, b = np.divmod(people, counts.shape[1])
    return a, b


def _noisy_table(answer: Answer, codes: tuple, shape: tuple[int, ...], epsilon: float, rng: np.random.Generator) -> Any:
    return answer(*codes, shape, epsilon, rng=rng)


_TRANSPOSED = Diagnosis(
    "transposed",
    "The rows and columns of your counts are mixed up: `a` is the row, `b` the column.",
    "In an array of this shape, the cell (a, b) is number a · shape[1] + b.",
)

_COUNTED = Counted(
    people=_codes,
    call=_noisy_table,
    few=(4, 5),
    many=(10, 20),
    cell="cell",
    noise="size=shape",
    mistakes=(
        *NO_COUNTS,
        Mistake.told(_TRANSPOSED, lambda counts: counts.T.reshape(counts.shape)),
        Mistake.told(_TRANSPOSED, lambda counts: counts.ravel().reshape(counts.shape, order="F")),
    ),
)


def _some_codes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, tuple[int, ...], float]:
    counts = _COUNTED.counts(rng, int(rng.integers(4)))
    return (*_codes(counts, rng), counts.shape, float(rng.uniform(0.3, 2)))


TABLE = (
    Returns(inputs=_some_codes, what="array", shape=lambda a, b, shape, epsilon: tuple(shape)),
    _COUNTED.small,
    _COUNTED.nobody,
    _COUNTED.large,
)
