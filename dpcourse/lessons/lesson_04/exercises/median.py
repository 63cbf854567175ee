"""Exercise 04.5: a private median by the exponential mechanism over intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis, Refused
from dpcourse.checks.cases import Audited, Returns, View, either_order
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.everywhere import EXACT, WIDE, Everywhere, Seen, Setting, any_epsilon
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee


def _ages(rng: Generator, n: int | None = None) -> np.ndarray:
    return rng.uniform(20, 80, int(rng.integers(100, 300)) if n is None else n)


def _in_bounds(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng = chance.rng
    elsewhere = float(rng.uniform(150, 500))
    for values, low, high in (
        (_ages(rng), 0.0, 100.0),
        (np.array([]), 0.0, 100.0),
        (np.append(_ages(rng, 9), [1e9, -1e9]), 0.0, 100.0),
        (elsewhere + _ages(rng), elsewhere, elsewhere + 100),
    ):
        result = answer(values, low, high, 1.0, rng=rng)
        if result is None:
            return Diagnosis("returns-nothing", "Your function returns nothing (None).", "Is a `return` missing?")
        if not low <= float(result) <= high:
            return _outside(len(values), low, high, float(result))
    return None


def _outside(many: int, low: float, high: float, result: float) -> Diagnosis:
    ask = "Clip the records, and choose among points between the bounds only, also when there are no records."
    return Diagnosis(
        "outside-bounds",
        f"For {many} records with bounds ({low:.4g}, {high:.4g}) you return {result:.4g}.",
        "Where do `low` and `high` enter?" if low > 100 and 0 <= result <= 100 else ask,
    )


def _two_thousand(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Weights of ranks a thousand apart: e^−1000 is 0 as a float, and e^1000 is infinite."""
    years = np.rint(chance.rng.uniform(20, 80, 2000))
    for values in (chance.rng.uniform(20, 80, 2000), years, np.full(2000, years[0])):
        try:
            result = float(answer(values, 0.0, 100.0, 4.0, rng=chance.rng))
        except AnswerRaised as raised:
            seen = f"your function stops with {raised}"
        else:
            if 0.0 <= result <= 100.0:
                continue
            seen = f"your function returns {result:.4g}"
        alike = len(np.unique(values)) == 1
        return Diagnosis(
            "weights-overflow",
            f"With a few hundred records all was well. With 2,000{', all of them the same,' if alike else ''} {seen}. "
            "As floats, e^(−1000) is 0 and e^(+1000) is infinite, so that weights become 0/0 or ∞/∞.",
            "Only differences of exponents matter. Can you subtract the largest one before np.exp, or choose by their "
            "logarithms?",
        )
    return None


def _between_years(answer: Answer, chance: Chance) -> Diagnosis | None:
    """No right answer gives 40 points that are all whole numbers, or all have one decimal."""
    values = _ages(chance.rng)
    results = np.array([float(_call_median(answer, (values,), chance.rng)) for _ in range(40)])
    if not np.allclose(results, results.round(1), atol=1e-9):
        return None
    step = "whole numbers" if np.allclose(results, results.round(), atol=1e-9) else "numbers with one decimal"
    return Diagnosis(
        "grid-of-candidates",
        f"All your answers are {step}, such as {results[0]:g}. The records here are not, and all points between the "
        "bounds are candidates.",
        "Which points share one rank, and how long is the stretch that they cover?",
    )


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


def _ranked(people: int):
    """So many people at 44 to 50, and as many more at the top: the odds of the lower side fall by all that they may.

    With weights exp(−s·|rank − n/2|) the lower side, a share a of the range, goes from probability a to one smaller by
    the factor a + (1 − a)e^(s·people): near e^(s·people), and frequent enough on both sides for few runs.
    """

    def pairs(rng: Generator) -> tuple[Any, Any]:
        low = float(rng.uniform(44, 50)) + rng.uniform(-1e-3, 1e-3, people)
        return either_order((low,), (np.append(low, np.full(people, 100.0)),), rng)

    return pairs


def _on_the_lower_side(output: Any) -> bool:
    """What `_ranked` moves most: with nothing else to see, the auditor has nothing to choose."""
    return float(output) < 44


_TOO_SHARP = (
    "The weights follow the ranks too sharply: exp(−ε·|rank − n/2|) is the sharpest that keeps ε when one record is "
    "added or removed. How sharp are yours?"
)


def _sharper(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Two camps, and between them a gap so small that exp(−ε·|rank − n/2|) leaves it half of the results.

    The camps' ranks miss by e^12 and the gap's by nothing, so that an exponent of 1.2 times that is in it in 92% of
    its calls. No right answer is in it in more than half of them.
    """
    rng = chance.rng
    for _ in range(_TIMES):
        epsilon = float(np.exp(rng.uniform(np.log(0.05), np.log(5))))
        camp = math.ceil(12 / epsilon)
        gap = 100 / (1 + math.exp(epsilon * camp))
        low = float(rng.uniform(20, 80))
        values = rng.permutation(np.repeat([low, low + gap], camp))
        results = [float(answer(values, 0.0, 100.0, epsilon, rng=rng)) for _ in range(_CALLS)]
        inside = sum(low <= result <= low + gap for result in results)
        if len(set(results)) > 1 and stats.binom.sf(inside - 1, _CALLS, 0.5 + 1e-9) < chance.failure / _TIMES:
            seen = (
                f"{camp} records are {low:.4g} and {camp} lie higher by {gap:.1g}. At ε = {epsilon:.2g} weights "
                f"exp(−ε·|rank − n/2|) find the gap in half of all calls, and you in {inside} of {_CALLS}."
            )
            return Diagnosis("too-sharp", seen, _TOO_SHARP)
    return None


_TIMES, _CALLS = 3, 120  # at an exponent of 1.2 times the right one, a check passes with probability 1e-15


def _point_of_data(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    values = _ages(chance.rng, 7)
    results = [float(_call_median(answer, (values,), chance.rng)) for _ in range(60)]
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
    results = [float(_call_median(answer, (values,), chance.rng)) for _ in range(300)]
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


def _median_audit(pairs: Any, hint: str, key: str, runs: int) -> Audited:
    return Audited(
        pairs,
        Guarantee(1.0),
        call=_call_median,
        view=_rounded,
        runs=runs,
        hint=hint,
        key=key,
        diagnose=_first_of(_point_of_data, _beyond_records),
    )


def _median_useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Weights exp(−ε·rank/2) leave e^−7 beyond 14 ranks, and exp(−ε·rank) less; noise on the median misses by more."""
    off, runs = [], 400
    for _ in range(runs):
        values = frozen(np.sort(_ages(chance.rng, 200)))
        below = np.searchsorted(values, float(_call_median(answer, (values,), chance.rng)))
        off.append(abs(float(below) - len(values) / 2))
    good = int((np.array(off) <= 14).sum())
    if good == runs or stats.beta.ppf(1 - chance.failure, good + 1, runs - good) >= 0.9:
        return None
    return Diagnosis(
        "not-useful",
        f"Only {good / runs:.0%} of your results lie within 14 ranks of the median; at least 90% should. Half of them "
        f"are {np.median(off):.3g} ranks off or more.",
        "With weights length·exp(−ε·|rank − n/2|/2) or exp(−ε·|rank − n/2|) hardly any answer is 14 ranks off. Which "
        "weights are yours?",
    )


def _anywhere(rng: Generator) -> Setting:
    """One record to a thousand between any bounds; the median lies in a gap that is small beside the others.

    Every third time all are whole numbers, and every other time of these the records are integers.

    Weights exp(−s·ε·|rank − n/2|) are right from s = ½ to 1, and the larger s, the more often a result is in the gap.
    `EXACT` is bet on against s = 2: no right answer is there as often. `WIDE` is s = 0, a point drawn whatever the
    records are, against s = ¼: no right answer is there as seldom.
    """
    many, epsilon = whole(rng, 1, 1000), any_epsilon(rng)
    off = np.abs(np.arange(many + 1) - many / 2)
    middle = off == off.min()
    lengths = np.where(middle, 0, rng.exponential(size=many + 1))
    weights = {s: np.exp(-s * epsilon * (off - off.min())) for s in (0.0, 0.25, 1.0, 2.0)}
    others = float((lengths * weights[2.0]).sum())
    lengths[middle] = np.exp(rng.uniform(-3, -1)) * others / middle.sum() if others else 1.0
    low, width = float(rng.uniform(-1000, 1000)), float(10 ** rng.uniform(0, 4))
    in_whole = rng.random() < 1 / 3
    if in_whole:
        low, lengths = float(round(low)), np.maximum(np.rint(lengths * rng.uniform(1, 3)), middle)
        width = float(lengths.sum())
    chances = {s: float(lengths[middle].sum() / (lengths * one).sum()) for s, one in weights.items()}
    edges = low + np.concatenate([[0], np.cumsum(width / lengths.sum() * lengths)])
    inside = edges[:-1][middle].min(), edges[1:][middle].max()

    def judge(result: Any) -> Seen:
        if not low <= float(result) <= edges[-1]:
            raise Refused(_outside(many, low, edges[-1], float(result)))
        exact = bool(inside[0] <= float(result) <= inside[1])
        wide = np.log(chances[0.0] / chances[0.25]) if exact else np.log1p(-chances[0.0]) - np.log1p(-chances[0.25])
        return Seen({EXACT: -np.log(chances[2.0]) if exact else -np.inf, WIDE: wide}, exact, chances[1.0])

    values = rng.permutation(edges[1:-1])
    if in_whole and rng.random() < 0.5:
        values = values.astype(int)
    return Setting((values, low, float(edges[-1]), epsilon), {"ε": epsilon, "records": many}, judge)


MEDIAN = (
    _in_bounds,
    Returns(lambda rng: (_ages(rng), 0.0, 100.0, 1.0), what="number"),
    _between_years,
    _median_audit(
        _two_camps,
        "Half of the records are near 10 and half near 90. One more record at 5 pulls the median down to 10. How far "
        "can one person move a median, and does your noise cover that?",
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
    Audited(
        _ranked(1),
        Guarantee(2.5),  # where an exponent of twice the ε shows in the fewest runs
        call=_call_at(2.5),
        view=_on_the_lower_side,
        what="(output < 44)",
        runs=4500,
        hint=_TOO_SHARP,
        key="too-sharp",
        diagnose=_first_of(_point_of_data, _beyond_records),
        also=(View(_rounded, _TOO_SHARP, "too-sharp", _first_of(_point_of_data, _beyond_records)),),
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
    _median_audit(
        _extreme,
        "One record at the upper bound changes where your answers can fall.",
        "bounds-from-data",
        1000,
    ),
    _median_useful,
    _two_thousand,
    Everywhere(_anywhere, exact="your answer was in the gap around the median"),
    _sharper,
)
