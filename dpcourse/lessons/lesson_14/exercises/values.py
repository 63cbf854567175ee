"""Exercise 14.5 where a value is 0, near 0 or large, and where one record moves it by less than a step.

Calls that are asked once each say little about a special value, so each of a few is asked about many times.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.entries import uneven
from dpcourse.checks.once import between, whole
from dpcourse.checks.vocabulary import Shared

OFTEN, OFTEN_BELOW = 120, 400  # releases of each value; where one record moves it by less than a step
EPSILONS = (0.3, 2.0)  # at which hardly any law of a few steps has most of its weight on one
LARGE, HUGE = (10**6, 10**8), (10**8, 10**10)  # a total of incomes


def _values(rng: Generator) -> list[tuple[float, float]]:
    """Values with their steps. All but those near 0 are on the grid: where they round to is no matter of taste."""
    fine, coarse = 2.0 ** -int(rng.integers(2, 9)), 2.0 ** int(rng.integers(1, 12))
    large = [
        (float(sign * (whole(rng, *ends) | 1)), float(rng.choice((1.0, fine))))
        for ends in (LARGE, HUGE)
        for sign in (1, -1)
    ]
    near = fine * float(rng.uniform(-0.49, 0.49)), coarse * float(rng.uniform(-0.49, 0.49))
    usual = fine * float(rng.integers(-1000, 1000))
    return [(0, 1.0), (0.0, coarse), (near[0], fine), (near[1], coarse), (usual, fine), *large]


def of_all_sizes(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Discrete Laplace noise around each of these values, every other time with a sensitivity below a step."""
    rng, values = chance.rng, _values(chance.rng)
    for place, (value, g) in enumerate(values):
        part = float(10 ** rng.uniform(-3, -0.01)) if place % 2 else float(rng.uniform(0.2, 0.8) + rng.integers(4))
        epsilon, sensitivity = between(rng, *EPSILONS), g * part
        given = (int(value) if value % 1 == 0 and rng.random() < 0.5 else value), sensitivity, float(g), epsilon
        often = OFTEN_BELOW if part < 1 else OFTEN
        steps = np.array([float(answer(*given, rng=rng)) for _ in range(often)]) / g
        scale, nearest = (math.floor(part) + 1) / epsilon, {math.floor(value / g), math.ceil(value / g)}
        failure = chance.failure / len(values) / 2
        if all(_unlike(_places(steps - at, scale, rng), failure) for at in nearest):
            return _told(given, steps, scale)
    return None


def _unlike(places: np.ndarray, failure: float) -> bool:
    """Whether these lie too low or too high together; or, which tells of their scale, too near the middle or too far
    from it."""
    return any(uneven(places, failure)) or any(uneven(np.abs(2 * places - 1).clip(1e-16, 1 - 1e-16), failure))


def _places(off: np.ndarray, scale: float, rng: Generator) -> np.ndarray:
    """Where so many steps lie in discrete Laplace noise: uniform between 0 and 1. What is no whole step lies at 0."""
    rest = math.exp(-1 / scale)  # P[steps ≥ m] = rest^m / (1 + rest), for m ≥ 1
    size = np.abs(off)
    beyond = rest ** (size + 1) / (1 + rest) + rng.random(off.size) * (1 - rest) / (1 + rest) * rest**size
    return np.where(off % 1 == 0, np.where(off < 0, beyond, 1 - beyond), 0.0).clip(1e-300, 1 - 1e-16)


def _told(given: tuple[float, float, float, float], steps: np.ndarray, scale: float) -> Diagnosis:
    value, sensitivity, g, epsilon = given
    at = round(value / g)
    rest = math.exp(-1 / scale)
    exact, right = float((steps == at).mean()), (1 - rest) / (1 + rest)
    seen = (
        f"Asked {len(steps)} times to release {value!r} (sensitivity {sensitivity:.4g}, g = {g:g}, ε = {epsilon:.3g}), "
        f"you give the rounded value itself in {exact:.0%} of calls; about {right:.0%} is right. On average your "
        f"results lie {(steps - at).mean():+.3g} steps from it; 0 is right."
    )
    ask = "For which values, or which sensitivities, does your function do something else?"
    return Shared.NOT_EVERYWHERE.seen(seen, ask)
