"""Numbers of lesson 06."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.datasets import load_grid
from dpcourse.local import RandomizedResponse

GRID = load_grid("lesson_06")
EPSILON_RANGE = (0.08, 8.0)
GROUPS = ("women\nunder 40", "men\nunder 40", "women\n40 or older", "men\n40 or older")
EXAMPLE_COUNTS = (9_000, 16_500, 6_000, 13_500)  # round numbers of the size of Adult's
_OVER = np.geomspace(*EPSILON_RANGE, 120)


@dataclass(frozen=True)
class TradeOff:
    """A score of a classifier by ε: means over splits; `at` marks one ε (or none).

    The errors are those of the differences, split by split, from the score with the columns dropped.
    """

    metric: str
    epsilons: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    true: float
    dropped: float
    true_error: float
    at: float | None = None


@dataclass(frozen=True)
class TruthTelling:
    """How often an answer is the truth, over ε and at one ε: shares of all answers."""

    epsilon: float
    k: int
    truth: float
    each_lie: float
    epsilons: np.ndarray
    truths: np.ndarray


@dataclass(frozen=True)
class Estimates:
    """Counts by category, in people; `low` and `high` are the ends of the intervals at `level`."""

    epsilon: float
    labels: Sequence[str]
    true: np.ndarray
    reported: np.ndarray
    estimated: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float = 0.95


def truth_telling(epsilon: float, k: int = 4) -> TruthTelling:
    """The probabilities of k-ary randomized response.

    Examples
    --------
    >>> round(truth_telling(1.0).truth, 3)
    0.475
    """
    response = RandomizedResponse(epsilon, k)
    truths = np.exp(_OVER) / (np.exp(_OVER) + k - 1)
    return TruthTelling(epsilon, k, response.truth_probability, response.lie_probability, _OVER, truths)


def estimates(
    epsilon: float, counts: Sequence[int] = EXAMPLE_COUNTS, share: float = 1.0, draw: int = 1, level: float = 0.95
) -> Estimates:
    """One draw of randomized response on a `share` of the people, with estimates and intervals.

    Examples
    --------
    >>> data = estimates(1.0)
    >>> round(data.estimated.sum())
    45000
    """
    true = np.rint(np.asarray(counts) * share).astype(int)
    response = RandomizedResponse(epsilon, len(true))
    reports = response.randomize(np.repeat(np.arange(len(true)), true), rng=[6, draw])
    estimate = response.estimate(reports)
    low, high = estimate.interval(level)
    reported = np.bincount(reports, minlength=len(true))
    return Estimates(epsilon, GROUPS, true, reported, estimate.counts, low, high, level)


def two_bits(codes: np.ndarray) -> np.ndarray:
    """What a model sees of the four answers: age group and sex, shape (n, 2).

    Examples
    --------
    >>> two_bits(np.array([0, 3])).tolist()
    [[0, 0], [1, 1]]
    """
    return np.column_stack([codes // 2, codes % 2])


def measured_tradeoff(epsilon: float, metric: str = "accuracy") -> TradeOff:
    """The precomputed grid for one metric, with the measured ε nearest to `epsilon` (in ratio) marked."""
    j = GRID.METRICS.index(metric)
    means, _, errors = np.array(GRID.RANDOMIZED)[:, :, j]
    measured = np.array(GRID.EPSILONS)
    nearest = measured[np.argmin(np.abs(np.log(measured / epsilon)))]
    true, _, error = np.array(GRID.TRUE)[:, j]
    return TradeOff(metric, measured, means, errors, true, GRID.DROPPED[0][j], error, float(nearest))
