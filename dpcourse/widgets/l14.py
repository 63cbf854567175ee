"""The explorers of lesson 14: how long a quarter's budget lasts, and ε from what an attacker may gain."""

from __future__ import annotations

import functools
import math

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.budget.filters import UNIT, RenyiFilter, as_fraction, pure_divergence
from dpcourse.plots.l14 import DAYS, Chooser, Quarter, draw_chooser, draw_quarter
from dpcourse.privacy import Guarantee
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider, slider, whole_slider

DELTA = 1e-5
METHODS = {"adding up": "basic", "Rényi filter": "rdp", "plan priced as a whole": "pld"}
_MOST = 4000  # queries: 300 a week for a quarter


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
        epsilon, rate, budget, DELTA, days, by_day,
        {labels[code]: count for code, count in admitted.items()},
        {name: day if day < DAYS else math.inf for name, day in last.items()},
        labels[method],
    )  # fmt: skip


def _describe_quarter(data: Quarter) -> str:
    name, day = data.chosen, data.last_day[data.chosen]
    when = f"is spent on day {day:.0f} of 91" if math.isfinite(day) else "lasts the quarter"
    others = ", ".join(f"{other} {count:,}" for other, count in data.queries.items() if other != name)
    return (
        f"{data.rate:.3g} queries a week of ε = {data.epsilon:.3g} (Laplace noise, one person added or removed): by "
        f"{name} the budget (ε = {data.budget:.3g}, δ = {data.delta:.0e}) admits {data.queries[name]:,} queries and "
        f"{when}. "
        f"Queries admitted by the others: {others}. Adding up and the Rényi filter allow costs chosen on the way; the "
        "plan must be fixed first."
    )


def explore_quarter() -> Explorer:
    """How long does a budget last? Query rate, ε per query and method against the day it runs out."""
    return Explorer(
        "How long does the quarter's budget last?",
        controls={
            "rate": log_slider("queries a week", 0.5, 300, 3),
            "epsilon": epsilon_slider(0.005, 0.5, 0.05),
            "budget": log_slider("budget ε", 0.25, 8, 1),
            "method": choice("method", METHODS),
        },
        compute=quarter,
        draw=draw_quarter,
        describe=_describe_quarter,
    )


def largest_epsilon(advantage: float, delta: float) -> float:
    """The largest ε for which no attacker's TPR − FPR exceeds `advantage`: ln((1 + a − 2δ)/(1 − a)), or 0.

    Examples
    --------
    >>> round(largest_epsilon(0.25, 0.0), 3)
    0.511
    """
    return max(math.log((1 + advantage - 2 * delta) / (1 - advantage)), 0.0)


_SIZES = (1e3, 1e4, 1e5, 1e6)


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


def _describe_choice(data: Chooser) -> str:
    return (
        f"An attacker who knows everybody else may gain an advantage of at most {data.advantage:.2g} (right "
        f"{(1 + data.advantage) / 2:.1%} of the time instead of 50%): ε = {data.epsilon:.3g}, δ = {data.delta:.1g} "
        f"(a hundredth of 1/n), one person added or removed. {data.counts} counts over {data.n:,.0f} people, with "
        f"Laplace noise, are each published to within ±{data.error:.2g} percentage points 95% of the time."
    )


def explore_choice() -> Explorer:
    """ε from an attacker's advantage: what does it cost, for a small office and for a large one?"""
    return Explorer(
        "What may an attacker gain, and what does that cost?",
        controls={
            "advantage": slider("advantage, at most", 0.02, 0.98, 0.24, step=0.02),
            "n": log_slider("people", 100, 1e7, 1e4),
            "counts": whole_slider("counts published", 1, 200, 20),
        },
        compute=choose,
        draw=draw_chooser,
        describe=_describe_choice,
    )
