"""Capstone 5.1: the attack. Two exact sums that differ by one patient hold that patient's readings and outcome."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.measured import to_decimals
from dpcourse.lessons.capstone_5.exercises.reference import book, hospital_sum, spread_out, ward, whole


def _two_days(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Weights, the sums of Monday and of Tuesday, and what the textbooks say: of one stay up to those of two studies.

    A third of the weights are zeros, as in a first round. Half of the time readings are whole or have one decimal.
    """
    centre, spread = book(rng, readings := whole(rng, 1, 60))
    weights = rng.normal(0, 0.4 / np.sqrt(readings / 10), readings + 1) * (rng.random() < 2 / 3)
    X, y, _ = ward(rng, whole(rng, 1, 40_000), centre, spread)
    X, y[-1] = to_decimals(X, rng), rng.integers(2)
    clip = spread_out(rng, 0.3, 30) if rng.random() < 0.7 else 1e6
    return weights, *_sums(weights, X, y, centre, spread, clip), centre, spread


def _sums(weights, X, y, centre, spread, clip) -> list[np.ndarray]:
    """With everybody but the last, and with everybody; each stay is another patient's."""
    many = np.arange(len(y))
    before, last = (
        hospital_sum(weights, X[some], y[some], many[some], centre, spread, clip) for some in (many[:-1], many[-1:])
    )
    return [before, before + last]


def read(weights, before, after, centre, spread) -> np.ndarray:
    """The right answer: readings in their own units, the outcome last."""
    part = after - before
    return np.append(centre + spread * part[:-1] / part[-1], float(part[-1] < 0))


def _flipped(*given) -> np.ndarray:
    found = read(*given)
    return np.append(found[:-1], 1 - found[-1])


def _guessed(weights, before, after, centre, spread) -> np.ndarray:
    found = read(weights, before, after, centre, spread)
    part = after - before
    return np.append(found[:-1], float(expit(np.append(part[:-1] / part[-1], 1.0) @ weights) > 0.5))


READ = (
    Equals(
        _two_days,
        read,
        (
            Mistake(
                "difference",
                lambda weights, before, after, centre, spread: after - before,
                "That is what the patient added to the sum, (p − y) · (z, 1).",
                "The last of these numbers is p − y alone. What does it tell about the others?",
            ),
            Mistake(
                "not-divided",
                lambda w, before, after, centre, spread: np.append(
                    centre + spread * (after - before)[:-1], float((after - before)[-1] < 0)
                ),
                "You read z off (p − y) · z as if p − y were 1.",
                "Where in the vector does p − y stand alone?",
            ),
            Mistake(
                "scaled",
                lambda w, before, after, centre, spread: np.append(
                    (after - before)[:-1] / (after - before)[-1], float((after - before)[-1] < 0)
                ),
                "Your readings are the scaled ones, z.",
                "z = (x − centre) / spread. What is x?",
            ),
            Mistake(
                "outcome-flipped",
                _flipped,
                "The readings are right, and the outcome is turned around.",
                "p is between 0 and 1. Which sign has p − y where y is 1, and which of the two sums has the patient?",
            ),
            Mistake(
                "outcome-guessed",
                _guessed,
                "The readings are right. As outcome you give the model's guess, p > 0.5.",
                "The sum knows the outcome itself. What is the sign of p − y?",
            ),
            Mistake(
                "sign",
                lambda w, before, after, centre, spread: np.append(
                    centre - spread * (after - before)[:-1] / (after - before)[-1], float((after - before)[-1] < 0)
                ),
                "Your readings lie on the wrong side of the centre.",
                "The sign of p − y is in all numbers of the vector. What is left of it when you divide?",
            ),
            Mistake(
                "length",
                lambda w, before, after, centre, spread: np.append(
                    centre + spread * (after - before)[:-1] / np.abs((after - before)[-1]),
                    float((after - before)[-1] < 0),
                ),
                "You divide by |p − y|. For a patient who came to intensive care all readings are on the wrong side.",
                "What is the sign of p − y for that patient?",
            ),
        ),
        rtol=1e-5,
        times=24,  # both outcomes come up
        atol=1e-5,
    ),
)
