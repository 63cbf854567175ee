"""Capstone 8.1: calls in which most readings lie in one bucket, as on a summer's day, and ε up to 8."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import near, whole
from dpcourse.lessons.capstone_8.design import BUCKETS, CAP
from dpcourse.lessons.capstone_8.exercises.averages import truth_probability
from dpcourse.lessons.capstone_8.exercises.buckets import bucket, reported
from dpcourse.lessons.capstone_8.exercises.independence import possible

CENTERS = (0.2, 1.0, 2.5, 4.5, 6.2, 7.4)  # of the ε that are asked
NOTHING = (0.0, np.nan, -np.inf, -1.0, -1e300)  # what counts as 0
MOST = 5000  # readings of a call
WHAT = {"most": "most of whose readings lie in one bucket", "spread": "whose readings lie in all buckets"}


def _readings(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Of one home or one day, or of many; half of them or all lie in one bucket, which mostly is the first."""
    homes = whole(rng, 1, 500)
    shape = (homes, whole(rng, 1, min(MOST // homes, 400)))
    readings = rng.uniform(0, CAP, shape)
    if kind == "spread":
        return readings
    place = int(rng.integers(BUCKETS)) if rng.random() < 0.5 else 0
    same = CAP / BUCKETS * (place + rng.uniform(0, 0.99, shape))
    same = rng.choice(NOTHING, shape) if place == 0 and rng.random() < 0.2 else same
    return np.where(rng.random(shape) < rng.uniform(0.55, 1.1), same, readings)


def crowded(answer: Answer, chance: Chance) -> Diagnosis | None:
    """How often the truth is told, of both kinds at each ε."""
    rng, found = chance.rng, list[tuple[str, float, int, int]]()
    for center in CENTERS:
        epsilon = near(center, rng, 1.1)
        for kind in WHAT:
            true = many = 0
            while many < 3 * MOST // 5:
                readings = _readings(kind, rng)
                true += int((reported(answer, readings, epsilon, rng) == bucket(readings)).sum())
                many += readings.size
            found.append((kind, epsilon, true, many))
    level = chance.failure / (2 * len(found))
    off = [one for one in found if not possible(*one[2:], truth_probability(one[1]), level)]
    if not off:
        return None
    kind, epsilon, true, many = min(off, key=lambda one: one[0] != "spread")
    seen = f"At ε = {epsilon:.3g}, in calls {WHAT[kind]}, {true:,} of {many:,} reports are the true bucket. That is "
    seen += f"{true / many:.2%}, and e^ε/(e^ε + 7) is {truth_probability(epsilon):.2%}."
    ask = "Does your probability change with the readings, or with anything else but `epsilon`?"
    if kind == "spread":
        ask = "Which ε enters your probability, where `epsilon` is small and where it is large?"
    return Diagnosis("wrong-rate", seen, ask)
