"""Exercise 04.1: the smallest σ of the Gaussian mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import anywhere, between
from dpcourse.mechanisms import GaussianMechanism


def _root(delta_of: Callable[[float], float], delta: float) -> float:
    """The noise multiplier at which a decreasing δ(σ) passes `delta`, by bisection; NaN if it does not."""
    low, high = 1e-3, 1e4
    if not delta_of(high) <= delta <= delta_of(low):
        return math.nan
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return high


def _sign_slip(epsilon: float, delta: float) -> float:
    return _root(
        lambda s: float(ndtr(0.5 / s - epsilon * s) + np.exp(epsilon + log_ndtr(-0.5 / s - epsilon * s))), delta
    )


def _tail_only(epsilon: float, delta: float) -> float:
    # Φ(1/2s − εs) = δ: a quadratic in s
    z = float(ndtri(delta))
    return (-z + math.sqrt(z * z + 2 * epsilon)) / (2 * epsilon)


def _by_zcdp(epsilon: float, delta: float) -> float:
    root = math.sqrt(math.log(1 / delta) + epsilon) - math.sqrt(math.log(1 / delta))
    return 1 / (math.sqrt(2) * root)


def _exact(epsilon: float, delta: float) -> float:
    return GaussianMechanism(epsilon, delta).sigma


def _rounded(to: str) -> Mistake:
    """The right σ in a format such as ".3f" (three decimals) or ".3g" (three digits)."""
    return Mistake(
        "rounded",
        lambda epsilon, delta, sensitivity: float(format(sensitivity * _exact(epsilon, delta), to)),
        "That is the right σ, rounded. Rounded down it is too small for the claim.",
        "Where do you round? Return σ as it is; anyone who prints it can round it up.",
    )


def _classic(epsilon: float, delta: float) -> float:
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


SIGMA = (
    Equals(
        lambda rng: (
            float(rng.uniform(0.2, 6)),
            between(rng, 1e-8, 1e-2),
            float(rng.choice([0.5, 3.0, 20.0]) * rng.uniform(0.8, 1.2)),
        ),
        expected=lambda epsilon, delta, sensitivity: sensitivity * _exact(epsilon, delta),
        rtol=1e-4,
        wide=anywhere((0.01, 20.0), (1e-10, 0.1), (0.01, 1000.0)),
        mistakes=(
            *(_rounded(to) for to in (".1f", ".2f", ".3f", ".4f", ".2g", ".3g", ".4g")),
            Mistake(
                "classic",
                lambda epsilon, delta, sensitivity: sensitivity * _classic(epsilon, delta),
                "That is the classic formula: a sufficient σ for ε < 1, wasteful there, and proven no further.",
                "Solve the exact δ(σ) = δ for σ, by bisection.",
            ),
            Mistake(
                "no-sensitivity",
                lambda epsilon, delta, sensitivity: _exact(epsilon, delta),
                "That is right for sensitivity 1 only.",
                "σ grows in proportion to Δ.",
            ),
            Mistake(
                "variance",
                lambda epsilon, delta, sensitivity: (sensitivity * _exact(epsilon, delta)) ** 2,
                "That is σ², the variance.",
                "The standard deviation is wanted.",
            ),
            Mistake(
                "sign-slip",
                lambda epsilon, delta, sensitivity: sensitivity * _sign_slip(epsilon, delta),
                "You add the two terms of δ(σ). The second is subtracted: it is what e^ε times the other dataset "
                "already covers.",
                "δ = Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ).",
            ),
            Mistake(
                "tail-only",
                lambda epsilon, delta, sensitivity: sensitivity * _tail_only(epsilon, delta),
                "You make the probability that the loss exceeds ε equal to δ. That is sufficient, and too strict: "
                "a loss a little above ε breaks the promise by a little only.",
                "The second term of δ(σ) is missing.",
            ),
            Mistake(
                "by-zcdp",
                lambda epsilon, delta, sensitivity: sensitivity * _by_zcdp(epsilon, delta),
                "That goes through zCDP: a valid σ, but not the smallest.",
                "Use the exact δ(σ).",
            ),
        ),
    ),
)
