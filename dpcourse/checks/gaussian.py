"""Clipped rows and Gaussian noise: what an answer of lesson 08 or 12 should give, as a hypothesis about its outputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats


def clipped(rows: np.ndarray, C: float) -> np.ndarray:
    """Each row, shape (..., d), brought to length C if it is longer."""
    return rows * np.minimum(1, C / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-300))


@dataclass(frozen=True)
class GaussianLaw:
    """A Gaussian with independent coordinates, as a hypothesis about an answer's outputs."""

    mean: np.ndarray
    deviation: float

    def explains(self, outputs: np.ndarray, failure: float) -> bool:
        """Whether mean, spread, independence and shape of outputs, shape (runs, d), fit; a true law is refused with
        probability `failure` at most."""
        runs, d = outputs.shape
        if self.deviation == 0:
            return bool(np.allclose(outputs, self.mean))
        standard = (outputs - self.mean) / self.deviation
        tests = (
            (runs * (standard.mean(axis=0) ** 2).sum(), d),  # the mean of each coordinate
            ((standard**2).sum(), runs * d),  # the spread
            (d * (standard.mean(axis=1) ** 2).sum(), runs),  # coordinates that move together show here
        )
        half = failure / (2 * (len(tests) + 2))
        if not all(stats.chi2.ppf(half, k) <= value <= stats.chi2.isf(half, k) for value, k in tests):
            return False
        # Half of a Gaussian lies within its quartiles; of a Laplace law with the same deviation, more does.
        inside, all_of = int((np.abs(standard) < stats.norm.ppf(0.75)).sum()), runs * d
        if not stats.binom.ppf(half, all_of, 0.5) <= inside <= stats.binom.isf(half, all_of, 0.5):
            return False
        return bool(stats.kstest(standard.ravel(), stats.norm.cdf).pvalue > half)
