"""Capstone 8.4: days on which all meters say one thing, and releases of a single day, have their noise too."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, spread, whole
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_8.design import CAP, sigma, year_norm
from dpcourse.lessons.capstone_8.exercises.means import means_of
from dpcourse.lessons.capstone_8.exercises.noise import noise_fits
from dpcourse.lessons.capstone_8.exercises.readings import STRANGE, counting, of_homes, shown

SINGLE = "a single day"  # is all that is released
SAME = "one reading"  # any, that all homes have
RELEASES = 80  # of a single day, and as many of several
NONE, FEW = 1e-9, 6  # so many deviations are no noise; right means, rounded to six decimals, are so now and then


def _said(kind: str) -> str:
    if kind == SINGLE:
        return "Where a single day is released"
    return f"On days on which all meters say {kind}{'' if kind in (SAME, 'NaN') else ' kWh'}"


def _several(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Readings, and what all homes say on a day; "" on a day like any other."""
    readings = of_homes(rng, 1 if rng.random() < 0.05 else whole(rng, 2, 60), whole(rng, 2, 80))
    days = readings.shape[1]
    said = np.append(rng.choice((*STRANGE, 0.0, CAP), days), 0)[:days]
    kinds = np.array([shown(one) for one in said], dtype=object)
    drawn, usual = rng.random(days) < 0.15, rng.random(days) < rng.choice((0.0, 0.5, 0.8))
    said[drawn], kinds[drawn], kinds[usual] = rng.uniform(0, CAP, np.count_nonzero(drawn)), SAME, ""
    readings[:, ~usual] = said[~usual]
    return readings, kinds


def of_same_days(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The deviation on days of each kind, by the exact law: of 30 numbers and more, half of it is seen."""
    rng, found = chance.rng, dict[str, list[float]]()
    for number, epsilon in enumerate(spread(rng, 0.03, 20, 2 * RELEASES)):
        delta = between(rng, 1e-10, 1e-3)
        readings, kinds = _several(rng)
        if number % 2:
            readings, kinds = of_homes(rng, whole(rng, 1, 2000), 1), np.array([SINGLE], dtype=object)
        homes, days = readings.shape
        unit = year_norm(days) * sigma(epsilon, delta) / homes
        noise = (means_of(answer, readings, epsilon, delta, rng) - counting(readings).mean(axis=0)) / unit
        for kind, one in zip(kinds, noise.tolist(), strict=True):
            found.setdefault(kind, []).append(one)
    for kind, some in found.items():
        z = np.array(some)
        if not kind:
            continue
        if (exact := int((np.abs(z) < NONE).sum())) >= FEW:
            ask = "Every day needs its noise, whatever the readings and however many. When does yours leave it out?"
            return Diagnosis("sometimes-exact", f"{_said(kind)}, {exact} of {len(z)} means have no noise.", ask)
        if not noise_fits(z, chance.failure / len(found)):
            ratio = float(np.sqrt((z**2).mean()))
            seen = f"{_said(kind)}, your noise has about {ratio:.2g} times the right deviation ({len(z)} days)."
            ask = "What does the size of your noise depend on besides ε, δ and the numbers of homes and days?"
            return Shared.NOT_EVERYWHERE.seen(seen, ask)
    return None
