"""Does every entry of a symmetric matrix have its noise, wherever it stands?

Looks at all entries together miss one of them that has none, or half of it. So here each is looked at alone over some
calls, those on the diagonal first of all, and each row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared


def quiet_place(noise: Sequence[np.ndarray], failure: float) -> Diagnosis | None:
    """Where noise is too small, by squares that add up over the calls; of right noise, with this probability at most.

    Parameters
    ----------
    noise : sequence of ndarray, each of shape (items, items)
        Of each call, in units of the right deviation: 1 on the diagonal, √½ beside it.

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(size=(60, 9, 9))
    >>> noise = (noise + noise.transpose(0, 2, 1)) / 2
    >>> quiet_place(noise, 1e-9)
    >>> noise[:, -1, -1] /= 4
    >>> print(quiet_place(noise, 1e-9).key)
    too-little-noise
    """
    calls, items = len(noise), len(noise[0])
    squares = np.sum([np.square(one) for one in noise], axis=0)
    diagonal, pairs = np.diag(squares).copy(), 2 * squares
    rows = pairs.sum(axis=1) - diagonal
    np.fill_diagonal(pairs, np.inf)
    for found, draws, among, where in (
        (diagonal, calls, 2 * items, "the diagonal entry of item {}"),
        (rows, calls * items, 4 * items, "the row of item {}"),
        (pairs, calls, 2 * items**2, "the entry of items {}"),  # each stands twice
    ):
        if found.min() < stats.chi2.ppf(failure / among, draws):
            place = np.unravel_index(int(found.argmin()), found.shape)
            seen = f"In {where.format(' and '.join(map(str, place)))} your noise has {found.min() / draws:.2g} times "
            seen += f"the right variance ({items} items, {calls} call{'s' * (calls > 1)})."
            return Shared.TOO_LITTLE_NOISE.seen(seen, "Who clicked just that is hidden by the noise in that entry.")
    return None
