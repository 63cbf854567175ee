"""The course directory of tools/make_class.py, through the commands of nbgrader's documentation."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from string import ascii_lowercase

import pytest

from dpcourse.grade.submissions import points

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "capstone_2_supplier_benchmarking"
LESSONS = ("03_laplace_and_sensitivity", "06_randomized_response_on_adult", "11_auditing")

pytestmark = pytest.mark.grade


def hand_in(course: Path, student: str, lesson: str, answers: dict[str, str] | None) -> float:
    """A submission: the released notebook with the answers of the solutions, some replaced (by grade_id); its points.

    An empty one stays as it was released. `answers` None is a notebook handed in as it was released.
    """
    released = json.loads((course / "release" / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    source = json.loads((course / "source" / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    known = {c["metadata"]["nbgrader"]["grade_id"]: c["source"] for c in source["cells"] if "nbgrader" in c["metadata"]}
    right = set()
    for cell in released["cells"]:
        mark = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if answers is not None and mark.startswith("answer-"):
            cell["source"] = answers.get(mark, known[mark]) or cell["source"]
            right |= {mark.rstrip(ascii_lowercase)} - answers.keys()  # 2-1b is the second part of 2-1
    target = course / "submitted" / student / lesson / f"{lesson}.ipynb"
    target.parent.mkdir(parents=True)
    target.write_text(json.dumps(released), encoding="utf-8")
    return sum(points()[".".join(m.removeprefix("answer-").rsplit("-", 1)).replace("-", " ")] for m in right)


@pytest.fixture(scope="module")
def class_(tmp_path_factory):
    course = tmp_path_factory.mktemp("nbgrader") / "course"
    home = course.parent / "home"
    environment = os.environ | {"HOME": str(home), "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"}
    environment |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "DPCOURSE_SOURCE": "twin"}

    def run(*command: str) -> str:
        cwd = ROOT if command[0] != "nbgrader" else course
        words = [sys.executable, "-m", *command] if command[0] == "nbgrader" else [sys.executable, *command]
        done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, f"{command}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
        return done.stdout + done.stderr

    run("tools/make_class.py", str(course))
    expected = {}
    for lesson in LESSONS:
        run("nbgrader", "generate_assignment", lesson)
        number = lesson[:2]
        expected["right", lesson] = hand_in(course, "right", lesson, {})
        half = {f"answer-{number}-1": "", f"answer-{number}-2": "x = 1"}
        expected["half", lesson] = hand_in(course, "half", lesson, half)
        expected["empty", lesson] = hand_in(course, "empty", lesson, None)
    loop = {"answer-03-5": "def half_width(scale, alpha, cells):\n    while True:\n        pass"}
    expected["looping", LESSONS[0]] = hand_in(course, "looping", LESSONS[0], loop)
    for lesson in LESSONS:
        run("nbgrader", "autograde", lesson)
        run("nbgrader", "generate_feedback", lesson)
    run("nbgrader", "generate_assignment", PROJECT)
    expected["right", PROJECT] = hand_in(course, "right", PROJECT, {})
    expected["empty", PROJECT] = hand_in(course, "empty", PROJECT, None)
    run("nbgrader", "autograde", PROJECT)
    run("nbgrader", "generate_feedback", PROJECT)
    run("nbgrader", "export", "--exporter=dpcourse.grade.export.QuestionExporter", "--to=questions.csv")
    return course, expected


def test_points_are_as_constructed(class_):
    course, expected = class_
    with open(course / "questions.csv", encoding="utf-8", newline="") as table:
        rows = {(row["student"], row["assignment"]): row for row in csv.DictReader(table)}
    assert {who: float(row["total"]) for who, row in rows.items()} == expected
    assert all(float(row["of"]) == expected["right", lesson] for (_, lesson), row in rows.items())
    assert rows["right", PROJECT]["capstone 2.6"] == "2.0" and rows["empty", PROJECT]["capstone 2.6"] == "0.0"
    assert rows["half", LESSONS[0]]["03.3"] == "1.0" and rows["half", LESSONS[0]]["03.1"] == "0.0"


def test_feedback_shows_the_diagnosis_and_no_warning(class_):
    course, _ = class_
    for student in ("right", "half", "looping"):
        for page in (course / "feedback" / student).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            assert "cannot be converted to a float" not in text
    half = (course / "feedback" / "half" / LESSONS[0] / f"{LESSONS[0]}.html").read_text(encoding="utf-8")
    assert "not answered yet" in half
    looping = (course / "feedback" / "looping" / LESSONS[0] / f"{LESSONS[0]}.html").read_text(encoding="utf-8")
    assert "was stopped after" in looping


def test_the_released_notebook_holds_no_answer(class_):
    for path in (class_[0] / "release").rglob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert not [c for c in cells if "SOLUTION" in "".join(c["source"]) or "HIDDEN" in "".join(c["source"])]
        assert not [c for c in cells if "solution" in c["metadata"].get("tags", [])]
