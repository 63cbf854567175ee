"""Exercises of lesson 13: noisy tables, choosing among them, and drawing people from them."""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_13.exercises.choice import CHOICE
from dpcourse.lessons.lesson_13.exercises.drawing import CHILDREN, COPIED
from dpcourse.lessons.lesson_13.exercises.tables import SIGMA, TABLE

EXERCISES = (
    Exercise("13.1", "The noise of k tables", (SIGMA,), call="table_noise(k, rho)"),
    Exercise("13.2", "A noisy table", TABLE.cases, call="noisy_table(a, b, shape, epsilon, rng)"),
    Exercise("13.3", "Choose a pair", CHOICE, call="choose_pair(scores, epsilon, rng)"),
    Exercise("13.4", "Draw the children", CHILDREN, call="draw_children(parents, table, rng)"),
    Exercise("13.5", "How often a copy gives Ana away", (COPIED,)),
)
