"""Exercise 04.5: a private median by the exponential mechanism over intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Returns, Useful, either_order
from dpcourse.privacy import Guarantee


def _ages(rng: Generator, n: int | None = None) -> np.ndarray:
    return rng.uniform(20, 80, int(rng.integers(100, 300)) if n is None else n)


def _in_bounds(answer: Answer, trial: Trial) -> Wrong | None:
    rng = trial.rng
    elsewhere = float(rng.uniform(150, 500))
    for values, low, high in (
        (_ages(rng), 0.0, 100.0),
        (np.array([]), 0.0, 100.0),
        (np.append(_ages(rng, 9), [1e9, -1e9]), 0.0, 100.0),
        (elsewhere + _ages(rng), elsewhere, elsewhere + 100),
    ):
        result = answer(values, low, high, 1.0, rng=rng)
        if result is None:
            return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
        if not low <= float(result) <= high:
            return Wrong(
                f"For {len(values)} records with bounds ({low:.4g}, {high:.4g}) you return {float(result):.4g}.",
                "Clip the records, and choose among points between the bounds only, also when there are no records.",
                "outside-bounds",
            )
    return None


def _call_at(epsilon: float) -> Callable[[Answer, Any, Generator], Any]:
    def call(answer: Answer, data: Any, rng: Generator) -> Any:
        return answer(data[0], 0.0, 100.0, epsilon, rng=rng)

    return call


_call_median = _call_at(1.0)


def _rounded(output: Any) -> float:
    return round(float(output), 9)


def _two_camps(rng: Generator) -> tuple[Any, Any]:
    """Half of the people near 10 and half near 90: one person more moves the median across."""
    half = int(rng.integers(15, 40))
    values = np.concatenate([rng.uniform(9, 10, half), rng.uniform(90, 91, half)])
    return either_order((np.append(values, 5.0),), (values,), rng)


def _narrow_gap(rng: Generator) -> tuple[Any, Any]:
    """Two people of almost the same age around the median; without one of them there is no such gap."""
    centre = float(rng.uniform(40, 60))
    few = np.array([10.0, 90.0, centre])
    return either_order((few,), (np.append(few, centre + 1e-4),), rng)


def _extreme(rng: Generator) -> tuple[Any, Any]:
    values = np.full(4, 50.0) + rng.uniform(-1e-3, 1e-3, 4)
    return either_order((values,), (np.append(values, 100.0),), rng)


def _ranked(rng: Generator) -> tuple[Any, Any]:
    """One person at 28 to 32, and a second one at the top: the odds of the lower side fall by the whole exponent.

    With weights exp(−s·|rank − n/2|) the lower side, a share a of the range, goes from probability a to one smaller by
    the factor a + (1 − a)e^s: near e^s, and frequent enough on both sides for few runs.
    """
    low = float(rng.uniform(28, 32))
    return either_order((np.array([low]),), (np.array([low, 100.0]),), rng)


def _point_of_data(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    values = _ages(trial.rng, 7)
    results = [float(_call_median(answer, (values,), trial.rng)) for _ in range(60)]
    midpoints = np.append(values, (np.sort(values)[1:] + np.sort(values)[:-1]) / 2)
    known = np.mean([np.min(np.abs(midpoints - result)) < 1e-9 for result in results])
    if known < 0.8:
        return None
    return Wrong(
        "What you return is one of the records (or half-way between two), exactly: whoever sees it has seen a record.",
        "Choose an interval between sorted records, then draw a uniform point inside it.",
        "returns-a-record",
    )


def _beyond_records(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    values = np.array([49.9, 50.0, 50.1])
    results = [float(_call_median(answer, (values,), trial.rng)) for _ in range(300)]
    if max(np.abs(np.array(results) - 50)) > 0.11:
        return None
    return Wrong(
        "You never return anything outside the range of the records: the smallest and the largest show.",
        "Sort the records together with the public bounds: the outermost intervals reach to them.",
        "bounds-from-data",
    )


def _first_of(*diagnoses: Callable[[Answer, Trial, Any], Wrong | None]):
    def diagnose(answer: Answer, trial: Trial, result: Any) -> Wrong | None:
        return next((wrong for one in diagnoses if (wrong := one(answer, trial, result))), None)

    return diagnose


def _median_audit(pairs: Any, hint: str, key: str, runs: int, epsilon: float = 1.0) -> Audited:
    return Audited(
        pairs,
        Guarantee(epsilon),
        call=_call_at(epsilon),
        view=_rounded,
        runs=runs,
        hint=hint,
        key=key,
        diagnose=_first_of(_point_of_data, _beyond_records),
    )


def _rank_error(output: Any, truth: Any) -> float:
    values = truth
    below = np.searchsorted(values, float(output))
    return abs(below - len(values) / 2)


def _median_useful(answer: Answer, trial: Trial) -> Wrong | None:
    def pairs(rng: Generator) -> tuple[Any, Any]:
        values = np.sort(_ages(rng, 200))
        return (values,), (np.sort(_ages(rng, 200)),)

    return Useful(
        pairs,
        truth=lambda data: data[0],
        error=_rank_error,
        # Weights exp(−ε·rank/2) leave e^−7 beyond 14 ranks, and exp(−ε·rank) less; noise on the median misses by more.
        within=14,
        at_least=0.9,
        runs=400,
        call=_call_median,
        hint="With weights length·exp(−ε·|rank − n/2|/2) or exp(−ε·|rank − n/2|) hardly any answer is 14 ranks off.",
    )(answer, trial)


MEDIAN = (
    _in_bounds,
    Returns(lambda rng: (_ages(rng), 0.0, 100.0, 1.0), what="number"),
    _median_audit(
        _two_camps,
        "One person moved the median from one camp to the other, and your answer followed.",
        "noise-on-the-median",
        1000,
    ),
    _median_audit(
        _narrow_gap,
        "Two records 0.0001 apart: your answer falls between them far too often. An interval's weight must be in "
        "proportion to its length.",
        "lengths-ignored",
        1000,
    ),
    _median_audit(
        _ranked,
        "The weights follow the ranks too sharply: exp(−ε·|rank − n/2|) is the most under adding or removing one.",
        "too-sharp",
        3500,
        2.0,  # where an exponent of twice the ε shows in the fewest runs
    ),
    _median_audit(
        _ranked,
        "At ε = 2 your weights were within the claim. Do they follow the ε they are given?",
        "epsilon-ignored",
        4000,
        0.25,
    ),
    _median_audit(
        _extreme,
        "One record at the upper bound changes where your answers can fall.",
        "bounds-from-data",
        1000,
    ),
    _median_useful,
)
