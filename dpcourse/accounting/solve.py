"""One way to solve for a parameter: SciPy's root finder, then a step to the side on which the promise holds."""

from __future__ import annotations

import math
from collections.abc import Callable

_LARGEST = 700.0  # a root finder cannot work with ∞: e^700 says the same


def safe_root(excess: Callable[[float], float], low: float, high: float, precision: float = 1e-12) -> float:
    """An x with excess(x) ≤ 0, at most about `precision` above the root of a decreasing function.

    Parameters
    ----------
    excess : callable
        Decreasing, positive at `low`, ≤ 0 at `high`; it may be infinite and may jump.
    low, high : float
        The bracket.
    precision : float
        Absolute, > 0.

    Examples
    --------
    >>> x = safe_root(lambda x: 2 - x * x, 0.0, 2.0)
    >>> x * x >= 2, round(x, 9)
    (True, 1.414213562)
    """
    from scipy.optimize import brentq  # ten times what the rest of this floor takes to import: where it is used only

    known: dict[float, float] = {}

    def value(x: float) -> float:
        if x not in known:
            y = min(max(excess(x), -_LARGEST), _LARGEST)
            known[x] = y if y > 0 else min(y, -1e-300)  # where it stays 0 the root is the first such x, not any
        return known[x]

    found = float(brentq(value, low, high, xtol=precision, rtol=1e-15))
    # Of what was seen on the right side the nearest; if that is far, a few small steps find a nearer one.
    best = min(x for x, y in known.items() if y < 0)
    step = precision / 2
    while found + step < best and step < 8 * precision:
        if value(found + step) < 0:
            return found + step
        step *= 2
    return best


def smallest(price: Callable[[float], float], goal: float, precision: float = 1e-6) -> tuple[float, float]:
    """The smallest noise > 0 with price(noise) ≤ goal, at most `precision` (relative) too large, and its price.

    `price` is a decreasing function that may be infinite; in logarithms it is nearly straight, so that a dozen
    evaluations do.

    Examples
    --------
    >>> noise, paid = smallest(lambda noise: 2 / noise, 0.5)
    >>> round(noise, 5), paid <= 0.5
    (4.0, True)
    """
    known: dict[float, float] = {}

    def excess(log_noise: float) -> float:
        if log_noise not in known:
            known[log_noise] = price(math.exp(log_noise))
        paid = known[log_noise]
        return math.log(max(paid, 1e-12 * goal) / goal) if paid < math.inf else math.inf

    low = high = 0.0
    step = math.log(2)
    while excess(high) > 0:
        low, high, step = high, high + step, step * 1.5
        if high > _LARGEST:
            raise ValueError(f"no noise that fits a float has a price of {goal!r} or less")
    step = math.log(2)
    while excess(low) <= 0:
        low, high, step = low - step, low, step * 1.5
        if low < -_LARGEST:
            raise ValueError(f"any noise at all has a price of {goal!r} or less")
    found = safe_root(excess, low, high, precision)
    return math.exp(found), known[found]
