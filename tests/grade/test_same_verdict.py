"""At home and in the grader: the same verdict and the same diagnosis, on the answers the course knows.

`make test ARGS=all` tries one notebook of answers a lesson. The whole, every right answer and four hundred wrong ones,
takes a quarter of an hour: ``pytest -q -s -m audit tests/grade/test_same_verdict.py``, which lists every difference.

Both sides draw the same data from the same seed, so an answer that draws from the generator it is given is seen to do
exactly the same. One with randomness of its own may be told something else that is true of it (`also` of
``test_answers``); a right one of that kind fails with probability 1e-6 at most on either side.
"""

import base64
import importlib.util
import json
import re
from collections import Counter, defaultdict

import cloudpickle
import numpy as np
import pytest

from dpcourse.checks.registry import exercise
from dpcourse.grade import sandbox
from dpcourse.grade.marking import grade
from dpcourse.grade.submissions import ROOT, references
from tests.grade.classes import submission
from tests.lessons import claims, generators

cloudpickle.register_pickle_by_value(claims)  # the sandbox has no tests
cloudpickle.register_pickle_by_value(generators)
SANDBOXED = sandbox.bubblewrap() is not None
SEED, WRONG_TRIED = 20, 400

_spec = importlib.util.spec_from_file_location("answers_of_the_course", ROOT / "tests" / "lessons" / "test_answers.py")
assert _spec and _spec.loader
known = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(known)

# (exercise, key at home, key in the grader) -> why they differ
EXPLAINED: dict[tuple[str, str, str], str] = {}


def chosen(whole):
    """Notebook -> its lots of answers: question -> (the frozen key, or "passed", and the answer)."""
    rng = np.random.default_rng(SEED)
    frozen = json.loads((ROOT / "tests" / "lessons" / "frozen.json").read_text(encoding="utf-8"))
    right = [(one, "passed", answer) for one, answer in known.RIGHT if one in frozen]
    wrong = [one for one in known.WRONG if one[0] in frozen]
    tried = right + [wrong[i] for i in rng.choice(len(wrong), WRONG_TRIED, replace=False)]
    by_question = defaultdict(list)
    for i in rng.permutation(len(tried)):
        by_question[tried[i][0]].append(tried[i][1:])
    lots = {}
    for one in references():
        mine = {q.id: by_question[q.id] for q in one.questions if q.id in by_question}
        size = max(map(len, mine.values()), default=0) if whole else min(len(mine), 1)
        lots[one.name] = [{id: some[i] for id, some in mine.items() if i < len(some)} for i in range(size)]
    return {name: some for name, some in lots.items() if some}


def in_the_notebook(question, answer):
    """A cell that binds an answer: as it is, functions and what they close over."""
    packed = base64.b64encode(cloudpickle.dumps(answer)).decode()
    names = re.findall(r"\w+", question.expression)
    lines = ["import base64, cloudpickle", f"answer_ = cloudpickle.loads(base64.b64decode({packed!r}))"]
    return "\n".join([*lines, f"{', '.join(names)} = {'answer_' if len(names) == 1 else 'tuple(answer_)'}", ""])


def compared(tmp_path, name, lot):
    """(question, frozen key, key at home, key in the grader) for each answer of a lot."""
    reference = next(one for one in references() if one.name == name)
    # An answer that is no pair cannot be handed in where the notebook asks for two names.
    by_id = {question.id: question for question in reference.questions}
    lot = {id: one for id, one in lot.items() if by_id[id].expression.isidentifier() or isinstance(one[1], tuple)}
    # Before anything is asked: some answers remember what they were asked.
    changes = {id: in_the_notebook(by_id[id], answer) for id, (_, answer) in lot.items()}
    changes |= {id: "..." for id in by_id.keys() - lot.keys()}
    (tmp_path / "a.ipynb").write_text(submission(reference, changes), encoding="utf-8")
    _, marks = grade(tmp_path / "a.ipynb", sandbox.Limits(), sandboxed=SANDBOXED, rng=SEED)
    there = {mark.question: mark.key for mark in marks}
    return [(id, key, exercise(id).grade(answer, rng=SEED).key, there[id]) for id, (key, answer) in lot.items()]


def differences(rows):
    """Rows whose keys differ, and neither the key's other names nor a stated reason explains it."""
    return [
        (id, frozen, home, there)
        for id, frozen, home, there in rows
        if home != there
        and (id, home, there) not in EXPLAINED
        and (("passed" in (home, there)) or not {home, there} <= {frozen, *known.also(id, frozen)})
    ]


SAMPLE, WHOLE = chosen(whole=False), chosen(whole=True)


@pytest.mark.grade
@pytest.mark.in_turn
@pytest.mark.parametrize("name", SAMPLE)
def test_the_same_verdict(tmp_path, name):
    rows = compared(tmp_path, name, SAMPLE[name][0])
    assert rows and differences(rows) == []


@pytest.mark.audit
@pytest.mark.thorough
@pytest.mark.parametrize("name", WHOLE)
def test_the_same_verdict_on_all(tmp_path, name):
    rows = [row for lot in WHOLE[name] for row in compared(tmp_path, name, lot)]
    agree = Counter("right" if frozen == "passed" else "wrong" for _, frozen, home, there in rows if home == there)
    print(f"\n{name}: the same for {agree['right']} right and {agree['wrong']} wrong answers of {len(rows)}")
    for id, frozen, home, there in rows:
        if home != there:
            print(f"  {id}: frozen as {frozen}, at home {home}, in the grader {there}")
    assert differences(rows) == []
