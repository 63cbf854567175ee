"""Capstone 1.5: how much noise a run with real sums has, by itself: what fabs send is set against their own wafers.

An answer may have noise wherever it finds that it is looked at. In earnest sums are real and wafers are any, so there
the noise is measured without a second run, and without the weights, which are the student's affair: some are found at
which all fabs together send what they sent, and at these each fab's clipped sum is known.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import optimize, stats
from scipy.special import expit

from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.datasets.fabs import Wafers
from dpcourse.lessons.capstone_1.numbers import CLIP, WEIGHTS, clipped_sum

LOOKED_AT = 5  # rounds


def quiet_beside_wafers(
    sent: np.ndarray, fabs: Mapping[str, Wafers], variance: float, of: int, chance: Chance, failure: float
) -> Diagnosis | None:
    """Some rounds of a run, shape (rounds, fabs, weights), beside noise of this `variance` in `of` draws elsewhere.

    Whatever weights follow from the sum of all vectors: noise less its mean over the fabs is independent of that sum,
    so what is left of the vectors is as large as it, or larger. A right answer has less than chance allows with
    probability `failure` at most. One that sends something else than clipped sums is not found here.
    """
    left, weights = 0.0, np.zeros(WEIGHTS)
    rounds = np.sort(chance.rng.permutation(len(sent))[:LOOKED_AT])
    for vectors in sent[rounds]:
        weights = _weights(vectors.sum(axis=0), list(fabs.values()), weights)
        left += float(((vectors - [clipped_sum(weights, *data) for data in fabs.values()]) ** 2).sum())
    free = len(rounds) * (len(fabs) - 1) * WEIGHTS
    part = left / free / variance
    if stats.f.cdf(part, free, of) >= failure:
        return None
    return Diagnosis(
        "quiet-in-earnest",
        f"In {len(rounds)} rounds in which secure_sum gives back the sum of what it was sent, all fabs send their "
        f"clipped sums at some weights, with about {part:.1f} times the variance of noise that they have where the "
        "same sums come from elsewhere. In earnest every sum is real.",
        "What decides how much noise there is, besides public numbers?",
    )


def _weights(total: np.ndarray, fabs: list[Wafers], weights: np.ndarray) -> np.ndarray:
    """Where the clipped sums add up to `total`, or nearly: found from these weights, or else from zeros."""
    rows = np.vstack([np.column_stack([X, np.ones(len(X))]) for X, _ in fabs])
    labels, longest = np.concatenate([y for _, y in fabs]), CLIP / np.linalg.norm(rows, axis=1)

    def off(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        odds = expit(rows @ at)
        slope = np.where(np.abs(odds - labels) < longest, odds * (1 - odds), 0.0)
        return np.clip(odds - labels, -longest, longest) @ rows - total, (rows * slope[:, None]).T @ rows

    best, least = weights, np.inf
    for start in (weights, np.zeros(WEIGHTS)):
        if least > 1.0:
            found = optimize.root(off, start, jac=True, method="lm", options={"maxiter": 30})
            size = float(np.linalg.norm(found.fun))
            best, least = (found.x, size) if size < least else (best, least)
    return best
