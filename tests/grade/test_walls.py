"""What a student's process sees of the file system, wherever Python, the course and the class lie."""

import subprocess
import sys

import pytest

from dpcourse.grade import classroom, sandbox, walls

pytestmark = pytest.mark.skipif(sandbox.bubblewrap() is None, reason="bubblewrap does not run here")

SECRET = "a secret of the grader"


def secret(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SECRET).write_text("", encoding="utf-8")
    return folder


@pytest.fixture
def inside(tmp_path, monkeypatch):
    """Run a program behind the walls, as if Python lay in this folder."""
    staged = tmp_path / "staged"
    staged.mkdir()

    def run(prefix, *program, hidden=()):
        for name in ("prefix", "exec_prefix", "base_prefix", "base_exec_prefix"):
            monkeypatch.setattr(sys, name, str(prefix))
        monkeypatch.setattr(sys, "executable", str(prefix / "bin" / "python"))
        command = ["bwrap", *walls.walls(staged, hidden), *program]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)
        assert not done.returncode, done.stderr
        return done.stdout.split("\n")[:-1]

    return run


def python(prefix):
    """A folder like one of a virtual environment, with a module that is needed."""
    packages = prefix / "lib" / "python3" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "needed").touch()
    (prefix / "bin").mkdir()
    return prefix


@pytest.fixture
def secrets(inside, tmp_path):
    """Those that are found, where Python is as well."""

    def found(prefix, **how):
        assert inside(prefix, "find", str(prefix), "-name", "needed", **how)
        return inside(prefix, "find", str(tmp_path), "-name", SECRET, **how)

    return found


def test_of_the_system_programs_and_libraries_are_seen(inside, tmp_path):
    seen = {place: set(inside(tmp_path, "ls", place)) for place in ("/usr", "/usr/local", "/usr/share")}
    assert seen["/usr"] <= {"bin", "lib", "lib64", "local", "share"}
    assert seen["/usr/local"] <= {"lib", "lib64"}
    assert seen["/usr/share"] <= {"fonts", "matplotlib", "zoneinfo"}


def test_an_exchange_beside_python_is_not_seen(secrets, tmp_path):
    prefix = python(tmp_path / "local")
    secret(prefix / "share" / "nbgrader" / "exchange" / "dp101" / "inbound" / "ana")
    assert secrets(prefix) == []


@pytest.mark.parametrize("link", [False, True], ids=["plain", "by a link"])
def test_an_installed_course_is_seen_at_no_end_of_a_link(secrets, tmp_path, link):
    prefix = python(tmp_path / "real" / "venv")
    secret(prefix / "lib" / "python3" / "site-packages" / "dpcourse")
    (prefix / "lib64").symlink_to("lib")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert secrets(tmp_path / "link" / "venv" if link else prefix) == []


@pytest.mark.parametrize("where", ["src/course", "lib/course", "."])
def test_the_checkout_is_not_seen_beside_python(secrets, tmp_path, monkeypatch, where):
    prefix = python(tmp_path / "venv")
    monkeypatch.setattr(walls, "ROOT", secret(prefix / where))
    secret(prefix / where / "notebooks")
    assert secrets(prefix) == []


def test_python_in_a_checkout_that_lies_beside_another_is_seen(secrets, tmp_path, monkeypatch):
    """Two environments, one in the other: the inner is shown, what is around it is not."""
    outer = python(tmp_path / "outer")
    root = secret(outer / "lib" / "course")
    secret(root / "notebooks")
    inner = python(root / "venv")
    monkeypatch.setattr(walls, "ROOT", root)
    monkeypatch.setattr(walls, "SYSTEM", (*walls.SYSTEM, str(outer / "lib")))
    assert secrets(inner) == []


@pytest.mark.parametrize("link", [False, True], ids=["plain", "by a link"])
def test_submissions_and_grades_are_seen_nowhere(secrets, tmp_path, link):
    prefix = python(tmp_path / "venv")
    hidden = tuple(secret(prefix / "lib" / name) for name in ("class", "grades"))
    (tmp_path / "link").symlink_to(prefix / "lib")
    given = tuple(tmp_path / "link" / place.name for place in hidden) if link else hidden
    assert secrets(prefix, hidden=given) == []


def test_a_class_tells_which_folders_are_hidden(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(classroom, "_all", lambda todo, workers, limits, *_: said.append(limits.hidden) or iter([]))
    secret(tmp_path / "class")
    (tmp_path / "class" / "ana.ipynb").write_text("{}", encoding="utf-8")
    classroom.grade_class(tmp_path / "class", tmp_path / "out", workers=1, limits=sandbox.Limits(), sandboxed=False)
    assert said == [(tmp_path / "class", tmp_path / "out")]


def test_no_wall_is_without_a_size(tmp_path, monkeypatch):
    secret(tmp_path / "lib" / "site-packages" / "dpcourse")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    made = walls.walls(tmp_path / "in")
    empty = [place for place, word in enumerate(made) if word == "--tmpfs"]
    assert str(tmp_path / "lib" / "site-packages" / "dpcourse") in [made[place + 1] for place in empty]
    assert all(made[place - 2] == "--size" for place in empty)
    closed = {made[place + 1] for place, word in enumerate(made) if word == "--remount-ro"}
    assert {made[place + 1] for place in empty} - closed == {"/tmp"}


@pytest.mark.parametrize("how", ["plain", "by a roundabout path"])
def test_python_runs_behind_the_walls(tmp_path, monkeypatch, how):
    """The interpreter of these tests, with what the course needs of it."""
    if how != "plain":
        monkeypatch.setattr(sys, "executable", f"{tmp_path}/..{'/..' * len(tmp_path.parts)}{sys.executable}")
    words = "import numpy, pandas, scipy.stats, matplotlib.pyplot, sqlite3, zoneinfo; zoneinfo.ZoneInfo('Europe/Rome')"
    (tmp_path / "in").mkdir()
    command = ["bwrap", *walls.walls(tmp_path / "in"), walls.interpreter(), "-s", "-c", words]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120)
    assert not done.returncode, done.stderr


def test_a_python_behind_a_link_behind_a_link_starts(inside, tmp_path):
    prefix, between = python(tmp_path / "venv"), tmp_path / "between"
    between.mkdir()
    (between / "python3").symlink_to("/bin/sh")
    (prefix / "bin" / "python").symlink_to(between / "python3")
    assert inside(prefix, str(prefix / "bin" / "python"), "-c", "echo starts") == ["starts"]
