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
        if uneven(np.abs(2 * found - 1), failure / len(near))[0]:
            return f"the entry at index {place}"
    return ""


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
