"""One bound of an answer to 11.2, and what is asked in more than one of its looks."""

from __future__ import annotations

import math

from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.cases import frozen
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.plain import only_numbers
from dpcourse.lessons.lesson_11.exercises.outputs import Outputs, hilly, smooth

RUNS, CONFIDENCE = 200, 0.5
SURER = (1.5, 3.0)  # confidences from 97% to 99.9%, as powers of ten


def bound_of(answer: Answer, outputs: Outputs, confidence: float) -> float:
    bound = float(only_numbers(answer(frozen(outputs[0]), frozen(outputs[1]), confidence)))
    if not math.isfinite(bound):
        where = f"With {len(outputs[0]):,} runs a side, at {percent(1 - confidence)} confidence,"
        raise Refused(Diagnosis("nan", f"{where} your bound is {bound:g}.", "Is something divided by zero there?"))
    return bound


def same(rng: Generator, runs: int) -> Outputs:
    """Outputs of a mechanism that does not look at its data, no two of them the same."""
    return (smooth if rng.random() < 0.7 else hilly)(rng, runs)


def percent(error: float) -> str:
    """1 − error in percent, with as many digits as it takes to tell it from 100%.

    >>> percent(0.45), percent(0.0085), percent(3.3e-6)
    ('55%', '99.2%', '99.9997%')
    """
    return f"{1 - error:.{max(0, math.ceil(-math.log10(error)) - 2)}%}"
