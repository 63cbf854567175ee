"""No function, no cell and no value of a lesson, pasted, passes one of its exercises.

Arguments are renamed and reordered in every way, and what is left over is filled from the lesson's own variables.
"""

import ast
import dataclasses
import functools
import inspect
import itertools
import json
import re
import types
from pathlib import Path

import pytest

from dpcourse.checks.registry import exercises

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LESSONS = sorted(path.name[:2] for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))


def namespace_of(lesson):
    """The names that a lesson's cells bind; on the twin, without its explorers."""
    path = next(NOTEBOOKS.glob(f"{lesson}_*.ipynb"))
    names = {"__name__": "__main__"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not source.startswith("widgets."):
            exec(compile(source, path.name, "exec"), names)
    return names


def as_answer(function, names, order):
    """`function` as an answer whose parameters have the exercise's names, given those in `order`."""
    code = f"lambda {', '.join(names)}: function({', '.join(order)})"
    return eval(code, {"function": function})


def pasted(names, call):
    """What may be pasted for an exercise that is called in this way: (what, answer)."""
    if not call:
        values = {name: value for name, value in names.items() if not name.startswith("_")}
        yield from ((name, value) for name, value in values.items() if not isinstance(value, types.ModuleType))
        return
    wanted = re.search(r"\((.*)\)", call)[1].split(", ")
    for name, value in list(names.items()):
        if isinstance(value, types.FunctionType) and value.__module__ == "__main__":
            for function, number in ways_to_call(value, names, wanted):
                for order in itertools.permutations(wanted, number):
                    yield f"{name}({', '.join(order)})", as_answer(function, wanted, order)


def ways_to_call(function, names, wanted):
    """The function with all of its parameters, without those that have a default, and with the lesson's constants."""
    parameters = list(inspect.signature(function).parameters.values())
    needed = [parameter for parameter in parameters if parameter.default is parameter.empty]
    constants = {p.name: names[p.name] for p in needed if p.name in names and p.name not in wanted}
    yield from ((function, number) for number in {len(parameters), len(needed)})
    if constants:
        yield functools.partial(function, **constants), len(needed) - len(constants)


def cells_as_answers(lesson, names, call):
    """Short cells without a function, as the body of one with the exercise's parameters: (what, answer)."""
    wanted = re.search(r"\((.*)\)", call)[1].split(", ") if call else []
    path = next(NOTEBOOKS.glob(f"{lesson}_*.ipynb"))
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or "def " in source or len(source.splitlines()) > 8 or not source.strip():
            continue
        tree = ast.parse(source)
        last = tree.body[-1]
        if isinstance(last, ast.Expr):
            tree.body[-1] = ast.Assign([ast.Name("result_", ast.Store())], last.value)
        elif isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
            tree.body.append(ast.Assign([ast.Name("result_", ast.Store())], ast.Name(last.targets[0].id, ast.Load())))
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if used & (set(wanted) - {"rng"}):
            code = compile(ast.fix_missing_locations(tree), f"cell {number}", "exec")
            yield f"cell {number}", functools.partial(_run, code, names, wanted)


def _run(code, names, wanted, *arguments, **keywords):
    space = {**names, **dict(zip(wanted, arguments, strict=False)), **keywords}
    exec(code, space)
    return space.get("result_")


@pytest.fixture
def six_gigabytes():
    """No more may be mapped in here: a function that lists all cases of three is asked about three hundred, too."""
    resource = pytest.importorskip("resource")  # not on Windows
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.thorough
@pytest.mark.in_turn
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("six_gigabytes")
@pytest.mark.parametrize("lesson", LESSONS)
def test_nothing_pasted_from_the_lesson_passes(lesson, monkeypatch):
    monkeypatch.setenv("DPCOURSE_SOURCE", "twin")
    names = namespace_of(lesson)
    tried = 0
    for id, exercise in exercises(lesson).items():
        quickly = dataclasses.replace(exercise, seconds=10.0)
        for what, answer in (*pasted(names, exercise.call), *cells_as_answers(lesson, names, exercise.call)):
            tried += 1
            assert not quickly.grade(answer, rng=0), f"{what} passes {id}"
    assert tried > 20
