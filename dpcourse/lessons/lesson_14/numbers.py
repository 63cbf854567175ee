"""Numbers of lesson 14."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.budget.filters import UNIT, RenyiFilter, as_fraction, pure_divergence
from dpcourse.privacy import Guarantee

DAYS = 91
DELTA = 1e-5
METHODS = {"adding up": "basic", "Rényi filter": "rdp", "plan priced as a whole": "pld"}
_MOST = 4000  # queries: 300 a week for a quarter
_SIZES = (1e3, 1e4, 1e5, 1e6)


@dataclass(frozen=True)
class Quarter:
    """A budget over 91 days: the total ε after each day by each method, and the day of the last query each admits."""

    epsilon: float
    rate: float  # queries a week
    budget: float
    delta: float
    days: np.ndarray
    totals: Mapping[str, np.ndarray]
    queries: Mapping[str, int]  # how many each method admits
    last_day: Mapping[str, float]  # infinity if the budget outlasts the quarter
    chosen: str


@dataclass(frozen=True)
class Chooser:
    """What an attacker's advantage costs: the error of a share against the advantage, for some numbers of people."""

    advantage: float
    n: float
    counts: int
    epsilon: float
    delta: float
    error: float  # percentage points, 95%
    advantages: np.ndarray
    curves: Mapping[str, np.ndarray]  # label -> error in percentage points


@functools.lru_cache(maxsize=64)
def price_curves(epsilon: float, budget: float) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, int]]:
    """Total ε of k Laplace queries of ε each at δ = 1e-5, by three methods, and how many each admits.

    Parameters
    ----------
    epsilon : float
        ε of one query, add-remove neighbours.
    budget : float
        ε of the budget at δ = 1e-5, the same neighbours.

    Returns
    -------
    ks : ndarray of shape (m,)
        Numbers of queries.
    totals : dict of str to ndarray of shape (m,)
        "basic", "rdp" (at the filter's one order), "pld".
    admitted : dict of str to int
        The largest number whose total is within the budget.

    Examples
    --------
    >>> price_curves(0.05, 1.0)[2]
    {'basic': 20, 'rdp': 27, 'pld': 31}
    """
    basic = int(as_fraction(budget) // as_fraction(epsilon))
    rule = RenyiFilter(Guarantee(budget, DELTA))
    divergence = pure_divergence(epsilon, rule.order)
    renyi = int(rule.limit // math.ceil(divergence * (1 + 1e-12) * UNIT))
    loss = PrivacyLoss.laplace(epsilon)
    known: dict[int, float] = {}

    def whole(k: int) -> float:
        if k not in known:
            known[k] = loss.self_compose(k).epsilon(DELTA)
        return known[k]

    # A plan of `basic` queries always fits; concentration puts the end within a few times the Rényi filter's.
    low = max(basic, 1) if basic else 0
    high = max(2 * renyi, 2 * basic, 2) + 2
    while low and high - low > 1:
        # Between two numbers of queries ε grows like a power of k: aim there, and stay inside.
        if low in known and high in known and known[high] > known[low] > 0:
            power = math.log(known[high] / known[low]) / math.log(high / low)
            middle = min(max(math.floor(low * (budget / known[low]) ** (1 / power)), low + 1), high - 1)
        else:
            whole(low), whole(high)
            middle = (low + high) // 2
        low, high = (middle, high) if whole(middle) <= budget else (low, middle)
        if low in known and high in known and high - low > 1 and whole(low + 1) > budget:
            high = low + 1
    admitted = {"basic": basic, "rdp": renyi, "pld": low}
    ks = np.unique(np.rint(np.geomspace(1, _MOST, 60)).astype(int))
    rest = rule.limit / UNIT
    overhead = budget - rest  # what the conversion at this order adds to a divergence
    totals = {
        "basic": ks * epsilon,
        "rdp": ks * divergence + overhead,
        "pld": _interpolated(ks, known, whole),
    }
    return ks, totals, admitted


def _interpolated(ks: np.ndarray, known: dict[int, float], whole) -> np.ndarray:
    """ε at every k: exact at a few, on a straight line between them in logarithms (for drawing only)."""
    for k in (1, 10, 100, int(ks[-1])):
        whole(k)
    at = np.array(sorted(known))
    return np.exp(np.interp(np.log(ks), np.log(at), np.log([max(known[int(k)], 1e-12) for k in at])))


def quarter(rate: float, epsilon: float, budget: float, method: str) -> Quarter:
    """The total after each day of a quarter at `rate` queries a week, by each method."""
    epsilon, budget = float(f"{epsilon:.6g}"), float(f"{budget:.6g}")
    ks, totals, admitted = price_curves(epsilon, budget)
    days = np.arange(DAYS + 1)
    asked = np.maximum(days * rate / 7, 1e-9)  # queries by the end of each day
    labels = {code: name for name, code in METHODS.items()}
    by_day = {labels["basic"]: asked * epsilon}
    # The filter's total is a line from what its conversion costs; the plan's is read off its curve.
    slope = (totals["rdp"][-1] - totals["rdp"][0]) / (ks[-1] - ks[0])
    by_day[labels["rdp"]] = totals["rdp"][0] + (asked - ks[0]) * slope
    curve = np.exp(np.interp(np.log(asked), np.log(ks), np.log(totals["pld"])))
    by_day[labels["pld"]] = np.where(asked < 1, asked * totals["pld"][0], curve)
    last = {labels[code]: 7 * count / rate for code, count in admitted.items()}
    return Quarter(
        epsilon,
        rate,
        budget,
        DELTA,
        days,
        by_day,
        {labels[code]: count for code, count in admitted.items()},
        {name: day if day < DAYS else math.inf for name, day in last.items()},
        labels[method],
    )


def largest_epsilon(advantage: float, delta: float) -> float:
    """The largest ε for which no attacker's TPR − FPR exceeds `advantage`: ln((1 + a − 2δ)/(1 − a)), or 0.

    Examples
    --------
    >>> round(largest_epsilon(0.25, 0.0), 3)
    0.511
    """
    return max(math.log((1 + advantage - 2 * delta) / (1 - advantage)), 0.0)


def choose(advantage: float, n: float, counts: int) -> Chooser:
    """ε and δ for `counts` counts over n people from an attacker's advantage, and the error of a share.

    δ is 1/(100 n). The counts share ε by adding up (Laplace noise of scale counts/ε), neighbours by one person added or
    removed; the error is the 95% one, in percentage points of n.
    """
    advantages = np.linspace(0.01, 0.99, 99)

    def error(advantage: float, n: float) -> float:
        epsilon = largest_epsilon(advantage, 1 / (100 * n))
        return 100 * counts / epsilon * math.log(20) / n

    curves = {f"{size:,.0f}": np.array([error(a, size) for a in advantages]) for size in _SIZES}
    curves[f"yours: {n:,.0f}"] = np.array([error(a, n) for a in advantages])
    delta = 1 / (100 * n)
    return Chooser(
        advantage, n, counts, largest_epsilon(advantage, delta), delta, error(advantage, n), advantages, curves
    )
