"""Every check asks at the sizes and numbers, and with the kinds of values, with which its notebook uses the function:
an answer that is right for some is not enough.

The notebooks run with their answers watched, then each answer is handed in, watched again. Some minutes:
``pytest -q -m audit tests/lessons/test_sizes.py``.
"""

import collections
import contextlib
import functools
import inspect
import io
import json
import re

import matplotlib
import numpy as np
import pandas as pd
import pytest

from dpcourse.checks.registry import exercise
from dpcourse.grade.submissions import ROOT, references

CHECKS = 3  # whose sizes are taken together

ROOM = 1.5  # sizes are drawn, and the largest of a few checks may be a little smaller
NUMBERS = 10**12  # what is larger is no size, but a key or a point

# What a notebook hands over and no check does, and why.
EXPLAINED = {
    # Noise for as many shares as that takes as many messages; a check hands in 200,000, and fleets of millions of
    # whom a hundred answer.
    (("secure_dp_sum", "threshold"), "number"): "too dear",
    (("train", "threshold"), "number"): "too dear",
    (("report", "epsilon"), "number"): "an ε of 6 is none at which anybody's noise is looked at: it is nearly always 0",
}


KINDS_EXPLAINED = {
    ("l2_randomizer", "g"): {"alike", "falling"},  # one direction of many
    ("choose_tests", "caught"): {"without a zero"},  # one test that catches everything
    ("choose_tests", "cost"): {"of type float32"},  # whose sum may be above a budget by its last digit
    ("item_model", "gram"): {"rising", "falling"},  # of two items
}


def kinds(value):
    """What an answer might go by in an array: its type, whether it is whole, sorted, …"""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf" or not value.size:
        return set()
    numbers = value.ravel()[:20_000].astype(float)
    numbers = numbers[np.isfinite(numbers)]
    different = len(np.unique(numbers))
    told = {
        f"of type {value.dtype}": True,
        "not finite": numbers.size < min(value.size, 20_000),
        "whole": (numbers == np.rint(numbers)).all(),
        "of two decimals": np.allclose(100 * numbers, np.rint(100 * numbers), atol=1e-7),
        "with a zero": (numbers == 0).any(),
        "without a zero": (numbers != 0).all(),
        "below zero": (numbers < 0).any(),
        "alike": numbers.size > 1 and different == 1,
        "some alike": different < numbers.size,
        "all different": different == numbers.size,
        "rising": numbers.size > 2 and (np.diff(numbers) >= 0).all(),
        "falling": numbers.size > 2 and (np.diff(numbers) <= 0).all(),
        "in no order": np.ptp(np.sign(np.diff(numbers))) == 2 if numbers.size > 2 else False,
    }
    return {name for name, true in told.items() if true}


class Sizes(collections.defaultdict):
    """(function, what of it) -> the smallest and the largest; and of which kinds it was."""

    def __init__(self):
        super().__init__(list)
        self.kinds = collections.defaultdict(set)

    def note(self, what, value):
        self.kinds[what] |= kinds(value)
        if isinstance(value, np.ndarray | pd.DataFrame):
            self[what].extend((f"axis {axis}", size) for axis, size in enumerate(value.shape))
        elif isinstance(value, list | tuple | dict | set | frozenset):
            self[what].append(("length", len(value)))
        elif isinstance(value, int | float | np.number) and not isinstance(value, bool) and abs(value) < NUMBERS:
            self[what].append(("number", float(value)))

    def ends(self):
        """The largest of each, and of numbers the smallest above zero, upside down."""
        most = {}
        for what, some in self.items():
            for kind, size in some:
                most[what, kind] = max(size, most.get((what, kind), size))
                if kind == "number" and size > 0:
                    most[what, "1/number"] = max(1 / size, most.get((what, "1/number"), 0.0))
        return most


def watched(function, sizes):
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*given, **named):
        for name, value in (*zip(names, given, strict=False), *named.items()):
            sizes.note((function.__name__, name), value)
        return function(*given, **named)

    return call


def solved(reference):
    """The notebook with its answers, and of which cells these are the answers."""
    folder = "capstones" if "capstones" in reference.path.parts else "solutions"
    stem = reference.path.stem.removesuffix("_exercises")
    (path,) = (ROOT / "notebooks" / folder).glob(f"{stem}*.ipynb")
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def used(reference, sizes):
    """The names of the notebook after it ran, with all its answers that are functions watched."""
    names = {"__name__": "__main__", "display": lambda *shown: None}
    answers = {name for one in reference.questions for name in re.findall(r"\w+", one.expression)}
    matplotlib.use("Agg")
    for cell in solved(reference):
        source = "\n".join(line for line in "".join(cell["source"]).splitlines() if not line.startswith("%"))
        source = re.sub(r"\bcheck\(.*\)", "True", source)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(source, names)
        for name in answers & names.keys():
            if inspect.isfunction(names[name]) and not hasattr(names[name], "__wrapped__"):
                names[name] = watched(names[name], sizes)
    return names


@functools.lru_cache(maxsize=1)
def handed_over(reference):
    """What the notebook hands to its answers, and what the checks do."""
    there = Sizes()
    names = used(reference, there)
    # Before the checks: one answer may use another.
    wanted, of_kinds, asked = there.ends(), {what: set(some) for what, some in there.kinds.items()}, Sizes()
    for question in reference.questions:
        answer = eval(question.expression, names)
        parts = answer if isinstance(answer, tuple) else (answer,)
        again = tuple(watched(part.__wrapped__, asked) if hasattr(part, "__wrapped__") else part for part in parts)
        for seed in range(CHECKS):
            assert exercise(question.id).grade(again if isinstance(answer, tuple) else again[0], rng=seed)
    return wanted, of_kinds, asked


every_notebook = pytest.mark.parametrize("reference", references(), ids=lambda one: one.name[:12])


@pytest.mark.audit
@every_notebook
def test_no_notebook_uses_a_function_at_sizes_that_its_check_does_not_ask_about(reference):
    wanted, _, asked = handed_over(reference)
    most = asked.ends()
    beyond = {what: (size, most[what]) for what, size in wanted.items() if what in most and size > ROOM * most[what]}
    assert {what: sizes for what, sizes in beyond.items() if what not in EXPLAINED} == {}


@pytest.mark.audit
@every_notebook
def test_no_notebook_hands_over_values_of_a_kind_that_its_check_does_not(reference):
    _, wanted, asked = handed_over(reference)
    missing = {what: some - asked.kinds[what] for what, some in wanted.items() if what in asked.kinds}
    assert {what: some for what, some in missing.items() if some - KINDS_EXPLAINED.get(what, set())} == {}
