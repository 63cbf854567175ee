"""Wrong answers that follow from what an exercise declares: nobody has to write them a second time.

Of a formula or a value, each declared mistake is an answer. Of a release, so is each wrong truth with the right noise,
each wrong scale around the right truth, and what can be done wrong to any release. Each gets its own diagnosis.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np

from dpcourse.checks import answers
from dpcourse.checks.base import CheckResult
from dpcourse.checks.cases import Equals, Value
from dpcourse.checks.noise_laws import laplace
from dpcourse.checks.registry import exercises
from dpcourse.checks.release import Release, plainly

Wrong = tuple[str, str, Any]  # exercise, key, answer


def graded(id: str, answer: Any, rng: int | np.random.Generator, place: int | None = None) -> CheckResult:
    """A check, or one case of it, of an answer made of the exercise's own code, which an answer may not call."""
    exercise = dataclasses.replace(exercises(id.partition(".")[0])[id], own_work=False)
    if place is not None:
        exercise = dataclasses.replace(exercise, cases=(exercise.cases[place],))
    with mock.patch.object(answers, "_oracle", lambda *_: False):
        return exercise.grade(answer, rng=rng)


def wrong_formulas(lesson: str) -> Iterator[tuple[str, str, Any, int | None]]:
    """Exercise, key, answer, and the case: None for the whole check.

    What an exercise's further formulas declare is made on inputs of their own, and the first may name it otherwise. At
    four decimals most σ of 04.1 are within its tolerance: answers that round are written by hand.
    """
    for id, exercise in exercises(lesson).items():
        places = [place for place, case in enumerate(exercise.cases) if isinstance(case, Equals | Value)]
        for place in places:
            for mistake in exercise.cases[place].mistakes:  # type: ignore[attr-defined]
                if mistake.diagnosis.key != "rounded":
                    yield id, mistake.diagnosis.key, mistake.gives, None if place == places[0] else place


def releases(lesson: str) -> Iterator[tuple[str, Release]]:
    """Those that are called as usual and ask for Laplace noise."""
    for id, exercise in exercises(lesson).items():
        owners = [getattr(case, "__self__", None) for case in exercise.cases]
        release = next((owner for owner in owners if isinstance(owner, Release)), None)
        if release and release.call is plainly and laplace in release.noise:
            yield id, release


def released(
    release: Release,
    truth: Callable[..., Any] | None = None,
    scale: Callable[..., float] | None = None,
    noise: Callable[..., Any] = lambda rng, scale, truth: rng.laplace(0, scale, truth.shape),
) -> Callable[..., Any]:
    """The right release, or one of another truth, another scale(ε, *arguments), another draw of noise."""

    def answer(*given: Any, rng: np.random.Generator) -> Any:
        *arguments, epsilon = given
        about = np.asarray((truth or release.truth)(*arguments), dtype=float)
        wide = scale(epsilon, *arguments) if scale else release.scale(tuple(arguments), epsilon)
        result = about + noise(rng, wide, about)
        return result if result.ndim else float(result)

    return answer


def wrong_releases(lesson: str) -> Iterator[Wrong]:
    for id, release in releases(lesson):
        for mistake in release.mistakes:
            yield id, mistake.diagnosis.key, released(release, truth=mistake.gives)
        for mistake in release.scales:
            yield id, mistake.diagnosis.key, released(release, scale=mistake.gives)
        scales = {
            "epsilon-ignored": lambda epsilon: 1.0,
            "epsilon-inverted": lambda epsilon: 1 / epsilon,
            "wrong-power": lambda epsilon: epsilon**2,
            "too-much-noise": lambda epsilon: epsilon / 2,
            "too-little-noise": lambda epsilon: 2 * epsilon,
        }
        for key, of in scales.items():
            yield id, key, released(release, scale=lambda epsilon, *a, r=release, of=of: r.scale(a, of(epsilon)))
        some = np.concatenate([np.ravel(release.truth(*draw(np.random.default_rng(0)))) for draw in release.data])
        many = NOISES_OF_MANY if len(some) > len(release.data) else {}
        cells = NOISES_OF_CELLS if many and (some == 0).any() else {}
        wide = release.scale(release.data[0](np.random.default_rng(0)), 1.0) > 5
        for key, noise in (NOISES | many | cells).items():
            if not (wide and key == "cut-decimals"):  # half a step is nothing beside such noise
                yield id, key, released(release, noise=noise)
        yield id, "own-generator", lambda *a, rng, r=release: released(r)(*a, rng=np.random.default_rng())
        if release.nobody is not None:
            yield id, "nobody", refuses_nobody(release)


def refuses_nobody(release: Release) -> Callable[..., Any]:
    def answer(*given: Any, rng: np.random.Generator) -> Any:
        if not len(given[0]):
            raise ValueError("no data")
        return released(release)(*given, rng=rng)

    return answer


NOISES = {
    "not-random": lambda rng, scale, truth: 0.0,
    "thin-tails": lambda rng, scale, truth: rng.normal(0, math.sqrt(2) * scale, truth.shape),
    "one-sided-noise": lambda rng, scale, truth: rng.exponential(scale, truth.shape),
    "centre-for-scale": lambda rng, scale, truth: rng.laplace(scale, 1, truth.shape),
    "noise-not-centred": lambda rng, scale, truth: rng.laplace(scale / 2, scale, truth.shape),
    "cut-decimals": lambda rng, scale, truth: np.floor(rng.laplace(0, scale, truth.shape)),
}
NOISES_OF_MANY = {
    "shared-noise": lambda rng, scale, truth: rng.laplace(0, scale),
    "exact-total": lambda rng, scale, truth: (lambda x: x - x.mean())(rng.laplace(0, scale, truth.shape)),
    "linked-noise": lambda rng, scale, truth: np.repeat(rng.laplace(0, scale, truth.shape), 2, axis=-1)[
        ..., : truth.shape[-1]
    ],
    "noise-by-size": lambda rng, scale, truth: np.where(
        truth > np.median(truth), 0, rng.laplace(0, scale, truth.shape)
    ),
}
NOISES_OF_CELLS = {
    "empty-exact": lambda rng, scale, truth: np.where(truth == 0, 0, rng.laplace(0, scale, truth.shape)),
    "cut-at-zero": lambda rng, scale, truth: np.maximum(rng.laplace(0, scale, truth.shape), -truth),
}
