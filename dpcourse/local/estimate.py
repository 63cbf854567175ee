"""From noisy reports back to counts: unbiased, with error bars, and projected when a table must add up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpcourse.privacy import Guarantee, arguments


@dataclass(frozen=True, eq=False)
class CountEstimate:
    """How many people are in each category, estimated from local reports.

    Attributes
    ----------
    counts : ndarray, shape (k,)
        Unbiased, in people. A rare category's may be negative: cutting it off there would bias it.
    standard_errors : ndarray, shape (k,)
        Of each count, over the randomness of the mechanism; the people stay who they are.
    n : int
        How many people reported; public under replace-one.
    guarantee : Guarantee
        The claim of each person's report, for that person.

    Examples
    --------
    >>> from dpcourse.local import RandomizedResponse
    >>> response = RandomizedResponse(epsilon=1.0, k=3)
    >>> codes = np.repeat([0, 1, 2], [5000, 3000, 2000])
    >>> estimate = response.estimate(response.randomize(codes, rng=0))
    >>> float(estimate.counts.sum()).__round__(6)
    10000.0
    >>> low, high = estimate.interval(0.99)
    >>> ((low < [5000, 3000, 2000]) & ([5000, 3000, 2000] < high)).all()
    np.True_
    """

    counts: np.ndarray
    standard_errors: np.ndarray
    n: int
    guarantee: Guarantee

    def interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Ends (low, high), each of shape (k,): each category's interval holds its true count with probability `level`.

        A sum of n independent reports is normal to a good approximation; with fewer than some hundred people it is
        rough. `level` is for one category: all k hold together with less.
        """
        width = ndtri((1 + arguments.probability("level", level, one=False)) / 2) * self.standard_errors
        return self.counts - width, self.counts + width

    @property
    def projected(self) -> np.ndarray:
        """The nearest counts that are ≥ 0 and add up to n. Post-processing: it costs no privacy, and it is biased."""
        return project_to_simplex(self.counts, self.n)

    def __str__(self) -> str:
        rows = (f"{c:,.0f} ± {s:,.0f}" for c, s in zip(self.counts, self.standard_errors, strict=True))
        return f"{', '.join(rows)} of {self.n:,} people (± one standard error); each report {self.guarantee}"


def estimate_counts(reported: np.ndarray, n: int, true: float, false: float, guarantee: Guarantee) -> CountEstimate:
    """Solve E[reported] = N·true + (n − N)·false for N, category by category.

    A category's reports are N coins of probability `true` and n − N of probability `false`, all independent, so
    Var = N·true(1−true) + (n−N)·false(1−false), and that over (true − false)² for the estimate. The variance is
    linear in N: with the estimated N in it, it is itself unbiased, and it is never negative.
    """
    counts = (reported - n * false) / (true - false)
    variances = counts * true * (1 - true) + (n - counts) * false * (1 - false)
    errors = np.sqrt(np.maximum(variances, 0.0)) / (true - false)
    return CountEstimate(counts, errors, n, guarantee)


def project_to_simplex(values: np.ndarray, total: float) -> np.ndarray:
    """The point nearest to `values` (Euclidean) among those ≥ 0 that add up to `total`.

    Subtract one number from all and cut at zero (Duchi et al. 2008, doi:10.1145/1390156.1390191).

    Parameters
    ----------
    values : ndarray, shape (k,)
        k ≥ 1.
    total : float
        In [0, ∞).

    Examples
    --------
    >>> project_to_simplex(np.array([6.0, 5.0, -3.0]), 10.0)
    array([5.5, 4.5, 0. ])
    """
    values = arguments.finite_array("values", values)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"values must be one-dimensional and not empty, got shape {values.shape}")
    total = arguments.nonnegative("total", total)
    descending = np.sort(values)[::-1]
    # With the m largest kept, each of them gives up the same share of what is too much.
    excess = (np.cumsum(descending) - total) / np.arange(1, values.size + 1)
    kept = np.flatnonzero(descending - excess >= 0)[-1]
    return np.maximum(values - excess[kept], 0.0)
