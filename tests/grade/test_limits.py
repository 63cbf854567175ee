"""How long a student's process may take: processor time, and several times as long by the wall clock."""

import json
import time
from types import SimpleNamespace

import pytest

from dpcourse.checks.clocks import OWN, PATIENCE
from dpcourse.checks.kept import Kept
from dpcourse.grade import marking, sandbox
from dpcourse.grade.marking import grade
from dpcourse.grade.submissions import ROOT
from tests.grade.attacks import ATTACKS

pytestmark = pytest.mark.grade

SANDBOXED = sandbox.bubblewrap() is not None
SECONDS = 1.5
LOOPS = "def noisy_count(flags, epsilon, rng):\n    while True:\n        pass"
SLEEPS = "import time\ndef noisy_count(flags, epsilon, rng):\n    time.sleep(10**6)"
# A right answer that waits once, as if other programs had the processor.
WAITS = """import time
waited = []
def noisy_count(flags, epsilon, rng):
    if not waited:
        waited.append(time.sleep(2))
    return flags.sum() + rng.laplace(0, 1 / epsilon)"""
# Each call is quick enough; a hundred and more of them together are not.
SLOW = """import time
calls = []
def noisy_count(flags, epsilon, rng):
    calls.append(time.process_time())
    while len(calls) < 200 and time.process_time() < calls[-1] + 0.03:
        pass
    return flags.sum() + rng.laplace(0, 1 / epsilon)"""


def marks(tmp_path, answer):
    """Of lesson 00, with this answer to 00.2 and right ones to the others."""
    notebook = json.loads(next((ROOT / "notebooks" / "solutions").glob("00_*")).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "answer-00-2":
            cell["source"] = answer
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return grade(tmp_path / "a.ipynb", sandbox.Limits(seconds=SECONDS), sandboxed=SANDBOXED)[1]


def marked(tmp_path, answer):
    return marks(tmp_path, answer)[1]


def test_a_cell_that_leaves_nobody_who_listens_costs_its_own_question(tmp_path):
    assert [mark.points > 0 for mark in marks(tmp_path, ATTACKS["deaf"])] == [True, False, True]


@pytest.mark.parametrize("answer", [LOOPS, SLEEPS], ids=["loops", "sleeps"])
def test_an_answer_that_never_ends_is_stopped(tmp_path, answer):
    mark = marked(tmp_path, answer)
    assert (mark.question, mark.points, mark.key) == ("00.2", 0.0, "too-slow")
    after = float(mark.seen.split("stopped after ")[1].split()[0])
    assert after >= (SECONDS if answer is LOOPS else PATIENCE * SECONDS) - 0.1


@pytest.mark.parametrize("answer", [WAITS, SLOW], ids=["waits", "slow"])
def test_a_right_answer_is_not_stopped(tmp_path, answer):
    assert marked(tmp_path, answer).key == "passed"


def test_who_waits_only_when_asked_once_more_is_stopped(monkeypatch):
    """Each call is quick enough, and thirty of them would take as many times as long."""
    monkeypatch.setattr(marking, "AGAIN", 0.05)
    asked = []

    def answer(number):
        asked.append(number)
        time.sleep(0.1)
        return number

    process = SimpleNamespace(answer=lambda _: answer)
    session = marking._Session(SimpleNamespace(ready=lambda _: process, clock=lambda: OWN, close=lambda: None))
    for many, same in ((100, False), (1, True)):
        kept = Kept(many)
        for number in range(many):
            kept.before((), (number,), {}).keep(number)
        asked.clear()
        assert session._same(SimpleNamespace(expression="answer"), 0, kept) is same and len(asked) < 10
