"""Exercise 03.4: the two parts of a mean, each with half of ε."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, View, either_order
from dpcourse.checks.cases.known import Pairs
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.digits import digits_tell
from dpcourse.checks.noise_laws import Wanted, geometric, laplace, noise_wrong
from dpcourse.checks.once import near
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_03.exercises.few import few_clipped
from dpcourse.lessons.lesson_03.exercises.parts import crowd, once, shared, total_of, two
from dpcourse.lessons.lesson_03.exercises.records import CLAIM, bounds, call_at, call_at_one, records, somebody

_COUNT = "The count gets half of ε, and one record changes it by one. Which scale is that?"


def _two_numbers(answer: Answer, chance: Chance) -> Diagnosis | None:
    low, high = bounds(chance.rng, "far from zero")
    for values in (records(chance.rng, low, high), np.array([])):
        try:
            result = answer(values, low, high, 1.0, rng=chance.rng)
        except AnswerRaised as raised:
            if len(values):
                raise
            return Shared.NOBODY.seen(f"On an array without people your code stopped with {raised}.")
        seen = f"Two numbers are wanted, (total, count); you return {result!r}."
        try:
            total, count = two(result)
        except Refused as refused:
            if refused.diagnosis.key != "wrong-type":
                raise
            return Diagnosis("wrong-type", seen, "Of which type are the two? Return plain numbers.")
        except (TypeError, ValueError):
            return Diagnosis("wrong-shape", seen, "Do you return both, total and count, in this order?")
        if not (math.isfinite(total) and math.isfinite(count)):
            seen = f"For {len(values)} records you return ({total}, {count})."
            return Diagnosis("nan", seen, "Is something divided by n?")
    return None


def _parts_audited(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A record at the upper bound moves both parts by all they may move; one far outside moves them no further."""
    rng, half = chance.rng, Chance(chance.rng, chance.failure / 2)
    low, high = bounds(rng, "far from zero")
    centre, reach = (low + high) / 2, (high - low) / 2
    everybody = np.full(int(rng.integers(5, 40)), centre)

    def pairs(record: float) -> Pairs:
        sides = (everybody, low, high), (np.append(everybody, record), low, high)
        return lambda rng: either_order(*sides, rng)

    def count_only(output: Any) -> float:
        return round(two(output)[1], 3)

    def total_only(output: Any) -> float:
        return round(two(output)[0] / reach, 3)

    def both(output: Any) -> float:
        """How far the two parts lean to the larger dataset: for Laplace noise as good as the likelihood ratio."""
        total, count = two(output)
        leans = min(max(total / reach, 0.0), 1.0) + min(max(count - len(everybody), 0.0), 1.0)
        return round(leans, 3)

    def exact(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
        spread = _spread(answer, (everybody, low, high), chance.rng, 1)
        if spread > 0:
            return Diagnosis(
                "count-too-sharp",
                f"Half of your counts lie within {spread:.2g} of their middle. One person changes the count by 1, and "
                "at ε = 1 that shows.",
                _COUNT,
            )
        return Diagnosis(
            "exact-count",
            "Your count has no noise. How many records there are is private here.",
            "What does Boris learn from the exact count, if he knows everybody but Ana?",
        )

    def not_centred(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
        if _spread(answer, (everybody, low, high), chance.rng, 0) < 0.5 * reach:
            return _width_in_scale(answer, chance)
        return Diagnosis(
            "not-centred",
            "Your total tells two neighbouring datasets apart: a record at the upper bound moves it by more than its "
            "noise hides.",
            "Is the total taken from the centre of the bounds, as the noise of half the width supposes?",
        )

    at_the_bound = Audited(
        pairs(high),
        CLAIM,
        call=call_at_one,
        view=count_only,
        what="count",
        runs=5000,
        diagnose=exact,
        hint=_COUNT,
        key="count-too-sharp",
        also=(
            View(
                total_only,
                hint="Measured from the centre, how large can one clipped record be? Is your noise wide enough for it?",
                key="total-too-sharp",
                what="total/((U − L)/2)",
                diagnose=not_centred,
            ),
            View(
                both,
                hint="Either part by itself keeps ε = 1. What do the two together cost?",
                key="budget-spent-twice",
                what="both",
                diagnose=lambda answer, chance, _: _count_in_the_total(answer, chance, (everybody, low, high)),
            ),
        ),
    )
    far_outside = Audited(
        pairs(100 * high),
        CLAIM,
        call=call_at_one,
        view=total_only,
        what="total/((U − L)/2)",
        runs=1000,
        hint="One of the records lies far outside the bounds. What should happen to it before you add?",
        key="not-clipped",
    )
    wrong = at_the_bound(answer, half)
    if wrong and wrong.key == "budget-spent-twice":
        return replace(wrong, seen=f"{wrong.seen} {_BOTH}")
    return wrong or far_outside(answer, half)


_BOTH = (
    "Here “both” is the sum of the two parts, each in units of one record, with the known people subtracted, and cut "
    "to between 0 and 1."
)


def _count_in_the_total(answer: Answer, chance: Chance, people: Any) -> Diagnosis | None:
    """Whether the noisy count, many times over, is taken off the sum: over 400 runs independent parts never correlate
    by 0.4 (1e-15)."""
    parts = np.array([two(call_at_one(answer, people, chance.rng)) for _ in range(400)])
    totals, counts = (parts - parts.mean(axis=0)).T
    times = float(totals @ counts / max(counts @ counts, 1e-300))
    if abs(np.corrcoef(parts.T)[0, 1]) < 0.4 or times > -1:
        return None
    return Shared.LINKED_NOISE.seen(
        f"Where your count is 1 too large, your total is {-times:.4g} too small: the noise of the count is in it. "
        f"Boris adds {-times:.4g} times your count to your total, and has the sum of the records as they are, with "
        "noise for records that are measured from the centre.",
        "What do you take the centre off: each record, or the sum, as many times as the noisy count says?",
    )


def _width_in_scale(answer: Answer, chance: Chance) -> Diagnosis | None:
    """How the noise of the total follows the number of records, or the width of the bounds the wrong way round."""
    few, many = (_spread(answer, (np.full(n, 50.0), 0.0, 100.0), chance.rng, 0) for n in (4, 400))
    if few > 5 * many:
        return Diagnosis(
            "total-too-sharp",
            f"With bounds (0, 100) half of your totals lie within {few:.2g} of their middle for 4 records, and within "
            f"{many:.2g} for 400: your noise shrinks with the number of records.",
            "Can one person change the total less where more people are?",
        )
    widths = (10.0, 100.0)
    narrow, wide = (_spread(answer, (np.full(4, 50.0), 50 - w / 2, 50 + w / 2), chance.rng, 0) for w in widths)
    if narrow < 5 * wide:
        return None
    return Diagnosis(
        "sensitivity-upside-down",
        f"With bounds (45, 55) half of your totals lie within {narrow:.2g} of their middle, and with bounds (0, 100) "
        f"within {wide:.2g}.",
        "Under which of these bounds can one person change the total more? Which of them needs more noise?",
    )


def _parts_apart(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Nobody is a dataset too, and each part has a draw of its own.

    Independent parts correlate by 0.5 over 400 runs with a probability below 1e-12.
    """
    low, high = bounds(chance.rng, "far from zero")
    nobody = [two(call_at_one(answer, (np.array([]), low, high), chance.rng)) for _ in range(30)]
    if (np.ptp(nobody, axis=0) == 0).any():
        return Shared.NOBODY.seen(
            "When nobody is in the data, a part has no noise: that tells the empty dataset from one with a person.",
            "What would Boris see if Ana were the only one?",
        )
    close = (low + high) / 2 + (high - low) / 200 * chance.rng.uniform(-1, 1, 20)
    narrow, wide = (_spread(answer, (values, low, high), chance.rng, 0) for values in (close, np.append(close, high)))
    if wide > 8 * narrow:
        return Shared.SCALE_FROM_DATA.seen(
            f"With bounds ({low:g}, {high:g}) and all records near the centre, half of your totals lie within "
            f"{narrow:.2g} of their middle; with one record more, at the upper bound, within {wide:.2g}.",
        )
    people = somebody(chance.rng)
    epsilon = near(1.0, chance.rng, 4.0)
    parts = np.array([two(call_at(answer, people, epsilon, chance.rng)) for _ in range(400)])
    return shared(f"At ε = {epsilon:.3g}") if abs(np.corrcoef(parts.T)[0, 1]) > 0.5 else None


def _about_the_centre(answer: Answer, chance: Chance, *, audited: bool = False) -> Diagnosis | None:
    """What the total is, apart from its noise: means of 300 totals at an ε around 20, on four sets of records.

    A right total is off by twelve standard errors with a probability below 1e-20. A plain sum of clipped records is
    left to the audits first; one with noise enough to pass them is named once they are through.
    """
    drawn = [crowd(chance.rng) for _ in range(4)]
    epsilon = near(20.0, chance.rng)
    totals = np.array([[two(call_at(answer, d, epsilon, chance.rng))[0] for _ in range(300)] for d in drawn])
    means, errors = totals.mean(axis=1), totals.std(axis=1, ddof=1) / np.sqrt(300) + 1e-6

    def fits(of: Callable[[np.ndarray, float, float], float]) -> bool:
        return bool((np.abs(means - [of(*data) for data in drawn]) < 12 * errors).all())

    if fits(total_of):
        return None
    values, low, high = drawn[0]
    seen = (
        f"{len(values)} records with bounds ({low:g}, {high:g}): your total is {means[0]:.4g} on average, and the sum "
        f"of the clipped records, each measured from the centre {(low + high) / 2:g}, is {total_of(*drawn[0]):.4g}."
    )
    if fits(lambda values, low, high: 0.0):
        return Diagnosis(
            "total-is-zero",
            f"{seen} Yours is about 0 whatever the records are: that is noise alone, or the records are measured from "
            "their own mean.",
            "Do the records come in at all? And from which point do you measure? The centre of the *bounds* is public, "
            "the mean of the records is not.",
        )
    if fits(lambda values, low, high: float(np.clip(values, low, high).sum())):
        if not audited:
            return None  # the audits show what that gives away
        ask = "From where is each record to be measured, and how much less noise does the total then need?"
        return Diagnosis("not-centred", f"{seen} Yours is the sum of the clipped records themselves.", ask)
    if fits(lambda values, low, high: float(np.clip(values - (low + high) / 2, low, high).sum())):
        return Diagnosis(
            "clipped-too-late",
            f"{seen} You subtract the centre first, and clip the differences to {low:g} and {high:g}.",
            "For which numbers are these bounds made: the records, or what is left of them?",
        )
    if fits(lambda values, low, high: float((values - (low + high) / 2).sum())):
        return None  # not clipped: the audits show it
    return Diagnosis(
        "wrong-total", seen, "Leave the noise out, and add up three records by hand. From where is each measured?"
    )


def _noise(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Laplace noise of scale (U − L)/ε on the total and 2/ε on the count, which may be geometric."""
    totals, counts, released = [], [], []
    for epsilon in (near(1.0, chance.rng, 1.4), near(4.0, chance.rng, 1.4)):
        drawn = [crowd(chance.rng) for _ in range(10)]
        parts = [(d, two(call_at(answer, d, epsilon, chance.rng))) for d in drawn for _ in range(1000)]
        reach = [(high - low) / 2 for (_, low, high), _ in parts]
        errors = np.array([(total - total_of(*d), count - len(d[0])) for d, (total, count) in parts])
        for (_, low, high), one in zip(drawn, np.array([found for _, found in parts]).reshape(10, -1, 2), strict=True):
            released += [(one[:, :1], (high - low) / epsilon), (one[:, 1:], 2 / epsilon)]
        totals.append(Wanted(errors[:, 0] / reach, epsilon, (laplace(2 / epsilon),)))
        counts.append(Wanted(errors[:, 1], epsilon, (laplace(2 / epsilon), geometric(2 / epsilon))))
    few = "The total gets half of ε, and one clipped record is (U − L)/2 from the centre at most. Which scale is that?"
    much = "How far from the *centre* of the bounds can one clipped record be?"
    about = "In units of (U − L)/2: "
    wrong = noise_wrong(totals, chance.failure / 2, scale="(U − L)/ε", few=few, too_much=much)
    if wrong:
        return wrong.led_by(f"The total. {about}")
    wrong = noise_wrong(counts, chance.failure / 2, scale="2/ε", unit=" records", few=_COUNT, too_much=_COUNT)
    if wrong:
        return wrong.led_by("The count. ")
    return next(filter(None, starmap(digits_tell, released)), None)


def _spread(answer: Answer, data: Any, rng: Generator, part: int) -> float:
    results = np.array([two(call_at_one(answer, data, rng))[part] for _ in range(200)])
    return float(np.median(np.abs(results - np.median(results))))


MEAN_PARTS = (
    _two_numbers,
    _about_the_centre,
    _parts_audited,
    few_clipped(lambda answer, data, chance: two(call_at_one(answer, data, chance.rng))[0], centred=True),
    _parts_apart,
    partial(_about_the_centre, audited=True),
    _noise,
    once,
)
