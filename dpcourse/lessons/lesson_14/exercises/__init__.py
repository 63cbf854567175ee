"""Exercises of lesson 14: a budget that holds, and numbers that carry nothing but their noise."""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_14.exercises.bits import GUESS
from dpcourse.lessons.lesson_14.exercises.prices import EPSILON, GRANT
from dpcourse.lessons.lesson_14.exercises.release import RELEASE
from dpcourse.lessons.lesson_14.exercises.spend import SPEND

EXERCISES = (
    Exercise("14.1", "ε from an attacker's advantage", EPSILON, call="epsilon_for(advantage, delta)"),
    Exercise("14.2", "Spend in one transaction", SPEND, call="spend(connection, query_id, epsilon, budget)"),
    Exercise("14.3", "A Rényi filter", GRANT, call="grant(requests, epsilon, delta, order)"),
    Exercise("14.4", "The dataset in the last bits", GUESS, call="guess(releases)"),
    Exercise("14.5", "A release without last bits", RELEASE, call="release(value, sensitivity, g, epsilon, rng)"),
)
