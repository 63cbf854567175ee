"""Projects are graded like exercises: the reference form gets all points, the empty one none."""

import pytest

from dpcourse.grade import sandbox
from dpcourse.grade.marking import grade
from dpcourse.grade.submissions import ROOT, points, references
from dpcourse.lessons import capstone_7
from tests.grade.classes import submission

pytestmark = pytest.mark.grade

SANDBOXED = sandbox.bubblewrap() is not None
FORMS = sorted((ROOT / "notebooks" / "capstones").glob("*.ipynb"))


@pytest.mark.in_turn
@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_the_reference_form_gets_all_points(path):
    name, marks = grade(path, sandbox.Limits(), sandboxed=SANDBOXED)
    assert name == path.stem and len(marks) >= 3
    assert {mark.question: (mark.points, mark.key, mark.seen) for mark in marks} == {
        mark.question: (points()[mark.question], "passed", "") for mark in marks
    }


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_the_empty_form_gets_none(path):
    empty = path.parent / "student" / path.name
    assert [mark.points for mark in grade(empty, sandbox.Limits(), sandboxed=SANDBOXED)[1] if mark.points] == []


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("number", "answer", "question"),
    [
        (1, "NAME = project.clipped_sum", "capstone 1.2"),
        (1, "from dpcourse.lessons.capstone_1.numbers import clipped_sum as NAME", "capstone 1.2"),
        (1, "def NAME(e, d, rounds, shares): return project.noise_multiplier(e, d, rounds)", "capstone 1.3"),
        (7, "NAME = project.item_model", "capstone 7.4"),
        (7, "def NAME(gram, ridge): return project.item_model(gram, ridge)", "capstone 7.4"),
    ],
)
def test_a_project_answers_none_of_its_own_questions(tmp_path, number, answer, question):
    known = next(one for one in references() if one.name.startswith(f"{number}_") and "capstones" in one.path.parts)
    path = tmp_path / "mine.ipynb"
    path.write_text(submission(known, {question: answer}), encoding="utf-8")
    marks = {mark.question: mark for mark in grade(path, sandbox.Limits(), sandboxed=SANDBOXED)[1]}
    assert (marks[question].points, marks[question].key) == (0.0, "package-used")


def test_what_a_check_refuses_while_an_answer_runs_is_told_as_it_is_at_home(tmp_path):
    known = next(one for one in references() if one.name.startswith("3_"))
    path = tmp_path / "mine.ipynb"
    answer = "import numpy as np\ndef NAME(fleet, n, epsilon, delta, threshold, rng): return fleet(np.full(21, np.nan))"
    path.write_text(submission(known, {"capstone 3.5": answer}), encoding="utf-8")
    marks = {mark.question: mark for mark in grade(path, sandbox.Limits(), sandboxed=SANDBOXED)[1]}
    assert marks["capstone 3.5"].key == "wrong-weights"


def test_a_project_gives_its_numbers(tmp_path):
    known = next(one for one in references() if one.name.startswith("7_"))
    path, answer = (
        tmp_path / "mine.ipynb",
        "def NAME(gram, ridge): assert project.SHARES > 1; raise OSError(project.SHARES)",
    )
    path.write_text(submission(known, {"capstone 7.4": answer}), encoding="utf-8")
    marks = {mark.question: mark for mark in grade(path, sandbox.Limits(), sandboxed=SANDBOXED)[1]}
    assert f"OSError: {capstone_7.SHARES}" in marks["capstone 7.4"].seen
