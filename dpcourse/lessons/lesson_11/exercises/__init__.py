"""Exercises of lesson 11: certificates, the choice of an event, one-run audits, replay, and sealed mechanisms.

Formulas are compared on counts drawn anew; procedures are tried on outputs whose ε is known; verdicts are asked about
mechanisms nobody has seen before.
"""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_11.exercises.bounds import CERTIFICATE, ONE_RUN
from dpcourse.lessons.lesson_11.exercises.events import choose_and_certify
from dpcourse.lessons.lesson_11.exercises.replay import moved
from dpcourse.lessons.lesson_11.exercises.verdicts import verdicts

EXERCISES = (
    Exercise(
        "11.1",
        "A certificate from counts",
        CERTIFICATE,
        call="certificate(hits, runs, false_hits, false_runs, delta, confidence)",
    ),
    Exercise(
        "11.2",
        "Choose an event, then certify it",
        (choose_and_certify,),
        call="choose_and_certify(outputs, neighbour_outputs, confidence)",
    ),
    Exercise("11.3", "Guess the canaries", ONE_RUN, call="one_run(scores, members, guesses, confidence)"),
    Exercise("11.4", "Freeze the noise", (moved,), call="moved(mechanism, data, neighbour, seeds)"),
    Exercise(
        "11.5",
        "Verdicts on sealed mechanisms",
        (verdicts,),
        call="is_broken(mechanism, data, neighbour, claim, rng)",
        own_work=False,  # the package's auditor is the tool here
        seconds=300.0,  # two hundred audits and more, on a machine that is busy with much else
    ),
)
