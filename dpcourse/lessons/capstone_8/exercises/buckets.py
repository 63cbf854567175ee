"""Readings as buckets, and what an answer returns as such."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import fresh
from dpcourse.checks.plain import only_numbers
from dpcourse.lessons.capstone_8.design import BUCKETS, CAP
from dpcourse.lessons.capstone_8.exercises.readings import counting


def bucket(readings: np.ndarray) -> np.ndarray:
    return np.minimum(counting(readings) * BUCKETS // CAP, BUCKETS - 1).astype(int)


def codes(given: object, shape: tuple[int, ...]) -> np.ndarray:
    """What an answer returns as buckets of this shape; refused if it is something else."""
    array = np.asarray(only_numbers(given))
    if array.dtype.kind not in "iuf" or array.shape != shape:
        what = f"an array of shape {array.shape}" if array.dtype.kind in "iuf" and array.shape else a(given)
        raise Refused(Diagnosis("wrong-shape", f"For {shape} readings you return {what}; one bucket each is wanted."))
    if not np.isin(array, np.arange(BUCKETS)).all():
        odd = array[~np.isin(array, np.arange(BUCKETS))][0]
        ask = "kWh come in, and the number of a bucket goes out."
        raise Refused(Diagnosis("no-bucket", f"One of your reports is {odd:g}; buckets are 0, …, {BUCKETS - 1}.", ask))
    return array.astype(int)


def reported(answer: Answer, readings: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    readings.setflags(write=False)
    return codes(answer(readings, epsilon, fresh(rng)), readings.shape)
