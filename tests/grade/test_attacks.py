"""Under bubblewrap no attack earns a point, and none stops the run."""

import csv
import json

import pytest

from dpcourse.grade import sandbox
from dpcourse.grade.classroom import grade_class
from dpcourse.grade.results import write_all
from dpcourse.grade.submissions import ROOT
from tests.grade.attacks import ATTACKS

pytestmark = [
    pytest.mark.grade,
    pytest.mark.skipif(sandbox.bubblewrap() is None, reason="bubblewrap does not run here"),
]


LONGER = "pass  # " + "a" * 70_000  # than a pipe holds: who does not read it must not stop the grader


@pytest.fixture(scope="module")
def class_(tmp_path_factory):
    """One student an attack, and an honest one, who is graded among them."""
    folder, out = tmp_path_factory.mktemp("hostile"), tmp_path_factory.mktemp("grades")
    source = next((ROOT / "notebooks" / "solutions").glob("00_*.ipynb")).read_text(encoding="utf-8")
    for student, attack in {**ATTACKS, "honest": None}.items():
        notebook = json.loads(source)
        for cell in notebook["cells"]:
            mark = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
            if attack is not None and mark.startswith("answer-"):
                cell["source"] = attack if mark == "answer-00-2" else LONGER
        (folder / student).mkdir()
        (folder / student / "00.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    before = {path: path.read_bytes() for path in ROOT.glob("dpcourse/grade/*.py")}
    graded = grade_class(folder, out, workers=2, limits=sandbox.Limits(seconds=3), sandboxed=True)
    write_all(graded, out)
    assert {path: path.read_bytes() for path in before} == before
    with open(out / "grades.csv", encoding="utf-8", newline="") as table:
        return {row["student"]: float(row["total"]) for row in csv.DictReader(table)}, graded


def test_nobody_earns_a_point_but_the_honest(class_):
    totals, graded = class_
    honest = totals.pop("honest")
    assert honest > 1 and len(totals) == len(ATTACKS) >= 40
    assert {student: total for student, total in totals.items() if total} == {}
    assert not [one.error for one in graded if one.error]


def test_nobody_fills_the_disk(class_):
    assert max(len(mark.seen) + len(mark.next) for one in class_[1] for mark in one.marks) < 5000
