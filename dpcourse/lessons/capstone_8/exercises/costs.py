"""Capstone 8.2: what noise in daily sums costs a home, for one day and for its year."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import between
from dpcourse.checks.real_size import up_to_twice
from dpcourse.lessons.capstone_8.design import CAP, epsilon_of


def _settings(rng: np.random.Generator) -> tuple[float, int, float]:
    """Deviations at which a day costs between about 0.05 and 8."""
    deviation = CAP / math.exp(rng.uniform(math.log(0.02), math.log(1.5)))
    return deviation, int(rng.integers(2, 700)), between(rng, 1e-11, 1e-4)


def _wide(rng: np.random.Generator) -> tuple[float, int, float]:
    """Noise from a few kWh up to four times that of the brief's year, for one day up to two years."""
    return between(rng, 10.0, 10_000.0), up_to_twice(rng, 1, 365), between(rng, 1e-11, 1e-4)


def _costs(moved: Callable[[int], tuple[float, float]]) -> Callable[[float, int, float], tuple[float, ...]]:
    """ε of the changes `moved(days)`, of a day and of a year."""
    return lambda deviation, days, delta: tuple(epsilon_of(m, deviation, delta) for m in moved(days))


_right = _costs(lambda days: (CAP, CAP * math.sqrt(days)))


def _times(days: int, epsilon: float) -> float:
    return days * epsilon


COSTS = (
    Equals(
        _settings,
        _right,
        (
            Mistake(
                "day-for-year",
                _costs(lambda days: (CAP, CAP)),
                "For the year you give the ε of one day.",
                "A home is in every day's sum. How far does its year move the vector of all sums?",
            ),
            Mistake(
                "times-days",
                lambda deviation, days, delta: (e := _right(deviation, days, delta)[0], _times(days, e)),
                "For the year you multiply the ε of a day by the number of days. At the same δ that is more than the "
                "year costs: normal noise composes better.",
                "What is the L2 norm of a year of 24s?",
            ),
            Mistake(
                "root-of-days",
                lambda deviation, days, delta: (e := _right(deviation, days, delta)[0], math.sqrt(days) * e),
                "For the year you multiply the ε of a day by √days. The norm of the change grows by that factor, but ε "
                "grows by more.",
                "What is the ε of this noise for a change of norm 24√days?",
            ),
            Mistake(
                "sum-of-days",
                _costs(lambda days: (CAP, CAP * days)),
                "For the year you take a change of 24 times the number of days: the L1 norm.",
                "Normal noise is for another norm. What is the length of a vector of `days` entries of 24?",
            ),
            Mistake(
                "replaced-twice",
                _costs(lambda days: (2 * CAP, 2 * CAP * math.sqrt(days))),
                "You let one home change a day's sum by 48.",
                "A day is between 0 and 24. How far can one value be from another?",
            ),
            Mistake(
                "both-ways",
                _costs(lambda days: (CAP * math.sqrt(2), CAP * math.sqrt(2 * days))),
                "You let one home change a day's sum by 24√2, as if one entry fell and another rose.",
                "A day's sum loses one value and gains another. Both are between 0 and 24: how far can it move?",
            ),
            Mistake(
                "average-for-cap",
                _costs(lambda days: (9.0, 9.0 * math.sqrt(days))),
                "You take 9 kWh for what a home adds. That is what an average home does.",
                "For which homes does the claim have to hold?",
            ),
            Mistake(
                "delta-shared",
                lambda deviation, days, delta: (
                    _right(deviation, days, delta)[0],
                    epsilon_of(CAP * math.sqrt(days), deviation, delta / days),
                ),
                "For the year you divide δ by the number of days.",
                "At which δ are the two ε asked for? All days together are one vector with normal noise.",
            ),
            Mistake(
                "swapped",
                lambda deviation, days, delta: _right(deviation, days, delta)[::-1],
                "You return the ε of the year first, and that of one day second.",
                "Which of the two does the task name first?",
            ),
        ),
        rtol=0.01,
        wide=_wide,
    ),
)
