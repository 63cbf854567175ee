"""What lessons 08 and 12 share: each law that is known gets its name, in the words of the exercise. Seeded."""

import numpy as np
import pandas as pd
import pytest

from dpcourse.checks import Exercise
from dpcourse.checks.gaussian import clipped, linked
from dpcourse.checks.mean_laws import NOISE_MISTAKES, Problem
from dpcourse.checks.noisy_mean import NoisyMean


def draw(rng):
    rows = rng.normal(size=(12, 15)) * np.exp(rng.uniform(-2, 2, (12, 1)))
    return Problem(rows, 1.5, float(rng.choice([0.5, 1.9])), 20.0)


STEP = NoisyMean((draw, draw), NOISE_MISTAKES, "Clip, add, add noise, divide.", z="σ", one="a cat", size="the size")
EXERCISE = Exercise("99.1", "A step", STEP.cases, call="step(rows, C, sigma, size, rng)")


def step(deviation=lambda C, sigma, size: sigma * C / size, link=False):
    def answer(rows, C, sigma, size, rng):
        noise = rng.normal(size=rows.shape[1])
        noise[-1] = noise[-2] if link else noise[-1]
        return clipped(rows, C).sum(axis=0) / size + deviation(C, sigma, size) * noise

    return answer


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (step(), "passed"),
        (step(lambda C, sigma, size: sigma * C), "noise-after-averaging"),
        (step(lambda C, sigma, size: sigma / size), "noise-without-clip"),
        (step(lambda C, sigma, size: 0.9 * sigma * C / size), "too-little-noise"),
        (lambda rows, C, sigma, size, rng: rng.normal(0, sigma * C / size, 15), "ignores-data"),
        (step(link=True), "linked-noise"),
        (lambda *given, rng: step()(*given, rng).round(6) + 1e-9, "digits-tell"),
        (lambda *given, rng: step()(*given, rng).round(6), "passed"),
        (lambda *given, rng: pd.Series(step()(*given, rng), index=given[0].sum(axis=0)), "leaks"),
        (lambda rows, *rest, rng: step()(rows, *rest, rng) if len(rows) else np.zeros(15), "nobody"),
    ],
)
def test_each_law_has_its_name(answer, key):
    assert EXERCISE.grade(answer, rng=0).key == key


def test_words_are_those_of_the_exercise():
    found = EXERCISE.grade(step(lambda C, sigma, size: sigma / size), rng=0)
    assert "a cat moves the sum by C = 1.5." in found.diagnosis


def test_independent_noise_is_not_linked():
    rng = np.random.default_rng(0)
    assert not any(linked(rng.normal(size=(300, 20)), 1e-6) for _ in range(50))
