"""Exercises of lesson 15: what the noise does to groups of different size."""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_15.exercises.counts import ADDED, COUNTS, RELATIVE
from dpcourse.lessons.lesson_15.exercises.fairness import INTERVAL, OPPORTUNITY

EXERCISES = (
    Exercise("15.1", "The relative error of a count", (RELATIVE,), call="relative_error(count, epsilon)"),
    Exercise("15.2", "Counts of groups", COUNTS.cases, call="group_counts(groups, k, epsilon, rng)"),
    Exercise("15.3", "What cutting at zero adds", (ADDED,), call="added_by_cutting(count, epsilon)"),
    Exercise("15.4", "Equal opportunity difference", (OPPORTUNITY,), call="opportunity(labels, says, privileged)"),
    Exercise("15.5", "Within noise?", (INTERVAL,), call="change_interval(private, plain)"),
)
