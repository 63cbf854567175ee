"""A formula that no declared mistake explains: what it has to do with the right one is said, on a round input."""

import dataclasses
import math

import numpy as np
import pytest

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals
from dpcourse.checks.cases.relations import NAMED, RELATIONS
from dpcourse.checks.once import anywhere

SCALE = Equals(
    lambda rng: (float(rng.uniform(1.2, 9)), float(rng.uniform(0.1, 0.9)), int(rng.integers(2, 50))),
    lambda sensitivity, epsilon, k: sensitivity * math.sqrt(k) / epsilon,
)


def wrong(case, answer, seed=0):
    return case(Answer(answer), Chance(np.random.default_rng(seed), 1e-6))


def right(sensitivity, epsilon, k):
    return SCALE.expected(sensitivity, epsilon, k)


@pytest.mark.parametrize("place", range(len(RELATIONS)), ids=lambda place: RELATIONS[place][0])
def test_each_relation_is_named(place):
    seen, _, key, of = RELATIONS[place]
    array = key in ("reversed", "sorted")
    case = Equals(lambda rng: (rng.uniform(2, 9, 5),), lambda x: 5 - x) if array or key == "absolute" else SCALE
    found = wrong(case, lambda *arguments: of(np.asarray(case.expected(*arguments))))
    assert found.key == key and seen in found.seen


def test_arguments_are_named_as_the_student_names_them():
    found = wrong(SCALE, lambda width, e, times: right(e, width, times))
    assert found.key == "arguments-exchanged" and "`width` and `e`" in found.seen
    found = wrong(SCALE, lambda width, e, times: width / e)
    assert found.key == "argument-ignored" and "`times`" in found.seen
    assert wrong(SCALE, lambda width, e, times: 3.0).key == "constant-result"


def test_arguments_without_names_are_counted():
    """As in the grader, where an answer is a function of any arguments."""
    two = Equals(lambda rng: (float(rng.uniform(2, 9)), 0.5), lambda sensitivity, epsilon: sensitivity / epsilon)
    found = wrong(two, lambda *arguments, **keywords: arguments[0] / arguments[1] + 0.1 * arguments[0] ** 2)
    assert found.seen.startswith("For argument 1 = ") and ", argument 2 = " in found.seen


def test_the_input_shown_is_round():
    found = wrong(SCALE, lambda sensitivity, epsilon, k: right(sensitivity, epsilon, k) + 0.1 * k)
    given = found.seen.split(" your function")[0]
    assert found.key == "wrong-value" and len(given) <= len("For sensitivity = 1.3, epsilon = 0.55, k = 12")


def test_an_answer_that_is_wrong_only_now_and_then():
    found = wrong(SCALE, lambda sensitivity, epsilon, k: right(sensitivity, epsilon, k) * (1.5 if k > 30 else 1))
    assert " of 10 inputs your result is wrong." in found.seen and found.key == "wrong-value"


def test_an_answer_fitted_to_usual_inputs_is_asked_about_others():
    wide = dataclasses.replace(SCALE, wide=anywhere((0.01, 100.0), (0.01, 10.0), (1, 10**4)))
    assert wrong(wide, right) is None
    found = wrong(wide, lambda sensitivity, epsilon, k: right(sensitivity, epsilon, min(k, 50)))
    assert found.key == "not-everywhere" and "right on usual inputs. On " in found.seen and "k = " in found.seen
    drawn = [wide.wide(np.random.default_rng(seed)) for seed in range(1000)]
    assert all(0.01 <= s <= 100 and 0.01 <= e <= 10 and 1 <= k <= 10**4 for s, e, k in drawn)
    assert 0.2 < np.mean([e == float(f"{e:.1g}") for _, e, _ in drawn]) < 0.5


def test_the_row_that_differs_is_shown():
    table = Equals(lambda rng: (rng.normal(size=(3, 4)),), lambda x: x.cumsum(axis=0))
    found = wrong(table, lambda x: np.where(np.arange(3)[:, None] == 2, 0, x.cumsum(axis=0)))
    assert "They differ first at [2, 0]" in found.seen


def test_no_diagnosis_asks_for_work_by_hand():
    for answer in (lambda s, e, k: right(s, e, k) + 0.1 * k, lambda s, e, k: 2 * right(s, e, k)):
        assert "by hand" not in wrong(SCALE, answer).ask
    assert "wrong-value" not in NAMED
