"""Milestones of capstone 6: residuals read, a bit leaked, banks that meet, a product, noise, the whole."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.capstone_6.exercises.few import hides_few
from dpcourse.lessons.capstone_6.exercises.meeting import MEETING
from dpcourse.lessons.capstone_6.exercises.noise import NOISE
from dpcourse.lessons.capstone_6.exercises.product import PRODUCT
from dpcourse.lessons.capstone_6.exercises.residuals import RESIDUALS
from dpcourse.lessons.capstone_6.exercises.twist import TWIST
from dpcourse.lessons.capstone_6.exercises.whole import WHOLE

EXERCISES = (
    Exercise("capstone 6.1", "What residuals tell", RESIDUALS, call="(labels, others)"),
    Exercise("capstone 6.2", "One bit survives blinding", TWIST, call="(on_curve, attack)"),
    Exercise("capstone 6.3", "Customers in common", MEETING, call="(start, again, common)"),
    Exercise(
        "capstone 6.4", "A product nobody sees", (*PRODUCT, hides_few), call="(share, multiply)", odd=("wrong-shape",)
    ),
    Exercise(
        "capstone 6.5",
        "Clipped at home, noise in shares",
        NOISE,
        call="(block, deviation, noise)",
        allowed=("mechanisms", "accounting"),
    ),
    Exercise(
        "capstone 6.6",
        "The whole model",
        WHOLE,
        call="credit_model(ids, features, defaulted, tools, epsilon, delta)",
        own_work=False,
    ),
)
