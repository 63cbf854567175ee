"""What no attacker exceeds against an (ε, δ) guarantee: error rates, accuracy, and what they may believe afterwards.

The attacker is told everything but one record, sees every output the guarantee counts, and decides between two
neighbouring datasets ("in" or "out"). The true positive rate (TPR) is the share of "in" that is called "in"; the false
positive rate (FPR) the share of "out" that is. Wasserman & Zhou 2010, arXiv:0811.2501; Kairouz, Oh, Viswanath 2015,
arXiv:1311.0776.
"""

from __future__ import annotations

import math

import numpy as np

from dpcourse.privacy import arguments


def dp_roc_bound(epsilon: float, delta: float, fpr: float | np.ndarray) -> float | np.ndarray:
    """The largest true positive rate at a false positive rate: min(e^ε·FPR + δ, 1 − e^−ε(1 − δ − FPR)), at most 1.

    Parameters
    ----------
    epsilon : float
        ε ≥ 0; infinity promises nothing.
    delta : float
        δ in [0, 1].
    fpr : float or ndarray
        False positive rates in [0, 1].

    Returns
    -------
    float or ndarray
        Of the shape of `fpr`.

    Examples
    --------
    >>> float(dp_roc_bound(1.0, 0.0, 0.05).round(3))
    0.136
    >>> dp_roc_bound(0.0, 0.01, np.array([0.0, 0.5]))
    array([0.01, 0.51])
    """
    epsilon = arguments.nonnegative("epsilon", epsilon, infinite=True)
    delta = arguments.probability("delta", delta)
    rate = arguments.finite_array("fpr", fpr)
    if ((rate < 0) | (rate > 1)).any():
        raise ValueError(f"fpr must be in [0, 1], got {fpr!r}")
    if math.isinf(epsilon) or delta == 1:
        return np.ones_like(rate)[()]
    # Logarithms keep e^ε from overflowing; a zero rate contributes nothing whatever ε is.
    with np.errstate(divide="ignore", over="ignore"):
        few_false_alarms = np.exp(np.minimum(epsilon + np.log(rate), 1.0)) + delta
    few_misses = 1 - math.exp(-epsilon) * np.maximum(1 - delta - rate, 0.0)
    return np.minimum(np.minimum(few_false_alarms, few_misses), 1.0)[()]


def dp_accuracy_bound(epsilon: float, delta: float = 0.0) -> float:
    """The largest accuracy of an attacker for whom "in" and "out" are equally likely: (e^ε + δ)/(e^ε + 1).

    Examples
    --------
    >>> round(dp_accuracy_bound(1.0), 3)
    0.731
    """
    epsilon = arguments.nonnegative("epsilon", epsilon, infinite=True)
    delta = arguments.probability("delta", delta)
    out = math.exp(-epsilon)
    return (1 + delta * out) / (1 + out)


def dp_advantage_bound(epsilon: float, delta: float = 0.0) -> float:
    """The largest TPR − FPR: (e^ε − 1 + 2δ)/(e^ε + 1), which is twice the accuracy bound minus one.

    Examples
    --------
    >>> dp_advantage_bound(0.0, 0.25)
    0.25
    """
    return 2 * dp_accuracy_bound(epsilon, delta) - 1


def posterior_bounds(prior: float | np.ndarray, epsilon: float) -> tuple[float | np.ndarray, float | np.ndarray]:
    """Between which limits a belief in "in" can move, whatever the output of an (ε, 0)-DP mechanism: odds times e^(±ε).

    With δ > 0 no such bound holds for *every* output: an output that only one of the two datasets can give settles the
    matter. It holds for all but few outputs (lesson 02).

    Parameters
    ----------
    prior : float or ndarray
        Belief before, in [0, 1].
    epsilon : float
        ε ≥ 0 of a pure guarantee.

    Returns
    -------
    low, high : float or ndarray

    Examples
    --------
    >>> low, high = posterior_bounds(0.5, 1.0)
    >>> round(float(low), 3), round(float(high), 3)
    (0.269, 0.731)
    """
    epsilon = arguments.nonnegative("epsilon", epsilon)
    belief = arguments.finite_array("prior", prior)
    if ((belief < 0) | (belief > 1)).any():
        raise ValueError(f"prior must be in [0, 1], got {prior!r}")
    shrink, certain = math.exp(-epsilon), (belief == 0) | (belief == 1)
    with np.errstate(invalid="ignore"):  # a certainty is 0/0 where e^−ε is too small for a float
        low = np.where(certain, belief, belief * shrink / (belief * shrink + (1 - belief)))
        high = np.where(certain, belief, belief / (belief + (1 - belief) * shrink))
    return low[()], high[()]
