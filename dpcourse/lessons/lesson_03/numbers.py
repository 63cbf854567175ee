"""Numbers of lesson 03: what one person changes, noise of two widths, and clipping against noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from dpcourse.privacy import Neighbours

HIGHEST = 99_999  # the codebook's bound on capital-gain
LOWEST = 200  # the lowest bound that the explorer offers
GRID = np.unique(np.geomspace(LOWEST, HIGHEST, 80).round())


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


@dataclass(frozen=True)
class Change:
    """The largest change of an answer that was found, and the two neighbours it was found on."""

    size: float
    here: tuple[float, ...]
    there: tuple[float, ...]


def largest_change(
    f: Callable[[tuple[float, ...]], Any], values: Sequence[float], neighbours: Neighbours, n: int | None = None
) -> Change:
    """The L1 sensitivity of `f` in a small world: every pair of neighbours is tried.

    Parameters
    ----------
    f : callable
        From a dataset, a tuple of records in ascending order, to a number or to several.
    values : sequence of float
        What a record may be.
    neighbours : Neighbours
    n : int, optional
        How many records there are; unless given, all datasets of one to five. (Nobody is left out: a mean of nobody is
        a matter of taste.)

    Examples
    --------
    >>> largest_change(sum, (20, 40, 60), Neighbours.ADD_REMOVE)
    Change(size=60.0, here=(20, 60), there=(20,))
    >>> largest_change(sum, (20, 40, 60), Neighbours.REPLACE_ONE, n=2)
    Change(size=40.0, here=(20, 20), there=(20, 60))
    """
    worst = Change(0.0, (), ())
    fewest = 2 if neighbours is Neighbours.ADD_REMOVE else 1  # of the larger of the two
    for size in range(fewest, 6) if n is None else [n]:
        for data in combinations_with_replacement(values, size):
            for i in range(size):
                rest = data[:i] + data[i + 1 :]
                if neighbours is Neighbours.ADD_REMOVE:
                    others = [rest]
                else:
                    others = [tuple(sorted((*rest, value))) for value in values]
                for other in others:
                    moved = float(np.abs(np.asarray(f(data), float) - np.asarray(f(other), float)).sum())
                    if moved > worst.size:
                        worst = Change(moved, data, other)
    return worst


@dataclass(frozen=True)
class Widths:
    """Two neighbours' answers, `sensitivity` apart, under Laplace noise of several scales.

    `x` and the hills have shape (scales, outputs): outputs are measured from the answer without the person, and each
    hill is as high as 1.
    """

    sensitivity: float
    scales: tuple[float, ...]
    x: np.ndarray
    without: np.ndarray
    with_person: np.ndarray


def widths(sensitivity: float, scales: Sequence[float]) -> Widths:
    """Hills at 0 and at `sensitivity`, with points close together where narrow ones stand.

    Examples
    --------
    >>> shown = widths(100.0, (1.0, 100.0))
    >>> ratio = shown.with_person / np.maximum(shown.without, 1e-300)
    >>> [round(float(row.max()), 2) for row in ratio[1:]]  # at scale 100
    [2.72]
    """
    rows = []
    for scale in scales:
        away = np.append(0.0, np.geomspace(1e-3, 20, 120)) * scale
        around = [sign * away + centre for sign in (-1, 1) for centre in (0.0, sensitivity)]
        rows.append(np.sort(np.concatenate(around)))
    x, scale_of = np.array(rows), np.array(scales, dtype=float)[:, None]
    hills = (np.exp(-np.abs(x - centre) / scale_of) for centre in (0.0, sensitivity))
    return Widths(sensitivity, tuple(scales), x, *hills)


@dataclass(frozen=True)
class Spread:
    """Many releases of one mean, for several clipping bounds, n public (replace-one).

    `bounds`, `clipped` (the mean of the clipped records) and `noise` (a standard deviation) have shape (bounds,),
    `published` shape (bounds, releases); all in dollars.
    """

    epsilon: float
    people: int
    truth: float
    bounds: np.ndarray
    clipped: np.ndarray
    noise: np.ndarray
    published: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Root mean squared error."""
        return np.hypot(self.truth - self.clipped, self.noise)


def spread(
    gains: np.ndarray, epsilon: float, bounds: Sequence[float], people: int, releases: int, *, rng=None
) -> Spread:
    """Release the mean of `people` gains like these `releases` times for each bound.

    Examples
    --------
    >>> shown = spread(np.array([0.0, 0.0, 0.0, 40_000.0]), 1.0, (10_000, 40_000), people=4, releases=9, rng=3)
    >>> shown.clipped.tolist(), shown.noise.round().tolist()
    ([2500.0, 10000.0], [3536.0, 14142.0])
    """
    rng = np.random.default_rng(rng)
    upper = np.asarray(bounds, dtype=float)
    clipped = np.minimum(gains, upper[:, None]).mean(axis=1)
    scale = upper / (epsilon * people)
    published = clipped[:, None] + rng.laplace(0, scale[:, None], (len(upper), releases))
    return Spread(epsilon, people, float(gains.mean()), upper, clipped, math.sqrt(2) * scale, published)


def median_reach(values: Sequence[float], bounds: tuple[float, float]) -> np.ndarray:
    """By how much one more replaced record can move the median, after k records have been replaced at will.

    Nissim, Raskhodnikova and Smith (2007): the largest ``x[m+t] − x[m+t−k−1]`` for t from 0 to k + 1, where x is sorted
    and m its middle; before the first record comes the lower bound, after the last the upper.

    Parameters
    ----------
    values : sequence of n records, n odd
    bounds : (float, float)

    Returns
    -------
    ndarray, shape (n + 1,)
        Entry 0 is the local sensitivity of the median at `values`.

    Examples
    --------
    >>> median_reach([0, 0, 0, 0, 9], (0, 100)).tolist()
    [0.0, 9.0, 100.0, 100.0, 100.0, 100.0]
    """
    low, high = bounds
    n = len(values)
    middle = n + 1 + (n - 1) // 2  # after n + 1 entries of `low`
    x = np.concatenate([np.full(n + 1, float(low)), np.sort(np.clip(values, low, high)), np.full(n + 1, float(high))])
    return np.array([(x[middle : middle + k + 2] - x[middle - k - 1 : middle + 1]).max() for k in range(n + 1)])
