"""Notebooks that would keep the grader busy, and what is not stored because it is the grader's own trouble."""

import errno
import os

import numpy as np
import pytest

from dpcourse.checks import Chance, Exercise
from dpcourse.grade import classroom, marking, sandbox, wire
from dpcourse.grade.classroom import Submission, read, submissions
from dpcourse.grade.student import rebuilt
from dpcourse.lessons.lesson_14.exercises import spend
from tests.grade.test_limits import marked

LIMITS = sandbox.Limits()


def test_what_an_error_is_called_is_cut():
    error = rebuilt("A" * 40_000_000, "w" * 10**6, "l" * 10**6, "", "ValueError")
    assert isinstance(error, ValueError) and len(type(error).__name__) == 100 and len(str(error)) < 3000


def one(path, place, monkeypatch, outcome):
    monkeypatch.setattr(classroom, "grade", outcome)
    path.write_text("{}", encoding="utf-8")
    return classroom._one(Submission("ana", path), "digest", place, LIMITS, False)


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_not_a_grade(tmp_path, monkeypatch):
    place = tmp_path / "a.json"
    found = one(tmp_path / "a.ipynb", place, monkeypatch, full)
    assert "No space left" in found.error and not place.exists()


def test_a_disk_that_was_filled_meanwhile_is_not_a_grade(tmp_path, monkeypatch):
    place = tmp_path / "a.json"
    monkeypatch.setattr(classroom, "FREE", 2**62)
    assert one(tmp_path / "a.ipynb", place, monkeypatch, lambda *_, **__: ("00", [])).error and not place.exists()


def test_a_grade_that_cannot_be_stored_does_not_end_the_run(tmp_path, monkeypatch):
    place = tmp_path / "a.json"
    monkeypatch.setattr(classroom, "write", full)
    assert not one(tmp_path / "a.ipynb", place, monkeypatch, lambda *_, **__: ("00", [])).error


def test_of_copies_the_newest_is_graded(tmp_path, monkeypatch):
    folder = tmp_path / "class" / "ana"
    folder.mkdir(parents=True)
    source = next((sandbox.ROOT / "notebooks" / "solutions").glob("00_*")).read_bytes()
    for age, name in enumerate(("new", "older", "oldest")):
        (folder / f"{name}.ipynb").write_bytes(source)
        os.utime(folder / f"{name}.ipynb", (10**9 - age, 10**9 - age))
    asked = []
    monkeypatch.setattr(classroom, "grade", lambda path, *_, **__: asked.append(path.stem) or ("00", []))
    found = {
        s.path.stem: classroom._one(s, "", tmp_path / f"{s.path.stem}.json", LIMITS, False)
        for s in submissions(tmp_path / "class")
    }
    assert asked == ["new"] and "new.ipynb is newer" in found["oldest"].error
    assert read(tmp_path / "older.json") is None  # the newest may be taken away, and then it counts
    monkeypatch.setattr(classroom, "COPIES", 2)
    last = next(s for s in submissions(tmp_path / "class") if s.path.stem == "oldest")
    assert "not looked at" in classroom._one(last, "", tmp_path / "x.json", LIMITS, False).error


@pytest.mark.grade
def test_cells_that_sleep_are_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(marking, "CELLS", 0.5)
    mark = marked(tmp_path, "import time\ntime.sleep(1)\ndef noisy_count(flags, epsilon, rng):\n    return 0")
    assert not mark.points


def test_children_of_a_generator_follow_its_state():
    states = [wire.rng_state(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    drawn = [wire.generator(state).spawn(1)[0].random() for state in states]
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_checks_own_generator_is_not_handed_over():
    seen = []

    def case(answer, chance: Chance):
        seen.append((answer(rng=chance.rng), answer(chance.rng), chance.rng))

    exercise = Exercise("00.0", "", (case, case), call="f(rng)")
    assert exercise.grade(lambda rng: rng, rng=0).passed
    (one, again, own), (other, *_) = seen
    assert one is again and one is not own and other is not one


@pytest.mark.parametrize("by_cursor", [False, True])
@pytest.mark.parametrize("told", ["executemany", "executescript", "commit"])
def test_somebody_else_comes_before_every_kind_of_statement(tmp_path, told, by_cursor):
    came = []
    connection = spend._connect(tmp_path / "a.sqlite", spend._Watched)
    connection.execute("CREATE TABLE t (x)")
    connection.meddle, connection.turn = (lambda: came.append(1)), 2
    given = {"executemany": ("INSERT INTO t VALUES (?)", [(1,)]), "executescript": ("SELECT 1;",), "commit": ()}[told]
    getattr(connection.cursor() if by_cursor and given else connection, told)(*given)
    assert came == [1] and connection.count == 2
    connection.close()
