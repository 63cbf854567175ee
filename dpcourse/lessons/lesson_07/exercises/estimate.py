"""Exercise 07.3: from the bits of reports to counts."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import between, whole

_ADULT = 45_222  # people in the lesson


def _estimate(reports: np.ndarray, epsilon: float) -> np.ndarray:
    lie = 1 / (math.exp(epsilon) + 1)
    return (reports.sum(axis=0) - len(reports) * lie) / (0.5 - lie)


def _reports(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Reports in which the last two answers are rare, so that some estimates are negative."""
    epsilon, n = float(rng.uniform(0.5, 2.5)), int(rng.integers(200, 400))
    codes = rng.choice(5, p=[0.4, 0.3, 0.3, 0.0, 0.0], size=n)
    mine = codes[:, None] == np.arange(5)
    return rng.random(mine.shape) < np.where(mine, 0.5, 1 / (math.exp(epsilon) + 1)), epsilon


def _any_reports(rng: np.random.Generator, least: int = 1) -> tuple[np.ndarray, float]:
    """Of one person to twice as many as in the lesson, or of so many at least; nobody's first bit is set.

    Every third time bits are 1 and 0, as 07.2 allows.
    """
    n = whole(rng, least, 2 * _ADULT)
    k = whole(rng, 2, min(200, 4_000_000 // n))
    reports = rng.random((n, k), dtype=np.float32) < rng.random(k) * (np.arange(k) > 0)
    return reports.astype(int) if rng.random() < 1 / 3 else reports, between(rng, 0.05, 8.0)


def _symmetric_estimate(reports: np.ndarray, epsilon: float) -> np.ndarray:
    lie = 1 / (math.exp(epsilon / 2) + 1)
    return (reports.sum(axis=0) - len(reports) * lie) / (1 - 2 * lie)


def _scaled(reports: np.ndarray, epsilon: float) -> np.ndarray:
    counts = reports.sum(axis=0)
    return counts / counts.sum() * len(reports)


ESTIMATE = (
    Equals(
        _reports,
        expected=_estimate,
        times=30,
        wide=_any_reports,
        full=lambda rng: _any_reports(rng, _ADULT),
        mistakes=(
            Mistake(
                "raw-counts",
                lambda reports, epsilon: reports.sum(axis=0),
                "Those are the reports, counted. Many of the bits that are set are noise.",
                "E[R] = Np + (n − N)q. Solve for N.",
            ),
            Mistake(
                "clipped",
                lambda reports, epsilon: np.maximum(_estimate(reports, epsilon), 0),
                "You cut negative estimates off at 0, which makes rare answers look more frequent than they are.",
                "Leave them negative. If you need a table without them, project it afterwards, as a whole.",
            ),
            Mistake(
                "no-division",
                lambda reports, epsilon: reports.sum(axis=0) - len(reports) / (math.exp(epsilon) + 1),
                "You take the noise away and forget that only half of the true bits were told.",
                "Divide by p − q.",
            ),
            Mistake(
                "no-subtraction",
                lambda reports, epsilon: 2 * reports.sum(axis=0),
                "You double the reports, as if all of them were true bits.",
                "Subtract n·q first, then divide by p − q.",
            ),
            Mistake(
                "symmetric",
                _symmetric_estimate,
                "Those are the probabilities of the *symmetric* encoding.",
                "Here p = ½, q = 1/(e^ε + 1).",
            ),
            Mistake(
                "shares",
                lambda reports, epsilon: _estimate(reports, epsilon) / len(reports),
                "Those are shares.",
                "Counts are asked for: multiply by n.",
            ),
            Mistake(
                "scaled",
                _scaled,
                "You scale the reports so that they add up to n. The noise is still in them.",
                "E[R] = Np + (n − N)q. Solve for N.",
            ),
        ),
    ),
)
