"""Exercises 03.2 and 03.4: are few records clipped as many are?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.measured import in_a_file
from dpcourse.lessons.lesson_03.exercises.records import bounds

_MOST = 30  # records; larger datasets are looked at elsewhere


def few_clipped(total: Callable[[Answer, tuple[np.ndarray, float, float], Chance], float], centred: bool) -> Case:
    """One record to thirty, one of them or more hundreds of bounds away: the sum of clipped ones, or of plain ones.

    ``total`` asks at ε = 1. The two are told apart where they differ by more than a hundred records, and noise of twice
    a record's scale is wider than fifty of them with probability e^-25: twice in 10^10 for all thirty.
    """

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        for many in range(1, _MOST + 1):
            low, high = bounds(chance.rng, "both signs")
            values = chance.rng.uniform(low, high, many)
            far = chance.rng.random(many) < chance.rng.random()
            far[chance.rng.integers(many)] = True
            centre, reach = (low + high) / 2 if centred else 0.0, max(abs(low), abs(high))
            values[far] = chance.rng.choice([-1, 1], far.sum()) * reach * 10 ** chance.rng.uniform(2.5, 5, far.sum())
            values = in_a_file(values, chance.rng)
            clipped, plain = ((some - centre).sum() for some in (np.clip(values, low, high), values))
            given = total(answer, (values, low, high), chance)
            if abs(given - plain) > 50 * reach or abs(given - clipped) <= 50 * reach:
                continue
            records = f"Of {many} records {far.sum()} lie" if many > 1 else "One record lies"
            where = f", measured from the centre {centre:.4g}" if centred else ""
            return Diagnosis(
                "not-clipped",
                f"{records} far outside of ({low:.4g}, {high:.4g}). Clipped, the sum{where} is {clipped:.6g}; not "
                f"clipped, {plain:.6g}; you give {given:.6g}.",
                "Is each record clipped, however few there are?",
            )
        return None

    return case
