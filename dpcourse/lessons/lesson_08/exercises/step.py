"""Exercise 08.3: one private step. Its law is known exactly, and so are the laws of the usual mistakes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases import Audited, Returns, either_order
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.gaussian import GaussianLaw, clipped, compared, not_gaussian
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_08.exercises.gradients import (
    BATCH_CLIPPED,
    MICROBATCH,
    NORMALISED,
    NOT_CLIPPED,
    PER_COORDINATE,
    batch,
    by_coordinate,
    in_groups,
    normalised,
)
from dpcourse.privacy import Guarantee


def _laws(gradients: np.ndarray, C: float, sigma: float, size: float) -> Iterator[tuple[GaussianLaw, Diagnosis]]:
    """The laws of known mistakes."""
    m, right = len(gradients), clipped(gradients, C).sum(axis=0) / size
    noise = sigma * C / size
    batch_clipped = clipped(gradients.sum(axis=0), C), clipped(gradients.mean(axis=0), C)
    for mean in batch_clipped:
        for scaled in (mean / size, mean):
            yield GaussianLaw(scaled, noise), BATCH_CLIPPED
    for group in (2, 3, 4, 8):
        for means in (False, True):
            yield GaussianLaw(in_groups(gradients, C, group, means) / size, noise), MICROBATCH
    yield GaussianLaw(by_coordinate(gradients, C) / size, noise), PER_COORDINATE
    yield GaussianLaw(normalised(gradients, C) / size, noise), NORMALISED
    yield GaussianLaw(gradients.sum(axis=0) / size, noise), NOT_CLIPPED
    yield (
        GaussianLaw(right, sigma * C),
        Diagnosis(
            "noise-after-averaging",
            f"Your noise has deviation σC = {sigma * C:.3g} after the division: {size:.0f} times what the claim needs. "
            "That much noise belongs to the sum.",
            "Add the noise to the sum, then divide both.",
        ),
    )
    realised = Diagnosis(
        "realised-batch-size",
        f"You divide by the number of examples in the batch ({m} here). It is private: the size of the noise, and of "
        "the whole result, tells it, and more so in many dimensions.",
        "Divide by the expected batch size, which is public.",
    )
    yield GaussianLaw(right * size / m, sigma * C / m), realised
    yield GaussianLaw(right * size / m, noise), realised
    yield GaussianLaw(right, sigma * C / m), realised
    yield (
        GaussianLaw(right, sigma / size),
        Diagnosis(
            "noise-without-clip",
            f"Your noise does not know C. Its deviation on the sum is σ = {sigma:.3g}; an example moves the sum by "
            f"C = {C:.3g}.",
            "The noise multiplier multiplies the sensitivity.",
        ),
    )
    for deviation in (sigma * C / size**2, sigma / size**2):
        yield (
            GaussianLaw(right, deviation),
            Diagnosis(
                "divided-twice",
                f"The noise is divided by the batch size twice: it is {size:.0f} times too small.",
                "Add σC to the sum, then divide once.",
            ),
        )
    for deviation in (sigma * sigma * C * C / size, math.sqrt(sigma * C) / size, sigma**2 * C / size):
        yield (
            GaussianLaw(right, deviation),
            Diagnosis(
                "variance-for-deviation",
                "Variance and deviation are mixed up: `scale` in NumPy is the deviation.",
                "The deviation on the sum is σC.",
            ),
        )
    yield (
        GaussianLaw(right, 2 * noise),
        Diagnosis(
            "twice-the-noise",
            "Your noise is for a sensitivity of 2C. Under add-remove an example moves the sum by C.",
            "Twice C is for replacing an example.",
        ),
    )
    yield (
        GaussianLaw(right * size, sigma * C),
        Diagnosis("not-divided", "That is the noisy sum.", "Divide it by the expected batch size."),
    )
    yield (
        GaussianLaw(right, 0.0),
        Shared.NO_NOISE.seen(
            "There is no noise in your result.",
            "Clipping bounds the sensitivity; the noise hides it.",
        ),
    )
    yield (
        GaussianLaw(-right, noise),
        Diagnosis(
            "sign",
            "Your result is the right one with its sign turned around.",
            "The mean gradient is wanted. The minus comes where the weights take the step.",
        ),
    )
    yield (
        GaussianLaw(right[::-1], noise),
        Diagnosis(
            "reversed", "Your result is the right one back to front.", "Every entry belongs to a weight of its own."
        ),
    )
    for mean in batch_clipped:  # last: under so much noise many means look alike
        for deviation in (sigma * C, sigma * C / m):
            yield GaussianLaw(mean, deviation), BATCH_CLIPPED


def _step_problem(rng: Generator) -> tuple[np.ndarray, float, float, float]:
    gradients, C = batch(rng)
    # A direction in common, so that clipped sums of everybody, of groups and of the batch are far from each other.
    gradients = gradients + 0.6 * C * np.eye(gradients.shape[1])[0]
    sigma = float(rng.choice([0.4, 0.55, 1.8, 2.2]))  # far from 1, where a deviation and its square are alike
    size = float(rng.integers(2, 4) * len(gradients) + rng.integers(1, 5))
    return gradients, C, sigma, size


def _odd(rng: Generator) -> tuple[np.ndarray, float, float, float]:
    """An odd number of examples, where those of `batch` are even; under little noise, for means to be told apart."""
    gradients, C, _, size = _step_problem(rng)
    return gradients[:-1], C, float(rng.choice([0.4, 0.55])), size


def _has_the_law(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng, problems, outputs = chance.rng, [], []
    for draw in (_step_problem, _odd, _step_problem):
        problems.append(draw(rng))
        gradients, *rest = problems[-1]
        data = frozen(gradients)
        outputs.append(np.array([answer(data, *rest, rng=rng) for _ in range(500)], dtype=float))
    rights = [GaussianLaw(clipped(g, C).sum(axis=0) / size, sigma * C / size) for g, C, sigma, size in problems]
    refuted = [not law.explains(seen, chance.failure / 3) for law, seen in zip(rights, outputs, strict=True)]
    if not any(refuted):
        return None
    for laws in zip(*(_laws(*problem) for problem in problems), strict=True):
        # By chance a mistake may look like another on one problem; not on all of them.
        if all(law.explains(seen, 1e-6) for (law, _), seen in zip(laws, outputs, strict=True)):
            return laws[0][1]
    first = refuted.index(True)
    return _unknown_law(outputs[first], rights[first])


def _unknown_law(outputs: np.ndarray, right: GaussianLaw) -> Diagnosis:
    spread = outputs - outputs.mean(axis=0)
    deviation, shared = spread.std(), spread.mean(axis=1).std()
    if deviation > 0 and shared > 0.9 * deviation:
        return Shared.SHARED_NOISE.seen(
            "All coordinates get the same noise: a difference of two coordinates has none.",
            "rng.normal(..., size=...) draws one for each.",
        )
    if not_gaussian(outputs, right):
        return Diagnosis(
            "not-gaussian",
            "Mean and deviation are right, but your noise is not Gaussian. The accountant is told that it is, and "
            "counts what Gaussian noise costs.",
            "rng.normal(..., size=...) on every coordinate.",
        )
    return Diagnosis(
        "wrong-law",
        compared(outputs, right),
        "Clip each row, add the rows, add noise of deviation σC to every coordinate, divide by the expected size.",
    )


def _empty_batch(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A Poisson batch may hold nobody. An error, or a result without noise, would say so."""
    gradients, C, sigma, size = _step_problem(chance.rng)
    nobody, d = frozen(gradients[:0]), gradients.shape[1]
    hint = "With nobody in the batch the sum is zero, and the noise is what it always is."
    try:
        outputs = np.array([answer(nobody, C, sigma, size, rng=chance.rng) for _ in range(100)], dtype=float)
    except AnswerRaised as raised:
        return Diagnosis(
            "empty-batch",
            f"With an empty batch your function stops with {raised}. Poisson batches are empty now and then, and an "
            "error is an output: it tells that nobody was in it.",
            hint,
        )
    if outputs.shape == (100, d) and GaussianLaw(np.zeros(d), sigma * C / size).explains(outputs, chance.failure):
        return None
    return Diagnosis("empty-batch", "With an empty batch your function does not return noise as always.", hint)


_STEP_SIGMA = 2.0
_STEP_CLAIM = Guarantee(1.9931, 1e-5)  # what Gaussian noise with multiplier 2 costs, rounded up


def _with_canary(rng: Generator) -> tuple[Any, Any]:
    """One example more, far longer than C, in a direction that nobody else has."""
    gradients, C = batch(rng)
    gradients[:, 0] = 0.0
    canary = np.zeros(gradients.shape[1])
    canary[0] = 1000 * C
    more = np.insert(gradients, rng.integers(len(gradients) + 1), canary, axis=0)
    pair = (gradients, C), (more, C)
    return either_order(*pair, rng)


PRIVATE_STEP = (
    Returns(_step_problem, what="array", shape=lambda gradients, *_: gradients.shape[1:]),
    _has_the_law,
    _empty_batch,
    Audited(
        _with_canary,
        _STEP_CLAIM,
        runs=3000,
        call=lambda answer, data, rng: answer(*data, _STEP_SIGMA, 50.0, rng=rng),
        view=lambda output: round(float(np.ravel(output)[0]), 6),
        hint="Your function behaves on this batch otherwise than on the ones before. What does it look at?",
    ),
)
