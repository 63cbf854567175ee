"""Exercise 09.2: where ε goes in objective perturbation."""

from __future__ import annotations

import math

from numpy.random import Generator

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import anywhere


def _objective(rng: Generator) -> tuple[float, int, float]:
    """ε, n, λ: plenty of λ, far too little, or nearly what is enough."""
    epsilon, n = float(rng.uniform(0.2, 3)), int(rng.integers(50, 5000))
    enough = 0.25 / (n * math.expm1(epsilon / 4))
    low, high = ((1.5, 20.0), (0.1, 0.8), (1.02, 1.2), (0.85, 0.98))[rng.integers(4)]
    factor = rng.uniform(low, high)
    return epsilon, n, float(enough * factor)


def _share(epsilon: float, n: int, lam: float, *, c: float = 0.25, times: int = 2, least: float = 0.5) -> tuple:
    used = lam
    if epsilon - 2 * math.log1p(c / (n * lam)) < least * epsilon:
        used = c / (n * math.expm1(epsilon / 4))
    return used, epsilon - times * math.log1p(c / (n * used))


SHARE = (
    Equals(
        _objective,
        expected=_share,
        times=40,
        wide=anywhere((0.01, 20.0), (1, 10**7), (1e-7, 10.0)),
        mistakes=(
            Mistake(
                "no-jacobian",
                lambda epsilon, n, lam: (lam, epsilon),
                "You spend all of ε on the noise. But w is a curved function of the noise, and its Jacobian "
                "depends on the replaced record: that costs 2 ln(1 + c/(nλ)).",
                "Take that part away first.",
            ),
            Mistake(
                "once",
                lambda epsilon, n, lam: _share(epsilon, n, lam, times=1),
                "You subtract ln(1 + c/(nλ)) once. The formula asked for, the paper's, takes it twice.",
                "2 ln(1 + c/(nλ)).",
            ),
            Mistake(
                "never-raised",
                lambda epsilon, n, lam: (lam, epsilon - 2 * math.log1p(0.25 / (n * lam))),
                "Where λ is small you leave less than half of ε for the noise, or even a negative amount.",
                "Raise λ until 2 ln(1 + c/(nλ)) = ε/2, and solve for λ.",
            ),
            Mistake(
                "raised-late",
                lambda epsilon, n, lam: _share(epsilon, n, lam, least=0.0),
                "You raise λ only where nothing would be left of ε, as the paper does. That is private, but next "
                "to that point nearly nothing is left, and the noise is enormous.",
                "Raise λ as soon as less than ε/2 would be left.",
            ),
            Mistake(
                "curvature-one",
                lambda epsilon, n, lam: _share(epsilon, n, lam, c=1.0),
                "You take 1 for the bound on the curvature; the logistic loss has σ(t)(1 − σ(t)) ≤ 1/4.",
                "c = 1/4.",
            ),
            Mistake(
                "no-n",
                lambda epsilon, n, lam: _share(epsilon, 1, lam),
                "n is missing: the loss is an average, so that one record's curvature counts 1/n.",
                "c/(nλ), not c/λ.",
            ),
        ),
    ),
)
