"""Exercises 03.2 and 03.4: a noisy sum of clipped records, and the two parts of a mean.

Answers draw Laplace noise in floats, so audits look at rounded outputs: the hole in the low bits is lesson 14's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Returns, Useful, either_order
from dpcourse.checks.l03.epsilon import follows_epsilon, heavy_tails
from dpcourse.privacy import Guarantee

CLAIM = Guarantee(1.0)


def _records(rng: Generator, low: float, high: float) -> np.ndarray:
    return rng.uniform(low, high, int(rng.integers(5, 60)))


def _bounds(rng: Generator, kind: str) -> tuple[float, float]:
    size = float(rng.uniform(20, 200))
    return {
        "from zero": (0.0, size),
        "negative": (-size, size / 10),
        "both signs": (-size, 0.9 * size),
        "far from zero": (0.9 * size, size),
    }[kind]


def _with_record(kind: str, record: Callable[[float, float], float]):
    """Neighbours: one more record, whose value follows from the bounds."""

    def pairs(rng: Generator) -> tuple[Any, Any]:
        low, high = _bounds(rng, kind)
        values = _records(rng, low, high)
        more = np.insert(values, rng.integers(len(values) + 1), record(low, high))
        return either_order((values, low, high), (more, low, high), rng)

    return pairs


def _among_no_numbers(rng: Generator) -> tuple[Any, Any]:
    """Neighbours: thirty records that are no numbers and one at the lower bound; one more at the upper bound."""
    low, high = _bounds(rng, "from zero")
    values = np.append(np.full(30, np.nan), low)
    return either_order((values, low, high), (np.append(values, high), low, high), rng)


def _nobody_or_one(rng: Generator) -> tuple[Any, Any]:
    """Neighbours: nobody, and one record at the upper bound."""
    low, high = _bounds(rng, "from zero")
    return either_order((np.array([]), low, high), (np.array([high]), low, high), rng)


def _somebody(rng: Generator) -> tuple[np.ndarray, float, float]:
    low, high = _bounds(rng, "far from zero")
    return _records(rng, low, high), low, high


def _clipped(data: tuple[np.ndarray, float, float]) -> float:
    values, low, high = data
    return float(np.clip(np.nan_to_num(values, nan=low), low, high).sum())


def _call_bounded(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _call_at(answer: Answer, data: Any, epsilon: float, rng: Generator) -> Any:
    return answer(*data, epsilon, rng=rng)


def _coarse(output: Any) -> float:
    return round(float(output), 3)


def _nan_record(answer: Answer, trial: Trial) -> Wrong | None:
    low, high = _bounds(trial.rng, "from zero")
    values = np.append(_records(trial.rng, low, high), np.nan)
    output = float(answer(values, low, high, 1.0, rng=trial.rng))
    if np.isfinite(output):
        return None
    return Wrong(
        f"One record that is not a number (NaN) makes the answer {output}: whoever sees that knows it is there.",
        "np.clip lets NaN through. Decide in advance which value within the bounds such a record counts as.",
        "nan-passes",
    )


def _reads_bounds(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    """The spread of the noise follows the data."""
    low, high = _bounds(trial.rng, "from zero")
    spreads = []
    for top in (high / 100, high):
        values = np.append(np.zeros(20), top)
        results = [float(answer(values, low, high, 1.0, rng=trial.rng)) for _ in range(200)]
        spreads.append(np.subtract(*np.quantile(results, [0.75, 0.25])))
    if spreads[1] > 8 * max(spreads[0], 1e-12):
        return Wrong(
            "The size of your noise depends on the largest record: the noise gives that record away.",
            "Take the bounds you are given. A bound read from the data is an answer about the data.",
            "bounds-from-data",
        )
    return None


NOISY_SUM = (
    Returns(lambda rng: (_records(rng, 0, 50), 0.0, 50.0, 1.0), what="number"),
    _nan_record,
    Audited(
        _with_record("from zero", lambda low, high: high),
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=5000,
        diagnose=_reads_bounds,
        hint="One record at the upper bound moves the sum by all of it. Is that in the scale?",
        key="sensitivity-not-in-scale",
    ),
    Audited(
        _with_record("from zero", lambda low, high: 40 * high),
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=2000,
        diagnose=_reads_bounds,
        hint="A record far outside the bounds comes through. Clip each record before you add.",
        key="not-clipped",
    ),
    Audited(
        _with_record("negative", lambda low, high: low),
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=4000,
        hint="The record was at the lower bound, which is negative and large. Which of the two bounds sets the noise?",
        key="upper-bound-only",
    ),
    Audited(
        _with_record("far from zero", lambda low, high: high),
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=4000,
        hint="A record is added whole, not from the lower bound on. U − L is for replacing a record.",
        key="width-for-size",
    ),
    Audited(
        _among_no_numbers,
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=2000,
        hint="What your NaNs count as depends on the other records, so one record moves them all. Fix the value before "
        "you look.",
        key="nan-from-data",
    ),
    Audited(
        _nobody_or_one,
        CLAIM,
        call=_call_bounded,
        view=_coarse,
        runs=2000,
        hint="The sum over nobody is zero, and it needs noise like any other sum.",
        key="nobody",
    ),
    Useful(
        _with_record("both signs", lambda low, high: high),
        truth=_clipped,
        # Two scales hold 86.5% of Laplace noise; 1.5 times the noise keeps 74% there.
        within=lambda data: 2 * max(abs(data[1]), abs(data[2])),
        at_least=0.82,
        call=_call_bounded,
        hint="Scale max(|L|, |U|)/ε is enough under add-remove. Is there more?",
    ),
    Useful(
        _with_record("from zero", lambda low, high: -high),
        truth=_clipped,
        within=lambda data: 2 * max(abs(data[1]), abs(data[2])),
        at_least=0.82,
        call=_call_bounded,
        hint="The sum of the clipped records is wanted. Is each record clipped on both sides?",
    ),
    follows_epsilon(_call_at, _somebody),
    heavy_tails(_call_at, _with_record("from zero", lambda low, high: high), _coarse, runs=6000),
)


# 03.4 The two parts of a private mean


def _call_parts(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _two(output: Any) -> tuple[float, float]:
    total, count = output
    return float(total), float(count)


def _two_numbers(answer: Answer, trial: Trial) -> Wrong | None:
    low, high = _bounds(trial.rng, "far from zero")
    for values in (_records(trial.rng, low, high), np.array([])):
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
    """A record at the upper bound moves both parts; one at the centre moves the count only."""
    rng, half = trial.rng, Trial(trial.rng, trial.failure / 5)
    low, high = _bounds(rng, "far from zero")
    centre, reach = (low + high) / 2, (high - low) / 2
    everybody = np.full(int(rng.integers(5, 40)), centre)

    def pair(record: float) -> Any:
        sides = either_order((everybody, low, high), (np.append(everybody, record), low, high), rng)
        return lambda _: sides

    def attack(record: float, view: Any, hint: str, key: str, runs: int) -> Wrong | None:
        case = Audited(pair(record), CLAIM, call=_call_parts, view=view, runs=runs, hint=hint, key=key)
        return case(answer, half)

    def count_only(output: Any) -> float:
        return round(_two(output)[1], 3)

    def total_only(output: Any) -> float:
        return round(_two(output)[0] / reach, 3)

    def both(output: Any) -> float:
        total, count = _two(output)
        return round(min(total / reach, count - len(everybody)), 3)

    wrong = attack(
        centre, count_only, "How many records there are is private here: the count needs noise of its own.",
        "exact-count", 4000,
    )  # fmt: skip
    if wrong:
        return Wrong(wrong.diagnosis, "The count alone gives a person away. Does it get noise?", "exact-count")
    wrong = attack(
        100 * high, total_only, "A record far outside comes through. Clip before you add.", "not-clipped", 2000
    )
    inside = attack(
        high, total_only, "Measured from the centre, a clipped record is (U − L)/2 at most.", "total-too-sharp", 6000
    )
    if inside:
        if _spread(answer, (everybody, low, high), rng, 0) < 0.5 * reach:
            return inside
        return Wrong(
            inside.diagnosis,
            "Is the total taken from the centre of the bounds, as the noise of half the width supposes?",
            "not-centred",
        )
    if wrong:
        return wrong
    return attack(
        high,
        both,
        "Either part by itself keeps ε = 1. Together they are two releases: split ε between them.",
        "budget-spent-twice",
        24_000,
    )


def _parts_apart(answer: Answer, trial: Trial) -> Wrong | None:
    """Nobody is a dataset too, and each part has a draw of its own.

    Independent parts correlate by 0.5 over 400 runs with a probability below 1e-12.
    """
    low, high = _bounds(trial.rng, "far from zero")
    nobody = [_two(_call_parts(answer, (np.array([]), low, high), trial.rng)) for _ in range(30)]
    if (np.ptp(nobody, axis=0) == 0).any():
        return Wrong(
            "When nobody is in the data, a part has no noise: that tells the empty dataset from one with a person.",
            "Zeros need noise too.",
            "nobody",
        )
    people = _somebody(trial.rng)
    parts = np.array([_two(_call_parts(answer, people, trial.rng)) for _ in range(400)])
    if abs(np.corrcoef(parts.T)[0, 1]) > 0.5:
        return Wrong(
            "Total and count share their noise: whoever subtracts one from the other, in the right units, removes it.",
            "A draw of its own for each part.",
            "linked-noise",
        )
    return None


def _spread(answer: Answer, data: Any, rng: Generator, part: int) -> float:
    results = [_two(_call_parts(answer, data, rng))[part] for _ in range(200)]
    return float(np.median(np.abs(results - np.median(results))))


def _one_at_centre(rng: Generator) -> tuple[Any, Any]:
    values, low, high = _somebody(rng)
    return either_order((values, low, high), (np.append(values, (low + high) / 2), low, high), rng)


def _clipped_records(rng: Generator) -> tuple[Any, Any]:
    low, high = _bounds(rng, "far from zero")
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
    follows_epsilon(_call_at, _somebody),
    # Half of ε = 8 is the count's, and a record at the centre moves nothing but the count.
    heavy_tails(_call_at, _one_at_centre, lambda output: round(_two(output)[1], 3), epsilon=8.0, runs=6000),
)
