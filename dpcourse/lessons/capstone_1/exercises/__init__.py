"""Milestones of capstone 1: what the proposal costs, a clipped sum, a share of the noise, who gains, the whole."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.capstone_1.exercises.costs import COSTS, SHARE
from dpcourse.lessons.capstone_1.exercises.sums import GAINS, SUM
from dpcourse.lessons.capstone_1.exercises.whole import WHOLE

_ACCOUNTING = ("accounting", "mechanisms")

EXERCISES = (
    Exercise(
        "capstone 1.1",
        "What rounds at home cost a wafer",
        COSTS,
        call="home_epsilon(n, batch, epochs, noise_multiplier, rounds, delta)",
        allowed=_ACCOUNTING,
    ),
    Exercise("capstone 1.2", "One wafer in a clipped sum", SUM, call="clipped_sum(weights, X, y, clip)"),
    Exercise(
        "capstone 1.3",
        "A fab's share of the noise",
        SHARE,
        call="noise_share(epsilon, delta, rounds, shares)",
        allowed=_ACCOUNTING,
    ),
    Exercise("capstone 1.4", "Who gains", GAINS, call="gains(together, alone, X, y, made_in)"),
    Exercise(
        "capstone 1.5",
        "The whole training",
        WHOLE,
        call="train(fabs, epsilon, delta, secure_sum, rng)",
        own_work=False,
    ),
)
