"""Numbers of lesson 03."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

HIGHEST = 99_999  # the codebook's bound on capital-gain
GRID = np.unique(np.geomspace(100, HIGHEST, 80).round())


@dataclass(frozen=True)
class MeanError:
    """The error of a private mean by the upper bound that records are clipped to: `bias`, `noise`, and both together.

    Attributes
    ----------
    epsilon : float
    people : int
        n, public (replace-one).
    bound : float
        The bound chosen, in dollars.
    bounds, bias, noise : ndarray, shape (k,)
        In dollars; bias as a positive number, noise as a standard deviation.
    """

    epsilon: float
    people: int
    bound: float
    bounds: np.ndarray
    bias: np.ndarray
    noise: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Root mean squared error."""
        return np.hypot(self.bias, self.noise)


def mean_error(gains: np.ndarray, epsilon: float, bound: float, people: int) -> MeanError:
    """The error of the mean of `people` gains like these, clipped to [0, bound], n public (replace-one).

    Parameters
    ----------
    gains : ndarray of float
        The gains of everybody. The bias is computed from them, so it is private: a lesson may show it, a release not.
    epsilon, bound, people
        As on the sliders.

    Examples
    --------
    >>> error = mean_error(np.array([0.0, 0.0, 0.0, 40_000.0]), epsilon=1.0, bound=10_000, people=4)
    >>> float(np.interp(10_000, error.bounds, error.bias).round(-2))
    7500.0
    """
    mean = gains.mean()
    ordered = np.sort(gains)
    sums = np.append(0.0, np.cumsum(ordered))
    below = np.searchsorted(ordered, GRID, side="right")
    clipped = (sums[below] + GRID * (len(gains) - below)) / len(gains)
    noise = math.sqrt(2) * GRID / (epsilon * people)
    return MeanError(epsilon, people, bound, GRID, np.maximum(mean - clipped, 0.0), noise)
