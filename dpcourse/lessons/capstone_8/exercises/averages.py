"""Capstone 8.1, the proposal: how often a report is true, and means of every day that are read off reports."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import whole
from dpcourse.checks.real_size import up_to_twice
from dpcourse.lessons.capstone_8.design import BUCKETS, CAP
from dpcourse.lessons.capstone_8.numbers import MIDDLES

MOST = 200_000  # reports of a call


def truth_probability(epsilon: float) -> float:
    return 1 / (1 + (BUCKETS - 1) * math.exp(-epsilon))


def _inputs(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    shape = whole(rng, 2, 2000), whole(rng, 2, 365)
    weights = rng.dirichlet(np.ones(BUCKETS))
    return rng.choice(BUCKETS, shape, p=weights), float(np.exp(rng.uniform(math.log(0.1), math.log(6))))


def _wide(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """One home and one day up to twice the project's 50,000 homes and a year; not both at once: 20 million reports."""
    homes, days = up_to_twice(rng, 1, 50_000), up_to_twice(rng, 1, 365)
    if homes * days > MOST:
        homes, days = (homes, max(1, MOST // homes)) if rng.random() < 0.5 else (MOST // days, days)
    return rng.choice(BUCKETS, (homes, days), p=rng.dirichlet(np.ones(BUCKETS))), float(0.03 * 300 ** rng.random())


def _means(
    shares: Callable[[np.ndarray, float, float], np.ndarray] = lambda s, p, q: (s - q) / (p - q),
    middles: np.ndarray = MIDDLES,
    lie: Callable[[float], float] = lambda p: (1 - p) / (BUCKETS - 1),
) -> Callable[[np.ndarray, float], np.ndarray]:
    def means(reports: np.ndarray, epsilon: float) -> np.ndarray:
        p = truth_probability(epsilon)
        seen = np.array([(reports == k).mean(axis=0) for k in range(BUCKETS)])
        return middles @ shares(seen, p, lie(p))

    return means


def _unfolded(shares: np.ndarray, p: float, q: float) -> np.ndarray:
    return np.maximum((shares - q) / (p - q), 0)


MEANS = Equals(
    _inputs,
    _means(),
    (
        Mistake(
            "raw",
            _means(lambda s, p, q: s),
            "You average the middles of the reports as they are. Lies pull that towards 12 kWh.",
            "If a share s of homes is in a bucket, how often is it reported? Solve that for s.",
        ),
        Mistake(
            "clamped",
            _means(_unfolded),
            "You set negative shares to 0. A bucket that nobody is in then gets more than 0 on average.",
            "May an unbiased estimate of 0 be negative?",
        ),
        Mistake(
            "clamped",
            _means(lambda s, p, q: (u := _unfolded(s, p, q)) / np.maximum(u.sum(axis=0), 1e-300)),
            "You set negative shares to 0 and stretch the rest. An empty bucket then gets more than 0 on average.",
            "May an unbiased estimate of 0 be negative?",
        ),
        Mistake(
            "clamped",
            lambda reports, epsilon: np.clip(_means()(reports, epsilon), 0, CAP),
            "You cut the means to [0, 24]. On days when the noise is large, that pulls them inside on average.",
            "May an unbiased estimate of a small mean be negative?",
        ),
        Mistake(
            "clamped",
            lambda reports, epsilon: np.clip(_each(reports, epsilon), 0, CAP).mean(axis=0),
            "You correct every report by itself and cut it to [0, 24] before you average. What is cut is the noise "
            "that would have cancelled.",
            "What would be left of that noise if you averaged first and cut nothing?",
        ),
        Mistake(
            "lower-ends",
            _means(middles=MIDDLES - CAP / BUCKETS / 2),
            "Each bucket counts with its lower end: 0 for 0 to 3 kWh.",
            "What is a home in this bucket likely to have used?",
        ),
        Mistake(
            "eight-lies",
            _means(lie=lambda p: (1 - p) / BUCKETS),
            "You take (1 − p)/8 for the probability of one lie, where p is that of the truth.",
            "How many buckets can a lie be in?",
        ),
    ),
    wide=_wide,
)


def _each(reports: np.ndarray, epsilon: float) -> np.ndarray:
    """Each report corrected by itself, so that it is right on average."""
    p = truth_probability(epsilon)
    q = (1 - p) / (BUCKETS - 1)
    return (MIDDLES[reports] - q * MIDDLES.sum()) / (p - q)
