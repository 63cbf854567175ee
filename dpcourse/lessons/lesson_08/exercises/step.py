"""Exercise 08.3: one private step. Its law is known exactly, and so are the laws of the usual mistakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from dpcourse.checks.cases import Mistake
from dpcourse.checks.gaussian import GaussianLaw, clipped
from dpcourse.checks.mean_laws import NOISE_MISTAKES, Problem
from dpcourse.checks.noisy_mean import NoisyMean
from dpcourse.lessons.lesson_08.exercises.gradients import (
    EACH_ROW,
    MICROBATCH,
    NORMALISED,
    NOT_CLIPPED,
    PER_COORDINATE,
    batch,
    by_coordinate,
    in_groups,
    normalised,
)


def _batch_clipped(p: Problem) -> list[np.ndarray]:
    return [clipped(p.rows.sum(axis=0), p.C), clipped(p.rows.mean(axis=0), p.C)]


def _clips_the_batch(laws: Callable[[Problem], list[GaussianLaw]], moves: str) -> Mistake:
    seen = f"You clip the batch's gradient, not each example's. One person can turn it around, {moves}."
    return Mistake("batch-clipped", laws, seen, EACH_ROW)


def _means(of: Callable[[Problem], Sequence[np.ndarray]]) -> Callable[[Problem], list[GaussianLaw]]:
    """The right noise around these sums, divided."""
    return lambda p: [p.law(total / p.size) for total in of(p)]


_MISTAKES = (
    _clips_the_batch(_means(_batch_clipped), "and moves it by up to 2C. Your noise is for C"),
    _clips_the_batch(
        lambda p: [p.law(one) for one in _batch_clipped(p)],
        "so your result moves by up to 2C. Your noise is for C divided by the batch size",
    ),
    Mistake.told(
        MICROBATCH,
        _means(lambda p: [in_groups(p.rows, p.C, group, mean) for group in (2, 3, 4, 8) for mean in (False, True)]),
    ),
    Mistake.told(PER_COORDINATE, _means(lambda p: [by_coordinate(p.rows, p.C)])),
    Mistake.told(NORMALISED, _means(lambda p: [normalised(p.rows, p.C)])),
    Mistake.told(NOT_CLIPPED, _means(lambda p: [p.rows.sum(axis=0)])),
    Mistake(
        "realised-batch-size",
        lambda p: [p.law(p.right * p.size / p.m, p.on_sum / p.m), p.law(deviation=p.on_sum / p.m)],
        "You divide by the number of examples in the batch ({p.m} here). It is private: the size of the noise, and of "
        "the whole result, tells it, and more so in many dimensions.",
        "Divide by the expected batch size, which is public.",
    ),
    Mistake(
        "realised-batch-size",
        lambda p: [p.law(p.right * p.size / p.m)],
        "You divide the sum by the number of examples in the batch ({p.m} here). In a small batch, one example then "
        "moves your result by more than C/(expected size), which is what the noise is for.",
        "Divide by the expected batch size, which is public.",
    ),
    *NOISE_MISTAKES,
    Mistake(
        "sign",
        lambda p: [p.law(-p.right)],
        "Your result is the right one with its sign turned around.",
        "The mean gradient is wanted. The minus comes where the weights take the step.",
    ),
    _clips_the_batch(  # last: under so much noise many means look alike
        lambda p: [p.law(one, deviation) for one in _batch_clipped(p) for deviation in (p.on_sum, p.on_sum / p.m)],
        "so your result moves by up to 2C. Your noise is for C at most",
    ),
)


def _step(rng: Generator) -> Problem:
    gradients, C = batch(rng)
    # A direction in common, so that clipped sums of everybody, of groups and of the batch are far from each other.
    gradients = gradients + 0.6 * C * np.eye(gradients.shape[1])[0]
    sigma = float(rng.choice([0.4, 0.55, 1.8, 2.2]))  # far from 1, where a deviation and its square are alike
    return Problem(gradients, C, sigma, float(rng.integers(2, 4) * len(gradients) + rng.integers(1, 5)))


def _odd(rng: Generator) -> Problem:
    """An odd number of examples, where those of `batch` are even; under little noise, for means to be told apart."""
    p = _step(rng)
    return Problem(p.rows[:-1], p.C, float(rng.choice([0.4, 0.55])), p.size)


PRIVATE_STEP = NoisyMean(
    (_step, _odd, _step),
    _MISTAKES,
    "Clip each row, add the rows, add noise of deviation σC to every coordinate, divide by the expected size.",
    z="σ",
    one="an example",
    size="the batch size",
    most=60_000,  # the lesson takes steps on everybody
)
