"""Normal noise of many releases, in units of its right deviation: is it wrong somewhere, though right in most places?

Releases come in orders, and each is looked at alone, and the first so many of them from either end: so what is wrong on
large data only is not lost among the others. Three things are looked at: how large noise is, whether some of it is
missing, and whether two answers about the same data lie on the same side of the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

EXACT = 1e-9  # no noise counts as rarer than noise that is so near to 0, as a place in its law
Chances = Callable[[np.ndarray, np.ndarray], np.ndarray]  # logarithms of those of sums over so many numbers


def somewhere(
    noise: Sequence[Sequence[np.ndarray]], orders: Sequence[np.ndarray], failure: float
) -> tuple[str, list[int]] | None:
    """What is wrong with noise, in words, and the releases that show it; of right noise, with this probability.

    A release is asked about once or more, about the same data, each time with a generator of its own.
    """
    calls = [np.concatenate(one, axis=None) for one in noise]
    pairs = [
        np.concatenate([one * two for one, two in zip(some[::2], some[1::2], strict=False)] or [[]], axis=None)
        for some in noise
    ]
    looks: tuple[tuple[list[float], list[np.ndarray], Chances], ...] = (
        ([float(one @ one) for one in calls], calls, _amount),
        ([_nearness(one) for one in calls], calls, stats.gamma.logsf),
        ([float((one > 0).sum()) for one in pairs], pairs, _sides),
    )
    level = math.log(failure / (3 * len(looks) * len(orders) * len(noise)))
    for sums, of, chances in looks:
        totals, sizes = np.array(sums), np.array([one.size for one in of])
        for order in orders:
            places = order[_first(totals[order], sizes[order], chances, level)]
            if len(places):
                return _said(chances, totals[places].sum() / sizes[places].sum(), calls, places), places.tolist()
    return None


def _amount(sums: np.ndarray, many: np.ndarray) -> np.ndarray:
    return math.log(2) + np.minimum(stats.chi2.logcdf(sums, many), stats.chi2.logsf(sums, many))


def _sides(sums: np.ndarray, many: np.ndarray) -> np.ndarray:
    """Of independent symmetric noise, two numbers are on one side of 0 as often as not."""
    return math.log(2) + np.minimum(stats.binom.logcdf(sums, many, 0.5), stats.binom.logsf(sums - 1, many, 0.5))


def _nearness(noise: np.ndarray) -> float:
    """The sum of −ln|2u − 1| over places u in the normal law: of n right numbers, gamma-distributed with shape n."""
    return float(-np.log(np.clip(np.abs(2 * stats.norm.cdf(noise) - 1), EXACT, 1)).sum())


def _first(sums: np.ndarray, many: np.ndarray, chances: Chances, level: float) -> np.ndarray:
    """Which releases, of these in their order, have a sum that is too unlikely; none, if none have."""
    every = np.arange(len(sums))
    for places, alone in ((every, True), (every, False), (every[::-1], False)):
        totals, sizes = (some[places] if alone else np.cumsum(some[places]) for some in (sums, many))
        unlikely = (sizes > 0) & (chances(totals, np.maximum(sizes, 1)) < level)
        if unlikely.any():
            at = int(unlikely.argmax())
            return places[at : at + 1] if alone else places[: at + 1]
    return every[:0]


def _said(chances: Chances, mean: float, calls: Sequence[np.ndarray], places: np.ndarray) -> str:
    if chances is _amount:
        return f"your noise has {mean:.2g} times the right variance"
    if chances is _sides:
        return f"two results for the same data are on one side of the truth in {mean:.0%} of the numbers, not in half"
    middle = float(np.median(np.abs(np.concatenate([calls[place] for place in places]))))
    return f"half of your noise is below {middle:.2g} deviations; 0.67 is right"
