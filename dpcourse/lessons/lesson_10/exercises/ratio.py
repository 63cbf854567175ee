"""Exercise 10.2: the likelihood ratio of one person, from shadow models."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.measured import as_measured
from dpcourse.checks.once import between, whole

# 10.2 The likelihood ratio


def _shadows(rng: Generator, least: int = 8, most: int = 40) -> tuple[float, np.ndarray, np.ndarray]:
    n, m = whole(rng, least, most), whole(rng, least, most)
    without = rng.normal(rng.normal(), rng.uniform(0.3, 0.8), n)
    with_it = rng.normal(rng.uniform(0.5, 2), rng.uniform(1.0, 2.0), m)
    return float(rng.normal(1, 1)), with_it, without


def _measured_shadows(rng: Generator) -> tuple[float, np.ndarray, np.ndarray]:
    """Of any width; half of the time φ is many deviations away, where the densities themselves are 0 in floats."""
    phi, *samples = _shadows(rng, 2, 2000)
    phi *= between(rng, 10.0, 1e4) if rng.random() < 0.5 else 1.0
    by = between(rng, 1e-6, 10.0)
    add = by * rng.normal() * between(rng, 0.5, 50.0)
    phi, with_it, without = float(add + by * phi), *(add + by * one for one in samples)
    measured = as_measured(with_it, rng), as_measured(without, rng)
    return (phi, *measured) if all(one.std() for one in measured) else (phi, with_it, without)


def _log_normal(x: float, sample: np.ndarray, *, ddof: int = 1, power: float = 1.0) -> float:
    return float(stats.norm.logpdf(x, sample.mean(), sample.std(ddof=ddof) ** power))


def _z(x: float, sample: np.ndarray) -> float:
    return float((x - sample.mean()) / sample.std(ddof=1))


def _pooled(x: float, a: np.ndarray, b: np.ndarray) -> float:
    sigma = math.sqrt((np.sum((a - a.mean()) ** 2) + np.sum((b - b.mean()) ** 2)) / (len(a) + len(b) - 2))
    return float(stats.norm.logpdf(x, a.mean(), sigma) - stats.norm.logpdf(x, b.mean(), sigma))


LIRA = Equals(
    _shadows,
    lambda x, a, b: _log_normal(x, a) - _log_normal(x, b),
    mistakes=(
        Mistake(
            "no-log-sigma",
            lambda x, a, b: (_z(x, b) ** 2 - _z(x, a) ** 2) / 2,
            "You leave out −ln σ of the two densities. Where the deviations differ, that shifts the score.",
            "ln N(x; μ, σ) = −(x − μ)²/(2σ²) − ln σ + a constant.",
        ),
        Mistake(
            "swapped",
            lambda x, a, b: _log_normal(x, b) - _log_normal(x, a),
            "Your score is high for those who were *out*.",
            "“With” comes first.",
        ),
        Mistake(
            "variance",
            lambda x, a, b: _log_normal(x, a, power=2) - _log_normal(x, b, power=2),
            "You pass the variance where the deviation belongs.",
            "Take a root.",
        ),
        Mistake(
            "not-a-log",
            lambda x, a, b: math.exp(_log_normal(x, a) - _log_normal(x, b)),
            "That is the ratio itself. Its logarithm is wanted.",
            "What becomes of a ratio of two densities when you take its logarithm?",
        ),
        Mistake(
            "offline",
            lambda x, a, b: float(stats.norm.logcdf(_z(x, b))),
            "That is the offline score, which does not look at models with the record.",
            "Where does `with_it` enter?",
        ),
        Mistake(
            "one-sigma",
            _pooled,
            "You use one deviation for both worlds. Here each world has its own.",
            "Two samples, two means, two deviations.",
        ),
        Mistake(
            "ddof",
            lambda x, a, b: _log_normal(x, a, ddof=0) - _log_normal(x, b, ddof=0),
            "Your deviations divide by the number of models.",
            "Divide by one less: ddof=1.",
        ),
    ),
    wide=_measured_shadows,
)
