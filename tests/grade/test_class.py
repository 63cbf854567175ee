"""A class is graded: right, half right, empty, broken and hostile notebooks, stopped and taken up again."""

import csv
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dpcourse.grade import classroom, process, results, sandbox, staging
from dpcourse.grade.classroom import Graded, grade_class, latest
from dpcourse.grade.handed_in import Submission, submissions
from dpcourse.grade.marking import grade
from dpcourse.grade.process import Ended
from dpcourse.grade.results import write_all
from dpcourse.grade.submissions import ROOT, points, references
from tests.grade import classes

pytestmark = pytest.mark.grade

LIMITS = sandbox.Limits(seconds=5)
SANDBOXED = sandbox.bubblewrap() is not None


def reference():
    return next(known for known in references() if known.name.startswith("02_"))


def submission(place: Path, changes: dict[str, str] | None = None) -> Path:
    """The solutions of a lesson as a student hands them in, some answers replaced (by number)."""
    source = next((ROOT / "notebooks" / "solutions").glob("02_*.ipynb"))
    notebook = json.loads(source.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        mark = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if cell["cell_type"] == "code" and mark.startswith("answer-02-"):
            cell["source"] = (changes or {}).get(mark.removeprefix("answer-02-"), cell["source"])
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(notebook), encoding="utf-8")
    return place


def graded(folder, out, workers=2):
    found = grade_class(folder, out, workers=workers, limits=LIMITS, sandboxed=SANDBOXED)
    write_all(found, out)
    with open(out / "grades.csv", encoding="utf-8", newline="") as table:
        return {row["student"]: row for row in csv.DictReader(table)}


@pytest.fixture(scope="module")
def class_(tmp_path_factory):
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("grades")
    submission(folder / "Ana Ü" / "my own name.ipynb")
    submission(folder / "half" / "a.ipynb", {"1": "coin = ...", "3": "def exact_delta(p, q, epsilon):\n    return 0.5"})
    submission(
        folder / "broken" / "a.ipynb", {"1": "def coin(:", "2": "while True:\n    pass", "3": "import os\nos._exit(1)"}
    )
    submission(
        folder / "cheat" / "a.ipynb", {"1": "check = lambda *a, **k: True", "2": "from dpcourse.accounting import x"}
    )
    (folder / "foreign").mkdir()
    (folder / "foreign" / "a.ipynb").write_text('{"cells": []}', encoding="utf-8")
    shutil.copy(reference().path, folder / "foreign" / "b.ipynb")
    (folder / "foreign" / "of another.ipynb").symlink_to(folder / "Ana Ü" / "my own name.ipynb")
    os.mkfifo(folder / "foreign" / "pipe.ipynb")
    (folder / "foreign" / "nowhere.ipynb").symlink_to(folder / "nowhere")
    (folder / "foreign" / "folder.ipynb").mkdir()
    return folder, out, graded(folder, out)


def test_every_total_is_as_constructed(class_):
    all_ = len(reference().questions)
    totals = {student: int(row["total"]) for student, row in class_[2].items()}
    assert totals == {"Ana Ü": all_, "half": all_ - 2, "broken": all_ - 3, "cheat": all_ - 2, "foreign": 0}


def test_the_diagnosis_reaches_the_student(class_):
    page = (class_[1] / "feedback" / "half.html").read_text(encoding="utf-8")
    assert "Seen:" in page and "Next:" in page and "not answered" not in page.split("02.3")[1][:50]
    foreign = (class_[1] / "feedback" / "foreign.html").read_text(encoding="utf-8")
    assert "a.ipynb answers no exercise of the course" in foreign
    results = json.loads((class_[1] / "gradescope" / "half" / "results.json").read_text(encoding="utf-8"))
    assert sum(test["score"] for test in results["tests"]) == len(reference().questions) - 2


def test_the_newest_copy_of_a_notebook_counts():
    """And not the best of many, each with another guess."""
    copies = [Graded("Ana", f"{i}", "", "00", error=str(i), modified=when) for i, when in enumerate([1.0, 3.0, 2.0])]
    assert latest(copies)["Ana"]["00"].file == "1"


def test_a_platform_finds_its_students_again(tmp_path):
    """Folders and files as Moodle and Canvas hand them out."""
    names = ["Siobhán O'Brien_184204_assignsubmission_file", "zhangwei_90212_771202_03_exercises", "Ana"]
    results.write_all([Graded(name, "a.ipynb", "") for name in names], tmp_path)
    assert "Participant 184204,0," in (tmp_path / "moodle.csv").read_text(encoding="utf-8")
    canvas = (tmp_path / "canvas.csv").read_text(encoding="utf-8").splitlines()
    assert {"zhangwei,90212,,,0", "Ana,,Ana,,0"} < set(canvas)
    page = tmp_path / "feedback" / f"{names[0]}.html"
    assert "<h1>Siobhán O&#x27;Brien</h1>" in page.read_text(encoding="utf-8")


def test_what_was_not_set_costs_nobody(tmp_path):
    """One student hands in another lesson: nobody's grade is out of more for it, if it is said what was set."""
    known = {reference.name[:2]: reference.name for reference in references()}
    class_ = [Graded(name, "03.ipynb", "", known["03"]) for name in ("Ana", "Bo", "Cem")]
    class_.append(Graded("Bo", "05.ipynb", "", known["05"]))
    assert results.handed_in_by_few(class_) == {known["05"]: 1}
    of = {}
    for names in ((), ("03",), (known["03"], "05")):
        results.write_all(results.only_assigned(class_, names), tmp_path)
        of[names] = float((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines()[1].split(",")[-1])
    assert of[("03",)] < of[()] == of[(known["03"], "05")]
    assert "05_composition_exercises was not set" in results.only_assigned(class_, ["03"])[-1].error
    with pytest.raises(ValueError, match="'0'"):
        results.only_assigned(class_, ["0"])
    submission(tmp_path / "class" / "Bo" / "x.ipynb", {"1": "while True:\n    pass"})
    (marked,) = grade_class(
        tmp_path / "class", tmp_path / "out", workers=1, limits=LIMITS, sandboxed=SANDBOXED, assigned=["03"]
    )
    assert marked.error == "not counted: 02_the_definition_exercises was not set"
    assert not list((tmp_path / "out" / "graded").glob("*.json"))  # graded when it is set


def test_no_two_students_share_a_file():
    names = ["Ana", "a/b", "a:b", "..", ".", "", "=x", "_x", "Ana ", "ana", 250 * "x", 251 * "x", "\udcff"]
    names += [results._file(name) for name in names]  # as somebody may call his own folder
    files = {results._file(name) for name in names}
    assert len(files) == len(set(names)) and max(map(len, files)) < 100


@pytest.mark.skipif(os.mkdir not in os.supports_dir_fd, reason="such folders cannot be made here")
def test_no_folder_ends_the_run(tmp_path):
    """One student's is nested deeper than Python recurses and than a path may be long; the other is graded."""
    (tmp_path / "Ana").mkdir()
    (tmp_path / "Ana" / "03.ipynb").write_text("{}", encoding="utf-8")
    (tmp_path / "Ana.ipynb").write_text("{}", encoding="utf-8")  # somebody else's
    (tmp_path / "Bo").mkdir()
    (tmp_path / "Bo" / "05.ipynb").write_text("{}", encoding="utf-8")
    here = os.open(tmp_path / "Bo", os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("deep", dir_fd=here)
        here, before = os.open("deep", os.O_RDONLY, dir_fd=here), here
        os.close(before)
    os.close(here)
    assert sorted(one.student for one in submissions(tmp_path)) == ["Ana", "Ana.ipynb", "Bo"]
    subprocess.run(["rm", "-rf", tmp_path / "Bo"], check=True)  # as Python may not reach its end


def test_a_student_is_written_when_he_is_done(tmp_path):
    """And whoever is waited for is named, also where the others were graded before."""
    for name in ("ana", "bob"):
        submission(tmp_path / "class" / name / "x.ipynb", {str(n): "x = ..." for n in range(1, 9)})
    seen = []

    def ready(done, student):
        results.write_student(done, student, tmp_path / "out")
        results.write_tables(done, tmp_path / "out")
        rows = (tmp_path / "out" / "grades.csv").read_text(encoding="utf-8").splitlines()[1:]
        seen.append(
            (student, [row.split(",")[0] for row in rows], (tmp_path / "out/feedback" / f"{student}.html").is_file())
        )

    grade_class(tmp_path / "class", tmp_path / "out", workers=1, limits=LIMITS, sandboxed=SANDBOXED, ready=ready)
    assert seen == [("ana", ["ana"], True), ("bob", ["ana", "bob"], True)]


def test_a_file_is_called_what_a_student_likes(tmp_path):
    """Not even one that is called like trouble of the grader's own is graded for ever."""
    (tmp_path / "class" / "mallory").mkdir(parents=True)
    (tmp_path / "class" / "mallory" / "could not be graded now.ipynb").write_text("{}", encoding="utf-8")
    (one,) = grade_class(tmp_path / "class", tmp_path / "out", workers=1, limits=LIMITS, sandboxed=SANDBOXED)
    assert one.error.startswith("could not be graded now") and not one.again


@pytest.mark.parametrize("first", ["trouble", Ended.BEFORE, Ended.LATE])
@pytest.mark.parametrize("still", [False, True])
def test_who_is_in_trouble_is_tried_once_more_alone(tmp_path, monkeypatch, still, first):
    """Those beside it may have left it no memory, no files and no processor."""
    asked = []

    def each(grade_it, jobs, *_):
        asked.append([job[0].student for job in jobs])
        for job in jobs:
            bad = len(jobs) > 1 or still
            yield job, first if bad and first != "trouble" else Graded(job[0].student, "a", "", again=bad)

    monkeypatch.setattr(process, "each", each)
    jobs = [(Submission(name, tmp_path), "", tmp_path / f"{name}.json") for name in ("ana", "bob")]
    found = list(classroom._all(jobs, 2, LIMITS, SANDBOXED, print))
    assert asked == [["ana", "bob"], ["ana"], ["bob"]] and [one.student for one in found] == ["ana", "bob"]
    assert [one.again for one in found] == [still and first == "trouble"] * 2
    ended = still and first != "trouble"  # what ends its process when it is alone is graded, and has nothing
    assert [one.error for one in found] == [first.value if ended else ""] * 2
    assert [(tmp_path / f"{name}.json").exists() for name in ("ana", "bob")] == [ended] * 2


def test_who_computed_as_long_as_it_may_is_not_tried_again(tmp_path, monkeypatch):
    asked = []

    def each(grade_it, jobs, *_):
        asked.extend(jobs)
        return [(job, Ended.BUSY) for job in jobs]

    monkeypatch.setattr(process, "each", each)
    job = Submission("ana", tmp_path), "", tmp_path / "ana.json"
    (found,) = classroom._all([job], 2, LIMITS, SANDBOXED, print)
    assert found.error == Ended.BUSY.value and asked == [job] and (tmp_path / "ana.json").exists()


def test_a_file_that_is_handed_in_anew_as_it_was_is_the_newest(tmp_path):
    """A notebook of the course, and one that is none: which counts follows when they were written."""
    ana = tmp_path / "class" / "ana"
    ana.mkdir(parents=True)
    for name, when in (("a", 100), ("b", 200), ("a", 300)):
        (ana / f"{name}.ipynb").write_text("{}", encoding="utf-8")
        os.utime(ana / f"{name}.ipynb", (when, when))
        done = grade_class(tmp_path / "class", tmp_path / "out", workers=1, limits=LIMITS, sandboxed=SANDBOXED)
    assert {one.file: one.modified for one in done} == {"a.ipynb": 300, "b.ipynb": 200}


def test_a_name_that_is_no_text_is_kept_as_it_is(tmp_path):
    graded = Graded("ana\udcff", "é\ud800.ipynb", "1234")
    classroom.write(graded, tmp_path / "a.json")
    assert classroom.read(tmp_path / "a.json") == graded


@pytest.mark.parametrize("name", ["=1+1", "eve;=1+1", "eve; =1+1", 'eve|"@A1', "eve\t-A1", "＝1"])
def test_no_table_has_a_formula_wherever_its_cells_are_parted(tmp_path, name):
    results.write_tables([Graded(name, "a.ipynb", "")], tmp_path)
    for table, at in itertools.product(("grades.csv", "moodle.csv", "canvas.csv"), ",;|\t"):
        with open(tmp_path / table, encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file, delimiter=at) for cell in row]
        assert not [cell for cell in cells if re.match(r'[\s"]*[=+@＝-]', cell)]


def test_the_bar_names_who_is_waited_for(tmp_path, monkeypatch):
    job, said = (Submission("bob", tmp_path), "", tmp_path / "bob.json"), []
    monkeypatch.setattr(process, "each", lambda _, jobs, workers, told: told([(job, 3.2)]) or iter([]))
    assert not list(classroom._all([job], 2, LIMITS, SANDBOXED, said.append)) and said == ["bob 3 s"]


def test_what_is_graded_is_not_graded_again(class_):
    folder, out, before = class_
    stamps = {path: path.stat().st_mtime_ns for path in (out / "graded").iterdir()}
    assert graded(folder, out) == before
    assert {path: path.stat().st_mtime_ns for path in (out / "graded").iterdir()} == stamps


def test_a_killed_run_is_taken_up_again(tmp_path):
    for name in "abcd":
        submission(tmp_path / "class" / name / "x.ipynb")
    command = [
        sys.executable,
        "-m",
        "dpcourse.grade",
        str(tmp_path / "class"),
        "--out",
        str(tmp_path / "out"),
        "--workers",
        "1",
    ]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        running.wait(4)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
    rows = graded(tmp_path / "class", tmp_path / "out")
    assert [int(row["total"]) for row in rows.values()] == [len(reference().questions)] * 4
    assert len(list((tmp_path / "out" / "graded").glob("*.json"))) == 4


def test_a_forbidden_part_of_the_package_spoils_only_what_uses_it(tmp_path):
    """Imported at the top, as at home, where using it is what is refused."""
    uses = "from dpcourse.mechanisms import LaplaceMechanism\ndef coin(answer, epsilon, rng):\n"
    submission(tmp_path / "a.ipynb", {"1": uses + "    return LaplaceMechanism(epsilon).release(answer, rng=rng) > 0"})
    marks = grade(tmp_path / "a.ipynb", LIMITS, sandboxed=SANDBOXED)[1]
    assert [mark.key for mark in marks] == ["package-used"] + ["passed"] * (len(marks) - 1)
    assert "dpcourse.mechanisms.LaplaceMechanism" in marks[0].seen


HELPER = "def coin(answer, epsilon, rng):\n    return answer if rng.random() < chance(epsilon) else not answer"
CHANCE = "def chance(epsilon):\n    display(epsilon)\n    return 1 / (1 + np.exp(-epsilon))"
FIRST_ATTEMPT = "def coin(answer, epsilon, rng):\n    return answer"


@pytest.mark.parametrize(
    ("cells", "passes"),
    [
        ([(HELPER, True), (CHANCE, True)], True),  # split: the second part keeps the id
        ([(HELPER, True), (CHANCE, False)], True),  # a helper below
        ([("coin = ...", True), (CHANCE, False), (HELPER, False)], True),  # the answer below the stub
        ([(FIRST_ATTEMPT, True), (CHANCE + "\n" + HELPER, True)], True),  # a copy, and the first attempt above it
        ([(CHANCE + "\n" + HELPER, True), "check", (FIRST_ATTEMPT, False)], True),  # something tried after the check
        ([(FIRST_ATTEMPT, True), "check", (CHANCE + "\n" + HELPER, True), "check"], True),  # a second attempt
        ([("coin = ...", True), "check", (CHANCE + "\n" + HELPER, False), "check"], True),  # below an unanswered check
        ([(CHANCE, True), ("1 / 0", False)], False),
    ],
)
def test_an_answer_reaches_from_its_first_cell_to_the_check_after_its_last(tmp_path, cells, passes):
    notebook = json.loads(reference().path.read_text(encoding="utf-8"))
    code = notebook["cells"]
    at = next(i for i, cell in enumerate(code) if cell["metadata"].get("nbgrader", {}).get("grade_id") == "answer-02-1")
    check = next(i for i, cell in enumerate(code) if 'check("02.1"' in "".join(cell["source"]))
    marked = code[at]["metadata"]
    made = [
        code[check] if one == "check" else {**code[at], "source": one[0], "metadata": marked if one[1] else {}}
        for one in cells
    ]
    code[at : check + ("check" in cells)] = made
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    mark = grade(tmp_path / "a.ipynb", LIMITS, sandboxed=SANDBOXED)[1][0]
    assert (mark.key == "passed") == passes, mark
    if not passes:
        assert "ZeroDivisionError" in mark.seen


HONEST = {
    "Adult": ["from dpcourse.datasets import load_adult", "assert len(load_adult().frame) == 45_222"],
    "shell": ["if 'colab' in str(get_ipython()):", "    !pip install x", "get_ipython().run_line_magic('time', '1')"],
    "dataclass": [
        "from dataclasses import dataclass",
        "from typing import ClassVar",
        "@dataclass",
        "class A:",
        "    b: ClassVar[dict] = {}",
    ],
    "pickle": ["import pickle", "class A: pass", "pickle.loads(pickle.dumps(A()))"],
    "source": ["import inspect", "def f(): pass", "assert 'def f' in inspect.getsource(f)"],
    "check": [
        "from dpcourse.checks import check",
        "r = check('02.2', 1)",
        "print(r.key, r.title, r.passed, r.next_step)",
    ],
    "warning": ["import warnings", "warnings.simplefilter('error')"],
    "indented": [],
}


@pytest.mark.parametrize("before", HONEST)
def test_what_runs_at_home_costs_nothing(tmp_path, before):
    """What students write above an answer in its cell."""
    source = "\n".join([*HONEST[before], CHANCE, HELPER])
    if before == "indented":
        source = "\n".join(f"    {line}" for line in source.split("\n"))
    if before == "warning":  # a check at home hears none
        source = source.replace("display(epsilon)", "warnings.warn('a zero')")
    mark = grade(submission(tmp_path / "a.ipynb", {"1": source}), LIMITS, sandboxed=SANDBOXED)[1][0]
    assert mark.key == "passed", mark


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def my_coin(answer, epsilon, rng):\n    return answer", ["Call your answer coin."]),
        ("import time\ndef coin(answer, epsilon, rng):\n    return answer\ntime.sleep(60)", ["may take 5 seconds"]),
    ],
)
def test_it_is_said_what_helps(tmp_path, source, words):
    mark = grade(submission(tmp_path / "a.ipynb", {"1": source}), LIMITS, sandboxed=SANDBOXED)[1][0]
    assert all(word in f"{mark.seen} {mark.next}" for word in words), mark


def test_the_cell_that_stopped_before_is_named(tmp_path):
    notebook = json.loads(submission(tmp_path / "a.ipynb").read_text(encoding="utf-8"))
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = "import of_no_kind\n" + "".join(first["source"])
    answer = next(
        cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == "answer-02-1"
    )
    answer["source"] = "ln3 = np.log(3)\n" + "".join(answer["source"])
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    mark = grade(tmp_path / "a.ipynb", LIMITS, sandboxed=SANDBOXED)[1][0]
    assert "Before it, code cell 1 stopped: ModuleNotFoundError" in mark.seen, mark


@pytest.mark.audit
@pytest.mark.thorough
@pytest.mark.skipif(not SANDBOXED, reason="hostile notebooks are graded under bubblewrap only")
def test_twenty_kills_at_random_moments(tmp_path):
    """Sixty students: what was written stays as it was written, and the totals are as constructed."""
    rng, class_, out = np.random.default_rng(), tmp_path / "class", tmp_path / "out"
    classes.make(class_, (reference(),), 60, rng)
    command = [sys.executable, "-m", "dpcourse.grade", str(class_), "--out", str(out), "--workers", "2"]
    stamps: dict[Path, int] = {}
    for kill in range(21):
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        enough = len(stamps) + int(rng.integers(0, 6))  # however slow the machine is, runs get somewhere
        try:
            if kill < 20:
                while len(list((out / "graded").glob("*.json"))) < enough and running.poll() is None:
                    time.sleep(0.01)
                running.wait(float(rng.uniform(0, 2)))
            assert running.wait(None if kill == 20 else 0) == 0
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        there = {path: path.stat().st_mtime_ns for path in (out / "graded").glob("*.json")}
        assert all(json.loads(path.read_text(encoding="utf-8"))["digest"] for path in there)
        assert {path: there.get(path) for path in stamps} == stamps
        print(f"after kill {kill + 1}: {len(there)} of 60 graded")
        stamps = there
    assert len(stamps) == 60 and classes.differences(class_, out) == []


def test_every_question_has_its_points_once():
    asked = [question.id for known in references() for question in known.questions]
    assert sorted(asked) == sorted(points())


def test_what_a_question_forbids_is_not_staged(tmp_path):
    staging.stage(staging.rooms_for(()), tmp_path)
    there = {path.name for path in (tmp_path / "dpcourse").iterdir()}
    assert {"privacy", "datasets", "checks"} <= there
    assert not {"mechanisms", "accounting", "lessons", "audit", "grade"} & there
    assert [path.name for path in (tmp_path / "dpcourse" / "checks").iterdir()] == ["__init__.py"]
