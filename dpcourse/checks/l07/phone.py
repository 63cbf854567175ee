"""Exercise 07.6: a phone that reports every day, audited."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Returns, Useful, View
from dpcourse.privacy import Guarantee, Neighbours

# 07.6 A phone that reports every day

_DAYS, _ANSWERS = 12, 4
_MANY_DAYS = 100


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


def _how_daily(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    runs = [np.asarray(_all_days(1.0)(answer, 1, trial.rng)).astype(int) for _ in range(1500)]
    if all((run == 1).all() for run in runs):
        return Wrong("Your phone always tells the truth.", "Where does the randomness come in?", "no-noise")
    if all(run[0] == 1 for run in runs):
        return Wrong(
            "On the first day your phone tells the truth; noise later does not take that back.",
            "Randomize once, before anything is sent.",
            "first-day-true",
        )
    long = np.array([_all_days(1.0, _MANY_DAYS)(answer, 1, trial.rng) for _ in range(300)])
    if 0 < np.mean(np.diff(long.astype(int)) != 0) < 0.25:  # fresh reports differ from day to day far more often
        return Wrong(
            "Your phone remembers its report, and on some days sends another: that is a second look at the truth, and "
            "together they tell more than ε allows.",
            "Draw one report and send it on every day, however many there are.",
            "not-for-ever",
        )
    if any(np.ptp(run) > 0 for run in runs):
        return Wrong(
            "Every day has fresh noise, and the days can be averaged: together they cost about days · ε.",
            "Draw one report, remember it, and send it every day.",
            "fresh-noise",
        )
    truth = np.mean([run[0] == 1 for run in runs])
    if 0.54 < truth < 0.67:  # right is e/(e + 3) = 0.48; with a quarter of the lies true it is 0.61
        return Wrong(
            f"Your report is the truth with probability {truth:.2f} at ε = 1: that is more than ε allows. When the "
            "phone is to lie, may it draw the true answer after all?",
            "Draw the lie among the k − 1 other answers.",
            "lie-may-be-true",
        )
    if truth > 0.67:
        return Wrong(
            f"Your report is the truth with probability {truth:.2f} at ε = 1. With {_ANSWERS} answers that is more "
            "than ε allows: e^ε/(e^ε + 1) is the formula for two.",
            "Each lie has probability (1 − p)/(k − 1). What is p over that?",
            "formula-of-two",
        )
    return None


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
    # At ε = 1 the truth may be told with probability e/(e + 3) = 47.5%, at ε = 3 with 87%.
    Useful(
        _two_answers,
        truth=lambda answer: answer,
        within=0.0,
        at_least=0.8,
        call=_all_days(3.0),
        error=lambda output, answer: float(np.mean(np.asarray(output) != answer)),
        hint="At ε = 3 one remembered report may be the truth 87% of the time. Do you share ε among the days?",
    ),
    Useful(
        _two_answers,
        truth=lambda answer: answer,
        within=0.0,
        at_least=0.42,
        runs=3000,
        call=_all_days(1.0),
        error=lambda output, answer: float(np.mean(np.asarray(output) != answer)),
        hint="At ε = 1 one remembered report may be the truth 47.5% of the time.",
    ),
)
