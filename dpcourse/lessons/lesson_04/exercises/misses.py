"""Exercise 04.5: by how many ranks results miss the middle, of few records, of thousands, of some close together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared

_TIMES = 3
Records = tuple[np.ndarray, float, float, float]  # and the bounds, and ε


def _few(rng: Generator) -> Records:
    """Two to twelve, and few of all points lie in the middle: most results do, where ε is what it is said to be."""
    many, epsilon = whole(rng, 2, 12), float(rng.uniform(4, 5))
    lengths = rng.uniform(0.5, 1.0, many + 1)
    middle = np.abs(np.arange(many + 1) - many / 2) < 1
    lengths[middle] *= rng.uniform(0.05, 0.15) / middle.sum()
    edges = np.cumsum(100 / lengths.sum() * lengths)
    return edges[:-1], 0.0, float(edges[-1]), epsilon


def _many(rng: Generator) -> Records:
    """Hundreds or thousands, between bounds that fit them; a dozen or more of the middle ranks are likely."""
    many = whole(rng, 500, 5000)
    return rng.uniform(20, 80, many), 0.0, 100.0, float(10 ** rng.uniform(-1.5, -0.8))


def _close_together(rng: Generator) -> Records:
    """Hundreds, between bounds that are a thousand to a million times as far apart, as where nobody knew better."""
    many, wide = whole(rng, 200, 1000), 10 ** rng.uniform(3, 6, 2)
    return rng.uniform(-1, 1, many), -float(wide[0]), float(wide[1]), float(rng.uniform(0.1, 1))


def _miss(
    draw: Callable[[Generator], Records], said: str, calls: int, answer: Answer, chance: Chance
) -> Diagnosis | None:
    """How many results miss by a few ranks at most: not more than with weights exp(−ε·|rank − n/2|).

    Nor fewer than with the root of these, as who takes 1 for the sensitivity has them.
    """
    for _ in range(_TIMES):
        values, low, high, epsilon = draw(chance.rng)
        inside = np.sort(values)
        off = np.abs(np.arange(len(values) + 1) - len(values) / 2)
        lengths = np.diff(np.concatenate([[low], inside, [high]]))

        def shares(s: float, off=off, lengths=lengths, epsilon=epsilon) -> np.ndarray:
            weights = lengths * np.exp(-s * epsilon * (off - off.min()))
            return weights / weights.sum()

        levels = np.unique(off)
        reached = [float(shares(0.7)[off <= level].sum()) for level in levels[:60]]
        most = levels[min(int(np.searchsorted(reached, 0.5)), len(reached) - 1)]
        least, top = (float(shares(s)[off <= most].sum()) for s in (0.5, 1.0))
        given = chance.rng.permutation(values)
        results = [float(answer(given, low, high, epsilon, rng=chance.rng)) for _ in range(calls)]
        came = int((off[np.searchsorted(inside, results)] <= most).sum())
        tails = stats.binom.cdf(came, calls, least), stats.binom.sf(came - 1, calls, top)
        if min(tails) < chance.failure / (2 * _TIMES):
            return Shared.NOT_EVERYWHERE.seen(
                f"{len(values):,} records, {said} the bounds {low:,.4g} and {high:,.4g}; ε = {epsilon:.2g}. Of "
                f"{calls} results {came} lie where the rank misses n/2 by {most:g} at most. With weights "
                f"length·exp(−ε·|rank − n/2|) {calls * top:.0f} do, with half of that exponent {calls * least:.0f}.",
                "What does yours do for so many records, at this ε, and with these bounds?",
            )
    return None


def _empty(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of no records all points are as likely."""
    low, width = float(chance.rng.uniform(-100, 100)), float(chance.rng.uniform(1, 1000))
    epsilon = float(chance.rng.uniform(0.1, 4))
    results = [float(answer(np.array([]), low, low + width, epsilon, rng=chance.rng)) for _ in range(200)]
    if stats.kstest(results, "uniform", (low, width)).pvalue >= chance.failure:
        return None
    return Shared.NOBODY.seen(
        f"For an empty array, with bounds {low:.4g} and {low + width:.4g}, half of 200 results lie between "
        f"{np.quantile(results, 0.25):.4g} and {np.quantile(results, 0.75):.4g}. All points between the bounds should "
        "be as likely.",
        "One record more may give any point. What gives its absence away?",
    )


MISSES = (
    partial(_miss, _few, "between", 500),
    partial(_miss, _many, "between", 100),
    partial(_miss, _close_together, "from −1 to 1, between", 100),
    _empty,
)
