"""Milestones of capstone 3: what a campaign costs, one bit, one vector, a secure sum, the whole."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.capstone_3.exercises.costs import COSTS
from dpcourse.lessons.capstone_3.exercises.crowds import crowds
from dpcourse.lessons.capstone_3.exercises.handful import handful
from dpcourse.lessons.capstone_3.exercises.large import large
from dpcourse.lessons.capstone_3.exercises.mean import MEAN
from dpcourse.lessons.capstone_3.exercises.quiet import each_number
from dpcourse.lessons.capstone_3.exercises.sums import SUMS
from dpcourse.lessons.capstone_3.exercises.vectors import VECTORS
from dpcourse.lessons.capstone_3.exercises.whole import WHOLE

ROOMS = ("accounting", "mechanisms")

EXERCISES = (
    Exercise(
        "capstone 3.1",
        "What a campaign costs",
        COSTS,
        call="campaign_epsilon(epsilon, delta, rounds, honest)",
        allowed=ROOMS,
    ),
    Exercise("capstone 3.2", "A mean from one bit each", (*MEAN, handful), call="privatize_mean(x, epsilon, rng)"),
    Exercise(
        "capstone 3.3",
        "A vector that hides its direction",
        (*VECTORS, crowds),
        call="l2_randomizer(g, epsilon, rng)",
        restless=lambda result, *_: True,  # no direction comes again
    ),
    Exercise(
        "capstone 3.4",
        "A secure sum with noise for a campaign",
        (*SUMS, each_number, large),
        call="secure_dp_sum(messages, n, epsilon, delta, rounds, threshold, rng)",
        allowed=ROOMS,
        restless=lambda result, messages, n, epsilon, *_: epsilon <= 8,  # normal noise, never the same
    ),
    Exercise(
        "capstone 3.5",
        "The whole campaign",
        WHOLE,
        call="train(fleet, n, epsilon, delta, threshold, rng)",
        allowed=ROOMS,
    ),
)
