"""Exercise 04.5: a private median by the exponential mechanism over intervals."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.cases import Returns
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.everywhere import EXACT, WIDE, Everywhere, Seen, Setting, any_epsilon
from dpcourse.checks.measured import in_a_file
from dpcourse.checks.once import between, whole
from dpcourse.lessons.lesson_04.exercises.halves import HALVES
from dpcourse.lessons.lesson_04.exercises.misses import MISSES
from dpcourse.lessons.lesson_04.exercises.neighbours import AUDITS, MIDDLE, TOO_SHARP, ages, call_median


def _in_bounds(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng = chance.rng
    elsewhere = float(rng.uniform(150, 500))
    for values, low, high in (
        (ages(rng), 0.0, 100.0),
        (np.array([]), 0.0, 100.0),
        (np.append(ages(rng, 9), [1e9, -1e9]), 0.0, 100.0),
        (elsewhere + ages(rng), elsewhere, elsewhere + 100),
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
    values = ages(chance.rng)
    results = np.array([float(call_median(answer, (values,), chance.rng)) for _ in range(40)])
    if not np.allclose(results, results.round(1), atol=1e-9):
        return None
    step = "whole numbers" if np.allclose(results, results.round(), atol=1e-9) else "numbers with one decimal"
    return Diagnosis(
        "grid-of-candidates",
        f"All your answers are {step}, such as {results[0]:g}. The records here are not, and all points between the "
        "bounds are candidates.",
        "Which points share one rank, and how long is the stretch that they cover?",
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
            return Diagnosis("too-sharp", seen, TOO_SHARP)
    return None


_TIMES, _CALLS = 3, 120  # at an exponent of 1.2 times the right one, a check passes with probability 1e-15


def _median_useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Weights exp(−ε·rank/2) leave e^−7 beyond 14 ranks, and exp(−ε·rank) less; noise on the median misses by more."""
    off, runs = [], 400
    for _ in range(runs):
        values = frozen(np.sort(ages(chance.rng, 200)))
        below = np.searchsorted(values, float(call_median(answer, (values,), chance.rng)))
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


def _anywhere(rng: Generator, least: int = 1, most: int = 1000) -> Setting:
    """One record to a thousand, or so many, between any bounds; the median's gap is small beside the others.

    Every third time all are whole numbers, and every other time of these the records are integers. Every other time
    some records lie outside of the bounds, on one side.

    Weights exp(−s·ε·|rank − n/2|) are right from s = ½ to 1, and the larger s, the more often a result is in the gap.
    `EXACT` is bet on against s = 2: no right answer is there as often. `WIDE` is s = 0, a point drawn whatever the
    records are, against s = ¼: no right answer is there as seldom.
    """
    many, epsilon = whole(rng, least, most), any_epsilon(rng)
    off = np.abs(np.arange(many + 1) - many / 2)
    middle = off == off.min()
    outside = int(rng.integers(np.flatnonzero(middle)[0] + 1)) if rng.random() < 0.5 else 0
    below, above = (outside, 0) if rng.random() < 0.5 else (0, outside)
    lengths = np.where(middle, 0, rng.exponential(size=many + 1))
    lengths[:below] = lengths[many + 1 - above :] = 0
    weights = {s: np.exp(-s * epsilon * (off - off.min())) for s in (0.0, 0.25, 1.0, 2.0)}
    others = float((lengths * weights[2.0]).sum())
    lengths[middle] = np.exp(rng.uniform(-3, -1)) * others / middle.sum() if others else 1.0
    low, width = float(rng.uniform(-1000, 1000) * rng.choice((1, 1, 10 ** rng.uniform(0, 3)))), between(rng, 1e0, 1e4)
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

    values = edges[1:-1].copy()
    values[:below] -= np.ceil(rng.exponential(width, below))
    values[many - above :] += np.ceil(rng.exponential(width, above))
    values = in_a_file(rng.permutation(values), rng)
    if in_whole and rng.random() < 0.5:
        values = values.astype(int)
    return Setting((values, low, float(edges[-1]), epsilon), {"ε": epsilon, "records": many}, judge)


_IN_THE_GAP = "your answer was in the gap around the median"


def _within_intervals(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Where in its interval a point lies: anywhere, whatever the interval. At such ε nearly all of forty come out."""
    values, places = np.sort(chance.rng.uniform(0, 1000, 40)), []
    edges = np.concatenate([[0.0], values, [1000.0]])
    for _ in range(400):
        epsilon = float(chance.rng.uniform(0.03, 0.08))
        result = float(answer(chance.rng.permutation(values), 0.0, 1000.0, epsilon, rng=chance.rng))
        at = int(np.clip(np.searchsorted(edges, result, side="right") - 1, 0, 40))
        places.append((result - edges[at]) / (edges[at + 1] - edges[at]))
    if stats.kstest(places, "uniform").pvalue >= chance.failure:
        return None
    return Diagnosis(
        "not-uniform-within",
        f"Of 400 results between {len(edges)} different records and bounds half lie in the first "
        f"{np.median(places):.2g} of their interval. Half should lie in the first half.",
        "You have chosen an interval. Is the point uniform in all of it?",
    )


def _clips(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Ten records or more in the lower part, three times as many above the upper bound: nearly all results lie between
    the former and the bound, and three in four of these or more above 50; of records left out, or put in the middle,
    hardly any do. Below the largest of the former lies one in a hundred, and of numbers drawn between the bounds 14 of
    40. The same turned around."""
    for below, many in itertools.product((False, True), (10, whole(chance.rng, 100, 1000))):
        few = chance.rng.uniform(0, 40, many)
        values = chance.rng.permutation(np.concatenate([few, chance.rng.uniform(101, 1e4, 3 * many)]))
        values = 100 - values if below else values
        found = np.array([float(answer(values, 0.0, 100.0, 4.0, rng=chance.rng)) for _ in range(40)])
        found = 100 - found if below else found
        high, low = int((found > 50).sum()), int((found < few.max()).sum())
        if high <= 8 or low > 7:
            here, bound = ("from 60 to 100", 0) if below else ("from 0 to 40", 100)
            return Diagnosis(
                "not-clipped",
                f"{many} records lie {here}, and {3 * many} beyond the other bound, {bound}. When clipped, three in "
                f"four are {bound}. Of 40 results {high} lie nearer to {bound} than 50 does, and {low} among the "
                f"{many}.",
                "Clipping moves a record to the nearer bound and keeps it. What does your function do with those "
                "outside?",
            )
    return None


def _equal(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Two hundred people of one age: no interval of length 0 is chosen, so no result is that age."""
    age = float(chance.rng.uniform(20, 80))
    for low, high in ((0.0, 100.0), (-1e4, 1e4)):
        exact = sum(float(answer(np.full(200, age), low, high, 0.5, rng=chance.rng)) == age for _ in range(60))
        if exact:
            return Diagnosis(
                "length-zero",
                f"Of 200 records all are {age:.4g}, and in {exact} of 60 calls your result is exactly that. The "
                "interval between equal records has length 0, and so has its weight.",
                "Which number do you add to the lengths? Whoever sees a record come out knows that somebody has it.",
            )
    return None


MEDIAN: tuple[Case, ...] = (
    _in_bounds,
    Returns(lambda rng: (ages(rng), 0.0, 100.0, 1.0), what="number"),
    _between_years,
    *AUDITS,
    _median_useful,
    _two_thousand,
    Everywhere(_anywhere, settings=500, asked=(3, 5, 8), exact=_IN_THE_GAP),
    Everywhere(lambda rng: _anywhere(rng, 1000, 90_000), settings=60, often=0, exact=_IN_THE_GAP),
    _sharper,
    _within_intervals,
    *MIDDLE,
    _clips,
    _equal,
    *HALVES,
    *MISSES,
)
