"""Exercises of lesson 10: rates of an attack and their bands, the likelihood ratio, and what a claim leaves an accuser.

Data are drawn anew for every check. Four answers are formulas; the fifth is an attack, judged by how often it accuses.
"""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_10.exercises.limits import WORTH, accuses_everywhere, best_attack
from dpcourse.lessons.lesson_10.exercises.rates import BAND, TPR_AT
from dpcourse.lessons.lesson_10.exercises.ratio import LIRA

EXERCISES = (
    Exercise("10.1", "The rate at few false alarms", (TPR_AT,), call="tpr_at(scores, members, fpr)"),
    Exercise("10.2", "One person's likelihood ratio", (LIRA,), call="lira_score(phi, with_it, without)"),
    Exercise("10.3", "The band around a rate", (BAND,), call="band(hits, trials, confidence)"),
    Exercise("10.4", "What an accusation is worth", (WORTH,), call="worth(epsilon, prior)"),
    Exercise(
        "10.5",
        "As good as the claim allows",
        (best_attack, accuses_everywhere),
        call="accuse(report, fpr, epsilon, rng)",
    ),
)
