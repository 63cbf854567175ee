"""Exercise 07.1: which local protocol."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import anywhere


def _best(k: int, epsilon: float) -> str:
    return "k-RR" if k < 3 * math.exp(epsilon) + 2 else "OUE"


def _a_domain(rng: np.random.Generator) -> tuple[int, float]:
    """ε anywhere, and k near the crossover as often as far from it."""
    epsilon = float(rng.uniform(0.1, 4.0))
    bound = 3 * math.exp(epsilon) + 2
    k = round(bound * rng.uniform(0.5, 1.5)) if rng.random() < 0.5 else round(10 ** rng.uniform(0.4, 2.5))
    k = max(2, k)
    return (k, epsilon) if abs(k - bound) > 1e-6 else (k + 1, epsilon)


PROTOCOL = (
    Equals(
        _a_domain,
        expected=_best,
        times=300,  # e^ε + 2 and 3ε + 2 are seldom apart
        wide=anywhere((2, 10_000), (0.02, 8.0)),
        mistakes=(
            Mistake(
                "always-oue",
                lambda k, epsilon: "OUE",
                "You always take OUE; with few answers or a large ε randomized response has less variance.",
                "Compare (e^ε + k − 2)/(e^ε − 1)² with 4e^ε/(e^ε − 1)².",
            ),
            Mistake(
                "always-rr",
                lambda k, epsilon: "k-RR",
                "You always take randomized response; its variance grows with k, that of OUE does not.",
                "Compare the two variances of the lesson.",
            ),
            Mistake(
                "swapped",
                lambda k, epsilon: "OUE" if k < 3 * math.exp(epsilon) + 2 else "k-RR",
                "The wrong way round.",
                "Which of them suffers when k grows?",
            ),
            Mistake(
                "no-exp",
                lambda k, epsilon: "k-RR" if k < 3 * epsilon + 2 else "OUE",
                "You compare k with 3ε + 2.",
                "It is e^ε that grows: 3e^ε + 2.",
            ),
            Mistake(
                "lost-three",
                lambda k, epsilon: "k-RR" if k < math.exp(epsilon) + 2 else "OUE",
                "You compare k with e^ε + 2.",
                "e^ε + k − 2 < 4e^ε: solve for k.",
            ),
            Mistake(
                "sue",
                lambda k, epsilon: (
                    "k-RR"
                    if math.exp(epsilon) + k - 2 < math.exp(epsilon / 2) * (math.exp(epsilon / 2) + 1) ** 2
                    else "OUE"
                ),
                "That is where randomized response beats *symmetric* unary encoding.",
                "Take OUE's.",
            ),
        ),
    ),
)
