"""Capstone 8.5: an alarm that runs at home, sees one home's readings and the published means, and sends nothing."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis, Refused, a
from dpcourse.datasets.meters import simulate_meters
from dpcourse.lessons.capstone_8.design import CAP
from dpcourse.lessons.capstone_8.exercises.reports import STRANGE

HOMES, LARGE = 45, 6.0  # the last third of the homes is so many times as large: always above the cap
BREAKS, WITHIN, TWICE = (110, 330), 14, 2.0  # when something breaks, when it has to be found, what is used from then on
HEAT, HEAT_DAYS, HEAT_STARTS = 2.0, 14, (110, 200)  # a heat wave: everybody cools
FOUND, FALSE, ALLOWED = 0.8, 0.02, 0.04  # what is asked for, and the share of false days at which a check refuses


RANDOM = Diagnosis(
    "random",
    "Two calls with the same readings give different alarms.",
    "Nothing leaves the home here. What is the noise for?",
)


def alarms(answer: Answer, readings: np.ndarray, means: np.ndarray) -> np.ndarray:
    for array in (readings, means):
        array.setflags(write=False)
    given = np.asarray(answer(readings, means))
    if given.shape != readings.shape or not np.isin(given, (0, 1)).all():
        what = f"an array of shape {given.shape}" if given.shape else a(given)
        raise Refused(
            Diagnosis("wrong-shape", f"For {len(readings)} days you return {what}; True or False for each is wanted.")
        )
    return given.astype(bool)


def broken(chance: Chance) -> tuple[np.ndarray, np.ndarray, np.ndarray, slice]:
    """Homes with a year of readings, the day from which each uses twice as much, the published means, a heat wave."""
    meters = simulate_meters(2000, rng=chance.rng)
    heat = int(chance.rng.integers(*HEAT_STARTS))
    wave = slice(heat, heat + HEAT_DAYS)
    used = meters.used.astype(float)
    used[:, wave] *= HEAT
    means = np.minimum(used, CAP).mean(axis=0) + chance.rng.normal(0, 0.03, used.shape[1])
    readings, start = used[:HOMES], chance.rng.integers(*BREAKS, size=HOMES)
    readings[2 * HOMES // 3 :] *= LARGE
    for home, day in zip(readings, start, strict=True):
        home[day:] *= TWICE
    return readings, start, means, wave


def at_home(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Nothing of tomorrow, no luck, and no stumbling over readings or means that are missing."""
    readings, start, means, _ = broken(chance)
    for home in chance.rng.choice(HOMES, 3, replace=False):
        day = int(start[home]) + WITHIN
        whole = alarms(answer, readings[home].copy(), means.copy())
        if not np.array_equal(whole, alarms(answer, readings[home].copy(), means.copy())):
            return RANDOM
        for until in (day, day - WITHIN // 2):
            if not np.array_equal(whole[:until], alarms(answer, readings[home, :until].copy(), means[:until].copy())):
                again = [alarms(answer, readings[home].copy(), means.copy()) for _ in range(10)]
                if any(not np.array_equal(whole, one) for one in again):
                    return RANDOM
                return Diagnosis(
                    "looks-ahead",
                    f"With the readings of {until} days you give other alarms for them than with those of the year.",
                    "An alarm rings on its day. What does the home know by then?",
                )
    for value in STRANGE:
        home, known = readings[0].copy(), means.copy()
        home[chance.rng.random(len(home)) < 0.1] = value
        known[chance.rng.random(len(known)) < 0.05] = np.nan
        try:
            alarms(answer, home, known)
            alarms(answer, np.full(30, value), known[:30].copy())
        except AnswerRaised as raised:
            return Diagnosis(
                "raises",
                f"With readings of {value:g} on some days and means that were not published on others, your function "
                f"stops: {raised}.",
                "A meter fails, and a day has too few reports. What should the alarm do then?",
            )
    return None


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What breaks is found within two weeks, and false alarms are few, in large homes and in a heat wave too."""
    readings, start, means, wave = broken(chance)
    given = np.array([alarms(answer, home.copy(), means.copy()) for home in readings])
    before = np.arange(readings.shape[1]) < start[:, None]
    false = float(given[before].mean())
    in_wave = before[:, wave]
    hot = float(given[:, wave][in_wave].mean()) if in_wave.any() else 0.0
    found = np.array([alarm[day : day + WITHIN].any() for alarm, day in zip(given, start, strict=True)])
    if false > ALLOWED or hot > 0.2:
        seen = f"{false:.1%} of the days before anything breaks have an alarm; 2% is allowed."
        if hot > max(0.2, 2.5 * false):
            return Diagnosis(
                "weather",
                f"{seen} In a heat wave, when every home uses {HEAT:g} times as much, it is {hot:.0%}.",
                "The published means know about the weather. Where do they enter?",
            )
        big = float(given[2 * HOMES // 3 :][before[2 * HOMES // 3 :]].mean())
        if big > 2 * float(given[: 2 * HOMES // 3][before[: 2 * HOMES // 3]].mean()):
            return Diagnosis(
                "one-size",
                f"{seen} Of the days of large homes it is {big:.0%}.",
                "What is much for one home is usual for another. What does a home know about itself?",
            )
        return Diagnosis("false-alarms", seen, "How far from its own usual use does a home go on an ordinary day?")
    small, large = found[: 2 * HOMES // 3], found[2 * HOMES // 3 :]
    share = 0.25 * chance.failure
    if (
        stats.binom.cdf(int(large.sum()), len(large), FOUND) < share
        and not stats.binom.cdf(int(small.sum()), len(small), FOUND) < share
    ):
        return Diagnosis(
            "large-homes",
            f"You find {large.mean():.0%} of what breaks in large homes, and {small.mean():.0%} in the others.",
            "The cap is for what leaves the home. What may the alarm look at?",
        )
    if stats.binom.cdf(int(found.sum()), HOMES, FOUND) < share:
        return Diagnosis(
            "not-found",
            f"When a home uses twice as much from one day on, you give an alarm within {WITHIN} days in "
            f"{found.mean():.0%} of {HOMES} homes; {FOUND:.0%} is asked for.",
            "One day is noisy. What do a week's readings say, compared with weeks before?",
        )
    return None


ALARM = (at_home, useful)
