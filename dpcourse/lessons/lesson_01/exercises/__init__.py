"""Exercises of lesson 01: the attacks, written by the reader and run on people drawn anew, and a release to decide."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_01.exercises.plan import PLAN
from dpcourse.lessons.lesson_01.exercises.register import LINK
from dpcourse.lessons.lesson_01.exercises.sums import reconstructs
from dpcourse.lessons.lesson_01.exercises.tables import EXPOSED, REMOVED
from dpcourse.lessons.lesson_01.exercises.totals import reveals

EXERCISES = (
    Exercise("01.1", "What k-anonymity removes", REMOVED, call="removed_share(frame, columns, k)"),
    Exercise("01.2", "Link a register that is a year old", LINK, call="link(released, register, on)"),
    Exercise("01.3", "A secret from groups that are far apart", (reveals,), call="reveal(count, n, person)"),
    Exercise("01.4", "What a k-anonymous table still tells", EXPOSED, call="exposed_share(frame, columns, sensitive)"),
    Exercise("01.5", "Reconstruct answers from noisy sums", (reconstructs,), call="reconstruct(queries, answers)"),
    Exercise("01.6", "Decide what two offices publish", PLAN, call="plan(people)"),
)
