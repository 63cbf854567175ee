"""Notebooks that would keep the grader busy, and what is not stored because it is the grader's own trouble."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dpcourse.checks import Chance, Exercise
from dpcourse.checks.answers import PackageUsed
from dpcourse.checks.clocks import TimedOut, Trouble, family, time_limit
from dpcourse.grade import __main__, classroom, marking, results, running, sandbox, wire
from dpcourse.grade.classroom import Graded
from dpcourse.grade.handed_in import Submission, submissions
from dpcourse.grade.people import person
from dpcourse.grade.student import Late, Student, rebuilt
from dpcourse.grade.submissions import ROOT, Cell
from dpcourse.lessons.lesson_14.exercises import spend
from dpcourse.lessons.lesson_14.exercises.watched import Watched
from tests.grade.test_limits import marked

LIMITS = sandbox.Limits()


def test_what_an_error_is_called_is_cut():
    error = rebuilt("A" * 40_000_000, "w" * 10**6, "l" * 10**6, "", "ValueError")
    assert isinstance(error, ValueError) and len(type(error).__name__) == 100 and len(str(error)) < 3000


def one(path, place, monkeypatch, outcome, **how):
    monkeypatch.setattr(classroom, "grade", outcome)
    path.write_text("{}", encoding="utf-8")
    return classroom._one((Submission("ana", path), "digest", place), LIMITS, False, **how)


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_what_no_check_catches_costs_one_notebook(tmp_path, monkeypatch):
    def used(*_, **__):
        raise PackageUsed("mechanisms")

    found = one(tmp_path / "a.ipynb", tmp_path / "a.json", monkeypatch, used)
    assert found.error == "could not be graded: PackageUsed: mechanisms" and not found.again


def test_who_finds_no_memory_is_no_grade(tmp_path, monkeypatch):
    """`process.each` gives nothing then, and the notebook is tried once more alone."""

    def without(*_, **__):
        raise MemoryError

    with pytest.raises(MemoryError):
        one(tmp_path / "a.ipynb", tmp_path / "a.json", monkeypatch, without)
    assert not (tmp_path / "a.json").exists()


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


def test_a_file_of_forty_gigabytes_costs_its_own_student(tmp_path, monkeypatch):
    """It takes no disk, and nobody reads it."""
    monkeypatch.setattr(classroom, "_all", lambda todo, *_: iter([Graded(job[0].student, "a", "") for job in todo]))
    for name in ("ana", "cheat"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "a.ipynb").write_text("{}", encoding="utf-8")
    os.truncate(tmp_path / "class" / "cheat" / "a.ipynb", 40 * 2**30)
    monkeypatch.setattr("pathlib.Path.read_bytes", None)
    ana, cheat = classroom.grade_class(tmp_path / "class", tmp_path / "out", workers=1, limits=LIMITS, sandboxed=False)
    assert not ana.error and "up to" in cheat.error


@pytest.mark.grade
def test_cells_that_sleep_are_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "CELLS", 0.5)
    mark = marked(tmp_path, "import time\ntime.sleep(1)\ndef noisy_count(flags, epsilon, rng):\n    return 0")
    assert not mark.points


@pytest.mark.parametrize("computed, counted", [(0.0, 0.0), (50.0, 50.0)])
def test_cells_that_wait_for_their_own_threads_do_not_get_the_time_for_nothing(monkeypatch, computed, counted):
    """Of a hundred seconds in line: behind others, or behind threads of the notebook's that computed for fifty."""
    watch, line, used = running.Watch(), iter([0.0, 100.0]), iter([7.0, 7.0 + computed])
    monkeypatch.setattr(running.clocks, "time_in_line", lambda process: next(line))
    monkeypatch.setattr(running.clocks, "processor_time", lambda process: next(used))
    with watch.running(1):
        pass
    assert watch.seconds == counted


@pytest.mark.grade
def test_what_is_no_number_is_called_what_it_is(tmp_path):
    mark = marked(tmp_path, "def noisy_count(flags, epsilon, rng):\n    return (flag for flag in flags)")
    assert mark.seen == "A number is wanted; you return a generator."


DEAF = f"""import sys, time
sys.stdout.buffer.write({wire.pack(["ran", True], [])!r})
sys.stdout.buffer.flush()
time.sleep(1000)"""


def deaf_student():
    """A process that answers once, and then reads no more."""
    command = [sys.executable, "-S", "-c", DEAF]
    return Student(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE), 0.2)


@pytest.mark.parametrize("how", ["cell", "array"])
def test_who_does_not_read_is_not_waited_for(how):
    student = deaf_student()
    with pytest.raises(TimedOut) as late, time_limit(3):
        student.run_cell("x" * 10**6, "cell 1") if how == "cell" else student.keep(np.zeros(10**6))
    assert late.value.seconds < 3 and student.process.poll() is not None


def test_who_takes_back_what_it_said_is_not_waited_for(monkeypatch):
    """A process can open its own end of the wire and read: between the look whether there is something and the read."""
    student, took = deaf_student(), []
    wait = student._wait
    monkeypatch.setattr(student, "_wait", lambda *ends: wait(*ends) if took or ends[1] else took.append("something"))
    with pytest.raises(Late), time_limit(3):
        student.run_cell("1", "cell 1")
    assert took == ["something"]


def deaf_session(monkeypatch, tmp_path, deaf=DEAF):
    """Of a notebook with one cell, whose process never answers it."""
    command = [sys.executable, "-S", "-c", deaf]
    starts = lambda *_, **__: subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: E731
    monkeypatch.setattr(sandbox, "start", starts)
    known, limits = SimpleNamespace(imports=()), sandbox.Limits(seconds=0.5)
    return running.Running(known, [Cell("a", "1", "")], tmp_path, limits, False, running.Watch())


def test_a_check_that_is_out_of_time_while_cells_run_again_is_too_slow(tmp_path, monkeypatch):
    """The cell may take longer than the check has left; it is not the cell that is called endless."""
    session = deaf_session(monkeypatch, tmp_path)
    with pytest.raises(TimedOut) as late, time_limit(0.05):
        session.ready(1)
    assert not isinstance(late.value, Late) and not session.bad
    session.close()


def test_a_cell_that_does_not_answer_is_hung(tmp_path, monkeypatch):
    session = deaf_session(monkeypatch, tmp_path)
    session.ready(1)
    assert session.bad["a"][0] == "hung"
    session.close()


def test_a_process_that_hangs_before_it_began_is_not_a_grade(tmp_path, monkeypatch):
    with pytest.raises(Trouble, match="stopped after"):
        deaf_session(monkeypatch, tmp_path, "import time; time.sleep(1000)").ready(1)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system does not tell who started whom")
def test_what_a_process_started_ends_with_it():
    child = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])"
    student = object.__new__(Student)
    student._things, student._connections, student._kept = [], {}, {}
    command = [sys.executable, "-c", f"import subprocess, sys, time\n{child}\ntime.sleep(100)"]
    student.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    while len(known := [*family(student.process.pid)]) < 2:
        assert student.process.poll() is None
    student.close()
    late = time.monotonic() + 10  # the system takes a moment
    while alive := [place for place in known if state(place) not in ("", "Z")]:
        assert time.monotonic() < late, alive


def state(place):
    """Of a process, as /proc has it; "" where there is none."""
    try:
        return (place / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def test_a_call_has_its_time_with_all_that_it_asks_for():
    """An answer that asks, and is asked again while it waits, does not begin its seconds anew."""
    student = object.__new__(Student)
    student._asked, student._seconds = None, 10.0
    with student._timed():
        began = student._asked
        with student._timed():
            assert student._asked == began
        assert student._asked == began
    assert student._asked is None


def test_what_an_answer_gave_is_shown_in_part():
    mark = marking.Mark("00.2", "", 0.0, 1.0, "raised", f"You return {'x' * 10**7}; right is 3.", "y" * 10**7)
    assert len(mark.seen) < 3000 and len(mark.next) < 3000
    assert mark.seen.startswith("You return xx") and mark.seen.endswith("xx; right is 3.")
    assert len(Graded("ana", "a.ipynb", "", error="x" * 10**7).error) < 3000


def test_a_page_that_cannot_be_written_costs_nobody_else(tmp_path, monkeypatch, capsys):
    write, class_ = results._write, [Graded(name, "a.ipynb", "") for name in ("ana", "bob")]

    def some(path, text):
        full() if path.name == "ana.html" else write(path, text)

    def grade_class(*_, ready, **__):
        for one in class_:
            ready(class_, one.student)
        return class_

    monkeypatch.setattr(results, "_write", some)
    monkeypatch.setattr(__main__, "grade_class", grade_class)
    monkeypatch.setattr(sys, "argv", ["grade", str(tmp_path), "--out", str(tmp_path / "out"), "--no-sandbox"])
    (tmp_path / "out").mkdir()
    assert __main__.main() == 1
    assert "for ana." in capsys.readouterr().out
    assert (tmp_path / "out" / "feedback" / "bob.html").exists()
    assert len((tmp_path / "out" / "grades.csv").read_text(encoding="utf-8").splitlines()) == 3


def test_who_has_no_grade_yet_is_named(tmp_path, monkeypatch, capsys):
    class_ = [Graded("ana", "a.ipynb", ""), Graded("bob", "b.ipynb", "", error="full disk", again=True)]
    monkeypatch.setattr(__main__, "grade_class", lambda *_, **__: class_)
    monkeypatch.setattr(sys, "argv", ["grade", str(tmp_path), "--out", str(tmp_path / "out"), "--no-sandbox"])
    (tmp_path / "out").mkdir()
    assert __main__.main() == 1
    assert "1 without a grade yet. bob, b.ipynb: full disk." in capsys.readouterr().out


def test_who_stops_it_is_told_how_to_go_on(tmp_path, monkeypatch, capsys):
    def stops(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(__main__, "grade_class", stops)
    monkeypatch.setattr(sys, "argv", ["grade", str(tmp_path), "--out", str(tmp_path / "out"), "--no-sandbox"])
    assert __main__.main() == 130 and "The same command goes on" in capsys.readouterr().out


@pytest.mark.skipif(sandbox.bubblewrap() is None, reason="there is no bubblewrap")
def test_a_python_that_does_not_start_in_the_sandbox_is_told_at_once(tmp_path, monkeypatch, capsys):
    assert not sandbox.unfit((tmp_path,))
    monkeypatch.setattr(sandbox, "interpreter", lambda: "/bin/false")
    monkeypatch.setattr(sys, "argv", ["grade", str(tmp_path), "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit):
        __main__.main()
    assert "does not start under bubblewrap here (it ends with 1)" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def stopped(*_, **__):
    raise Trouble("no process can be started")


@pytest.mark.parametrize(("alone", "left", "again"), [(False, True, True), (True, False, True), (True, True, False)])
def test_who_takes_all_threads_is_graded_once(tmp_path, monkeypatch, alone, left, again):
    """What it took is its own doing where nothing else runs, and there are threads as soon as it has ended."""

    def without(*_, **__):
        raise Trouble("can't start new thread") from RuntimeError()

    monkeypatch.setattr(classroom, "_has_threads", lambda: left)
    found = one(tmp_path / "a.ipynb", tmp_path / "a.json", monkeypatch, without, alone=alone)
    assert found.again is again and (tmp_path / "a.json").exists() is not again and "thread" in found.error


def test_who_is_to_be_sandboxed_never_runs_without(tmp_path, monkeypatch):
    """The walls are probed once for a class; a worker that does not find them in a bad moment starts nothing."""
    monkeypatch.setattr(sandbox.shutil, "which", lambda _: None)
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)
    with pytest.raises(Trouble):
        sandbox.start(tmp_path, LIMITS, sandboxed=True)


def test_a_process_that_does_not_start_is_not_a_grade(tmp_path, monkeypatch):
    place, source = tmp_path / "a.json", next((ROOT / "notebooks" / "solutions").glob("00_*"))
    monkeypatch.setattr(sandbox, "start", stopped)
    found = classroom._one((Submission("ana", source), "digest", place), LIMITS, False)
    assert "could not be graded now (no process" in found.error and not found.marks and not place.exists()


def test_a_process_that_ends_before_it_began_is_not_a_grade(tmp_path, monkeypatch):
    place, source = tmp_path / "a.json", next((ROOT / "notebooks" / "solutions").glob("00_*"))
    ends = lambda *_, **__: subprocess.Popen(["true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: E731
    monkeypatch.setattr(sandbox, "start", ends)
    assert "could not be graded now" in classroom._one((Submission("ana", source), "", place), LIMITS, False).error


@pytest.mark.parametrize("where", ["in the clock", "in a new process"])
def test_trouble_in_a_check_is_not_the_answers(where, monkeypatch):
    def renews(answer, chance):
        answer.renew()

    if where == "in the clock":
        monkeypatch.setattr(threading.Thread, "start", lambda _: (_ for _ in ()).throw(RuntimeError("no thread")))
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(Trouble):
        Exercise("00.0", "", (renews,), call="f()", again=stopped).grade(lambda: 1)
    assert signal.getsignal(signal.SIGINT) is before


def test_students_are_who_the_platform_says(tmp_path):
    """Canvas names files after a number; a link is nobody; a name is no command to a terminal or a spreadsheet."""
    names = ("ana_90212_1_03", "ana_LATE_90212_2_00", "bob_7_3_03", "eve", "7", "Participant 8")
    for name in (f"{one}.ipynb" for one in (*names, "fay_8_assignsubmission_file")):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    (tmp_path / "dan").mkdir()
    (tmp_path / "dan" / "a.ipynb").write_text("{}", encoding="utf-8")
    (tmp_path / "cheat").symlink_to(tmp_path / "dan")
    for link in ("long", "long.ipynb", "eve", "dan/long", "dan/long.ipynb"):
        (tmp_path / link).symlink_to("x" * 300)  # whether that is a folder can't even be asked
    found = submissions(tmp_path)
    students = [one.student for one in found]
    assert sorted(person(student)[0] for student in students) == [
        "7",
        "Participant 8",
        "ana",
        "ana",
        "bob",
        "dan",
        "eve",
        "fay",
    ]
    ana = [one for one in found if "90212" in one.student]
    assert len(set(students)) == 7 and {len(one.newer) for one in ana} == {0, 1}
    cells = [results._cell(name) for name in ("\n=1+1", "＝1", "-2", "Zoë\x1b]0;x\x07")]
    assert cells == ["�=1+1", "'＝1", "'-2", "Zoë�]0;x�"]


def test_a_page_has_nothing_that_a_terminal_obeys(tmp_path):
    words = "\x1b]0;owned\x07\x9b31mred\nnext"
    mark = marking.Mark("00.2", words, 0.0, 1.0, "raised", words, words)
    results.write_student([Graded("ana", words, "", "00", (mark,), words)], "ana", tmp_path)
    for path in ("feedback/ana.html", "gradescope/ana/results.json"):
        text = (tmp_path / path).read_text(encoding="utf-8")
        assert "owned" in text and not {"\x1b", "\x07", "\x9b"} & set(text)


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


@pytest.mark.parametrize("by_cursor", [False, True, "of a statement"])
@pytest.mark.parametrize("told", ["executemany", "executescript", "commit"])
def test_somebody_else_comes_before_every_kind_of_statement(tmp_path, told, by_cursor):
    came = []
    connection = spend._connect(tmp_path / "a.sqlite", Watched)
    cursor = connection.execute("CREATE TABLE t (x)")
    connection.meddle, connection.turn = (lambda: came.append(1)), 2
    given = {"executemany": ("INSERT INTO t VALUES (?)", [(1,)]), "executescript": ("SELECT 1;",), "commit": ()}[told]
    cursor = cursor if by_cursor == "of a statement" else connection.cursor()
    getattr(cursor if by_cursor and given else connection, told)(*given)
    assert came == [1] and connection.count == 2
    connection.close()
