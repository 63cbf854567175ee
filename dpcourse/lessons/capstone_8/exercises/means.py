"""Capstone 8.4: noisy means of every day, whose noise hides a home's whole year and is no larger than that needs."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpcourse.checks.again import listens
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import between, fresh, whole
from dpcourse.checks.plain import only_numbers
from dpcourse.lessons.capstone_8.design import CAP, sigma, year_norm
from dpcourse.lessons.capstone_8.exercises.noise import Noise, noise_wrong
from dpcourse.lessons.capstone_8.exercises.readings import STRANGE, broken, counting, of_homes
from dpcourse.mechanisms.additive.gaussian import gaussian_delta
from dpcourse.privacy import Guarantee, Neighbours

YEAR, MOST = 365, 800_000  # days; different readings of one call
LOUD, CALLS = 700.0, 5  # an ε at which the noise is 0.027 of a year's norm, and e^ε still fits a float
# Settings with many homes: from so many to so many, days, and calls.
LARGE = ((2000, 15_000, 40, 2), (15_000, 150_000, 2, 2), (150_000, 400_000, 2, 2), (45_000, 45_100, YEAR, 1))
SINGLE = 2000  # homes at most whose readings are at times in single precision, as the simulator's are
AUDITED = 1.0  # the ε at which the auditor looks, at a large δ, where it sees best


def means_of(
    answer: Answer, readings: np.ndarray, epsilon: float, delta: float, rng: np.random.Generator
) -> np.ndarray:
    readings.setflags(write=False)
    given = np.asarray(only_numbers(answer(readings, epsilon, delta, fresh(rng))))
    days = readings.shape[1]
    if given.shape != (days,) or given.dtype.kind not in "iuf":
        what = f"an array of shape {given.shape}" if given.shape else a(given)
        raise Refused(Diagnosis("wrong-shape", f"For {days} days you return {what}; one mean a day is wanted."))
    return given.astype(float)


def _wrong_means(readings: np.ndarray) -> list[tuple[str, np.ndarray, str, str]]:
    """What known mistakes give without noise."""
    fine = np.where(np.isfinite(readings), readings, np.nan)
    with np.errstate(all="ignore"):
        kept = np.clip(fine, 0, CAP)
        known = np.isfinite(kept)
        return [
            ("sum", counting(readings).sum(axis=0), "You return sums, not means.", "How many homes are in a sum?"),
            (
                "nan-left-out",
                np.where(known, kept, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1),
                "You divide by the number of homes whose reading is a number. That number is not public, and it has no "
                "noise.",
                "Which number of homes is public? What does NaN count as?",
            ),
            (
                "cut-off",
                np.clip(counting(readings).mean(axis=0), 0, CAP / 2),
                "Your means stop at 12 kWh.",
                "What is cut, a home's reading or the mean?",
            ),
            (
                "not-capped",
                np.clip(np.nan_to_num(readings, posinf=1e300, neginf=-1e300).mean(axis=0), 0, CAP),
                "A reading above 24 kWh counts in full, so one home can move a day's sum by far more than 24.",
                "What has to be between 0 and 24: a home's reading, or the mean?",
            ),
            (
                "large-left-out",
                np.where(readings > CAP, 0, counting(readings)).mean(axis=0),
                "A reading above 24 kWh counts as 0.",
                "What does such a reading count as in the task?",
            ),
        ]


def near(given: np.ndarray, wanted: np.ndarray, unit: np.ndarray | float) -> bool:
    """Whether the average of calls, shape (calls, days), is what is wanted, up to noise of deviation `unit` at least.

    Noise that is too wide is no business of this look: what the calls themselves scatter counts too.
    """
    spread = np.maximum(given.std(axis=0, ddof=1).mean(), unit)
    close = np.abs(given.mean(axis=0) - wanted) <= 7 * spread / math.sqrt(len(given))
    return bool((close & np.isfinite(spread)).all())  # the squares of numbers like 1e300 overflow


def clean(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε the noise is small, and what is averaged shows: fine readings, large ones, and some that are none."""
    for strange in (False, False, True, True, True):
        shape = (int(chance.rng.integers(300, 1000)), int(chance.rng.integers(3, 9)))
        readings = chance.rng.uniform(0, 40, shape)
        if strange:
            readings = broken(readings, 0.2, chance.rng)
        kind = "NaN, infinity and readings below 0 or above 24" if strange else "readings between 0 and 40 kWh"
        try:
            given = np.array([means_of(answer, readings, LOUD, 1e-6, chance.rng) for _ in range(CALLS)])
        except AnswerRaised as raised:
            if not strange:
                raise
            return Diagnosis(
                "raises",
                f"With {kind}, your function stops: {raised}. An error is an output.",
                "NaN and what is below 0 count as 0, what is above 24 as 24. Where do you see to that?",
            )
        if not np.isfinite(given).all():
            return Diagnosis("not-finite", f"With {kind}, a mean is NaN or infinite.", "What does NaN count as?")
        right, unit = counting(readings).mean(axis=0), year_norm(shape[1]) * sigma(LOUD, 1e-6) / shape[0]
        if near(given, right, unit):
            continue
        for key, wrong, seen, ask in _wrong_means(readings):
            if near(given, wrong, unit * (shape[0] if key == "sum" else 1)):
                return Diagnosis(key, seen, ask)
        average = given.mean(axis=0)
        worst = int(np.abs(average - right).argmax())
        return Diagnosis(
            "wrong-mean",
            f"With {kind} from {shape[0]} homes, at ε = {LOUD:g}, where there is little noise, a day's mean is "
            f"{average[worst]:.4g}; {right[worst]:.4g} is right.",
            "What is a home allowed to add on one day: at least, and at most?",
        )
    return None


def drawn(answer: Answer, chance: Chance, settings: int = 30) -> list[Noise]:
    """The noise at many settings: half of them with fine readings, the others with some that are none.

    Days from 3 to 20,000, each decade as often: some 70,000 numbers. A deviation that was 3% off was seen in 40 of 40
    checks. At short lengths alone, without the long ones, it is 10% and more. One call is that of the project's cells:
    50,000 homes and a year, in single precision. Their 18 million readings are those of fewer homes, again and again.
    """
    found, rng = [], chance.rng
    for number, place in enumerate(rng.permutation(settings)):
        days = int(3 * (20_000 / 3) ** ((place + rng.uniform()) / settings))
        calls = max(2 if days < 1000 else 1, 24 // days)
        homes = int(np.exp(rng.uniform(0, math.log(max(3, min(30_000, 15_000 / days / min(calls, 2)))))))
        epsilon, delta = float(np.exp(rng.uniform(math.log(0.03), math.log(20)))), between(rng, 1e-10, 1e-3)
        if number < len(LARGE):
            low, high, days, calls = LARGE[number]
            epsilon = min(epsilon, 3.0) if days == YEAR else epsilon
            homes = whole(rng, low, high)
        top = CAP * float(rng.choice((0.0, 0.3, 1.0, 1.5)))
        readings = of_homes(rng, min(homes, MOST // days), days, top)
        if number % 2:
            some = rng.random(len(readings)) < 0.3
            some[rng.integers(len(some))] = True
            readings[some, rng.integers(days)] = STRANGE[number // 2 % len(STRANGE)]
        if number % 3 == 0 and homes <= SINGLE or len(readings) < homes:
            with np.errstate(over="ignore"):
                readings = (np.round(8 * readings) / 8).astype(np.float32)  # their sums are exact
        rows = np.arange(homes) % len(readings)
        exact = np.bincount(rows) @ counting(readings) / homes
        readings = readings if len(readings) == homes else readings[rows]
        unit = year_norm(days) * sigma(epsilon, delta) / homes
        given = np.array([means_of(answer, readings, epsilon, delta, rng) for _ in range(calls)])
        expected = calls * float(stats.norm.cdf(-exact / unit).sum())
        standard, below = (given - exact) / unit, int((given < 0).sum())
        found.append(Noise(homes, days, epsilon, delta, standard, below, expected))
    return found


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The exact law of the noise, over decades of homes, days, ε and δ."""
    return noise_wrong(drawn(answer, chance), chance.failure, chance.rng)


def certified(shown: np.ndarray, there: np.ndarray, claim: Guarantee, failure: float) -> float | None:
    """The ε that an auditor certifies from what a canary's year moves; None if within the claim."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    sides = [np.round(shown[there == here], 2).tolist() for here in (False, True)]
    runs = min(map(len, sides))
    result = audit_outputs(*(side[:runs] for side in sides), claim=claim, confidence=1 - failure)
    return result.epsilon_lower if result.violated else None


def hides(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The auditor: one home at the cap all year, or at zero, among few others; its direction is known."""
    noise = float(chance.rng.uniform(0.7, 1.2))  # σ in units of a year's norm
    claim = Guarantee(AUDITED, gaussian_delta(AUDITED, noise), Neighbours.REPLACE_ONE)
    homes, days = int(chance.rng.integers(2, 8)), int(chance.rng.integers(20, 60))
    others = chance.rng.uniform(0, CAP, (homes, days))
    place = int(chance.rng.integers(homes))
    there = chance.rng.random(400) < 0.5
    shown = np.empty(len(there))
    for run, here in enumerate(there):
        readings = others.copy()
        readings[place] = CAP if here else 0.0
        given = means_of(answer, readings, AUDITED, claim.delta, chance.rng)
        shown[run] = given.sum() * homes / year_norm(days) / math.sqrt(days)
    found = certified(shown, there, claim, chance.failure)
    if found is None:
        return None
    return Diagnosis(
        "not-private",
        f"Added up over {days} days, your means tell a home that used 24 kWh every day from one that used none. The "
        f"auditor certifies ε ≥ {found:.3g}, and ε = 1 is asked for (at δ = {claim.delta:.2g}).",
        "How far does a whole year of one home move the vector of all days?",
    )


def _any(rng: np.random.Generator) -> tuple[np.ndarray, float, float]:
    readings = of_homes(rng, whole(rng, 1, 1000), whole(rng, 2, 400))
    return readings, float(0.03 * 600 ** rng.random()), between(rng, 1e-10, 1e-3)


MEANS = (clean, law, hides, listens(_any, means_of))
