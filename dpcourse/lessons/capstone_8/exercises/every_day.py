"""Capstones 8.4 and 8.6: every day has the noise of its year, the last one and the one of most use, too."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.entries import quiet_number
from dpcourse.checks.once import between, whole
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_8.design import sigma, year_norm
from dpcourse.lessons.capstone_8.exercises.means import YEAR, means_of
from dpcourse.lessons.capstone_8.exercises.readings import counting, of_homes
from dpcourse.lessons.capstone_8.exercises.whole import released
from dpcourse.lessons.capstone_8.exercises.world import Message, names

Release = tuple[np.ndarray, np.ndarray]  # noise of each day in units of its right deviation, and its exact mean
CALLS = 150


def _quiet(found: list[Release], failure: float) -> Diagnosis | None:
    for order, calls in (
        ("", [noise for noise, _ in found]),
        (", days in order of their use,", [noise[np.argsort(exact)] for noise, exact in found]),
    ):
        if where := quiet_number(calls, failure / 2):
            most = max(map(len, calls))
            return Shared.TOO_LITTLE_NOISE.seen(
                f"In {len(calls)} releases of up to {most} days{order} {where.replace('number', 'day')}.",
                "Which days get less noise than others? A home that is away on that one day can be found by it.",
            )
    return None


def of_means(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A few homes' years, and months and weeks: half of the right deviation on one day is seen."""
    rng, found = chance.rng, list[Release]()
    for days in [YEAR] * CALLS + [whole(rng, 2, 60) for _ in range(CALLS)]:
        readings, epsilon, delta = of_homes(rng, 2, days), between(rng, 0.1, 5.0), 1e-6
        exact = counting(readings).mean(axis=0)
        unit = year_norm(days) * sigma(epsilon, delta) / 2
        found.append(((means_of(answer, readings, epsilon, delta, rng) - exact) / unit, exact))
    return _quiet(found, chance.failure)


def of_messages(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Three homes, all of which report on all of up to forty days."""
    rng, found = chance.rng, list[Release]()
    for _ in range(CALLS):
        homes, days, epsilon, delta = names(3), whole(rng, 10, 40), between(rng, 0.1, 5.0), 1e-6
        readings = of_homes(rng, 3, days)
        messages: list[Message] = [
            (home, day, float(kwh)) for home, year in zip(homes, readings, strict=True) for day, kwh in enumerate(year)
        ]
        exact = counting(readings).mean(axis=0)
        unit = year_norm(days) * sigma(epsilon, delta) / 3
        given = released(answer, messages, homes, days, epsilon, delta, 3, rng)
        found.append(((given["means"] - exact) / unit, exact))
    return _quiet(found, chance.failure)
