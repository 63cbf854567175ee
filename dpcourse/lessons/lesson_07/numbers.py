"""Numbers of lesson 07."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.local import RandomizedResponse, UnaryEncoding

_EPSILONS = np.geomspace(0.1, 8, 40)


@dataclass(frozen=True)
class Protocols:
    """Standard error per √person of each local protocol over ε, for `k` answers, and at the chosen ε."""

    epsilon: float
    k: int
    epsilons: np.ndarray
    curves: Mapping[str, np.ndarray]
    here: Mapping[str, float]
    crossover: float


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
