"""Milestones of capstone 5: read a patient off two sums, bound one, share the noise, what is left, the whole."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.capstone_5.exercises.few import few
from dpcourse.lessons.capstone_5.exercises.left import LEFT
from dpcourse.lessons.capstone_5.exercises.noise import SHARE
from dpcourse.lessons.capstone_5.exercises.reading import READ
from dpcourse.lessons.capstone_5.exercises.sums import SUM
from dpcourse.lessons.capstone_5.exercises.whole import WHOLE

_ACCOUNTING = ("accounting", "mechanisms")

EXERCISES = (
    Exercise(
        "capstone 5.1",
        "A patient between two sums",
        READ,
        call="read_patient(weights, before, after, centre, spread)",
    ),
    Exercise(
        "capstone 5.2",
        "One patient in a hospital's sum",
        SUM,
        call="hospital_sum(weights, X, y, patients, centre, spread, clip)",
    ),
    Exercise(
        "capstone 5.3",
        "What a hospital sends",
        SHARE,
        call="message(total, epsilon, delta, rounds, clip, reach, shares, rng)",
        allowed=_ACCOUNTING,
    ),
    Exercise(
        "capstone 5.4",
        "What is left of the claim",
        LEFT,
        call="patient_epsilon(at, arrived, colluders, threshold, share, clip, delta)",
        allowed=_ACCOUNTING,
    ),
    Exercise(
        "capstone 5.5",
        "The whole training",
        (*WHOLE, few),
        call="train(hospitals, plan, secure_sum, rng)",
        own_work=False,
    ),
)
