"""Which cells of a submission are run, and what crosses back from a call."""

import time

import numpy as np
import pytest

from dpcourse.grade import sandbox
from dpcourse.grade.staging import rooms_for, stage
from dpcourse.grade.student import Student
from dpcourse.grade.submissions import ROOT, Cell, cells_of, names_in, needed, plain, references
from tests.pace import in_time


def cells(*sources):
    return [Cell(f"cell {i}", source, "") for i, source in enumerate(sources)]


def of(name):
    return next(known for known in references() if known.name.startswith(name))


def test_what_a_student_wrote_is_run_and_what_it_reads():
    known = of("1_cross")
    given = cells_of(known.path)
    answers = cells("def gains(*a):\n    return worlds[0]", "print(1)")
    run = [cell.source for cell in needed([*given, *answers], known)]
    assert run[-2:] == [cell.source for cell in answers]
    assert any(source.startswith("import math") for source in run)
    assert any("worlds = [" in source for source in run)  # because gains reads it
    assert not any("draw_ways" in source or "progress()" in source for source in run)


@pytest.mark.parametrize("cell", ["import numpy as np\nx = (", "x =\x00 1", "%%bash\nls"])
def test_a_cell_that_is_no_python_is_kept(cell):
    assert plain(cell) in [one.source for one in needed(cells(cell), of("00_"))]


@pytest.mark.parametrize(
    ("source", "binds", "reads"),
    [
        ("import a.b, c as d\nfrom e import f", {"a", "d", "f"}, set()),
        ("def f(x):\n    y = x\n    return y + z", {"f"}, {"z"}),
        ("x += 1", {"x"}, {"x"}),
        ("x[0] = y", {"x", "y"}, {"x", "y"}),
        ("class A:\n    b = c", {"A"}, {"c"}),
        ("w = [u + v for u in s]", {"w"}, {"s", "v"}),
        ("w = {k: v for k, v in s}", {"w"}, {"s"}),
        ("u = {u for u in s if t}", {"u"}, {"s", "t"}),
        ("def f():\n    return [y + x for y in z]", {"f"}, {"x", "z"}),
        ("if (n := m): pass", {"n"}, {"m"}),
    ],
)
def test_names_of_a_cell(source, binds, reads):
    assert names_in(source) == (binds, reads)


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("total = (\n    7\n    % 4\n)", "total = (\n    7\n    % 4\n)"),
        ("%time f()\ntotal = (\n    7\n    % 4\n)\n!ls", "f()\ntotal = (\n    7\n    % 4\n)\npass"),
        ("x = !ls\nt = %timeit -o f()\ny != x", "x = None\nt = None\ny != x"),
        ("!pip install \\\n  numpy\nx = 1", "pass\nx = 1"),
        ("  x = 1\n  y = 2", "x = 1\ny = 2"),
        ("if x:\n    !ls", "if x:\n    pass"),
        ("np.clip?\n?np.clip\nx = 1", "pass\npass\nx = 1"),
        ('"""\n%d\n"""', '"""\n%d\n"""'),
        ("def f(:\n%time", "def f(:\n%time"),
    ],
)
def test_what_ipython_adds_is_left_out_and_nothing_else(source, python):
    assert plain(source) == python


def test_no_cell_is_compiled():
    """A compiler doubles each `finally`: this one would take a gigabyte."""
    inner = "pass"
    for _ in range(18):
        inner = "try: pass\nfinally:\n" + "\n".join(f" {line}" for line in inner.split("\n"))
    began = time.process_time()
    names_in(inner)
    assert in_time(time.process_time() - began, 1)


@pytest.mark.parametrize("known", references(), ids=lambda known: known.name)
def test_a_handed_out_notebook_runs_its_imports(known):
    run = needed(cells_of(known.path), known)
    assert run and not any('check("' in cell.source for cell in run)
    assert [cell.asks for cell in run if cell.asks] == [{question.id} for question in known.questions]


def test_one_module_of_a_room_is_staged_alone(tmp_path):
    """12.4 allows `federated.accounting`; what trains would give its answer."""
    stage(rooms_for(("federated.accounting",)), tmp_path)
    assert {path.name for path in (tmp_path / "dpcourse" / "federated").iterdir()} == {"__init__.py", "accounting.py"}


@pytest.fixture
def student(tmp_path):
    stage(rooms_for(()), tmp_path / "in")
    found = Student(sandbox.start(tmp_path / "in", sandbox.Limits(), sandboxed=sandbox.bubblewrap() is not None), 10.0)
    yield found
    found.close()


CHANGES = """def f(x):
    if isinstance(x, list): x.append(4)
    elif isinstance(x, dict): x["b"] = 2
    elif isinstance(x, set): x.discard(1)
    else: x[0] = 7
"""


@pytest.mark.grade
@pytest.mark.parametrize("given", [[1], {"a": 1}, {1, 2}, np.ones(2)], ids=lambda given: type(given).__name__)
def test_what_an_answer_does_to_its_arguments_is_not_done_to_the_check(student, given):
    before = given.copy()
    student.run_cell(CHANGES, "cell 0")
    student.answer("f")(given)
    assert np.array_equal(given, before) if isinstance(given, np.ndarray) else given == before


@pytest.mark.grade
def test_what_is_handed_over_is_called_while_it_is_asked_for(student):
    """As SQLite calls a function that an answer gave it."""
    student.run_cell("def f(ask):\n    return ask(lambda x: 2 * x)", "cell 0")
    assert student.answer("f")(lambda double: double(21)) == 42


@pytest.mark.grade
def test_private_names_and_other_objects_stay_closed(student):
    student.run_cell("def f(thing):\n    return thing.args", "cell 0")
    with pytest.raises(AttributeError):
        student.answer("f")(ValueError("secret"))


def test_the_files_of_the_worker_import_nothing_of_the_package():
    room = ROOT / "dpcourse" / "grade"
    for file in (room / "folders.py", room / "worker.py", *(room / "wire").glob("*.py")):
        text = file.read_text(encoding="utf-8")
        assert not [line for line in text.split("\n") if line.startswith(("from dpcourse", "import dpcourse"))]
