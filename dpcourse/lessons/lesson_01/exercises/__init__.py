"""Exercises of lesson 01: the attacks, written by the reader and run on people drawn anew."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_01.exercises.tables import EXPOSED, LINK, UNIQUE
from dpcourse.lessons.lesson_01.exercises.totals import reconstructs, reveals

EXERCISES = (
    Exercise("01.1", "The share of unique people", UNIQUE, call="unique_share(frame, columns)"),
    Exercise("01.2", "Link a register to a release", LINK, call="link(released, register, on)"),
    Exercise("01.3", "One secret from two large groups", (reveals,), call="reveal(count, n, person)"),
    Exercise("01.4", "What a k-anonymous table still tells", EXPOSED, call="exposed_share(frame, columns, sensitive)"),
    Exercise("01.5", "Reconstruct secrets from noisy counts", (reconstructs,), call="reconstruct(queries, answers)"),
)
