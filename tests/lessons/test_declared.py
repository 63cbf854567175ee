"""What follows from the declaration of an exercise: `declared.py` makes the wrong answers, nobody writes them twice.

`formulas.json` holds what wrong answers that were written by hand gave on a few inputs, before they were found to be
the formulas that the exercises declare: so a formula that changes shows. A row goes when its exercise changes.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from dpcourse.checks.registry import exercises
from tests.lessons.declared import graded, wrong_formulas, wrong_releases

HERE = Path(__file__).parent
LESSONS = [folder.name[-2:] for folder in sorted(HERE.glob("lesson_*"))]
FORMULAS = [one for lesson in LESSONS for one in wrong_formulas(lesson)]
RELEASES = [one for lesson in LESSONS for one in wrong_releases(lesson)]
FROZEN = json.loads((HERE / "formulas.json").read_text(encoding="utf-8"))
TOLD = {  # other diagnoses that are as true
    ("05.4", "a-share"): {"ignores-data"},  # noise as wide as for a count hides a share
    # The same questions are said yes to most in all its datasets, and half of the results have no noise.
    ("05.4", "noise-by-size"): {"uneven-noise", "too-little-noise"},
}


def name(value):
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("id", "key", "answer", "place"), FORMULAS, ids=name)
def test_a_declared_mistake_is_recognised(id, key, answer, place):
    assert graded(id, answer, 0, place).key == key


@pytest.mark.thorough
@pytest.mark.in_turn
@pytest.mark.parametrize(("id", "key", "answer"), RELEASES, ids=name)
def test_what_can_be_done_wrong_to_any_release_is_recognised(id, key, answer):
    assert graded(id, answer, 1).key in {key, *TOLD.get((id, key), ())}


@pytest.mark.audit
@pytest.mark.parametrize(("id", "key", "answer"), RELEASES, ids=name)
def test_it_is_recognised_fifty_times(id, key, answer, often):
    keys = [graded(id, answer, rng).key for rng in np.random.default_rng().spawn(often(50, False))]
    assert "passed" not in keys and sum(found not in {key, *TOLD.get((id, key), ())} for found in keys) <= 5


@pytest.mark.parametrize("id", FROZEN)
def test_formulas_give_what_they_gave(id):
    for row in FROZEN[id]:
        case = exercises(id[:2])[id].cases[row["case"]]
        inputs = [[_read(value) for value in arguments] for arguments in row["arguments"]]
        if not inputs:  # a value
            assert row["right"] == [pytest.approx(case.expected)]
            inputs = [[]]
        else:
            assert all(case._same(case.expected(*x), wanted) for x, wanted in zip(inputs, row["right"], strict=True))
        for key, *gave in row["wrong"]:
            formulas = [
                m.gives if callable(m.gives) else lambda m=m: m.gives for m in case.mistakes if m.diagnosis.key == key
            ]
            assert any(
                all(wanted is None or case._same(formula(*x), wanted) for x, wanted in zip(inputs, gave, strict=True))
                for formula in formulas
            ), key


def _read(value):
    return np.array(value["array"], dtype=value["of"]) if isinstance(value, dict) else value


def test_there_are_many():
    assert len(FORMULAS) > 250 and len(RELEASES) > 90 and len(FROZEN) > 30
