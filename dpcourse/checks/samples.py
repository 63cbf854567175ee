"""Releases of datasets whose truth is known: what the noise is around, and whether it is the same noise everywhere.

False alarms of a right answer, for Laplace, geometric and normal noise: below 1e-8 a look.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpcourse.checks.cases.known import Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared

FULL = 20  # a number is large if it is so many scales from 0: no noise reaches that far


@dataclass(frozen=True)
class Sample:
    """Releases of one dataset.

    Parameters
    ----------
    arguments : tuple
        What the answer was called with, ε and rng left out.
    truth : ndarray, shape (d,)
    errors : ndarray, shape (runs, d)
        Releases less the truth.
    scale : float
        The right scale of the noise.
    """

    arguments: tuple[Any, ...]
    truth: np.ndarray
    errors: np.ndarray
    scale: float

    @cached_property
    def mean(self) -> np.ndarray:
        """The average release, shape (d,)."""
        return self.truth + self.errors.mean(axis=0)

    @cached_property
    def error(self) -> np.ndarray:
        """The standard error of `mean`."""
        return np.maximum(self.errors.std(axis=0, ddof=1) / math.sqrt(len(self.errors)), 1e-6 * self.scale)

    @cached_property
    def large(self) -> np.ndarray:
        """Which numbers are far from 0; all of them, if none is."""
        far = np.abs(self.truth) >= FULL * self.scale
        return far if far.any() else np.ones_like(far)

    @cached_property
    def size(self) -> float:
        """The mean size of the noise in units of its right scale."""
        spread = np.abs(self.errors - np.median(self.errors, axis=0))
        return max(float(spread.mean() / self.scale), 1e-9)


def wrong_truth(samples: Sequence[Sample], mistakes: Sequence[Mistake], check_truth: str) -> Diagnosis | None:
    """What the noise is around, if it is not the truth: a known mistake (``gives(*arguments)``), nothing, or unknown.

    Averages are compared in standard errors, of which a right answer is off by 12 at most. Noise that moves all results
    alike is no business of this look.
    """

    def off(wanted: Callable[[Sample], Any]) -> np.ndarray:
        """How far averages are from what is wanted, for all numbers that are far from 0."""
        each = [(np.abs(s.mean - np.ravel(np.asarray(wanted(s), dtype=float))) / s.error)[s.large] for s in samples]
        return np.concatenate(each)

    if off(lambda s: s.truth).max() < 12:
        return None
    nothing = Mistake(Shared.IGNORES_DATA, lambda *_: 0.0, f"Your results lie around 0. {_worst(samples)}")
    fitting = []
    for mistake in (nothing, *mistakes):
        each = off(lambda s: mistake.gives(*s.arguments))  # noqa: B023 (called at once)
        if each.max() < 12:
            # Under wide noise a share may as well be nothing: to be named, it has to fit better beyond doubt.
            fitting.append((float((each**2).sum()) - 100 * (mistake is nothing), mistake))
    if fitting:
        return min(fitting, key=lambda one: one[0])[1].diagnosis
    means, shifts, errors = (
        np.concatenate([(part(s) / s.scale)[s.large] for s in samples])
        for part in (lambda s: s.mean, lambda s: s.mean - s.truth, lambda s: s.error)
    )
    if np.ptp(shifts) < 12 * errors.max():
        return None
    if np.ptp(means) < 12 * errors.max():
        return Shared.IGNORES_DATA.seen(f"Your results do not follow the data. {_worst(samples)}")
    return _related(samples, off) or Shared.WRONG_TRUTH.seen(_worst(samples), check_truth)


def _related(samples: Sequence[Sample], off: Callable[[Callable[[Sample], Any]], np.ndarray]) -> Diagnosis | None:
    """What averages are of the truth: so many times it, the same numbers elsewhere, or its running totals."""
    means, truths = (
        np.concatenate([part(s)[s.large] for s in samples]) for part in (lambda s: s.mean, lambda s: s.truth)
    )
    factor = float(means @ truths / (truths @ truths))
    if off(lambda s: factor * s.truth).max() < 12:
        seen = f"Your results lie around {factor:.2g} times the truth. {_worst(samples)}"
        return Diagnosis("constant-factor", seen, "Where does this factor come from?")
    if len(samples[0].truth) == 1:
        return None
    if all((np.abs(np.sort(s.mean) - np.sort(s.truth)) < 12 * s.error).all() for s in samples):
        return Shared.WRONG_ORDER.seen("The right results stand at the wrong places.")
    if off(lambda s: np.cumsum(s.truth)).max() < 12:
        seen = f"Each of your results is the sum of the right ones up to its place. {_worst(samples)}"
        return Diagnosis("running-total", seen, "Whom does a single one of them count?")
    return None


def _worst(samples: Sequence[Sample]) -> str:
    def off(sample: Sample) -> np.ndarray:
        return np.where(sample.large, np.abs(sample.mean - sample.truth) / sample.error, 0.0)

    worst = max(samples, key=lambda sample: off(sample).max())
    place = int(off(worst).argmax())
    where = f" (place {place})" if len(worst.truth) > 1 else ""
    return (
        f"Where {worst.truth[place]:.6g} is right{where} you give {worst.mean[place]:.6g} on average over "
        f"{len(worst.errors)} calls."
    )


def follows_data(samples: Sequence[Sample], ask: str = "") -> Diagnosis | None:
    """Whether the noise is wider on some datasets than on others, where it should be the same.

    A mean over n draws of Laplace noise deviates by 1/√n, so that of two, one is 1 + 12/√n times the other with a
    probability below 1e-9 (n ≥ 200).
    """
    for some in _same_scale(samples):
        least, most = min(some, key=lambda s: s.size), max(some, key=lambda s: s.size)
        draws = min(sample.errors.size for sample in some)
        if most.size > (1 + 12 / math.sqrt(draws)) * least.size:
            return _differ(least, most, ask)
    return None


def _differ(least: Sample, most: Sample, ask: str) -> Diagnosis:
    people = [np.shape(sample.arguments[0])[0] for sample in (least, most)]
    where = [f"a dataset of {n:,} records" for n in people] if people[0] != people[1] else ["one dataset", "another"]
    seen = f"{least.size * least.scale:.3g} on average on {where[0]}, and {most.size * most.scale:.3g} on {where[1]}."
    if (
        len(most.truth) == 1
        and people[1] > 2 * people[0]
        and most.size / least.size > 0.5 * math.sqrt(people[1] / max(people[0], 1))
    ):
        return Shared.NOISE_PER_PERSON.seen(f"Your noise grows with the number of people: it is {seen}")
    return Shared.SCALE_FROM_DATA.seen(f"The width of your noise follows the data: it is {seen}", ask)


def _same_scale(samples: Sequence[Sample]) -> list[list[Sample]]:
    """Samples whose right noise is the same."""
    groups = defaultdict(list)
    for sample in samples:
        groups[f"{sample.scale:.9g}"].append(sample)
    return list(groups.values())
