"""What an answer remembers of a check is gone in the middle of it: the grader asks it in a new process.

At home, where there is one process, such an answer passes: `dpcourse.checks.check` says so.
"""

import json

import numpy as np
import pytest

from dpcourse.checks import rehearse
from dpcourse.grade import sandbox
from dpcourse.grade.marking import grade
from dpcourse.grade.submissions import ROOT

pytestmark = pytest.mark.grade

# Tells the truth to whoever asks first, when a check has long begun with other questions.
FIRST = """calls = []
def noisy_count(flags, epsilon, rng):
    calls.append(1)
    return flags.sum() + rng.laplace(0, 1 / epsilon) * (len(calls) > FEW)"""
RIGHT = FIRST.replace("FEW", "0")
ENDS = """import os
again = 'again' if os.path.exists('/tmp/here') else open('/tmp/here', 'w')
def noisy_count(flags, epsilon, rng):
    return flags.sum() + rng.laplace(0, 1 / epsilon)"""


def marked(tmp_path, answer):
    notebook = json.loads(next((ROOT / "notebooks" / "solutions").glob("00_*")).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "answer-00-2":
            cell["source"] = answer
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    marks = grade(tmp_path / "a.ipynb", sandbox.Limits(), sandboxed=sandbox.bubblewrap() is not None)[1]
    return {mark.question: mark.key for mark in marks}


@pytest.mark.parametrize("few", [1, 5, 100])
def test_who_tells_the_first_the_truth_is_refused(tmp_path, few):
    """A tenth of the questions are asked twice with generators of the same state: the first may be one of them."""
    found = marked(tmp_path, FIRST.replace("FEW", str(few)))
    assert found.pop("00.2") in ("not-everywhere", "own-generator")
    assert found == {"00.1": "passed", "00.3": "passed"}


@pytest.mark.parametrize("answer", [RIGHT, ENDS], ids=["counts its calls", "runs its cells twice"])
def test_a_new_process_costs_a_right_answer_nothing(tmp_path, answer):
    assert set(marked(tmp_path, answer).values()) == {"passed"}


def test_at_home_it_passes():
    names = {"np": np}
    exec(FIRST.replace("FEW", "1"), names)
    assert rehearse("00.2", names["noisy_count"], times=1, rng=0).keys == {"passed": 1}
