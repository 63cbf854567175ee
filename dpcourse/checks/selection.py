"""Laws of a choice among candidates: of the exponential mechanism, and of those that are taken for it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared

_CALLS = 150  # to each question about a few candidates


def softmax(exponents: np.ndarray) -> np.ndarray:
    """Probabilities in proportion to e to these powers, which may be large.

    Examples
    --------
    >>> softmax(np.array([1000.0, 1000.0])).tolist()
    [0.5, 0.5]
    """
    weights = np.exp(exponents - exponents.max())
    return weights / weights.sum()


def largest_after(scores: np.ndarray, *, two_sided: bool = True) -> np.ndarray:
    """How often each score is the largest after adding Laplace noise of scale 1, or exponential noise, by integrating.

    With exponential noise that is permute-and-flip (McKenna and Sheldon 2020, arXiv:2010.12603).

    Examples
    --------
    >>> largest_after(np.array([3.0, 3.0, 3.0])).round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    values, place = np.unique(scores, return_inverse=True)
    times = np.bincount(place)
    x, step = np.linspace(values.min() - 30, values.max() + 40, 70_001, retstep=True)
    gap = x + step / 2 - values[:, None]
    tail = np.exp(-np.abs(gap)) / (2 if two_sided else 1)
    density = tail if two_sided else np.where(gap > 0, tail, 0)
    below = np.where(gap > 0, 1 - tail, tail if two_sided else 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = np.prod(below ** (times - np.eye(len(times), dtype=int))[:, :, None], axis=1)
    chances = (density * others).sum(axis=1) * step
    return (chances / (chances * times).sum())[place]


def far_behind(choose: Callable[[np.ndarray], int], rng: Generator) -> Diagnosis | None:
    """Whether candidates far behind the best are left out, by a choice among exponents so far behind the largest.

    There are so many of them, all alike, that they have half of the weight: a right choice is the best one fifty times
    running with probability 2⁻⁵⁰.
    """
    for exponent in (4.5, 6.0, 7.5):
        behind = np.full(math.ceil(math.exp(exponent)) + 1, exponent)
        best = int(rng.integers(len(behind)))
        behind[best] = 0.0
        if all(choose(behind) == best for _ in range(50)):
            return Diagnosis(
                "far-behind",
                f"{len(behind) - 1:,} candidates have a weight of e^−{exponent:g} each, where the best has 1. Together "
                "they have half of all weight, and in 50 calls you choose none of them.",
                "Which weights are 0 in yours? One person can bring a candidate there, and it goes from something to "
                "nothing: no ε holds for that.",
            )
    return None


def few_or_equal(choose: Callable[[np.ndarray], int], chance: Chance) -> Diagnosis | None:
    """Whether a few candidates come out as often as they should, by a choice among exponents so far behind the largest:
    all of them equal, some of them the best together, or two and three that are close.
    """
    rng = chance.rng
    best, close = rng.permutation([0.0] * whole(rng, 2, 3) + [float(rng.uniform(1, 2))] * 2), rng.uniform(0.5, 1.0, 2)
    questions = (np.zeros(2), np.zeros(whole(rng, 3, 9)), best, *(np.append(0.0, close[:n])[::-1] for n in (1, 2)))
    looks = sum(map(len, questions))
    for behind in questions:
        right = softmax(-behind)
        came = np.bincount([choose(behind) for _ in range(_CALLS)], minlength=len(behind))
        tails = np.minimum(stats.binom.cdf(came, _CALLS, right), stats.binom.sf(came - 1, _CALLS, right))
        at = int(tails.argmin())
        if tails[at] < chance.failure / (2 * looks):
            several, all_equal = np.sum(behind == behind[at]) > 1, not behind.any()
            scores = "all with the same score" if all_equal else f"with weights {np.round(right / right.max(), 2)}"
            return Shared.NOT_EVERYWHERE.seen(
                f"Of {len(behind)} candidates, {scores}, the one at index {at} comes out in {came[at]} of {_CALLS} "
                f"calls. Right is about {_CALLS * right[at]:.0f}.",
                "What does your function do where scores are equal?"
                if several
                else "What does your function do where there are few candidates?",
            )
    return None
