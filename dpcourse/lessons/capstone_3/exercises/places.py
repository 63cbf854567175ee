"""Whether the device at one place of many throws no coin, over many calls.

Looks at all that a call returns miss one place, the first or the last, say. So each is looked at by itself, counted
from the beginning and from the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def certain_place(calls: Sequence[tuple[np.ndarray, np.ndarray]], failure: float) -> int | None:
    """The index of a place at which coins come up too often; None where none do, of right coins but for `failure`.

    Of each call, which coins came up, and how likely each was to. How often they do at a place has an exact law.

    >>> coins = np.random.default_rng(1).random((60, 400)) < 0.6
    >>> chances = np.full(400, 0.6)
    >>> certain_place([(one, chances) for one in coins], 1e-6)
    >>> coins[:, -7] = True
    >>> certain_place([(one, chances) for one in coins], 1e-6)
    -7
    """
    least = min(len(one) for one, _ in calls)
    for last in (True, False):
        came, law = np.zeros(least, dtype=int), np.zeros((least, len(calls) + 1))
        law[:, 0] = 1
        for coins, chances in calls:
            up, p = (part[::-1][:least] if last else part[:least] for part in (coins, chances))
            came += up
            more = law[:, :-1] * p[:, None]
            law *= 1 - p[:, None]
            law[:, 1:] += more
        unlikely = np.where(np.arange(len(calls) + 1) >= came[:, None], law, 0).sum(axis=1)
        at = int(unlikely.argmin())
        if unlikely[at] < failure / (2 * least):
            return -at - 1 if last else at
    return None
