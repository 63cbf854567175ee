"""Exercises 07.4 and 07.5: what days cost, and what a shuffler gains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import anywhere, between

# Inputs of up to five kinds are drawn at random; in this many a kind is missing with probability 1e-8 at most.
_TIMES = 90

# 07.4 What T days cost


def _cost(days: int, daily: float, permanent: float) -> float:
    return min(days * daily, permanent)


def _a_phone(rng: np.random.Generator) -> tuple[int, float, float]:
    permanent = float(rng.uniform(1, 4))
    return int(rng.integers(2, 40)), permanent * float(10 ** rng.uniform(-2, -0.3)), permanent


COST = (
    Equals(
        _a_phone,
        expected=_cost,
        times=_TIMES,
        wide=anywhere((1, 10_000), (1e-3, 5.0), (0.01, 20.0)),
        mistakes=(
            Mistake(
                "no-memory",
                lambda days, daily, permanent: days * daily,
                "You add the days up without end, as if there were no memory.",
                "Everything sent is a function of the permanent answer. What does post-processing say?",
            ),
            Mistake(
                "always-permanent",
                lambda days, daily, permanent: permanent,
                "That is the price for ever. For the first days a smaller ε is proven.",
                "Days add up too. Both bounds hold.",
            ),
            Mistake(
                "larger",
                lambda days, daily, permanent: max(days * daily, permanent),
                "That is the larger of two true bounds.",
                "Quote the smaller.",
            ),
            Mistake(
                "both",
                lambda days, daily, permanent: permanent + days * daily,
                "You charge for the permanent answer and for the days. But the permanent answer is never sent.",
                "What does somebody see who sees all the reports?",
            ),
            Mistake(
                "one-day",
                lambda days, daily, permanent: daily,
                "That is the price of a single day. The others are released as well.",
                "A guarantee is about everything released.",
            ),
            Mistake(
                "square-root",
                lambda days, daily, permanent: min(math.sqrt(days) * daily, permanent),
                "√days is the growth of advanced composition, which needs a δ.",
                "Without δ the days add up: days · ε.",
            ),
        ),
    ),
)

# 07.5 After the shuffler


def _spread(epsilon: float, n: int, delta: float) -> float:
    return 8 * math.sqrt(math.exp(epsilon) * math.log(4 / delta) / n) + 8 * math.exp(epsilon) / n


def _allowed(epsilon: float, n: int, delta: float) -> bool:
    return epsilon <= math.log(n / (16 * math.log(2 / delta)))


def _shuffled(epsilon: float, n: int, delta: float) -> float:
    if not _allowed(epsilon, n, delta):
        return epsilon
    return min(epsilon, _theorem(epsilon, n, delta))


def _a_crowd(rng: np.random.Generator) -> tuple[float, int, float]:
    """Large crowds, where the theorem helps; crowds just too small for its condition; tiny crowds; crowds just large
    enough for a small ε, where the theorem's ε is larger than that; and crowds just large enough for a larger one."""
    kind, delta = rng.integers(5), between(rng, 1e-9, 1e-5)
    epsilon = float(rng.uniform(0.5, 2.5) if kind != 3 else rng.uniform(0.004, 0.02))
    needed = 16 * math.log(2 / delta) * math.exp(epsilon)
    if kind == 3:
        return epsilon, math.ceil(needed) + int(rng.integers(2)), delta
    if kind == 0:
        return epsilon, int(needed * 10 ** rng.uniform(0.5, 3)), delta
    if kind == 4:
        return epsilon, math.ceil(needed * rng.uniform(1.001, 1.02)), delta
    return epsilon, int(needed * (rng.uniform(0.7, 0.99) if kind == 1 else rng.uniform(0.02, 0.2))) + 2, delta


def _theorem(epsilon: float, n: int, delta: float) -> float:
    """The formula, whether its condition holds or not, and whether it is below ε or not."""
    return math.log1p(math.tanh(epsilon / 2) * _spread(epsilon, n, delta))


def _where_allowed(otherwise: Any):
    return lambda epsilon, n, delta: _theorem(epsilon, n, delta) if _allowed(epsilon, n, delta) else otherwise(epsilon)


_NO_CONDITION = Diagnosis(
    "no-condition",
    "You use the formula where its condition ε₀ ≤ ln(n/(16 ln(2/δ))) fails: it is silent there.",
    "What is left then? The phone's own promise.",
)
_INFINITE = Diagnosis(
    "infinite",
    "Where the condition fails you promise nothing at all. But each phone has added noise.",
    "Shuffling never hurts: return ε₀ there.",
)


def _shuffled_by(formula: Any):
    """The theorem with another formula in it."""

    def wrong(epsilon: float, n: int, delta: float) -> float:
        return min(epsilon, formula(epsilon, n, delta)) if _allowed(epsilon, n, delta) else epsilon

    return wrong


SHUFFLED = (
    Equals(
        _a_crowd,
        expected=_shuffled,
        times=_TIMES,
        wide=anywhere((1e-3, 6.0), (1, 10**8), (1e-15, 0.01)),
        mistakes=(
            Mistake.told(_NO_CONDITION, lambda epsilon, n, delta: min(epsilon, _theorem(epsilon, n, delta))),
            Mistake.told(_NO_CONDITION, _theorem),
            Mistake(
                "more-than-the-phone",
                _where_allowed(lambda epsilon: epsilon),
                "Where ε₀ is small and the crowd just large enough, the formula gives more than ε₀, and so do you. "
                "Shuffling never hurts.",
                "Of two bounds that hold, return the smaller.",
            ),
            Mistake(
                "no-log",
                _shuffled_by(lambda epsilon, n, delta: math.tanh(epsilon / 2) * _spread(epsilon, n, delta)),
                "The logarithm is missing: ε = ln(1 + …).",
                "ln(1 + x) is smaller than x.",
            ),
            Mistake(
                "no-factor",
                _shuffled_by(lambda epsilon, n, delta: math.log1p(_spread(epsilon, n, delta))),
                "The factor (e^ε₀ − 1)/(e^ε₀ + 1) is missing.",
                "Read the formula once more.",
            ),
            Mistake.told(_INFINITE, _where_allowed(lambda epsilon: math.inf)),
            Mistake.told(
                _INFINITE,
                lambda epsilon, n, delta: _shuffled(epsilon, n, delta) if _allowed(epsilon, n, delta) else math.inf,
            ),
            Mistake(
                "root-n",
                lambda epsilon, n, delta: epsilon / math.sqrt(n),
                "ε₀/√n has the right growth and is no theorem: it is smaller than the truth.",
                "Use the formula, with its constants.",
            ),
            Mistake(
                "no-gain",
                lambda epsilon, n, delta: epsilon,
                "That is the local ε: what the shuffler gains is lost.",
                "Use the theorem.",
            ),
        ),
    ),
)
