"""Exercise 03.4: the two parts of a mean, each with half of ε."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Useful, View, either_order
from dpcourse.checks.cases.known import Pairs
from dpcourse.lessons.lesson_03.exercises.epsilon import follows_epsilon, heavy_tails
from dpcourse.lessons.lesson_03.exercises.sums import CLAIM, bounds, call_at, records, somebody


def _call_parts(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _two(output: Any) -> tuple[float, float]:
    total, count = output
    return float(total), float(count)


def _two_numbers(answer: Answer, trial: Trial) -> Wrong | None:
    low, high = bounds(trial.rng, "far from zero")
    for values in (records(trial.rng, low, high), np.array([])):
        result = answer(values, low, high, 1.0, rng=trial.rng)
        try:
            total, count = _two(result)
        except (TypeError, ValueError):
            return Wrong(f"Two numbers are wanted, (total, count); you return {result!r}.", "", "wrong-shape")
        if not (math.isfinite(total) and math.isfinite(count)):
            seen = f"For {len(values)} records you return ({total}, {count})."
            return Wrong(seen, "Is something divided by n?", "nan")
    return None


def _parts_audited(answer: Answer, trial: Trial) -> Wrong | None:
    """A record at the upper bound moves both parts by all they may move; one far outside moves them no further."""
    rng, half = trial.rng, Trial(trial.rng, trial.failure / 2)
    low, high = bounds(rng, "far from zero")
    centre, reach = (low + high) / 2, (high - low) / 2
    everybody = np.full(int(rng.integers(5, 40)), centre)

    def pairs(record: float) -> Pairs:
        sides = (everybody, low, high), (np.append(everybody, record), low, high)
        return lambda rng: either_order(*sides, rng)

    def count_only(output: Any) -> float:
        return round(_two(output)[1], 3)

    def total_only(output: Any) -> float:
        return round(_two(output)[0] / reach, 3)

    def both(output: Any) -> float:
        """How far the two parts lean to the larger dataset: for Laplace noise as good as the likelihood ratio."""
        total, count = _two(output)
        leans = min(max(total / reach, 0.0), 1.0) + min(max(count - len(everybody), 0.0), 1.0)
        return round(leans, 3)

    def exact(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
        if _spread(answer, (everybody, low, high), trial.rng, 1) > 0:
            return None
        return Wrong(
            "Your count is exact, and how many records there are is private here.",
            "The count alone gives a person away. Does it get noise?",
            "exact-count",
        )

    def not_centred(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
        if _spread(answer, (everybody, low, high), trial.rng, 0) < 0.5 * reach:
            return None
        return Wrong(
            "Your total tells two neighbouring datasets apart: a record at the upper bound moves it by more than its "
            "noise is for.",
            "Is the total taken from the centre of the bounds, as the noise of half the width supposes?",
            "not-centred",
        )

    at_the_bound = Audited(
        pairs(high),
        CLAIM,
        call=_call_parts,
        view=count_only,
        runs=5000,
        diagnose=exact,
        hint="The count alone gives a person away. Does it get noise?",
        key="exact-count",
        also=(
            View(
                total_only,
                hint="Measured from the centre, a clipped record is (U − L)/2 at most.",
                key="total-too-sharp",
                diagnose=not_centred,
            ),
            View(
                both,
                hint="Either part by itself keeps ε = 1. Together they are two releases: split ε between them.",
                key="budget-spent-twice",
            ),
        ),
    )
    far_outside = Audited(
        pairs(100 * high),
        CLAIM,
        call=_call_parts,
        view=total_only,
        runs=1000,
        hint="A record far outside comes through. Clip before you add.",
        key="not-clipped",
    )
    return at_the_bound(answer, half) or far_outside(answer, half)


def _parts_apart(answer: Answer, trial: Trial) -> Wrong | None:
    """Nobody is a dataset too, and each part has a draw of its own.

    Independent parts correlate by 0.5 over 400 runs with a probability below 1e-12.
    """
    low, high = bounds(trial.rng, "far from zero")
    nobody = [_two(_call_parts(answer, (np.array([]), low, high), trial.rng)) for _ in range(30)]
    if (np.ptp(nobody, axis=0) == 0).any():
        return Wrong(
            "When nobody is in the data, a part has no noise: that tells the empty dataset from one with a person.",
            "Zeros need noise too.",
            "nobody",
        )
    people = somebody(trial.rng)
    parts = np.array([_two(_call_parts(answer, people, trial.rng)) for _ in range(400)])
    if abs(np.corrcoef(parts.T)[0, 1]) > 0.5:
        return Wrong(
            "Total and count share their noise: whoever subtracts one from the other, in the right units, removes it.",
            "A draw of its own for each part.",
            "linked-noise",
        )
    return None


def _count_has_heavy_tails(answer: Answer, trial: Trial) -> Wrong | None:
    """The count by itself: a record at the centre moves nothing else.

    Half of ε = 6 is the count's, or more of it where the answer splits ε unequally: Laplace noise of mean size b is for
    1/b. Over 2,000 runs chance moves a mean size by 2.2%, and 10% are left for it.
    """
    people, epsilon = somebody(trial.rng), 6.0
    sizes = [abs(_two(call_at(answer, people, epsilon, trial.rng))[1] - len(people[0])) for _ in range(2000)]
    claim = max(epsilon / 2, 1.1 / float(np.mean(sizes)))
    return heavy_tails(call_at, _one_at_centre, lambda output: round(_two(output)[1], 3), epsilon, claim)(answer, trial)


def _spread(answer: Answer, data: Any, rng: Generator, part: int) -> float:
    results = np.array([_two(_call_parts(answer, data, rng))[part] for _ in range(200)])
    return float(np.median(np.abs(results - np.median(results))))


def _one_at_centre(rng: Generator) -> tuple[Any, Any]:
    values, low, high = somebody(rng)
    return either_order((values, low, high), (np.append(values, (low + high) / 2), low, high), rng)


def _clipped_records(rng: Generator) -> tuple[Any, Any]:
    low, high = bounds(rng, "far from zero")
    values = rng.uniform(low - (high - low), high + (high - low), int(rng.integers(5, 60)))
    return (values, low, high), (np.append(values, high), low, high)


def _parts_error(output: Any, truth: Any) -> float:
    return max(abs(got - wanted) / unit for got, wanted, unit in zip(_two(output), truth[:2], truth[2:], strict=True))


def _parts_truth(data: Any) -> tuple[float, float, float, float]:
    values, low, high = data
    reach = (high - low) / 2
    return float((np.clip(values, low, high) - (low + high) / 2).sum()), len(values), reach, 1.0


MEAN_PARTS = (
    _two_numbers,
    _parts_audited,
    Useful(
        _clipped_records,
        truth=_parts_truth,
        error=_parts_error,
        # With ε/2 each, both lie within 8 of their units with probability (1 − e^−4)² = 96%; at ε/4 with 75%.
        within=8.0,
        at_least=0.9,
        call=_call_parts,
        hint="Half of ε for each, (U − L)/2 and 1 as sensitivities: is there more noise than that, or a shift?",
    ),
    _parts_apart,
    follows_epsilon(call_at, somebody),
    _count_has_heavy_tails,
)
