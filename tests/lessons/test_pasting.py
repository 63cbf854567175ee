"""No function and no value of a lesson, pasted, passes one of its exercises.

Arguments are renamed and reordered in every way. The lessons in `JOINED` keep the rule; others join when they do.
"""

import inspect
import itertools
import json
import re
import types
from pathlib import Path

import pytest

from dpcourse.checks import check
from dpcourse.checks.registry import exercises

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
JOINED = ("00", "02", "03")


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
    for name, value in names.items():
        if isinstance(value, types.FunctionType) and value.__module__ == "__main__":
            number = len(inspect.signature(value).parameters)
            for order in itertools.permutations(wanted, number):
                yield f"{name}({', '.join(order)})", as_answer(value, wanted, order)


@pytest.mark.parametrize("lesson", JOINED)
def test_nothing_pasted_from_the_lesson_passes(lesson, monkeypatch):
    monkeypatch.setenv("DPCOURSE_SOURCE", "twin")
    names = namespace_of(lesson)
    tried = 0
    for id, exercise in exercises(lesson).items():
        for what, answer in pasted(names, exercise.call):
            tried += 1
            assert not check(id, answer, rng=0), f"{what} passes {id}"
    assert tried > 20
