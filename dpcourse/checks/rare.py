"""Lies so rare that a probability in whole percent has none: where nobody ever lies, a report is proof."""

from __future__ import annotations

import math

from numpy.random import Generator
from scipy import stats

from dpcourse.checks.diagnosis import Diagnosis

MANY = 12_000  # reports: if a lie has probability 0.25%, none in so many has probability e^−30


def rare_lies(rng: Generator, others: int = 1) -> tuple[float, float]:
    """An ε at which randomized response among so many other answers lies in 0.25% to 0.45% of reports; that share."""
    share = float(rng.uniform(0.0025, 0.0045))
    return math.log(others * (1 - share) / share), share


def too_rare(lies: int, share: float, epsilon: float, failure: float) -> Diagnosis | None:
    """What is wrong with so few lies in `MANY` reports, where this share is right; a right answer's are refused with
    probability `failure` at most.

    >>> too_rare(36, 0.003, 5.8, 1e-8) is None, too_rare(0, 0.003, 5.8, 1e-8).key
    (True, 'rare-lies')
    """
    if stats.binom.cdf(lies, MANY, share) >= failure:
        return None
    return Diagnosis(
        "rare-lies",
        f"At ε = {epsilon:.3g} you lie in {lies} of {MANY:,} reports; about {MANY * share:.0f} should be lies.",
        "Is your probability rounded, or cut? Where a report is never a lie, it proves what it says.",
    )
