"""Exercise 03.2, the records that are no numbers: what NaN counts as, and that it tells nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import either_order
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import near, whole
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_03.exercises.records import bounds, records, tells


def _among_no_numbers(rng: Generator) -> tuple[Any, Any]:
    """Neighbours: thirty records that are no numbers and one at the lower bound; one more at the upper bound."""
    low, high = bounds(rng, "from zero")
    values = np.append(np.full(30, np.nan), low)
    return either_order((values, low, high), (np.append(values, high), low, high), rng)


def a_missing_record(answer: Answer, chance: Chance) -> Diagnosis | None:
    low, high = bounds(chance.rng, "from zero")
    values = np.append(records(chance.rng, low, high), np.nan)
    try:
        output = float(answer(values, low, high, 1.0, rng=chance.rng))
    except AnswerRaised as raised:
        return Diagnosis(
            "nan-raises",
            f"One record that is not a number (NaN) stops your function ({raised}). An error is an output, too: "
            "everybody sees that the record is there.",
            "Which value within the bounds could such a record count as?",
        )
    if np.isfinite(output):
        return None
    return Diagnosis(
        "nan-passes",
        f"One record that is not a number (NaN) makes the answer {output}, so everybody sees that it is there.",
        "np.clip lets NaN through. Decide in advance which value within the bounds such a record counts as.",
    )


def no_numbers(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Where no record is a number, and they are few or many, their sum needs noise all the same.

    Integer noise of cents is never the same twenty times; rounded to whole numbers between such bounds, with 1e-20.
    """
    for least, most in ((1, 1), (2, 30), (31, 1000)):
        low, high = bounds(chance.rng, "from zero")
        values, epsilon = np.full(whole(chance.rng, least, most), np.nan), near(1.0, chance.rng, 2.0)
        sums = [float(answer(values, low, high, epsilon, rng=chance.rng)) for _ in range(20)]
        if np.ptp(sums) < 1e-9 * high:
            people = f"{len(values):,} records, none of which is a number" if len(values) > 1 else "one record, a NaN"
            return Shared.NO_NOISE.seen(
                f"Of {people}, your sum is {sums[0]:g} in each of 20 calls, without noise.",
                "What would Boris see if one record that is a number were added?",
            )
    return None


def alone(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One NaN among many records at the upper bound moves the sum by a record: with noise, by less than a hundred."""
    low, high = bounds(chance.rng, "from zero")
    many = 4000
    output = float(answer(np.append(np.full(many, high), np.nan), low, high, 1.0, rng=chance.rng))
    if abs(output - many * high) < 100 * high:
        return None
    return Diagnosis(
        "nan-moves-all",
        f"{many:,} records of {high:g} and one that is not a number (NaN) give {output:,.6g}, which is off by "
        f"{abs(output - many * high) / high:,.0f} records.",
        "One record may move the sum by one record. Which others does yours leave out, or put somewhere else?",
    )


def within_bounds(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What a NaN counts as, from the sum of many: within the bounds, or nothing, to a hundredth (40 scales). Among ten
    times as many numbers, all of them at one bound, it is the same."""
    many = 4000
    for kind in ("from zero", "negative", "both signs", "far from zero"):
        low, high = bounds(chance.rng, kind)
        each = float(answer(np.full(many, np.nan), low, high, 1.0, rng=chance.rng)) / many
        most = max(abs(low), abs(high))
        slack = most / 100
        if not np.isfinite(each):
            return Diagnosis(
                "nan-from-data",
                f"Where no record is a number (NaN), your sum is {each}.",
                "From what do you compute the value that a NaN counts as? Which value is fixed beforehand?",
            )
        if not (low - slack <= each <= high + slack or abs(each) <= slack):
            shows = ": the noise does not hide such a record" if abs(each) > most + slack else ""
            return Diagnosis(
                "nan-out-of-bounds",
                f"With bounds ({low:.4g}, {high:.4g}) a record that is no number (NaN) counts as about "
                f"{float(f'{each:.3g}'):,g}, which is outside of them{shows}.",
                "Let it count as a value within the bounds: before the clipping, or one of the bounds themselves.",
            )
        for bound in (low, high):
            values = chance.rng.permutation(np.repeat([np.nan, bound], [many, 10 * many]))
            among = (float(answer(values, low, high, 1.0, rng=chance.rng)) - 10 * many * bound) / many
            if abs(among - each) > 2 * slack:
                return Diagnosis(
                    "nan-from-data",
                    f"With bounds ({low:.4g}, {high:.4g}) a record that is no number (NaN) counts as about {each:.3g} "
                    f"where there are no others, and as about {among:.3g} among {10 * many:,} records of {bound:.4g}.",
                    "From what do you compute the value that a NaN counts as? Which value is fixed beforehand?",
                )
    return None


def _nan_moved(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    """Only an answer whose NaNs move when a record comes gets the words about them."""
    low, high = bounds(chance.rng, "from zero")
    few = np.append(np.full(300, np.nan), low)
    before, after = (
        np.median([float(answer(values, low, high, 1.0, rng=chance.rng)) for _ in range(100)])
        for values in (few, np.append(few, high))
    )
    if abs(after - before) > 10 * high:
        return None
    return Diagnosis(
        "noise-from-nan",
        "Among thirty records that are no numbers (NaN), one record at the upper bound shows.",
        "Do the NaNs change the noise? It follows from ε and the bounds alone.",
    )


HIDDEN = tells(
    _among_no_numbers,
    "nan-from-data",
    "What your NaNs count as depends on the other records, so one record moves them all. Fix the value before you "
    "look.",
    diagnose=_nan_moved,
)
