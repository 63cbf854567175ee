"""Exercise 09.1: where the noisy model lies: around the weights as they are."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.diagnosis import Diagnosis

_WRONG = {
    "no-weights": Diagnosis(
        "no-weights",
        "The weights are not in your result: it is noise around one number in every place.",
        "Noise alone keeps every secret and predicts nothing. Add it to `weights`.",
    ),
    "normalised": Diagnosis(
        "normalised",
        "Your result lies around the weights divided by their length: another model.",
        "The minimiser itself, with noise.",
    ),
    "mean": Diagnosis(
        "mean-of-weights",
        "Your result lies around the mean of the weights: one number in every place.",
        "`weights` and the noise are vectors; add them entry by entry.",
    ),
    "reordered": Diagnosis(
        "reordered",
        "The weights are in your result, but in another order: each belongs to its own feature.",
        "Keep every entry in its place.",
    ),
}


def around(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Many records and hardly any noise: the result is the weights themselves, no two of which are alike.

    The noise has a mean length of 0.004 at most. Over 100 runs the mean of the right answer is within 0.05 of the
    weights and within twelve standard errors, except with a probability below 1e-12.
    """
    rng, runs = chance.rng, 100
    d, n, lam, epsilon = int(rng.integers(9, 14)), 100_000, float(rng.uniform(0.05, 0.1)), float(rng.uniform(1.6, 2.5))
    size = rng.permutation(d) + 1 + rng.uniform(-0.4, 0.4, size=d)
    weights = size * rng.permutation(np.resize([-1.0, 1.0], d))
    weights = frozen(weights - weights.mean() + rng.choice([-1.5, 1.5]))  # whose mean is not zero
    seen = np.array([answer(weights, n, lam, epsilon, rng=rng) for _ in range(runs)], dtype=float)
    centre, error = seen.mean(axis=0), seen.std(axis=0) / math.sqrt(runs)

    def near(wanted: np.ndarray | float) -> bool:
        return bool((np.abs(centre - wanted) < np.maximum(0.05, 12 * error)).all())

    if near(weights):
        return None
    stretch = float(centre @ weights / (weights @ weights))
    if near(np.full(d, centre.mean())):  # as many entries as the weights, and all alike
        return _WRONG["mean" if near(weights.mean()) else "no-weights"]
    if near(weights / np.linalg.norm(weights)):
        return _WRONG["normalised"]
    if near(stretch * weights):
        return _scaled(stretch)
    if near(np.sort(weights)[centre.argsort().argsort()]):
        return _WRONG["reordered"]
    worst = int(np.abs(centre - weights).argmax())
    return Diagnosis(
        "wrong-centre",
        f"With n = {n:,} there is hardly any noise, and still your result lies around {centre[worst]:.3g} where the "
        f"weight is {weights[worst]:.3g}.",
        "Return `weights` plus noise around zero.",
    )


def _scaled(by: float) -> Diagnosis:
    if -1.05 < by < -0.95:
        seen = "Your result lies around −weights: a model that predicts the opposite."
    else:
        seen = f"Your result lies around {by:.3g} times the weights: another model."
        if abs(by) > 1:
            seen += " Neighbours' multiples are further apart than 2/(nλ), and the noise does not cover that."
    return Diagnosis("scaled-weights", seen, "Add the noise to `weights` as they are.")
