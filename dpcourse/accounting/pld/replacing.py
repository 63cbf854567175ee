"""From removing or adding one record to replacing one: two steps instead of one.

To replace a record is to remove it and add another. If a test's power is at most f(false-positive rate) between
neighbours with the record and without it, and at most g the other way round, then across both steps it is at most
f(g(rate)): apply one bound, then the other (Dong, Roth & Su 2019, arXiv:1905.02383). That composes the
*trade-off curve* with itself. Running the mechanism twice on one pair of neighbours is another thing and no bound here:
it turns Gaussian noise of μ into √2·μ, while two records can move the answer twice as far and cost 2μ. For an (ε, δ)
claim f∘g is never worse than (2ε, (1 + e^ε)·δ).
"""

from __future__ import annotations

import functools

import numpy as np

from dpcourse.accounting.pld.grid import on_natural_edges
from dpcourse.accounting.pld.pairs import Finite, Pair

_EDGES = 8000
_TAIL = 1e-250  # tiny: the second step turns what is cut off here into something much larger


@functools.lru_cache(maxsize=32)
def replacing_one(pair: Pair) -> Pair:
    """A pair that dominates removing one record and adding another, when `pair` dominates removing one."""
    if hasattr(pair, "at_twice_the_distance"):
        return pair.at_twice_the_distance()  # a shifted distribution: two steps are twice the shift, exactly
    (rate_f, power_f), (rate_g, power_g) = (_curve(pair, add) for add in (False, True))
    # g is f seen from the other side, g(x) = 1 − f⁻¹(1 − x), so f∘g is symmetric about x + y = 1, where g(x) = 1/2.
    # This side of it no number needed is close to 1; the other side is the mirror image.
    middle = np.concatenate([power_g, rate_f, [0.5]])
    middle = np.unique(middle[(middle >= power_g[0]) & (middle <= 0.5)])
    # Knots that differ by rounding only would make masses of 1e-16 with arbitrary losses.
    middle = middle[np.append(np.diff(middle) > 1e-12 * middle[1:], True)]
    start, end = np.interp(middle, power_g, rate_g), np.interp(middle, rate_f, power_f)
    rest = np.interp(1 - middle, power_g, rate_g)  # 1 − end, without cancellation
    q = np.append(0.0, np.diff(start))
    p = np.append(end[0], np.where(end[1:] < 0.5, np.diff(end), -np.diff(rest)))
    p = np.maximum(p, 0.0)
    return Finite.from_masses(np.concatenate([p, q]), np.concatenate([q, p]))


def _curve(pair: Pair, add: bool) -> tuple[np.ndarray, np.ndarray]:
    """(false-positive rate, power) of the tests "loss above l", from the largest loss down."""
    atoms = on_natural_edges(pair, add, _EDGES, _TAIL)
    log_mass, loss = atoms.log_mass[::-1], atoms.loss[::-1]
    rate = np.append(0.0, np.cumsum(np.exp(np.minimum(log_mass - loss, 0.0))))
    return rate, atoms.infinite + np.append(0.0, np.cumsum(np.exp(log_mass)))
