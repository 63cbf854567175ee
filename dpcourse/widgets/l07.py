"""The explorer of lesson 07: which local protocol has the least error for k answers and ε."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.local import RandomizedResponse, UnaryEncoding
from dpcourse.plots.l07 import Protocols, draw_protocols
from dpcourse.widgets.base import Explorer, epsilon_slider, log_slider

_EPSILONS = np.geomspace(0.1, 8, 40)
_PEOPLE = 45_222  # a published constant; only the readout uses it


def protocols(epsilon: float, k: float) -> Protocols:
    """Standard error per √person of a rare answer's count, by protocol.

    Parameters
    ----------
    epsilon : float
        ε in (0, 30] of one report, replacing one person's answer.
    k : float
        Number of possible answers, rounded to a whole number ≥ 2.

    Examples
    --------
    >>> {name: round(value, 2) for name, value in protocols(1.0, 16).here.items()}
    {'k-RR': 2.38, 'SUE': 1.98, 'OUE': 1.92}
    """
    k = max(2, round(k))
    curves = {name: np.array([_errors(e, k)[name] for e in _EPSILONS]) for name in ("k-RR", "SUE", "OUE")}
    crossover = math.log((k - 2) / 3) if k > 2 else -math.inf
    return Protocols(epsilon, k, _EPSILONS, curves, _errors(epsilon, k), crossover)


def _errors(epsilon: float, k: int) -> dict[str, float]:
    claims: dict[str, RandomizedResponse | UnaryEncoding] = {
        "k-RR": RandomizedResponse(epsilon, k),
        "SUE": UnaryEncoding(epsilon, k, optimized=False),
        "OUE": UnaryEncoding(epsilon, k),
    }
    return {name: _error(claim.truth_probability, claim.lie_probability) for name, claim in claims.items()}


def _error(truth: float, lie: float) -> float:
    return math.sqrt(lie * (1 - lie)) / (truth - lie)


def _describe(numbers: Protocols) -> str:
    best = min(numbers.here, key=lambda name: numbers.here[name])
    people = math.sqrt(_PEOPLE)
    errors = ", ".join(f"{name} {people * value:,.3g}" for name, value in numbers.here.items())
    side = "below" if numbers.k < 3 * math.exp(numbers.epsilon) + 2 else "at or above"
    return (
        f"With {numbers.k:,} possible answers and ε = {numbers.epsilon:.3g} a report (replacing one person's answer) "
        f"the standard error of a rare answer's count among {_PEOPLE:,} people is, in people: {errors}. Best: {best}. "
        f"k is {side} 3e^ε + 2 = {3 * math.exp(numbers.epsilon) + 2:,.3g}."
    )


def explore_protocols() -> Explorer:
    """Move ε and the number of answers, and see which local protocol has the least error."""
    return Explorer(
        "Which local protocol for k answers?",
        controls={
            "epsilon": epsilon_slider(0.1, 6.0, 1.0),
            "k": log_slider("answers k", 2, 1000, 16),
        },
        compute=protocols,
        draw=draw_protocols,
        describe=_describe,
    )
