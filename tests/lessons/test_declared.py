"""Each wrong formula and wrong value that an exercise declares gets the diagnosis declared with it."""

import dataclasses
from pathlib import Path

import pytest

from dpcourse.checks.cases import Equals, Value
from dpcourse.checks.registry import exercises

LESSONS = [folder.name[-2:] for folder in sorted(Path(__file__).parent.glob("lesson_*"))]
DECLARED = [
    (id, mistake)
    for lesson in LESSONS
    for id, exercise in exercises(lesson).items()
    for case in exercise.cases
    if isinstance(case, Equals | Value) and len(exercise.cases) == 1
    for mistake in case.mistakes
    if mistake.diagnosis.key != "rounded"  # at four decimals most σ of 04.1 are within its tolerance
]


@pytest.mark.parametrize(
    ("id", "mistake"), DECLARED, ids=lambda one: one if isinstance(one, str) else one.diagnosis.key
)
def test_a_declared_mistake_is_recognised(id, mistake):
    # The declaration is the package's own code, which an answer may not call.
    exercise = dataclasses.replace(exercises(id[:2])[id], own_work=False)
    assert exercise.grade(mistake.gives, rng=0).key == mistake.diagnosis.key


def test_there_are_many():
    assert len(DECLARED) > 150
