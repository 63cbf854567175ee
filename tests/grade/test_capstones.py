"""Projects are graded like exercises: the reference form gets all points, the empty one none."""

import pytest

from dpcourse.grade import sandbox
from dpcourse.grade.marking import grade
from dpcourse.grade.submissions import ROOT, points

pytestmark = pytest.mark.grade

SANDBOXED = sandbox.bubblewrap() is not None
FORMS = sorted((ROOT / "notebooks" / "capstones").glob("*.ipynb"))


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
