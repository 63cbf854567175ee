"""Files that would take the grader long to read: too many, too large, or asked for again and again."""

import contextlib
import gc
import json
import os

import pytest

from dpcourse.grade import classroom, handed_in, marking, sandbox
from dpcourse.grade import submissions as reading
from dpcourse.grade.classroom import Graded
from dpcourse.grade.handed_in import Submission, submissions
from dpcourse.grade.process import Ended
from dpcourse.grade.submissions import ROOT

LIMITS = sandbox.Limits()


def copies(class_, names):
    """One student's copies of a notebook, the newest first."""
    (class_ / "ana").mkdir(parents=True)
    source = next((ROOT / "notebooks" / "solutions").glob("00_*")).read_bytes()
    for age, name in enumerate(names):
        (class_ / "ana" / f"{name}.ipynb").write_bytes(source)
        os.utime(class_ / "ana" / f"{name}.ipynb", (10**9 - age, 10**9 - age))
    return class_


def at_once(function, jobs, *_):
    """`process.each` without processes."""
    return [(job, function(job)) for job in jobs]


def test_of_copies_the_newest_is_graded(tmp_path, monkeypatch):
    class_, asked = copies(tmp_path / "class", ("new", "older", "oldest")), []
    monkeypatch.setattr(classroom, "grade", lambda path, *_, **__: asked.append(path.stem) or ("00", []))
    monkeypatch.setattr(classroom.process, "each", at_once)
    options = {"workers": 1, "limits": LIMITS, "sandboxed": False}
    found = {one.file: one for one in classroom.grade_class(class_, tmp_path / "out", **options)}
    assert asked == ["new"] and "new.ipynb is newer" in found["oldest.ipynb"].error
    assert len(list((tmp_path / "out" / "graded").iterdir())) == 1
    (class_ / "ana" / "new.ipynb").unlink()  # and then the next counts
    classroom.grade_class(class_, tmp_path / "out", **options)
    assert asked == ["new", "older"]


def test_a_file_that_ends_who_reads_it_costs_itself(tmp_path, monkeypatch):
    """It is read twice, and not graded; what is older counts."""
    class_, asked, graded = copies(tmp_path / "class", ("new", "older", "oldest")), [], []

    def each(function, jobs, *_):
        ended = [job[0].path.stem == "new" for job in jobs]
        asked.extend(job[0].path.stem for job in jobs)
        return [(job, Ended.BEFORE if end else function(job)) for job, end in zip(jobs, ended, strict=True)]

    monkeypatch.setattr(classroom.process, "each", each)
    monkeypatch.setattr(classroom, "grade", lambda path, *_, **__: graded.append(path.stem) or ("00", []))
    options = {"workers": 1, "limits": LIMITS, "sandboxed": False}
    for _ in range(2):
        found = {one.file: one for one in classroom.grade_class(class_, tmp_path / "out", **options)}
        assert found["new.ipynb"].error == Ended.BEFORE.value and "older.ipynb is newer" in found["oldest.ipynb"].error
    assert graded == ["older"] and asked.count("new") == 4  # the copies that are left ask for it, in each run


def test_of_many_files_the_newest_are_looked_at(tmp_path, monkeypatch):
    """The others are not even opened, and all of them together are one line."""
    opened = []
    monkeypatch.setattr(handed_in, "COPIES", 3)
    monkeypatch.setattr(classroom, "digest_of", lambda path: opened.append(path.stem) or "")
    monkeypatch.setattr(classroom, "_all", lambda todo, *_: iter([Graded(job[0].student, "a", "") for job in todo]))
    class_ = copies(tmp_path / "class", "gecadfb")
    found = classroom.grade_class(class_, tmp_path / "out", workers=1, limits=LIMITS, sandboxed=False, assigned=["00"])
    assert sorted(opened) == ["c", "e", "g"]
    assert [one.error for one in found if "newer" not in one.error] == [
        "",
        "not looked at, nor are 3 other files: only your 3 newest files are, of 128 MB together",
    ]
    assert max(len(one.newer) for one in submissions(class_)) == 3


def test_of_large_files_those_that_are_not_too_large_together_are_looked_at(tmp_path, monkeypatch):
    """What is too large to be read at all counts for nothing."""
    class_ = copies(tmp_path / "class", "gecadfb")
    one = (class_ / "ana" / "g.ipynb").stat().st_size
    monkeypatch.setattr(handed_in, "LARGEST", 2 * one)
    monkeypatch.setattr(handed_in, "TOGETHER", 3 * one)
    (class_ / "ana" / "e.ipynb").write_bytes(b" " * (2 * one + 1))
    os.utime(class_ / "ana" / "e.ipynb", (10**9 - 1, 10**9 - 1))
    assert sorted(one.path.stem for one in submissions(class_) if handed_in.looked_at(one)) == ["a", "c", "e", "g"]


def test_a_file_is_parsed_once(tmp_path, monkeypatch):
    """Whether it is a copy of a newer one is asked of all that are older, and of each whether it was set."""
    parsed, parse = [], reading._parsed
    monkeypatch.setattr(reading, "_parsed", lambda path: parsed.append(path.name) or parse(path))
    monkeypatch.setattr(classroom.process, "each", at_once)
    (tmp_path / "ana").mkdir()
    for path in sorted((ROOT / "notebooks" / "solutions").glob("0[0-5]_*")):
        (tmp_path / "ana" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "ana" / "none.ipynb").write_text("{}", encoding="utf-8")
    files = submissions(tmp_path)
    todo, names = [(one, "", tmp_path) for one in files], classroom._names(files, 1, print)
    assert classroom._counting(todo, names, ("0", "00", "01", "02", "03", "04", "05")) == (todo, [])
    counting, refused = classroom._counting(todo, names, ("03",))
    assert [job[0].path.name[:2] for job in counting] == ["03", "no"] and len(refused) == 5
    assert len(parsed) == len(set(parsed)) == 7


def test_which_notebook_a_file_is_is_asked_where_it_matters(tmp_path):
    """Of who handed in several, of which one is not graded; of everybody where it was said what was set."""
    files = [Submission(name[0], tmp_path / name) for name in ("a1", "b1", "b2", "c1", "c2")]
    todo = [(one, "", tmp_path) for one in files if one.path.name in ("a1", "b2")]
    for all_of_them, wanted in ((False, ["b1", "b2"]), (True, ["a1", "b1", "b2"])):
        assert [one.path.name for one in classroom._to_be_named(files, todo, all_of_them)] == wanted


def test_to_know_which_notebook_a_file_is_no_cell_is_parsed(tmp_path, monkeypatch):
    """A name of 50,000 accents takes a parser seconds, and a student may hand in a hundred files."""
    monkeypatch.setattr(reading, "_tree", None)
    assert reading.name_of(next((ROOT / "notebooks" / "exercises").glob("03_*"))).startswith("03_")
    (tmp_path / "foreign.ipynb").write_text('{"cells": [{"cell_type": "code", "source": "x = 1"}]}', encoding="utf-8")
    assert reading.name_of(tmp_path / "foreign.ipynb") == ""
    with pytest.raises(ValueError, match="answers no exercise"):
        marking.grade(tmp_path / "foreign.ipynb", LIMITS, sandboxed=False)


def test_of_a_million_lists_nothing_is_collected(tmp_path, monkeypatch):
    """That took four seconds of five."""
    seen, loads = [], json.loads
    monkeypatch.setattr(json, "loads", lambda text: seen.append(gc.isenabled()) or loads(text))
    for text in ('{"cells": []}', '{"cells": [[]]}', "["):
        (tmp_path / "a.ipynb").write_text(text, encoding="utf-8")
        with contextlib.suppress(ValueError):
            reading.cells_of(tmp_path / "a.ipynb")
        assert gc.isenabled()
    assert seen == [False] * 3


def test_so_many_cells_are_read(tmp_path):
    for more in (0, 1):
        cells = [{"cell_type": "code", "source": "1"}] * (reading.MOST_CELLS + more)
        (tmp_path / f"{more}.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert len(reading.cells_of(tmp_path / "0.ipynb")) == reading.MOST_CELLS
    with pytest.raises(ValueError, match="5,001 cells"):
        reading.cells_of(tmp_path / "1.ipynb")
