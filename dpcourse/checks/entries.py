"""Does every entry of a result have noise of its law, wherever it stands?

Looks at all numbers of many results together miss one entry of fifty that has no noise, or less: the last one, say. So
here entries are looked at one by one over many calls, counted from the beginning and from the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

NEAR = 3  # entries from either end; all of them where all results are of one size
MOST = 64  # of these: so many are drawn
MIDDLE = 0.01  # nearer to the middle of its law counts as so near: a rounded result may be exact now and then


def quiet_entry(calls: Sequence[np.ndarray], failure: float, rng: np.random.Generator) -> str:
    """Which entry's noise is too often small, in words; "" if none's is, of right ones with probability 1 − `failure`.

    Parameters
    ----------
    calls : sequence of ndarray, each of shape (numbers,)
        Of each call where its numbers' noise lies in its law, uniform between 0 and 1.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> places = rng.random((60, 20))
    >>> quiet_entry(list(places), 1e-9, rng)
    ''
    >>> places[:, -1] = 0.5
    >>> quiet_entry(list(places), 1e-9, rng)
    'the entry at index -1'
    """
    near = [*range(NEAR), *range(-NEAR, 0)]
    sizes = {len(one) for one in calls}
    if len(sizes) == 1:
        near += rng.permutation(np.arange(NEAR, max(sizes) - NEAR))[:MOST].tolist()
    for place in near:
        found = np.array([one[place] for one in calls if -len(one) <= place < len(one)])
        if uneven(np.maximum(np.abs(2 * found - 1), MIDDLE), failure / len(near))[0]:
            return f"the entry at index {place}"
    return ""


def quiet_number(calls: Sequence[np.ndarray], failure: float) -> str:
    """Which number's normal noise is too small, in words; "" if none's is, of right ones with chance 1 − `failure`.

    Squares of noise in units of its right deviation add up to χ². Among 21 numbers, 0.6 of the deviation shows in some
    200 calls.

    Parameters
    ----------
    calls : sequence of ndarray, each of shape (numbers,)
        Of each call its numbers' noise in units of the right deviation.

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(size=(200, 21))
    >>> quiet_number(noise, 1e-6)
    ''
    >>> noise[:, -1] /= 2
    >>> quiet_number(noise, 1e-6)
    'the number at index -1 has 0.52 times the right deviation'
    """
    widest, found = max(map(len, calls)), []
    for last in (True, False):
        squares, many = np.zeros(widest), np.zeros(widest)
        for one in calls:
            squares[: len(one)] += (one[::-1] if last else one) ** 2
            many[: len(one)] += 1
        unlikely = stats.chi2.cdf(squares, many)
        at = int(unlikely.argmin())
        if unlikely[at] < failure / (2 * widest):
            ratio, index = math.sqrt(squares[at] / many[at]), -at - 1 if last else at
            found.append((at, f"the number at index {index} has {ratio:.2g} times the right deviation"))
    return min(found, default=(0, ""))[1]  # as near to an end as may be


def uneven(places: np.ndarray, failure: float) -> tuple[bool, bool]:
    """Whether places between 0 and 1 are too small together, or too large; right ones are, with probability `failure`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> uneven(rng.random(300), 1e-6), uneven(rng.random(300) / 2, 1e-6), uneven(rng.random(300) ** 0.5, 1e-6)
    ((False, False), (True, False), (False, True))
    """
    n = np.size(places)
    if not n:
        return False, False
    at, rank, share = np.sort(np.ravel(places)), np.arange(1, n + 1), math.log(failure / (2 * n))
    small = stats.beta.logcdf(at, rank, n + 1 - rank).min() < share
    large = stats.beta.logsf(at, rank, n + 1 - rank).min() < share
    return bool(small), bool(large)
