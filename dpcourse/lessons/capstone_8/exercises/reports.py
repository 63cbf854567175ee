"""Capstone 8.1, the proposal: a home's bucket by randomized response, anew every day."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import stats

from dpcourse.checks.again import listens
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.links import Draws, alike, linked, repeated
from dpcourse.checks.once import fresh, near, whole
from dpcourse.checks.rare import MANY as MANY_LIES
from dpcourse.checks.rare import rare_lies, too_rare
from dpcourse.checks.scores import fit
from dpcourse.checks.vocabulary import Shared
from dpcourse.datasets import simulate_meters
from dpcourse.lessons.capstone_6.exercises.parts import Part
from dpcourse.lessons.capstone_8.design import BUCKETS, CAP
from dpcourse.lessons.capstone_8.exercises.alike import crowded
from dpcourse.lessons.capstone_8.exercises.averages import MEANS, truth_probability
from dpcourse.lessons.capstone_8.exercises.buckets import bucket, reported
from dpcourse.lessons.capstone_8.exercises.corners import few_readings
from dpcourse.lessons.capstone_8.exercises.independence import apart, independent, possible
from dpcourse.lessons.capstone_8.exercises.readings import STRANGE, broken, shown

NAMES = ("daily_reports", "daily_means")
YEAR = 365
SURE = 40.0  # an ε at which nobody lies
MANY = 60_000  # readings of a large call


def strange(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε every report is the truth: also of readings that are none, and at the edges of buckets."""
    plain = chance.rng.uniform(0, CAP, (20, 20))
    given = reported(answer, plain, SURE, chance.rng)
    if not np.array_equal(given, bucket(plain)):
        if not np.array_equal(given, reported(answer, plain, SURE, chance.rng)):
            return apart(answer, chance) or law(answer, chance)  # lies where there should be none
        place = np.argwhere(given != bucket(plain))[0]
        seen = f"At ε = {SURE:g}, where a lie is rarer than 1e-16, {plain[tuple(place)]:.3g} kWh is reported as bucket "
        return Diagnosis(
            "wrong-bucket",
            f"{seen}{given[tuple(place)]}; it is in bucket {bucket(plain)[tuple(place)]}.",
            "Bucket k goes from 3k to below 3(k + 1) kWh. Which k do you get for this reading?",
        )
    edges = CAP / BUCKETS * np.arange(BUCKETS)
    for value in (*STRANGE, *edges, *np.nextafter(edges[1:], 0)):
        readings = chance.rng.uniform(0, CAP, (3, 4))
        readings[1, 2] = value
        where = f"With a reading of {shown(value)} among others"
        try:
            given = reported(answer, readings, SURE, chance.rng)
        except AnswerRaised as raised:
            return Diagnosis(
                "raises",
                f"{where}, your function stops: {raised}. An error is an output, and this one tells about a home.",
                "NaN and what is below 0 count as 0, what is above 24 as 24. Where do you see to that?",
            )
        if given[1, 2] != bucket(value):
            return Diagnosis(
                "strange-reading",
                f"{where}, that home's report is bucket {given[1, 2]}; {bucket(value)} is right (at ε = {SURE:g}, "
                "where a lie is rarer than 1e-16).",
                "Bucket k goes from 3k to below 3(k + 1) kWh, and the last one is open. NaN and what is below 0 count "
                "as 0, what is above 24 as 24. What does this reading count as?",
            )
    return None


# Truth probabilities of known mistakes, with what is said of them.
_RATES: tuple[tuple[str, Callable[[float], float], str, str], ...] = (
    ("no-noise", lambda e: 1.0, "no report is ever a lie.", "Where does the randomness come in?"),
    (
        "binary",
        lambda e: 1 / (1 + math.exp(-e)),
        "that is e^ε/(e^ε + 1), as for two answers.",
        "Seven buckets share the lies. How many times as likely as any one of them is the truth?",
    ),
    (
        "eight-lies",
        lambda e: math.exp(e) / (math.exp(e) + BUCKETS),
        "that is e^ε/(e^ε + 8).",
        "Of the eight buckets, how many are lies?",
    ),
    (
        "lie-may-be-true",
        lambda e: (p := truth_probability(e)) + (1 - p) / BUCKETS,
        "your lies are sometimes the true bucket. The truth is then more than e^ε times as likely as any one lie.",
        "Among how many answers do you draw a lie?",
    ),
    (
        "share-of-epsilon",
        lambda e: truth_probability(e / 365),
        "that is randomized response with ε/365.",
        "`epsilon` is that of one day's report; what a year costs comes in 8.2. Which ε does one report of yours have?",
    ),
)


_EPSILONS = 9


def _real(rng: np.random.Generator) -> list[tuple[int, int]]:
    """Homes and days of two large calls."""
    homes, days = whole(rng, 50_000, MANY), whole(rng, 365, 730)
    return [(homes, MANY // homes), (MANY // days, days)]


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """How often the truth is told and each lie, in many small calls and in one large one, at ε over two decades.

    Every other call has broken meters: their reports lie as often. Half of the calls have readings that are whole or
    have one decimal. One call has as many homes as the project's cells, one as many days: 60,000 readings each, as
    their 18 million take too long. Some calls are months and years of one home or two of the project's.
    """
    seen: list[tuple[float, int, int]] = []
    first = int(chance.rng.integers(4))
    odd, fine = list[tuple[float, int, int]](), list[tuple[float, int, int]]()
    uneven, calls, level = None, list[tuple[np.ndarray, float]](), chance.failure / (8 * _EPSILONS)
    real = dict(zip(chance.rng.choice(_EPSILONS - 2, 2, replace=False).tolist(), _real(chance.rng), strict=True))
    homes = simulate_meters(300, 2 * YEAR, rng=fresh(chance.rng)).used
    centers = 0.03 * 200 ** ((np.arange(_EPSILONS) + chance.rng.random(_EPSILONS)) / _EPSILONS)  # 0.03 to 6
    for number, center in enumerate(centers):
        epsilon = near(center, chance.rng, 1.0)
        days = int(chance.rng.integers(1, 12))
        large = (int(np.exp(chance.rng.uniform(math.log(6_000), math.log(12_000))) / days), days)
        if number in real:
            large = real[number]
        lived = [(whole(chance.rng, 1, 2), whole(chance.rng, 30, 2 * YEAR)) for _ in range(12)]
        for shapes in ([large], [(1, 1)] * 60 + [(int(chance.rng.integers(1, 9)), 7)] * 40, lived):
            steps = np.zeros(BUCKETS, dtype=int)
            for place, shape in enumerate(shapes, number):
                plain, decimals = chance.rng.uniform(0, 30, shape), (place // 2 + first) % 4
                if shapes is lived:
                    plain = homes[chance.rng.integers(len(homes), size=shape[0]), : shape[1]].astype(float)
                plain = np.round(plain, decimals) if decimals < 2 else plain
                readings = plain if place % 2 else broken(plain, 0.5, chance.rng)
                away = (reported(answer, readings, float(epsilon), chance.rng) - bucket(readings)) % BUCKETS
                steps += np.bincount(away.ravel(), minlength=BUCKETS)
                for some, part in ((odd, away[readings != plain]), (fine, away[readings == plain])):
                    some.append((epsilon, int((part == 0).sum()), len(part)))
                calls.append((away.ravel(), epsilon))
            seen.append((epsilon, int(steps[0]), int(steps.sum())))
            lies = int(steps[1:].sum())
            if lies and stats.binom.sf(steps[1:].max() - 1, lies, 1 / (BUCKETS - 1)) < level / 5:
                uneven = uneven or (epsilon, int(steps[1:].argmax()) + 1, float(steps[1:].max() / lies))
    known = _likeliest(seen) if uneven is None else None
    if known is not None:
        rates = [(abs(known[1](e) - truth_probability(e)), e, k / n) for e, k, n in seen if n > 5000]
        _, epsilon, share = max(rates)
        true = (
            f"At ε = {epsilon:.2g}, {share:.1%} of your reports are true, and {truth_probability(epsilon):.1%} is right"
        )
        return Diagnosis(known[0], f"{true}: {known[2]}", known[3])
    right = all(possible(k, n, truth_probability(e), level) for e, k, n in seen)
    if right and uneven is None:
        found = hang_together(calls, chance.failure / 4)
        ask = "Every home and every day needs a draw of its own. Which of yours share one?"
        return Diagnosis("shared-noise", found, ask) if found else None
    if wrong := _of_broken(odd, fine):
        return wrong
    if right and uneven is not None:
        epsilon, step, share = uneven
        return Diagnosis(
            "uneven-lies",
            f"At ε = {epsilon:.2g}, {share:.0%} of your lies are {_away(step)}; each of the seven lies should get 14%.",
            "Every bucket but the true one is equally likely. Is yours drawn among seven?",
        )
    low, *_, high = sorted(one for one in seen if one[2] > 5000)
    told = [k / n for _, k, n in seen]
    if max(told) - min(told) < 0.15 and abs(low[1] / low[2] - high[1] / high[2]) < 0.05:
        return Shared.EPSILON_IGNORED.seen(
            f"You tell the truth {low[1] / low[2]:.0%} of the time at ε = {low[0]:.2g} and at {high[0]:.2g}."
        )
    epsilon, k, n = next(s for s in seen if not possible(s[1], s[2], truth_probability(s[0]), level))
    return Diagnosis(
        "wrong-rate",
        f"At ε = {epsilon:.3g}, {k:,} of {n:,} reports are the true bucket, which is {k / n:.1%}; e^ε/(e^ε + 7) is "
        f"{truth_probability(epsilon):.1%}.",
        "Does your probability change with the number of readings, or with anything else but `epsilon`?",
    )


def _of_broken(odd: list[tuple[float, int, int]], fine: list[tuple[float, int, int]]) -> Diagnosis | None:
    """Said where broken meters' reports lie too rarely or too often, and others as they should."""

    def off(one: tuple[float, int, int]) -> tuple[float, float]:
        p = truth_probability(one[0])
        return one[1] - one[2] * p, one[2] * p * (1 - p)

    if fit(list(map(off, odd)), 1e-3) or not fit(list(map(off, fine)), 1e-4):
        return None
    epsilon, k, n = max(odd, key=lambda one: off(one)[0] ** 2 / (1 + off(one)[1]))
    return Diagnosis(
        "strange-lies",
        f"Where a reading is NaN, infinite, below 0, or 24 and above, {k / n:.1%} of your reports are true ({k:,} of "
        f"{n:,}, at ε = {epsilon:.2g}). e^ε/(e^ε + 7) is {truth_probability(epsilon):.1%}, and your other reports keep "
        "to it.",
        "Such a reading counts as 0 or as 24, and then it is a reading like any other. When does its report lie?",
    )


def _away(step: int) -> str:
    """So many buckets after the true one, counting on from 7 to 0, in words: the shorter way."""
    if step <= BUCKETS // 2:
        return f"{step} above the true bucket (after 7 comes 0)"
    return f"{BUCKETS - step} below the true bucket (before 0 comes 7)"


def _draws(away: np.ndarray, epsilon: float) -> list[Draws]:
    """Whether each report is true, and where on the circle it lies from the truth, with the variances of right ones."""
    p, angle = truth_probability(epsilon), 2 * math.pi / BUCKETS * away
    q, many = (1 - p) / (BUCKETS - 1), np.ones(len(away))
    along, across = (p + 3 * q - (p - q) ** 2) / 4, q  # Σ cos² and Σ sin² over the circle are 4
    return [
        Draws((away == 0) - p, p * (1 - p) * many),
        Draws((np.cos(angle) - (p - q)) / 2, along * many),
        Draws(np.sin(angle) / 2, across * many),
    ]


def hang_together(calls: list[tuple[np.ndarray, float]], failure: float) -> str:
    """What reports of several calls have in common, in a sentence; "" if nothing.

    Of each call, how far each report is from the true bucket, on the circle, and the ε.
    """
    where = alike([away - 1 for away, _ in calls], BUCKETS - 1, failure / 7)
    for some in zip(*(_draws(*call) for call in calls), strict=True):
        where = where or linked(some, failure / 7)
        if not where and repeated(some, failure / 7):
            return "Your reports depend on those at the same places in the call before."
    return where and f"Some of your reports, in the order of the array, depend on each other: {where}."


def _likeliest(seen: list[tuple[float, int, int]]) -> tuple[str, Callable[[float], float], str, str] | None:
    """The known wrong rate that fits everywhere and is e^20 times as likely as the right one; None if none is.

    Of a right answer, no rule is with a probability above e^−20.
    """

    def likelihood(rate: Callable[[float], float]) -> float:
        return sum(float(stats.binom.logpmf(k, n, rate(e))) for e, k, n in seen)

    def fits(rate: Callable[[float], float]) -> bool:
        counts = [(k, n, rate(e)) for e, k, n in seen]
        return all(possible(*one, 1e-9) for one in counts) and fit(
            [(k - n * p, n * p * (1 - p)) for k, n, p in counts], 1e-4
        )

    fitting = [rule for rule in _RATES if fits(rule[1])]
    best = max(fitting, key=lambda rule: likelihood(rule[1]), default=None)
    return best if best and likelihood(best[1]) > likelihood(truth_probability) + 20 else None


def _many(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Sixty readings or more: all their reports come again with probability 1e-20 at most."""
    return rng.uniform(0, 30, (whole(rng, 60, 600), whole(rng, 1, 12))), near(0.7, rng, 2.0)


def rarely(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At an ε at which a report is hardly ever a lie, some are."""
    (epsilon, share), readings = rare_lies(chance.rng, BUCKETS - 1), chance.rng.uniform(0, CAP, (MANY_LIES // 60, 60))
    lies = int((reported(answer, readings, epsilon, chance.rng) != bucket(readings)).sum())
    return too_rare(lies, share, epsilon, chance.failure)


_DAILY = (strange, apart, law, independent, listens(_many, reported), rarely, few_readings, crowded)
REPORTS = (
    *(Part(NAMES, "daily_reports", case) for case in _DAILY),
    Part(NAMES, "daily_means", MEANS),
)
