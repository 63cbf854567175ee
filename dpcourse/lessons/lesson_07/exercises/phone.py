"""Exercise 07.6: a phone that reports every day, audited."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, Returns, View
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import whole
from dpcourse.checks.places import Place, Placed, place
from dpcourse.checks.rare import MANY, rare_lies, too_rare
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee, Neighbours

# 07.6 A phone that reports every day

_DAYS, _ANSWERS = 12, 4
_MANY_DAYS = 100
_OFTEN = 500
_RUNS = 3000  # a share of them is known to 0.03, but once in 6,000 times


def _two_answers(rng: np.random.Generator) -> tuple[int, int]:
    first = int(rng.integers(_ANSWERS))
    return first, int((first + rng.integers(1, _ANSWERS)) % _ANSWERS)


def _all_days(epsilon: float, days: int = _DAYS):
    def call(answer: Answer, truth: int, rng: np.random.Generator) -> Any:
        return answer(truth, days, _ANSWERS, epsilon, rng=rng)

    return call


def _votes(reports: np.ndarray) -> int:
    """The most frequent report (the smallest of several): what an attacker would bet on."""
    return int(np.bincount(np.asarray(reports).astype(int), minlength=_ANSWERS).argmax())


def _pattern(reports: np.ndarray) -> str:
    """The first report and the first two that differ from the one before: whether it is one report for ever."""
    reports = np.asarray(reports).astype(int)
    changes = np.flatnonzero(np.diff(reports))[:2] + 1
    return "".join(map(str, reports[[0, *changes]]))


def _how_daily(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    runs = [np.asarray(_all_days(1.0)(answer, 1, chance.rng)).astype(int) for _ in range(1500)]
    if all((run == 1).all() for run in runs):
        return Shared.NO_NOISE.seen(
            "Your phone always tells the truth.",
            "Where does the randomness come in?",
        )
    if all(run[0] == 1 for run in runs):
        return Diagnosis(
            "first-day-true",
            "On the first day your phone tells the truth; noise later does not take that back.",
            "Randomize once, before anything is sent.",
        )
    long = np.array([_all_days(1.0, _MANY_DAYS)(answer, 1, chance.rng) for _ in range(300)])
    if 0 < np.mean(np.diff(long.astype(int)) != 0) < 0.25:  # fresh reports differ from day to day far more often
        return Diagnosis(
            "not-for-ever",
            "Your phone remembers its report, and on some days sends another: that is a second look at the truth, and "
            "together they tell more than ε allows.",
            "Draw one report and send it on every day, however many there are.",
        )
    if any(np.ptp(run) > 0 for run in runs):
        return Diagnosis(
            "fresh-noise",
            "Every day has fresh noise, and the days can be averaged: together they cost about days · ε.",
            "Draw one report, remember it, and send it every day.",
        )
    truth = np.mean([run[0] == 1 for run in runs])
    if 0.54 < truth < 0.67:  # right is e/(e + 3) = 0.48; with a quarter of the lies true it is 0.61
        return Diagnosis(
            "lie-may-be-true",
            f"Your report is the truth with probability {truth:.2f} at ε = 1: that is more than ε allows. When the "
            "phone is to lie, may it draw the true answer after all?",
            "Draw the lie among the k − 1 other answers.",
        )
    if truth > 0.67:
        return Diagnosis(
            "formula-of-two",
            f"Your report is the truth with probability {truth:.2f} at ε = 1. With {_ANSWERS} answers that is more "
            "than ε allows: e^ε/(e^ε + 1) is the formula for two.",
            "Each lie has probability (1 − p)/(k − 1). What is p over that?",
        )
    return None


def _tells_the_truth(epsilon: float):
    """A case: all reports of a person are the truth as often as one remembered report may be, or more often."""
    right = math.exp(epsilon) / (math.exp(epsilon) + _ANSWERS - 1)

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        truths = chance.rng.integers(_ANSWERS, size=_RUNS)
        seen = np.array([_all_days(epsilon)(answer, int(truth), chance.rng) for truth in truths]).astype(int)
        true = seen == truths[:, None]
        good = int(true.all(axis=1).sum())
        if stats.binomtest(good, _RUNS, right, alternative="less").pvalue > chance.failure:
            return None
        return _too_seldom(seen, true, truths, epsilon)

    return case


def _too_seldom(seen: np.ndarray, true: np.ndarray, truths: np.ndarray, epsilon: float) -> Diagnosis:
    first, later, best = true[:, 0].mean(), true[:, 1:].mean(), np.exp(epsilon) / (np.exp(epsilon) + _ANSWERS - 1)
    may = f"One remembered report may be the truth {best:.0%} of the time at ε = {epsilon:g}"
    if (seen == seen[:, :1]).all():
        if abs(first - 1 / _ANSWERS) < 0.03:
            return Shared.IGNORES_DATA.seen(
                "Your reports do not follow the true answer.",
                "Where does `answer` come in?",
            )
        return Diagnosis(
            "not-useful",
            f"Every day has the same report, as it should, and it is the truth {first:.0%} of the time. {may}.",
            "Write down p and the probability of a single lie. Their ratio has to be e^ε.",
        )
    if first > later + 0.1 and first > best - 0.1:
        return Diagnosis(
            "first-day-only",
            f"On the first day your report is the truth {first:.0%} of the time, on the later days {later:.0%}. Saying "
            "the same again tells nothing new, and costs nothing.",
            "Send the first day's report on all days.",
        )
    voted = np.array([np.bincount(row, minlength=_ANSWERS).argmax() for row in seen])
    if later > 1 / _ANSWERS + 0.1 and np.mean(voted == truths) > 0.8 * best:
        return Diagnosis(
            "noisy-memory",
            f"Your phone remembers an answer and puts fresh noise on it every day: a report is the truth {later:.0%} "
            f"of the time. {may}: the daily noise is not needed here.",
            "Send what is remembered, as it is. (RAPPOR's daily noise keeps days from being linked.)",
        )
    return Diagnosis(
        "not-useful",
        f"Your reports change from day to day, and each is the truth {later:.0%} of the time. {may}, on every day.",
        "Do the days share ε? Saying the same again costs nothing.",
    )


def _anywhere(answer: Answer, epsilon: float, k: int, rng: np.random.Generator) -> list[Place]:
    """Where the report lies that is sent every day: the truth first, then the lies in their order after it."""
    truth, days = int(rng.integers(k)), whole(rng, 1, 1000)
    reports = np.asarray(answer(truth, days, k, epsilon, rng=rng)).astype(int)
    if (reports != reports[0]).any():
        what = (
            f"With {k} answers and {days} days, at ε = {epsilon:.2g}, your phone does not send the same report on all "
            "days."
        )
        ask = "Draw one report and send it on every day, whatever k, ε and the number of days are."
        raise Refused(Diagnosis("not-for-ever", what, ask))
    right = float(np.exp(epsilon) / (np.exp(epsilon) + k - 1))
    lie, one = int(reports[0] - truth) % k, (1 - right) / (k - 1)
    return [place(right + (lie - 1) * one, one, rng) if lie else place(0, right, rng)]


_PLACED = Placed(
    _anywhere,
    sizes=(2, 100),
    of="answers",
    times=800,
    often=1500,
    whole=True,
    near="your reports are too often the truth, or an answer soon after it",
    far="your reports are too seldom the truth, or an answer soon after it",
)


def _everywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Once each, anywhere; and what the lies are, where too many are near to the truth."""
    found = _PLACED(answer, chance)
    if found is None or _PLACED.near not in found.seen:
        return found
    lies = []
    for _ in range(400):
        k = whole(chance.rng, 10, 100)
        truth = int(chance.rng.integers(k))
        report = int(np.asarray(answer(truth, 5, k, float(chance.rng.uniform(0.5, 2)), rng=chance.rng))[0])
        lies += [(report - truth) % k] if report != truth else []
    if len(lies) < 200:  # right are 55% at least
        return replace(found, seen=found.seen.replace(_PLACED.near, "your reports are too often the truth"))
    following = lies.count(1)
    if 2 * following < len(lies):  # right is one in nine, or fewer
        return found
    return Diagnosis(
        found.key,
        f"In 400 calls with 10 to 100 answers, your lies are too often the next answer after the truth: {following} of "
        f"{len(lies)} are.",
        "Can every other answer be the lie?",
    )


def _often(answer: Answer, chance: Chance) -> Diagnosis | None:
    """How often the report is the truth with two answers, and at ε above 5 with many, each asked hundreds of times."""
    for answers, epsilons in (((2, 2), (0.3, 1.5)), ((60, 100), (6.0, 8.0))):
        k, epsilon = whole(chance.rng, *answers), float(chance.rng.uniform(*epsilons))
        right = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
        truths = [int(truth) for truth in chance.rng.integers(k, size=_OFTEN)]
        days = whole(chance.rng, 1, 30)
        told = sum(int(np.ravel(answer(one, days, k, epsilon, rng=chance.rng))[0]) == one for one in truths)
        if stats.binomtest(told, _OFTEN, right).pvalue < chance.failure / 2:
            seen = (
                f"Asked {_OFTEN} times with {k} answers at ε = {epsilon:.2f}, your report was the truth {told} times; "
            )
            ask = "Does your randomness depend on k and ε in the same way for every k and every ε?"
            return Shared.NOT_EVERYWHERE.seen(f"{seen}about {_OFTEN * right:.0f} are right.", ask)
    return None


def _rarely(answer: Answer, chance: Chance) -> Diagnosis | None:
    k = int(chance.rng.integers(2, 11))
    (epsilon, share), truth = rare_lies(chance.rng, k - 1), int(chance.rng.integers(k))
    reports = np.concatenate([np.asarray(answer(truth, 1, k, epsilon, rng=chance.rng)) for _ in range(MANY)])
    return too_rare(int((reports != truth).sum()), share, epsilon, chance.failure)


DAILY = (
    Returns(
        inputs=lambda rng: (int(rng.integers(5)), int(rng.integers(3, 20)), 5, float(rng.uniform(0.5, 2))),
        what="array",
        shape=lambda answer, days, k, epsilon: (days,),
        among=lambda answer, days, k, epsilon: list(range(k)),
    ),
    Audited(
        _two_answers,
        Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE),
        call=_all_days(1.0, _MANY_DAYS),
        view=_votes,
        runs=2500,
        times=2,
        diagnose=_how_daily,
        hint="All the days together must be ε-DP.",
        also=(View(_pattern, hint="All the days together must be ε-DP.", diagnose=_how_daily),),
    ),
    _tells_the_truth(3.0),
    _tells_the_truth(1.0),
    _everywhere,
    _often,
    _rarely,
)
