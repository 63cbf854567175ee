"""The generated exercise: no answer left in it, and it runs to its last cell all the same; those stored are in step."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[1] / "tools" / "make_exercises.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("make_exercises", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_exercises_are_in_step_with_solutions(tool, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["make_exercises.py", "--check"])
    assert tool.main() == 0, capsys.readouterr().out


def cell(source: str, *, kind: str = "code", grade_id: str = "", tags: tuple[str, ...] = (), **nbgrader: bool) -> dict:
    import nbformat  # seconds, which only the worker that runs these tests has to spend

    made = nbformat.v4.new_code_cell(source) if kind == "code" else nbformat.v4.new_markdown_cell(source)
    made.metadata["tags"] = list(tags)
    if grade_id:
        defaults = {"grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3}
        made.metadata["nbgrader"] = {**defaults, "grade_id": grade_id, **nbgrader}
    return made


BODY = '''def noisy_sum(values, rng):
    """The sum of `values`, and noise."""
    ### BEGIN SOLUTION
    total = values.sum()
    return total + rng.laplace()
    ### END SOLUTION'''

ASSIGNMENT = """### BEGIN SOLUTION
best, _ = 42, "hidden answer"
unread = best + 1
def helper(x):
    y = 2 * x
    return y
### END SOLUTION"""

HIDDEN = """print(noisy_sum)
### BEGIN HIDDEN TESTS
assert noisy_sum(1, 2) == 3
### END HIDDEN TESTS"""


def make(tool, folder: Path, *cells) -> list:
    import nbformat

    (folder / "solutions").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells)), folder / "solutions" / "07_x_solutions.ipynb")
    ((path, text),) = tool.exercises(folder).items()
    assert path == folder / "exercises" / "07_x_exercises.ipynb"
    return nbformat.reads(text, as_version=4).cells


def test_answers_go_and_the_notebook_runs(tool, tmp_path):
    cells = make(
        tool,
        tmp_path,
        cell("# 07 Exercises", kind="markdown"),
        cell("The answers.", kind="markdown", tags=("solution",)),
        cell(BODY, grade_id="body", solution=True),
        cell(HIDDEN, grade_id="hidden", grade=True, locked=True, points=2),
        cell(ASSIGNMENT, grade_id="assignment", solution=True),
        cell("print(best, helper)"),
    )
    sources = [each.source for each in cells]
    assert len(sources) == 5
    assert sources[1].splitlines()[2:] == ["    # Your answer here", "    ..."]
    assert sources[2].strip() == "print(noisy_sum)"
    assert sources[3].splitlines() == ["# Your answer here", "best = ...", "helper = ..."]
    everything = "\n".join(sources)
    assert not [word for word in ("laplace", "hidden", "SOLUTION", "TESTS", "The answers") if word in everything]
    namespace: dict = {}
    for each in cells:
        if each.cell_type == "code":
            exec(each.source, namespace)


def test_names_of_a_function_are_its_own(tool, tmp_path):
    cells = make(tool, tmp_path, cell(BODY, grade_id="body", solution=True), cell("total = 3\nprint(total)"))
    assert cells[0].source.splitlines()[2:] == ["    # Your answer here", "    ..."]


def test_a_solution_outside_a_solution_cell_is_refused(tool, tmp_path):
    with pytest.raises(RuntimeError, match="non-solution cell"):
        make(tool, tmp_path, cell(ASSIGNMENT))


def test_two_regions_in_a_cell_are_refused(tool, tmp_path):
    with pytest.raises(RuntimeError, match="one solution region"):
        make(tool, tmp_path, cell(f"{ASSIGNMENT}\n{ASSIGNMENT}", grade_id="twice", solution=True))


def test_the_output_is_the_same_every_time(tool, tmp_path):
    make(tool, tmp_path, cell(ASSIGNMENT, grade_id="a", solution=True))
    assert tool.exercises(tmp_path) == tool.exercises(tmp_path)
