"""Exercises of lesson 03: sensitivity, noise where it has to go, an attack, and a release to design."""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_03.exercises.histogram import HISTOGRAM
from dpcourse.lessons.lesson_03.exercises.interval import HALF_WIDTH
from dpcourse.lessons.lesson_03.exercises.mean import MEAN_PARTS
from dpcourse.lessons.lesson_03.exercises.neighbour import NEIGHBOUR
from dpcourse.lessons.lesson_03.exercises.plan import PLAN
from dpcourse.lessons.lesson_03.exercises.sensitivities import SENSITIVITIES
from dpcourse.lessons.lesson_03.exercises.sums import NOISY_SUM

EXERCISES = (
    Exercise("03.1", "Five new sensitivities", SENSITIVITIES, call="sensitivities(low, high, boxes, ticks)"),
    Exercise("03.2", "A sum with noise", NOISY_SUM, call="noisy_sum(values, low, high, epsilon, rng)"),
    Exercise(
        "03.3", "A table over declared categories", HISTOGRAM, call="noisy_histogram(values, categories, epsilon, rng)"
    ),
    Exercise("03.4", "The two parts of a mean", MEAN_PARTS, call="mean_parts(values, low, high, epsilon, rng)"),
    Exercise("03.5", "An interval for a whole table", HALF_WIDTH, call="half_width(scale, level, cells)"),
    Exercise("03.6", "Find the neighbours that break a mean", NEIGHBOUR),
    Exercise("03.7", "Four numbers under one ε", PLAN),
)
