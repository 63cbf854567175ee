"""A smooth curve through counts, so that the best threshold is chosen and not the luckiest.

Of many thresholds judged by their counts, the one that comes out best is partly the one that chance favours, and a
(ε, δ) claim is refuted far out in the tails, where counts are few. Where a statistic looks normal on both datasets, its
tails follow from two means and two deviations, which many runs know well.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

RUNS = 20_000  # of 4,000 sums of ten Laplace draws, the tails still pass for normal in a quarter of all trials
_ALIKE = 2.0  # standard errors between two deviations that are taken for one, as noise that ignores the data has
_DEVIATIONS = 4.0  # by chance beyond: in about one audit of a hundred, which then goes by its counts


def normal_shares(values: np.ndarray, cuts: np.ndarray, counts: np.ndarray) -> np.ndarray | None:
    """How often "value ≤ cut" happens by the normal law that fits each dataset; None where none fits.

    It has to fit by its skewness, its kurtosis, and every one of the counts. Two deviations that are alike are taken
    for one: then tails differ by the means alone, which are known best.

    Parameters
    ----------
    values : ndarray, shape (2, runs)
    cuts : ndarray, shape (events,)
    counts : ndarray of int, shape (2, events)

    Returns
    -------
    ndarray of float, shape (2, events), or None
        Shares of the runs.

    Examples
    --------
    >>> values, cuts = np.random.default_rng(0).normal(size=(2, 100_000)), np.array([0.0, 3.0])
    >>> counts = np.array([[50_171, 99_860], [49_847, 99_864]])
    >>> normal_shares(values, cuts, counts).round(3).tolist()
    [[0.5, 0.999], [0.5, 0.999]]
    """
    runs = values.shape[1]
    if runs < RUNS or not np.isfinite(values).all():
        return None
    mean, deviation = values.mean(axis=1, keepdims=True), values.std(axis=1, keepdims=True)
    if not (np.isfinite(deviation) & (deviation > 0)).all():
        return None
    scores = (values - mean) / deviation
    skewness, excess = (scores**3).mean(axis=1), (scores**4).mean(axis=1) - 3
    if abs(np.log(deviation[0] / deviation[1])).item() <= _ALIKE / np.sqrt(runs):
        deviation[:] = np.sqrt((deviation**2).mean())
    shares = ndtr((cuts - mean) / deviation)
    errors = (
        skewness / np.sqrt(6 / runs),
        excess / np.sqrt(24 / runs),
        (counts - runs * shares) / np.sqrt(runs * shares * (1 - shares) + 1),
    )
    return shares if max(np.abs(error).max() for error in errors) <= _DEVIATIONS else None
