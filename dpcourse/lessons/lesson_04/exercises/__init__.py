"""Exercises of lesson 04: the Gaussian mechanism, selection, the sparse vector, a private median.

Data are drawn anew for every check.
"""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_04.exercises.counts import COUNTS
from dpcourse.lessons.lesson_04.exercises.exponential import EXPONENTIAL
from dpcourse.lessons.lesson_04.exercises.first_above import FIRST
from dpcourse.lessons.lesson_04.exercises.median import MEDIAN
from dpcourse.lessons.lesson_04.exercises.sigma import SIGMA

EXERCISES = (
    Exercise("04.1", "The smallest σ", SIGMA, call="gaussian_sigma(epsilon, delta, sensitivity)"),
    Exercise("04.2", "Many counts at once", COUNTS.cases, call="release_counts(flags, sigma_1, rng)"),
    Exercise(
        "04.3", "Choosing in proportion", EXPONENTIAL, call="choose(candidates, utilities, sensitivity, epsilon, rng)"
    ),
    Exercise("04.4", "The first above a threshold", FIRST, call="first_above(values, threshold, epsilon, rng)"),
    Exercise("04.5", "A private median", MEDIAN, call="private_median(values, low, high, epsilon, rng)"),
)
