"""Numbers of lesson 11."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri

from dpcourse.audit import audit, certified_epsilon
from dpcourse.gauntlet import EXHIBITS

RUNS = np.geomspace(30, 1e6, 24).round().astype(int)
NAMES = ("randomized response", "Laplace noise", "Gaussian noise, δ = 1e-3")
DELTA = 1e-3
_TAILS = np.geomspace(1e-5, 0.5, 22)


@dataclass(frozen=True)
class Certifiable:
    """What can be certified over the number of runs.

    ``curves`` maps a mechanism to the ε certified when frequencies are as expected, at every number of ``runs``;
    ``largest`` is what one event of a mechanism that hides nothing could get. ``true`` is the mechanisms' ε, ``at`` the
    number of runs marked, which is one of ``runs``.
    """

    runs: np.ndarray
    curves: dict[str, np.ndarray]
    largest: np.ndarray
    true: float
    at: int
    confidence: float


def certifiable(epsilon: float, runs: float = 10_000, confidence: float = 0.999) -> Certifiable:
    """What an auditor certifies who knows the best single event and sees frequencies as expected, in closed form.

    One event, one-sided Clopper–Pearson bounds for its two rates at (1 − confidence)/2 each. Randomized response has
    two answers; Laplace and Gaussian noise are audited by the best of some thresholds, anew for each number of runs.

    Examples
    --------
    >>> shown = certifiable(1.0)
    >>> bool(shown.curves["randomized response"][-1] > 0.97)
    True
    """
    error, at = (1 - confidence) / 2, round(runs)
    numbers = np.unique(np.append(RUNS, at))
    truth = 1 / (1 + math.exp(-epsilon))
    # Laplace noise of scale 1/ε: the tail below t ≤ 0 has e^(εt)/2 on one dataset and e^(ε(t−1))/2 on the other.
    mu = _gaussian_mu(epsilon)
    rates = {
        NAMES[0]: (np.array([truth]), np.array([1 - truth])),
        NAMES[1]: (_TAILS, _TAILS * math.exp(-epsilon)),
        NAMES[2]: (_gaussian_tail(_TAILS, mu), _TAILS),
    }
    curves = {}
    for name, (hits, false_hits) in rates.items():
        delta = DELTA if name == NAMES[2] else 0.0
        expected, unexpected = np.rint(numbers[:, None] * hits), np.rint(numbers[:, None] * false_hits)
        found = np.maximum(*certified_epsilon(expected, unexpected, numbers[:, None], delta, error))
        curves[name] = np.maximum(found.max(axis=1), 0.0)
    largest = certified_epsilon(numbers, np.zeros_like(numbers), numbers, 0.0, error)[0]
    return Certifiable(numbers, curves, largest, epsilon, at, confidence)


def museum(runs: int, rng: int = 11) -> pd.DataFrame:
    """Every exhibit of the gauntlet and its repaired twin, audited at 99.9% confidence.

    Parameters
    ----------
    runs : int
        On each dataset, at most: an exhibit that shows with fewer gets those.
    rng : int
        The seed of every audit.

    Returns
    -------
    DataFrame, one row an exhibit
        ``claim`` in words; ``truth`` and ``certified`` are ε at the claim's δ; ``event`` is what certified it (the
        first of two); ``where`` the bug was found; ``needs`` so many runs; ``caught`` and ``accused`` say whether the
        exhibit's claim and its twin's were refuted.
    """
    rows = {}
    for one in EXHIBITS:
        broken, repaired = (
            audit(mechanism, one.data, one.neighbour, claim=one.claim, runs=min(one.runs, runs), rng=rng)
            for mechanism in (one.broken, one.repaired)
        )
        rows[one.name] = {
            "claim": str(one.claim),
            "truth": one.truth,
            "certified": round(broken.epsilon_lower, 2),
            "event": broken.event.split(" on one dataset, ")[0],
            "where": one.reference,
            "needs": one.runs,
            "caught": broken.violated,
            "accused": repaired.violated,
        }
    return pd.DataFrame(rows).T.infer_objects()


def _gaussian_tail(false_rates: np.ndarray, mu: float) -> np.ndarray:
    return ndtr(ndtri(false_rates) + mu)


def _gaussian_mu(epsilon: float) -> float:
    """The μ = 1/σ of Gaussian noise that is exactly (ε, 1e-3)-DP."""

    def excess(mu: float) -> float:
        inside, outside = log_ndtr(mu / 2 - epsilon / mu), log_ndtr(-mu / 2 - epsilon / mu)
        return math.exp(inside) - math.exp(epsilon + outside) - DELTA

    return float(brentq(excess, 1e-3, 20.0, xtol=1e-9))
