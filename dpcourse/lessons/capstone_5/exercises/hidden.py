"""Capstones 5.3 and 5.5: noise that is missing in one place, and noise that is other noise in another order."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared

AXES = ("round", "hospital", "number")
SAME = 1e-10  # by which the sizes of two draws differ that are one, in units of their deviation


def hidden(x: np.ndarray, failure: float) -> Diagnosis | None:
    """What is wrong with noise of variance 1, shape (rounds, hospitals, numbers), in one place or in another order.

    Right noise is refused with probability `failure` at most.
    """
    return _quiet(x, failure / 2) or again(x, failure / 4) or _cancels(x, failure / 4)


def _quiet(x: np.ndarray, failure: float) -> Diagnosis | None:
    """Squares of a number in all rounds and hospitals, of one in each hospital, and of one in each round."""
    for over in ((0, 1), (0,), (1,)):
        found = (x**2).sum(axis=over)
        draws = x.size // found.size
        if found.min() < stats.chi2.ppf(failure / (3 * found.size), draws):
            kept = [axis for axis in range(3) if axis not in over]
            place = np.unravel_index(int(found.argmin()), found.shape)
            where = ", ".join(f"{AXES[axis]} {at + 1}" for axis, at in zip(kept, place, strict=True))
            seen = f"In {where} of {x.shape[2]} your noise has {found.min() / draws:.2g} times its usual variance."
            return Shared.UNEVEN_NOISE.seen(seen, "A patient may move each number as far. What follows for the noise?")
    return None


def again(x: np.ndarray, failure: float) -> Diagnosis | None:
    """Of normal draws of variance 1, hardly any two have the same size: their pairs that do are a Poisson number.

    >>> drawn = np.random.default_rng(1).standard_normal(500)
    >>> again(drawn, 1e-9)
    >>> print(again(np.append(drawn[:250], -np.sort(drawn[:250])), 1e-9).key)
    linked-noise
    """
    sizes = np.sort(np.abs(x).ravel())
    same = int((np.diff(sizes) < SAME).sum())
    # A pair does with a probability of 2/√π times SAME, which is below 1.2 times.
    if stats.poisson.sf(same - 1, 0.6 * SAME * len(sizes) ** 2) >= failure:
        return None
    seen = f"Of {len(sizes):,} numbers of your noise, {same:,} have the size of another one."
    return Shared.LINKED_NOISE.seen(seen, "Each number needs a draw of its own. Where do you use one again?")


def _cancels(x: np.ndarray, failure: float) -> Diagnosis | None:
    """Sums over two of round, hospital and number have as much variance as those of independent draws, or more."""
    for axis, what in enumerate(AXES):
        over = tuple(other for other in range(3) if other != axis)
        squares = float((x.sum(axis=over) ** 2).sum()) * x.shape[axis] / x.size
        if stats.chi2.cdf(squares, x.shape[axis]) < failure / 3:
            seen = f"All noise of one {what} adds up to nearly nothing."
            return Shared.LINKED_NOISE.seen(seen, "Each number, hospital and round needs a new draw.")
    return None
