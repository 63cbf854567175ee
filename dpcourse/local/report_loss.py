"""The privacy loss of a report in which two people's likely outputs trade places.

Whoever is in category v reports something that points to v with probability `likely`, and something that points to w
with `unlikely`; for whoever is in w it is the other way round. All else is equally probable for both, and says nothing.
Randomized response and unary encoding differ only in these two numbers.
"""

from __future__ import annotations

import math

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.accounting.excess import divergence, log_excess


def privacy_loss(likely: float, unlikely: float) -> PrivacyLoss:
    """The loss distribution; both directions are the same."""
    rest = _rest(likely, unlikely)
    return PrivacyLoss.from_masses(np.array([likely, unlikely, rest]), np.array([unlikely, likely, rest]))


def renyi_divergence(orders: np.ndarray, likely: float, unlikely: float) -> np.ndarray:
    """Rényi divergence at each order α > 1; both directions are the same."""
    alpha = np.asarray(orders, dtype=float)
    if not (alpha > 1).all():
        raise ValueError(f"orders must be > 1, got {orders!r}")
    loss = math.log1p((likely - unlikely) / unlikely)  # the difference is exact where the loss is small
    near, far = (log_excess(np.full(alpha.shape, sign * loss), alpha) for sign in (1, -1))
    return divergence(np.logaddexp(near + math.log(unlikely), far + math.log(likely)), alpha)


def zcdp(epsilon: float, likely: float, unlikely: float) -> float:
    """The ρ with D_α ≤ ρα at every α > 1, at most a thousandth above the smallest such ρ."""
    # D_α grows with α, so between two orders D_α/α is at most D at the upper over the lower one. At α → 1 it is the
    # Kullback–Leibler divergence (likely − unlikely)·ε, and as D_α ≤ ε it is below that from α = 1/(likely − unlikely).
    last = max(1 / (likely - unlikely), 2.0)
    alpha = np.geomspace(1, last, max(math.ceil(math.log(last) / 5e-4), 2) + 1)
    bound = float(np.max(renyi_divergence(alpha[1:], likely, unlikely) / alpha[:-1]))
    return min(max(bound, (likely - unlikely) * epsilon), epsilon**2 / 2)


def _rest(likely: float, unlikely: float) -> float:
    return max(1.0 - likely - unlikely, 0.0)
