"""Capstone 4.5: each defect has noise of its own, wherever it stands and however often it occurs."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.whole_apiece import amiss
from dpcourse.lessons.capstone_4.exercises.leaves import summed
from dpcourse.lessons.capstone_4.exercises.reference import counted

PLACED = 200  # sums of reports of one length, in which each defect is looked at alone


def apiece(answer: Answer, chance: Chance) -> Diagnosis | None:
    """In lists of one length and of many."""
    rng, noise, epsilons, truths = chance.rng, list[np.ndarray](), list[float](), list[np.ndarray]()
    length = int(rng.integers(22, 60))
    for number in range(PLACED + 100):
        epsilon, shares = float(0.02 * 40 ** rng.uniform()), (1, 2)[number % 2]
        defects = length if number < PLACED else int(22 * 20 ** rng.uniform())
        failures = [rng.integers(0, defects, int(rng.integers(500))).astype(float) for _ in range(shares)]
        truths.append(np.sum([counted(one, defects) for one in failures], axis=0))
        noise.append(summed(answer, failures, defects, epsilon, shares, rng) - truths[-1])
        epsilons.append(epsilon)
    level = chance.failure / 2
    same = slice(PLACED)
    wrong = amiss(noise[same], epsilons[same], level, rng, truths=truths[same]) or amiss(noise, epsilons, level, rng)
    return wrong and wrong.led_by("In new reports: ")
