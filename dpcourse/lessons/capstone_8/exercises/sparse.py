"""Capstone 8.6: few messages, few days that are published, and many homes with one and the same reading."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, spread, whole
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_8.design import CAP, sigma, year_norm
from dpcourse.lessons.capstone_8.exercises.means import LOUD
from dpcourse.lessons.capstone_8.exercises.noise import noise_fits
from dpcourse.lessons.capstone_8.exercises.readings import STRANGE, counting, of_homes, shown
from dpcourse.lessons.capstone_8.exercises.whole import released
from dpcourse.lessons.capstone_8.exercises.world import MIXES, Message, names

WORLDS = 60  # with few messages
SHORT, SHUT = (4, 60), 40  # days of a world most of whose days are not published, and how many worlds
CROWD = (800, 1200)  # homes with one reading


def of_few(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One to a dozen messages, most of which say something strange: what counts, and the size of the noise."""
    rng, found, said = chance.rng, list[float](), list[str]()
    for epsilon in spread(rng, 0.1, 50, WORLDS):
        homes, days, delta = names(whole(rng, 1, 4)), whole(rng, 1, 3), between(rng, 1e-10, 1e-3)
        readings = rng.choice((*STRANGE, 100.0, 1000.0, 12.0), (len(homes), days))
        messages: list[Message] = [
            (home, day, float(readings[row, day])) for row, home in enumerate(homes) for day in range(days)
        ]
        given = released(answer, messages, homes, days, epsilon, delta, len(homes), rng)
        unit = year_norm(days) * sigma(epsilon, delta) / len(homes)
        found += ((given["means"] - counting(readings).mean(axis=0)) / unit).tolist()
        said += [f"{len(messages)} messages, of which those for this day say {_all(kwh)}" for kwh in readings.T]
    z = np.array(found)
    far = np.where(np.isnan(z), np.inf, np.abs(z))
    if far.max() > stats.norm.isf(chance.failure / (4 * len(z))):
        most = int(far.argmax())
        size = f"{far[most]:,.1f} times" if far[most] < 1e6 else "far more than"
        off = "NaN" if np.isnan(z[most]) else f"off by {size} the deviation of its noise"
        seen = f"With {said[most]}, the day's mean is {off}. All homes reported, and `shares` is their number."
        return Diagnosis("strange", seen, MIXES["strange"][1])
    if noise_fits(z, chance.failure / 2):
        return None
    ratio = float(np.sqrt((z**2).mean()))
    seen = f"In releases of a dozen messages or fewer your noise has {ratio:.2g} times the right deviation."
    ask = "What does your noise depend on besides ε, δ, `days`, `shares` and who reported?"
    return Shared.NOT_EVERYWHERE.seen(seen, ask)


def _all(readings: np.ndarray) -> str:
    return ", ".join(map(shown, readings.tolist()))


def of_shut_days(answer: Answer, chance: Chance) -> Diagnosis | None:
    """On most days fewer homes than `shares` report: noise is for the year of a home that reports on all of them."""
    rng, found, shut = chance.rng, list[float](), list[float]()
    for epsilon in spread(rng, 0.05, 10, SHUT):
        days, delta, shares = whole(rng, *SHORT), between(rng, 1e-10, 1e-3), whole(rng, 2, 8)
        homes = names(shares + int(rng.integers(3)))
        open_ = rng.permutation(days) < max(1, round(days * rng.uniform(0, 0.4)))
        many = np.where(open_, rng.integers(shares, len(homes) + 1, days), rng.integers(0, shares, days))
        readings = of_homes(rng, len(homes), days)
        messages: list[Message] = [
            (home, day, float(readings[row, day])) for day in range(days) for row, home in enumerate(homes[: many[day]])
        ]
        means = released(answer, messages, homes, days, epsilon, delta, shares, rng)["means"]
        exact = np.array([readings[: many[day], day].mean() for day in np.flatnonzero(open_)])
        unit = year_norm(days) * sigma(epsilon, delta) / np.sqrt(many[open_] * shares)
        found += ((means[open_] - exact) / unit).tolist()
        shut.append(1 - open_.mean())
    z, where = np.array(found), f"Where {np.mean(shut):.0%} of the days are not published"
    if np.isnan(z).any():
        return Diagnosis("refuses-all", f"{where}, some means of days with enough homes are NaN.", MIXES["few"][1])
    if noise_fits(z, chance.failure):
        return None
    ratio = float(np.sqrt((z**2).mean()))
    shared = Shared.TOO_LITTLE_NOISE if ratio < 1 else Shared.TOO_MUCH_NOISE
    ask = "On how many days may a home report? Is that known before anybody counts who did?"
    return shared.seen(f"{where}, your noise has {ratio:.2g} times the right deviation on the others.", ask)


def of_one_reading(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A thousand homes that all say 3.4 or 0.04: at a huge ε a mean is right to two hundredths of a kWh and less."""
    rng, homes = chance.rng, names(whole(chance.rng, *CROWD))
    parts = np.array([0.4, rng.uniform(0.1, 0.48), rng.uniform(0.52, 0.97), rng.uniform(0.02, 0.04), 0.5])
    readings = rng.integers(0, int(CAP), len(parts)) + parts
    messages: list[Message] = [(home, day, kwh) for day, kwh in enumerate(readings.tolist()) for home in homes]
    means = released(answer, messages, homes, len(parts), LOUD, 1e-6, len(homes), rng)["means"]
    off = np.nan_to_num(np.abs(means - readings), nan=np.inf)
    if off.max() < year_norm(len(parts)) * sigma(LOUD, 1e-6) / len(homes) * stats.norm.isf(chance.failure / 10):
        return None
    day = int(off.argmax())
    seen = f"All {len(homes)} homes say {readings[day]:.4g} kWh, and the day's mean is {means[day]:.4g}"
    ask = "Is a reading rounded before it is added up?"
    return Diagnosis("plain", f"{seen} (at ε = {LOUD:g}, where there is little noise).", ask)


SPARSE = (of_few, of_shut_days, of_one_reading)
