"""Whether an answer has its noise only where the check makes its sums up, and none where sums are those of its vectors.

A run with the sums of what it sends is the one in earnest. In two others that are told these sums again, the weights
are the same, so that what the three send differs by their noise alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from dpcourse.checks.base import Diagnosis


def quieter(real: np.ndarray, told: Sequence[np.ndarray], failure: float) -> float | None:
    """What of the two told runs' variance of noise the real run has, if it has less; else None.

    Of independent normal noise of one deviation, what the real run is off from the middle of the others has 3/2 of its
    variance and says nothing of what these two differ by, which has twice of it: two sums of squares, whose quotient
    follows the F law. With no noise in the real run it is 1/3, however much there is in the others.

    Parameters
    ----------
    real, told : arrays of one shape
        What was sent in the run with real sums, and in the two that were told its sums.
    failure : float
        How often as much noise in all three runs is taken for less.

    Examples
    --------
    >>> sums, noise = np.arange(1000.0), np.random.default_rng(0).normal(0, 3, (3, 1000))
    >>> quieter(sums + noise[0], sums + noise[1:], 1e-6) is None
    True
    >>> quieter(sums, sums + noise[1:], 1e-6) < 0.2
    True
    """
    one, other = told
    within = float(((one - other) ** 2).mean()) / 2
    without = float(((real - (one + other) / 2) ** 2).mean()) / 1.5
    if not within or stats.f.cdf(without / within, real.size, real.size) >= failure:
        return None
    return max(0.0, 1.5 * without / within - 0.5)


def quiet_in_earnest(part: float, who: str) -> Diagnosis:
    """What is said of it: so much of the variance."""
    return Diagnosis(
        "quiet-in-earnest",
        f"Where secure_sum gives back the sum of what it was sent, {who} send about {part:.1f} times the variance of "
        "noise that they send where the same sums come from elsewhere. In earnest every sum is real.",
        "What decides how much noise there is, besides public numbers?",
    )
