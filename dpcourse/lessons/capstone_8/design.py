"""The design of the project: what is public about a reading, and how far one home's year moves the daily sums."""

from __future__ import annotations

import math

from scipy.optimize import brentq

from dpcourse.mechanisms.additive.gaussian import analytic_noise_multiplier, gaussian_delta

CAP = 24.0  # kWh a day: no home counts for more
BUCKETS = 8  # of 3 kWh each, the last one open
DELTA = 1e-8
HOMES, SHARES = 200_000, 180_000  # so many shares make the noise whole: 20,000 homes may be missing or collude


def year_norm(days: int, cap: float = CAP) -> float:
    """How far one home can move the vector of daily sums, in the L2 norm: from a year of zeros to a year at the cap.

    No two years in [0, cap] are farther apart, so replacing a year by any other costs no more than taking it out.

    Examples
    --------
    >>> round(year_norm(365), 1)
    458.5
    """
    return cap * math.sqrt(days)


def sigma(epsilon: float, delta: float = DELTA) -> float:
    """The deviation of normal noise that hides a change of norm 1."""
    return analytic_noise_multiplier(epsilon, delta)


def epsilon_of(moved: float, deviation: float, delta: float = DELTA) -> float:
    """ε at δ of normal noise of this deviation under a change of norm `moved` (arXiv:1805.06530, theorem 8).

    Examples
    --------
    >>> round(epsilon_of(24, 24 * sigma(1.0)), 6), round(epsilon_of(year_norm(365), 24 * sigma(1.0)), 1)
    (1.0, 27.4)
    """
    mu = moved / deviation
    if gaussian_delta(0.0, 1 / mu) <= delta:
        return 0.0
    return float(brentq(lambda e: gaussian_delta(e, 1 / mu) - delta, 0.0, mu * mu / 2 + mu * 12, xtol=1e-10))


def alarm_limit(epsilon: float, delta: float, false_alarms: float) -> float:
    """The share of broken homes that anybody who sees an (ε, δ)-private release can find, at so many false alarms."""
    return min(1.0, math.exp(min(epsilon, 50.0)) * false_alarms + delta)
