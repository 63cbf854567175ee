"""A private quantile, by the exponential mechanism."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from dpcourse.mechanisms import ExponentialMechanism
from dpcourse.privacy import Neighbours, arguments
from dpcourse.queries.estimate import Estimate
from dpcourse.queries.records import declared, middle, numbers_in


def private_quantile(
    values: Any,
    q: float,
    *,
    epsilon: float,
    bounds: tuple[float, float],
    step: float | None = None,
    neighbours: Neighbours = Neighbours.ADD_REMOVE,
    missing: float | None = None,
    rng=None,
) -> Estimate:
    """A number below which about a share `q` of the records lies, chosen by the exponential mechanism: ε-DP.

    The candidates are the multiples of `step` between the bounds, or the points of a fine public grid. Each record is
    rounded to the nearest candidate. A candidate's score is minus the number of records by which it misses rank q·n;
    one record moves it by max(q, 1 − q) under add-remove, by 1 under replace-one.
    Candidates between two neighbouring records score alike, so one Gumbel number decides for each such interval, plus
    the logarithm of how many candidates it holds; then a candidate of the winning interval is drawn
    (Smith 2011, doi:10.1145/1993636.1993743).

    Parameters
    ----------
    values, bounds, neighbours, missing, rng
        As for `private_sum`. Without any record every candidate is as likely as any other.
    q : float
        In [0, 1]; 0.5 is the median.
    epsilon : float
        ε in (0, ∞).
    step : float or None
        The distance between two candidates, > 0, a public number: 1 for whole hours, 500 for dollars where you need
        no more. Give it wherever records share values: on a fine grid almost every candidate lies between two
        values, and with a small ε or few records one of those wins. A step below the error you expect costs
        nothing. None means a grid of about 2^30 points.

    Returns
    -------
    Estimate
        `value` is a candidate; where many records share one value, that value itself can win.
        `standard_error` is NaN: the error depends on how the records lie around the quantile, which is private. In
        ranks it is a multiple of 1/ε that grows with the logarithm of the width of the bounds.

    Raises
    ------
    TypeError, ValueError
        For a public argument, naming it and its value.

    Examples
    --------
    >>> ages = np.repeat([20, 37, 60], 1000)
    >>> private_quantile(ages, 0.5, epsilon=1.0, bounds=(0, 120), step=1, rng=0).value
    37.0
    """
    low, high = declared(bounds)
    width, first, last = _grid(low, high, step)
    place = middle((low, high), missing)
    q = arguments.probability("q", q)
    arguments.member("neighbours", neighbours, Neighbours)
    sensitivity = max(q, 1 - q) if neighbours is Neighbours.ADD_REMOVE else 1.0
    mechanism = ExponentialMechanism(epsilon, sensitivity, neighbours=neighbours)
    rng = np.random.default_rng(rng)

    records = np.clip(np.rint(numbers_in(values, (low, high), place) / float(width)).astype(np.int64), first, last)

    starts, sizes, scores = intervals(records, q, first, last)
    with np.errstate(over="ignore"):  # as unlikely as −∞ says
        chances = scores / mechanism.scale + np.log(sizes) + rng.gumbel(size=sizes.size)
    winner = int(np.argmax(chances))
    point = int(rng.integers(starts[winner], starts[winner] + sizes[winner]))
    return Estimate(float(point * width), math.nan, mechanism.guarantee)


def intervals(records: np.ndarray, q: float, first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The grid from `first` to `last` cut into runs of points that score alike.

    Parameters
    ----------
    records : ndarray of int64, shape (n,)
        Grid points, between `first` and `last`.
    q : float
    first, last : int

    Returns
    -------
    starts, sizes : ndarray of int64
        Each run's first point and number of points, none empty.
    scores : ndarray of float
        −(how far q·n lies outside of [records below, records at or below]).

    Examples
    --------
    >>> starts, sizes, scores = intervals(np.array([2, 2, 5]), 0.5, 0, 9)
    >>> starts.tolist(), sizes.tolist(), scores.tolist()
    ([0, 2, 3, 5, 6], [2, 1, 2, 1, 4], [-1.5, -0.0, -0.5, -0.5, -1.5])
    """
    points, counts = np.unique(records, return_counts=True)
    upto = np.concatenate([[0], np.cumsum(counts)])
    target = q * records.size
    # Runs alternate: the gap before a record's point, then the point itself, and one gap after the last.
    starts = np.empty(2 * points.size + 1, dtype=np.int64)
    starts[0::2], starts[1::2] = np.concatenate([[first], points + 1]), points
    sizes = np.diff(np.append(starts, last + 1))
    below, at_most = np.repeat(upto, 2)[:-1], np.repeat(upto, 2)[1:]
    scores = -np.maximum(np.maximum(below - target, target - at_most), 0.0)
    some = sizes > 0
    return starts[some], sizes[some], scores[some]


def _grid(low: float, high: float, step: float | None) -> tuple[Fraction, int, int]:
    """The distance between candidates, exactly, and the first and last candidate as multiples of it.

    0.1 counts as one tenth, so that 0.3 is a candidate between 0 and 0.3.
    """
    size = max(abs(low), abs(high))
    if step is None:
        # A power of two: 2^30 to 2^31 points between the bounds, or as many as floats of their size can tell apart.
        finest = max(math.ldexp(high - low, -30), math.ldexp(size, -50))
        width = Fraction(math.ldexp(1.0, math.frexp(finest)[1] - 1))
        return width, *_multiples(Fraction(low), Fraction(high), width, (low, high))
    width = Fraction(repr(arguments.positive("step", step)))
    if size / width > 2**50:
        raise ValueError(f"step must be at least 2^-50 of the larger bound, got {step!r} with bounds {(low, high)!r}")
    return width, *_multiples(Fraction(repr(low)), Fraction(repr(high)), width, (low, high))


def _multiples(low: Fraction, high: Fraction, width: Fraction, bounds: tuple[float, float]) -> tuple[int, int]:
    first, last = math.ceil(low / width), math.floor(high / width)
    if first > last:
        raise ValueError(f"bounds must have a multiple of {float(width)!r} between them, got {bounds!r}")
    return first, last
