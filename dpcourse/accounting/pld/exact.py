"""Questions asked of a single pair, without a grid: a closed form of δ where there is one, else the pair's tails.

The difference of two tails has an absolute error of some 1e-16, which a closed form has not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpcourse.accounting.pld import integers, pairs, selection
from dpcourse.accounting.pld.pairs import Pair
from dpcourse.accounting.solve import safe_root

_CLOSED = (pairs.Gaussian, pairs.Laplace, integers.DiscreteLaplace, selection.BoundedRange)


def delta(parts: tuple[tuple[Pair, int], ...], add: bool, epsilon: np.ndarray) -> np.ndarray:
    """δ(ε) = P[L > ε] − e^ε Q[L > ε] of a single pair, or of Q and P if `add`."""
    return _delta(parts[0][0], add, epsilon) + 0.0  # not -0.0


def _delta(pair: Pair, add: bool, epsilon: np.ndarray) -> np.ndarray:
    if isinstance(pair, _CLOSED):  # symmetric, all of them
        return pair.delta(epsilon)
    if isinstance(pair, pairs.Finite):
        return (pair.turned if add else pair).delta(epsilon)
    if isinstance(pair, pairs.Subsampled):
        factor, beyond = pair.base_question(add, epsilon)
        return factor * _delta(pair.base, add, beyond)
    p, q = pair.lower(-epsilon)[::-1] if add else pair.upper(epsilon)
    return np.maximum(p - _times_exp(q, epsilon), 0.0)


def true_positive_rate(parts: tuple[tuple[Pair, int], ...], add: bool, fpr: np.ndarray) -> np.ndarray:
    """The least of the upper bounds P[L > l] + e^l (fpr − Q[L > l]), all l: the one where Q[L > l] passes fpr."""
    pair = parts[0][0]

    def tails(loss: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return pair.lower(-loss)[::-1] if add else pair.upper(loss)

    # By halving, for all rates at once: tails may jump, and a root finder takes one number at a time.
    low, high = (np.full(fpr.shape, bound) for bound in (-1e6, 1e6))
    for _ in range(90):
        middle = (low + high) / 2
        above = tails(middle)[1] > fpr
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    p, q = tails(high)
    return np.clip(p + _times_exp(np.maximum(fpr - q, 0.0), high), fpr, 1.0)


def _times_exp(mass: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """mass·e^exponent where e^exponent alone may be too large for a float."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.exp(np.minimum(np.log(mass) + exponent, 700.0))


def smallest_epsilon(at: Callable[[Any], Any], delta: float) -> float:
    """The smallest ε ≥ 0, to the last digits of a float, with δ(ε) ≤ delta; ∞ above 1e18."""
    if at(0.0) <= delta:
        return 0.0
    low = high = 1.0
    while at(high) > delta:
        low, high = high, high * 2
        if high > 1e18:
            return math.inf
    while at(low) <= delta:
        low, high = low / 16, low

    def excess(epsilon: float) -> float:
        found = at(epsilon)
        return math.log(found / delta) if found > 0 else -math.inf

    return safe_root(excess, low, high, 1e-14 * high)
