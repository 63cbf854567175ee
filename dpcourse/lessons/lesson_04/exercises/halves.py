"""Exercise 04.5, two parts of the bounds: by length where ranks hardly count, and equal where they are alike."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole

_CALLS = 800


def _below(limit: float, answer: Answer, values: np.ndarray, epsilon: float, chance: Chance) -> int:
    """How many of the results are below a limit."""
    return sum(float(answer(values, 0.0, 100.0, epsilon, rng=chance.rng)) < limit for _ in range(_CALLS))


def by_length(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a tiny ε a point is as good as uniform, whatever intervals the records make: ranks change a chance by less
    than 0.005."""
    for limit in (15.0, 85.0):
        many = whole(chance.rng, 20, 60)
        found, share = _below(limit, answer, chance.rng.uniform(0, limit, many), 0.02 / many, chance), limit / 100
        tails = stats.binom.cdf(found, _CALLS, share - 0.005), stats.binom.sf(found - 1, _CALLS, share + 0.005)
        if min(tails) < chance.failure / 4:
            return Diagnosis(
                "not-by-length",
                f"{many} records lie between 0 and {limit:.0f}, bounds are 0 and 100. At ε = {0.02 / many:.2g} ranks "
                f"hardly count: all points are about as likely. Of {_CALLS:,} results {found:,} are below {limit:.0f}.",
                "How likely is an interval that is cut into two? With which noise does the largest of noisy logarithms "
                "have the exponential mechanism's law?",
            )
    return None


def by_rank(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One record or three, alike on both sides of the middle: so are the results."""
    far = float(chance.rng.uniform(5, 45))
    for values in (np.array([50.0]), np.array([50.0 - far, 50.0, 50.0 + far])):
        found = _below(50.0, answer, chance.rng.permutation(values), 2.0, chance)
        if 2 * stats.binom.cdf(min(found, _CALLS - found), _CALLS, 0.5) < chance.failure / 2:
            return Diagnosis(
                "off-centre",
                f"{len(values)} record{'s' * (len(values) > 1)}, alike on both sides of 50, the middle of the bounds. "
                f"Of {_CALLS:,} results at ε = 2, {found:,} are below it.",
                "For a point x, how many records are below it? How far is that from n/2, on either side?",
            )
    return None


HALVES = (by_length, by_rank)
