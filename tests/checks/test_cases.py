"""The building blocks accept what is right and name what is wrong.

Statistical cases are called with failure 1e-6 on fixed seeds: a right answer is refused with probability 1e-6 a call at
most.
"""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dpcourse.audit import AuditResult, Finding
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, Equals, Mistake, Returns, Useful, Value, View
from dpcourse.checks.cases.audited import LIKELY
from dpcourse.checks.cases.exact import holds_text
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.privacy import Guarantee


def run(case, answer, seed=0):
    found = case(Answer(answer), Chance(np.random.default_rng(seed), 1e-6))
    return "passed" if found is None else found.key


def some(rng):
    return (rng.normal(size=int(rng.integers(3, 9))),)


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (lambda x, rng: x.sum() + rng.normal(), "passed"),
        (lambda x, rng: np.float32(rng.normal()), "passed"),
        (lambda x, rng: np.array(rng.normal()), "passed"),
        (lambda x, rng: x.sum(), "not-random"),
        (lambda x, rng: 3.0, "constant"),
        (lambda x, rng: x.sum() + np.random.default_rng().normal(), "own-generator"),
        (lambda x, rng: None, "returns-nothing"),
        (lambda x, rng: x + rng.normal(), "wrong-shape"),
        (lambda x, rng: str(rng.normal()), "wrong-type"),
        (lambda x, rng: bool(rng.integers(2)), "wrong-type"),
        (lambda x, rng: complex(1, 2), "wrong-type"),
        (lambda x, rng: float("nan"), "nan"),
    ],
)
def test_returns_a_random_number(answer, key):
    assert run(Returns(some), answer) == key


def test_returns_accuses_nobody_of_twenty_equal_outputs():
    """A right answer may say one thing nine times of ten: 20 calls alike have a chance of 12%, 120 of 3e-6."""
    for seed in range(30):
        chance = Chance(np.random.default_rng(seed), 1e-6)
        assert Returns(some)(Answer(lambda x, rng: float(rng.random() < 0.9)), chance) is None


def test_returns_arrays_integers_and_members():
    codes = Returns(
        lambda rng: (rng.integers(4, size=30), 4), what="array", shape=lambda x, k: x.shape, among=lambda x, k: range(k)
    )
    assert run(codes, lambda x, k, rng: rng.integers(k, size=len(x))) == "passed"
    assert run(codes, lambda x, k, rng: rng.integers(k + 1, size=len(x))) == "outside"
    assert run(codes, lambda x, k, rng: rng.integers(k, size=len(x) - 1)) == "wrong-shape"
    assert run(codes, lambda x, k, rng: int(rng.integers(k))) == "wrong-type"
    whole = Returns(some, what="integer", random=False)
    assert run(whole, lambda x: len(x)) == run(whole, lambda x: np.int64(3)) == "passed"
    assert run(whole, lambda x: 3.0) == "wrong-type"
    assert run(Returns(some, what="boolean", random=False), lambda x: x.sum() > 0) == "passed"


def test_equals_recognises_known_mistakes():
    case = Equals(
        lambda rng: (rng.normal(size=5), float(rng.uniform(1, 2))),
        lambda x, c: np.clip(x, -c, c),
        mistakes=(Mistake("one-side", lambda x, c: np.clip(x, 0, c), "one side"),),
    )
    assert run(case, lambda x, c: np.minimum(np.maximum(x, -c), c)) == "passed"
    assert run(case, lambda x, c: x.clip(0, c)) == "one-side"
    assert run(case, lambda x, c: x) == "argument-ignored"
    assert run(case, lambda x, c: list(x)) == "argument-ignored"
    assert run(case, lambda x, c: "abc") == "wrong-shape"
    assert (
        run(case, lambda x, c: x[:-1]) == run(case, lambda x, c: (x, c)) == run(case, lambda x, c: c) == "wrong-shape"
    )
    assert run(case, lambda x, c: None) == "returns-nothing"


def said(case, answer):
    return case(Answer(answer), Chance(np.random.default_rng(0), 1e-6)).seen


def test_what_is_wrong_is_shown():
    flags = Equals(lambda rng: (np.arange(30),), lambda x: x < 20)
    assert said(flags, lambda x: x < 21).endswith("They differ first at [20]: True instead of False.")
    numbers = Returns(lambda rng: (np.arange(3),), what="array", random=False)
    assert said(numbers, lambda x: [1, None, 2]) == "An array of numbers is wanted; you return a list that holds None."
    one = Returns(lambda rng: (np.arange(3),), random=False)
    assert said(one, lambda x: x[:1]) == "One number is wanted; you return an ndarray of 1 value."
    whole = Returns(lambda rng: (np.arange(3),), what="integer", random=False)
    assert said(whole, lambda x: 1.5) == "An integer is wanted; you return a float."


def test_text_is_no_number():
    half = Equals(lambda rng: (float(rng.uniform(1, 2)),), lambda x: x / 2)
    assert run(half, lambda x: np.float64(x / 2)) == "passed"
    for text in (lambda x: str(x / 2), lambda x: str(x / 2).encode(), lambda x: np.array(str(x / 2))):
        assert run(half, text) == "wrong-type"
    assert run(half, lambda x: f"{x}") == "wrong-type"
    two = Equals(lambda rng: (float(rng.uniform(1, 2)),), lambda x: (x, 2 * x))
    assert run(two, lambda x: np.array([x, 2 * x])) == run(two, lambda x: [x, 2 * x]) == "passed"
    assert run(two, lambda x: (str(x), str(2 * x))) == run(two, lambda x: (x, str(2 * x))) == "wrong-type"
    word = Equals(lambda rng: (int(rng.integers(2)),), lambda x: "odd" if x else "even")
    assert run(word, lambda x: ("even", "odd")[x]) == "passed"
    assert run(word, lambda x: x) == "wrong-value"
    assert run(word, lambda x: "neither") == "constant-result"


def test_value_compares_numbers_and_strings():
    number = Value(3.0, (Mistake("twice", 6.0, "twice"),), rtol=0.01)
    given = [(3.02, "passed"), (np.float64(3), "passed"), (6, "twice"), (4, "wrong-value"), ("3", "wrong-type")]
    assert [run(number, value) for value, _ in given] == [key for _, key in given]
    same = [Fraction(3), Decimal("3.00"), np.array([3.0]), [3], np.array([[3]])]
    assert [run(number, value) for value in same] == ["passed"] * len(same)
    assert [run(number, value) for value in (True, [3, 3], None, 3j, np.array([True]))] == ["wrong-type"] * 5
    assert [run(Value(0.632), value) for value in (63.2, 0.64, 6.32)] == ["percent", "wrong-value", "wrong-value"]
    word = Value("Laplace", (Mistake("gauss", "gauss", "no"),))
    assert [run(word, value) for value in (" laplace ", "Gauss", "x", 3)] == [
        "passed",
        "gauss",
        "wrong-value",
        "wrong-type",
    ]


def counts(rng):
    n = int(rng.integers(10, 1000))
    return (np.ones(n), np.ones(n - 1))


USEFUL = Useful(counts, truth=len, within=2.0, at_least=0.8)
NEAR = {"right": lambda x, rng: len(x) + rng.laplace(), "better": lambda x, rng: len(x)}


@pytest.mark.parametrize("seed", range(5))
def test_useful(seed):
    assert run(USEFUL, NEAR["right"], seed) == run(USEFUL, NEAR["better"], seed) == "passed"
    assert run(USEFUL, lambda x, rng: len(x) + rng.laplace(0, 2), seed) == "not-useful"
    assert run(USEFUL, lambda x, rng: 500.0, seed) == "constant"
    assert run(USEFUL, lambda x, rng: 500 + rng.laplace(), seed) == "ignores-data"
    assert run(USEFUL, lambda x, rng: float("nan"), seed) == "constant"


@pytest.mark.parametrize("seed", range(3))
def test_audited(seed):
    case = Audited(counts, Guarantee(1.0), view=lambda y: round(float(y), 3), key="leaks")
    assert run(case, lambda x, rng: len(x) + rng.laplace(), seed) == "passed"
    assert run(case, lambda x, rng: 7, seed) == "passed"
    assert run(case, lambda x, rng: len(x) + rng.laplace(0, 0.3), seed) == "leaks"
    assert run(case, lambda x, rng: len(x), seed) == "no-noise"
    named = Audited(
        counts, Guarantee(1.0), view=float, diagnose=lambda answer, chance, result: Diagnosis("named", "seen")
    )
    assert run(named, lambda x, rng: len(x), seed) == "named"


@pytest.mark.parametrize("seed", range(3))
def test_audited_through_several_views(seed):
    """The second cell by itself, and its difference to the first: runs are made once, each view has its own words."""
    case = Audited(
        lambda rng: (np.array([0, 1]), np.array([0, 0])),
        Guarantee(1.0),
        runs=3000,
        view=lambda cells: round(float(cells[1]), 3),
        key="cell",
        also=(View(lambda cells: round(float(cells[1] - cells[0]), 3), hint="", key="difference"),),
    )
    assert run(case, lambda x, rng: x + rng.laplace(size=2), seed) == "passed"
    assert run(case, lambda x, rng: x + rng.laplace(0, [9, 0.3]), seed) == "cell"
    assert run(case, lambda x, rng: x + rng.laplace() + rng.laplace(0, 0.1, size=2), seed) == "difference"
    answer = Answer(lambda x, rng: x + rng.laplace(size=2))
    case(answer, Chance(np.random.default_rng(seed), 1e-6))
    assert answer.calls in (2 * 1125, 2 * 3000)  # three eighths of the runs are nearly always enough


def test_an_answer_that_stops_on_one_side_is_told_so():
    def stops(x, rng):
        return 1 / len(x)

    case = Audited(lambda rng: (np.zeros(0), np.zeros(1)), Guarantee(1.0), runs=400, view=float)
    with pytest.raises(AnswerRaised, match="ZeroDivisionError"):
        run(case, stops)


@pytest.mark.parametrize("more_first", (False, True))
def test_audited_says_which_dataset_an_output_points_to(more_first):
    """A sum without clipping: large outputs point to the dataset with one record more, in whichever order."""
    sides = (np.zeros(3), np.array([0.0, 0.0, 0.0, 50.0]))
    case = Audited(lambda rng: sides[:: -1 if more_first else 1], Guarantee(1.0), runs=400, view=lambda x: round(x, 2))
    answer = Answer(lambda values, rng: float(values.sum() + rng.laplace()))
    seen = case(answer, Chance(np.random.default_rng(0), 1e-6)).seen
    assert re.search(r"“output > [\d.]+” points to the larger dataset", seen)
    assert "smaller" not in seen or re.search(r"“output ≤ [\d.]+” points to the smaller", seen)


def test_audited_says_one_and_the_other_of_datasets_of_one_size():
    case = Audited(lambda rng: (np.zeros(3), np.array([0.0, 0.0, 50.0])), Guarantee(1.0), runs=400)
    answer = Answer(lambda values, rng: round(float(values.sum() + rng.laplace()), 2))
    seen = case(answer, Chance(np.random.default_rng(0), 1e-6)).seen
    assert re.search(r"points to (one of the two\.|one dataset and .* points to the other\.)", seen)


def test_audited_shares_its_error_among_all_its_looks(monkeypatch):
    """A right answer may be accused with probability `failure` in all: the looks' shares add up to it."""
    looks = []

    def honest(data, neighbour, *, claim, confidence):
        likely = confidence == LIKELY  # which decides whether all runs are made, and accuses nobody
        if not likely:
            looks.append((len(data), 1 - confidence))
        return AuditResult(claim, confidence, len(data), (Finding(2.0 * likely, "", (0.0, 0.0)),))

    monkeypatch.setattr("dpcourse.audit.audit_outputs", honest)
    case = Audited(counts, Guarantee(1.0), runs=4000, times=3, also=(View(str, ""),))
    assert case(lambda x, rng: 0, Chance(np.random.default_rng(0), 1e-6)) is None
    assert [runs for runs, _ in looks] == [500, 500, 1500, 1500, 4000, 4000] * 3
    assert sum(error for _, error in looks) == pytest.approx(1e-6)


def test_an_audit_of_errors_alone_is_none():
    """Two datasets on which a function stops cannot be told apart."""
    case = Audited(lambda rng: (np.zeros(0), np.zeros(1)), Guarantee(1.0), runs=40)

    def stops(records, rng):
        raise ValueError("too few")

    found = case(Answer(stops), Chance(np.random.default_rng(0), 1e-6))
    assert found.key == "raised" and found.seen.endswith("stops in 100% of runs: ValueError: too few.")


def nested(inner):
    """An array of objects without dimensions, which NumPy reads as what it holds."""
    array = np.empty((), dtype=object)
    array[()] = inner
    return array


@pytest.mark.parametrize(
    "value",
    ["0.5", b"0.5", [1.0, ["0.5"]], np.array(["0.5"]), pd.Series(["0.5"]), np.array([1, "0.5"], dtype=object)]
    + [nested("0.5"), nested(np.array(b"0.5"))],
    ids=repr,
)
def test_text_that_reads_like_a_number_is_text_wherever_it_stands(value):
    assert holds_text(value)


@pytest.mark.parametrize("value", [0.5, [1, 2.0, True], (None,), Fraction(1, 2), pd.Series([1.0]), nested(2)], ids=repr)
def test_numbers_are_no_text(value):
    assert not holds_text(value)
