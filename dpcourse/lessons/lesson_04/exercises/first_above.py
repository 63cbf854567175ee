"""Exercise 04.4: the sparse vector technique, one hit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, either_order
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.everywhere import Everywhere, Setting, among, any_epsilon
from dpcourse.checks.once import whole
from dpcourse.lessons.lesson_04.exercises.scales import SCALES, by_scale, none_above
from dpcourse.privacy import Guarantee

CLAIM = Guarantee(1.0)


def _call_first(answer: Answer, data: Any, rng: Generator) -> Any:
    values, threshold = data
    result = answer(values, threshold, 1.0, rng=rng)
    return -1 if result is None else int(result)


def _finds_first(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Where nothing is close, the answer is certain."""
    threshold = float(chance.rng.uniform(-500, 500))
    for far, wanted in (([-1, 1, -1, 2], 1), ([2, -1, 3], 0), ([-1, -1, -1], None), ([-2, -1, -3, 5, 6], 3)):
        values = threshold + 1e4 * np.array(far, dtype=float)
        got = answer(values, threshold, 1.0, rng=chance.rng)
        if np.ndim(got) or isinstance(got, bool | np.bool_):
            return Diagnosis(
                "wrong-type", f"One position is wanted; you return {got!r}.", "Stop at the first that is above."
            )
        if got == wanted and (got is None) == (wanted is None):
            continue
        if wanted is None:
            return Diagnosis(
                "no-none", f"No value is above, and you return {got!r}.", "Return None where the loop comes to its end."
            )
        if got is None:
            return Diagnosis(
                "returns-nothing", "A value is far above the threshold, and you return None.", "Is a `return` missing?"
            )
        if got == int(np.argmax(values)):
            return Diagnosis(
                "largest-not-first",
                "You name the largest; the *first* above the threshold is wanted.",
                "Go through the values in order and stop.",
            )
        return Diagnosis(
            "wrong-position", f"For values {far} far from the threshold you return {got!r}; right is {wanted}."
        )
    values = np.full(int(chance.rng.integers(800, 1200)), threshold - 1e5)
    values[-1] = threshold + 1e5
    if answer(values, threshold, 1.0, rng=chance.rng) != len(values) - 1:
        return Diagnosis(
            "stops-early",
            f"Of {len(values)} values only the last is above the threshold, far above it, and you do not name it.",
            "A “no” costs nothing, so the list may be as long as it likes: go on to its end.",
        )
    return None


def _swapped_pair(rng: Generator) -> tuple[Any, Any]:
    threshold = float(rng.uniform(-500, 500))
    return either_order(
        (threshold + np.array([0.0, 1.0]), threshold), (threshold + np.array([1.0, 0.0]), threshold), rng
    )


def _long_run(rng: Generator) -> tuple[Any, Any]:
    """Six values rise together, and the last one falls: a threshold without noise of its own shows."""
    threshold = float(rng.uniform(-500, 500))
    here, there = np.full(7, -1.0), np.full(7, 0.0)
    here[-1], there[-1] = 0.0, -1.0
    return either_order((threshold + here, threshold), (threshold + there, threshold), rng)


def _one_threshold(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Twelve values on the threshold: "none above" needs a threshold that is high for all twelve at once.

    With noise redrawn for every value it happens once in 2^12 runs, so more than 8 times in 2,500 with probability
    2e-8; with scales 2/ε and 4/ε it happens in 2.2% of runs, so at most 8 times with probability 1e-14.
    """
    threshold = float(chance.rng.uniform(-500, 500))
    values = np.full(12, threshold)
    none = sum(answer(values, threshold, 1.0, rng=chance.rng) is None for _ in range(2500))
    if none > 8:
        return None
    return by_scale(answer, chance, None) or Diagnosis(
        "no-threshold-noise",
        f"Twelve values that lie on the threshold: in {none} of 2,500 runs you find none above it, as if twelve coins "
        "were tossed each time. Each “no” then tells something of its own, and they add up.",
        "Draw one noise for the threshold, once, before the loop, and keep it: then a run of “no” is one event.",
    )


def _rises(rng: Generator) -> tuple[Any, Any]:
    """A position far from the threshold, then another: noise of the right size finds it."""
    threshold = float(rng.uniform(-500, 500))
    low = threshold - 60 - 20 * rng.random(8)
    place = int(rng.integers(8))
    low[place] = threshold + 60
    other = low.copy()
    other[place] = threshold - 60
    return (low, threshold), (other, threshold)


def _mostly_right(answer: Answer, chance: Chance) -> Diagnosis | None:
    """With scales 2/ε and 4/ε a gap of 60 is passed by chance in 1e-6 of comparisons; at ten times the noise often."""
    runs, right = 400, 0
    for _ in range(runs):
        data = frozen(_rises(chance.rng)[chance.rng.integers(2)])
        above = np.flatnonzero(data[0] > data[1])
        right += _call_first(answer, data, chance.rng) == (above[0] if above.size else -1)
    if right == runs or stats.beta.ppf(1 - chance.failure, right + 1, runs - right) >= 0.95:
        return None
    return Diagnosis(
        "not-useful",
        "At ε = 1, one of eight values lies 60 above the threshold, or none does, and the others lie 60 or more below. "
        f"You are right in {right / runs:.0%} of calls.",
        "Scales 2/ε and 4/ε are nearly always right here. Which scales are yours?",
    )


def _positions(values: np.ndarray) -> np.ndarray:
    """P[first above], for each position and for none, of values less the threshold in units of 1/ε.

    By integrating over the threshold's noise of scale 2: given that, each value is above it or not for itself.
    """
    x = np.linspace(-40, 40, 801)
    room = (x - values[:, None]) / 4
    tail = np.exp(-np.abs(room)) / 2
    under = np.where(room < 0, tail, 1 - tail)
    before = np.cumprod(np.vstack([np.ones_like(x), under]), axis=0)
    chances = np.vstack([before[:-1] * (1 - under), before[-1]]) @ np.exp(-np.abs(x) / 2)
    return chances / chances.sum()


def _anywhere(rng: Generator) -> Setting:
    """One value to a hundred; the first above the threshold is somewhere among them, or nowhere.

    Every third time they are whole numbers, two of three such are of type int. Every tenth time there are up to a
    thousand more, so far below that none of them is ever the first: the lesson has three hundred.
    """
    many, epsilon, threshold = whole(rng, 1, 100), any_epsilon(rng), float(rng.uniform(-500, 500))
    threshold *= 10 ** rng.uniform(0, 4) if rng.random() < 1 / 3 else 1  # counts of many people
    at = int(rng.integers(many + 1))
    values = rng.uniform(-8, 6, many)
    values[:at] = -4 * rng.uniform(0.2, 2, at) - 2 * np.log(at + 1)  # in units of 1/ε
    if at < many:
        values[at] = rng.uniform(0.2, 6)
    given = values / epsilon
    if rng.random() < 1 / 3:
        threshold, given = float(round(threshold)), np.where(given < 0, np.floor(given), np.ceil(given))
    right, narrow, wide = (_positions(by * epsilon * given) for by in (1, 4, 0.25))
    places, values = np.arange(many), threshold + given
    if rng.random() < 0.1:
        more = whole(rng, 100, 1000)
        places = np.sort(rng.permutation(many + more)[:many])
        values = np.full(many + more, threshold - math.ceil(1e4 / epsilon))
        values[places] = threshold + given
    if (values % 1 == 0).all() and rng.random() < 2 / 3:
        values = values.astype(np.int64)
    judge = among([*places.tolist(), None], right, at, narrow=narrow, wide=wide)
    return Setting((values, threshold, epsilon), {"ε": epsilon, "values": len(values)}, judge)


def _far_below(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Hundreds or thousands of values, so far below the threshold that one of them is above it every other time."""
    for below in (18.0, float(chance.rng.uniform(29, 32))):  # in units of 1/ε
        epsilon, calls, many = float(chance.rng.uniform(0.5, 2.0)), 30, round(1.5 * math.exp(below / 4))
        values = np.full(many, -below)
        none = none_above(2, 4, many, below)
        told = sum(answer(values / epsilon, 0.0, epsilon, rng=chance.rng) is None for _ in range(calls))
        if stats.binom.sf(told - 1, calls, none) < chance.failure / 2:
            return Diagnosis(
                "skips-far",
                f"At ε = {epsilon:.2g}, {many:,} values lie {below / epsilon:.3g} below the threshold. In {told} of "
                f"{calls} calls you find none above it; {none:.0%} is right.",
                "Noise has no end. Which values do you leave without it? Whoever sees that none of them is ever chosen "
                "knows where they are.",
            )
    return None


def _far_above(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One value so far above the threshold that it is missed in some calls of a hundred, or of a thousand."""
    for above, calls in ((6.0, 200), (12.0, 800), (18.0, 3500)):  # in units of 1/ε
        epsilon, none = float(chance.rng.uniform(0.5, 2.0)), none_above(2, 4, 1, -above)
        value = np.array([above / epsilon])
        told = sum(answer(value, 0.0, epsilon, rng=chance.rng) is None for _ in range(calls))
        if stats.binom.cdf(told, calls, none) < chance.failure / 3:
            return Diagnosis(
                "skips-far",
                f"At ε = {epsilon:.2g}, one value lies {above / epsilon:.3g} above the threshold. In {told} of "
                f"{calls:,} calls you find none above it; about {none * calls:.0f} is right.",
                "Noise has no end. Which values do you leave without it? Whoever sees that they are always found knows "
                "where they are.",
            )
    return None


FIRST = (
    _finds_first,
    Audited(
        _swapped_pair,
        CLAIM,
        call=_call_first,
        runs=6000,
        diagnose=by_scale,
        hint="Values (0, 1) and (1, 0) around the threshold: with the same noisy threshold for both, an answer of “the "
        "second” shows which. Does every value get noise of its own?",
        key="no-query-noise",
    ),
    Audited(
        _long_run,
        CLAIM,
        call=_call_first,
        runs=6000,
        diagnose=by_scale,
        hint="A long run of “no” says that all values are low, once for each of them. One noise on the threshold, "
        "drawn once and kept, makes all the “no” free.",
        key="no-threshold-noise",
    ),
    _one_threshold,
    _mostly_right,
    SCALES,
    Everywhere(_anywhere, settings=300, asked=(4, 8, 12), exact="you gave the answer that no noise at all would give"),
    _far_below,
    _far_above,
)
