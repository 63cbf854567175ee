"""Files that would take the grader long to read: too many, too large, or asked for again and again."""

import contextlib
import dataclasses
import gc
import json
import os

import pytest

from dpcourse.grade import classroom, handed_in, sandbox
from dpcourse.grade import submissions as reading
from dpcourse.grade.classroom import Graded, read
from dpcourse.grade.handed_in import submissions
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


def test_of_copies_the_newest_is_graded(tmp_path, monkeypatch):
    class_, asked = copies(tmp_path / "class", ("new", "older", "oldest")), []
    monkeypatch.setattr(classroom, "grade", lambda path, *_, **__: asked.append(path.stem) or ("00", []))
    found = {
        s.path.stem: classroom._one((s, "", tmp_path / f"{s.path.stem}.json"), LIMITS, False)
        for s in submissions(class_)
    }
    assert asked == ["new"] and "new.ipynb is newer" in found["oldest"].error
    assert read(tmp_path / "older.json") is None  # the newest may be taken away, and then it counts


def test_of_many_files_the_newest_are_looked_at(tmp_path, monkeypatch):
    """The others are not even opened, and all of them together are one line."""
    opened = []
    monkeypatch.setattr(handed_in, "COPIES", 3)
    monkeypatch.setattr(classroom, "digest_of", lambda path: opened.append(path.stem) or "")
    monkeypatch.setattr(classroom, "_all", lambda todo, *_: iter([Graded(job[0].student, "a", "") for job in todo]))
    class_ = copies(tmp_path / "class", "gecadfb")
    found = classroom.grade_class(class_, tmp_path / "out", workers=1, limits=LIMITS, sandboxed=False, assigned=["00"])
    assert sorted(opened) == ["c", "e", "g"]
    assert [one.error for one in found if one.error] == [
        "not looked at, nor are 3 other files: only your 3 newest files are, of 128 MB together"
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
    """All that are older ask for it, and what was set."""
    parsed, parse = [], reading._parsed
    monkeypatch.setattr(reading, "_parsed", lambda path: parsed.append(path.name) or parse(path))
    (tmp_path / "ana").mkdir()
    for path in sorted((ROOT / "notebooks" / "solutions").glob("0[0-5]_*")):
        (tmp_path / "ana" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "ana" / "none.ipynb").write_text("{}", encoding="utf-8")
    for one in submissions(tmp_path):
        assert not handed_in.not_set(dataclasses.replace(one, assigned=("0", "00", "01", "02", "03", "04", "05")))
        assert not handed_in.older_copy(one)
    assert len(parsed) == len(set(parsed)) == 7


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
