"""Exercise 04.5: neighbours that a private median must not tell apart, and what gives a wrong one away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, View, either_order
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee


def ages(rng: Generator, n: int | None = None) -> np.ndarray:
    return rng.uniform(20, 80, int(rng.integers(100, 300)) if n is None else n)


def _call_at(epsilon: float) -> Callable[[Answer, Any, Generator], Any]:
    def call(answer: Answer, data: Any, rng: Generator) -> Any:
        return answer(data[0], 0.0, 100.0, epsilon, rng=rng)

    return call


call_median = _call_at(1.0)


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


def _ranked(people: int):
    """So many people at 44 to 50, and as many more at the top: the odds of the lower side fall by all that they may.

    With weights exp(−s·|rank − n/2|) the lower side, a share a of the range, goes from probability a to one smaller by
    the factor a + (1 − a)e^(s·people): near e^(s·people), and frequent enough on both sides for few runs.
    """

    def pairs(rng: Generator) -> tuple[Any, Any]:
        low = float(rng.uniform(44, 50)) + rng.uniform(-1e-3, 1e-3, people)
        return either_order((low,), (np.append(low, np.full(people, 100.0)),), rng)

    return pairs


def _two_and_one(at_the_top: bool):
    """Two people at one place, and one more at the other end: 2 // 2 and 3 // 2 are the same, and the ranks move by 1.

    With weights exp(−|rank − n // 2|) the shorter side goes from 27% to 5%, 1.8 units of ε; with n/2 to 12%.
    """

    def pairs(rng: Generator) -> tuple[Any, Any]:
        two = np.full(2, 27.0 if at_the_top else 73.0)
        return either_order((two,), (np.append(two, 100.0 if at_the_top else 0.0),), rng)

    return pairs


def _which_side(output: Any) -> int:
    """Below, between or above 27 and 73."""
    return int(np.searchsorted([27.0, 73.0], float(output)))


_MIDDLE = (
    "Two records, and one more at an end: the middle n/2 moves by ½. One that is rounded stays or moves by 1, and then "
    "one person changes scores by 1, and not by ½. Where is the middle of three records?"
)


def _on_the_lower_side(output: Any) -> bool:
    """What `_ranked` moves most: with nothing else to see, the auditor has nothing to choose."""
    return float(output) < 44


TOO_SHARP = (
    "The weights follow the ranks too sharply: exp(−ε·|rank − n/2|) is the sharpest that keeps ε when one record is "
    "added or removed. How sharp are yours?"
)


def _point_of_data(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    values = ages(chance.rng, 7)
    results = [float(call_median(answer, (values,), chance.rng)) for _ in range(60)]
    midpoints = np.append(values, (np.sort(values)[1:] + np.sort(values)[:-1]) / 2)
    known = np.mean([np.min(np.abs(midpoints - result)) < 1e-9 for result in results])
    if known < 0.8:
        return None
    return Diagnosis(
        "returns-a-record",
        "What you return is exactly one of the records, or lies half-way between two: it shows them.",
        "Choose an interval between sorted records, then draw a uniform point inside it.",
    )


def _beyond_records(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    values = np.array([49.9, 50.0, 50.1])
    results = [float(call_median(answer, (values,), chance.rng)) for _ in range(300)]
    if max(np.abs(np.array(results) - 50)) > 0.11:
        return None
    return Diagnosis(
        "bounds-from-data",
        "You never return anything outside the range of the records: the smallest and the largest show.",
        "Sort the records together with the public bounds: the outermost intervals reach to them.",
    )


def _four_people(answer: Answer, chance: Chance, result: Any) -> Diagnosis | None:
    return Shared.EPSILON_IGNORED.seen(
        "Two datasets that differ in four people may be told apart by four times ε, which at ε = 0.25 is 1. Yours are: "
        f"ε ≥ {result.epsilon_lower:.3g} at 99.9999% confidence. What gives it away: {result.event}.",
        "At ε = 2.5 your weights were within the claim. Do they follow the ε they are given?",
    )


def _first_of(*diagnoses: Callable[[Answer, Chance, Any], Diagnosis | None]):
    def diagnose(answer: Answer, chance: Chance, result: Any) -> Diagnosis | None:
        return next((wrong for one in diagnoses if (wrong := one(answer, chance, result))), None)

    return diagnose


def _median_audit(pairs: Any, hint: str, key: str) -> Audited:
    return Audited(
        pairs,
        Guarantee(1.0),
        call=call_median,
        view=_rounded,
        runs=1000,
        hint=hint,
        key=key,
        diagnose=_first_of(_point_of_data, _beyond_records),
    )


AUDITS = (
    _median_audit(
        _two_camps,
        "Half of the records are near 10 and half near 90. One more record at 5 pulls the median down to 10. How far "
        "can one person move a median, and does your noise cover that?",
        "noise-on-the-median",
    ),
    _median_audit(
        _narrow_gap,
        "Two records 0.0001 apart: your answer falls between them far too often. An interval's weight must be in "
        "proportion to its length.",
        "lengths-ignored",
    ),
    Audited(
        _ranked(1),
        Guarantee(2.5),  # where an exponent of twice the ε shows in the fewest runs
        call=_call_at(2.5),
        view=_on_the_lower_side,
        what="(output < 44)",
        runs=4500,
        hint=TOO_SHARP,
        key="too-sharp",
        diagnose=_first_of(_point_of_data, _beyond_records),
        also=(View(_rounded, TOO_SHARP, "too-sharp", _first_of(_point_of_data, _beyond_records)),),
    ),
    # Four people more at ε = 0.25 show in fewer runs than one.
    Audited(
        _ranked(4),
        Guarantee(4 * 0.25),
        call=_call_at(0.25),
        view=_rounded,
        runs=1500,
        diagnose=_first_of(_point_of_data, _beyond_records, _four_people),
        key="epsilon-ignored",
    ),
    _median_audit(_extreme, "One record at the upper bound changes where your answers can fall.", "bounds-from-data"),
)
MIDDLE = tuple(
    Audited(
        _two_and_one(at_the_top),
        Guarantee(1.0),
        call=call_median,
        view=_which_side,
        what="side",
        runs=7000,
        hint=_MIDDLE,
        key="whole-middle",
    )
    for at_the_top in (False, True)
)
