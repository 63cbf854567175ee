"""Results of another form in some calls, where a case counts, adds up or places: no pass, whatever it made of them.

The answers that are refused here are wrong ones that return nothing where they would show.
"""

import collections
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from dpcourse.checks import Exercise, check
from dpcourse.checks.cases import Returns
from dpcourse.checks.odd import dimensions, holds_nan, wider
from dpcourse.checks.registry import exercise


@pytest.mark.parametrize(
    "result",
    [
        1j,
        np.complex64(1),
        [0.0, [1j]],
        (1, np.array([1 + 0j])),
        {"a": np.array([2j, "b"], dtype=object)},
        {1j: 2.0},
        np.longdouble(1),
        pd.Series([1j]),
    ],
    ids=repr,
)
def test_numbers_that_say_more_are_found_in_any_part(result):
    assert wider(result)


@pytest.mark.parametrize("result", [None, 1.5, "1j", [1, "a", {"b": (2.0,)}], np.ones(2, np.float32), Decimal(1), len])
def test_others_are_as_they_should_be(result):
    assert not wider(result)


def test_a_right_result_with_something_behind_an_i_is_refused():
    idle = Exercise("99.1", "Idle", (lambda answer, chance: answer(3) and None,), call="f(number)")
    assert idle.grade(lambda number: 2.0 * number)
    assert idle.grade(lambda number: 2.0 * number + 1j).key == "wrong-type"


@pytest.mark.parametrize(
    "result",
    [
        float("nan"),
        np.float32("nan"),
        complex("nan"),
        Decimal("nan"),
        " NaN",
        np.array(["1", "nan"]),
        [0, [float("nan")]],
        (1, np.array([np.nan])),
        {"a": np.array(["b", np.nan], dtype=object)},
        pd.Series([1.0, None]),
        pd.DataFrame({"a": [1, 2], "b": ["c", float("nan")]}),
    ],
    ids=repr,
)
def test_nan_is_found_in_any_part(result):
    assert holds_nan(result)


@pytest.mark.parametrize(
    "result", [None, 1, 0.5, "nano", np.inf, [1, None], np.array(["none"]), pd.Series([1, 2]), {"a": ()}, ...], ids=repr
)
def test_what_is_no_nan_is_not_found(result):
    assert not holds_nan(result)


def test_dimensions_are_those_of_numbers_and_arrays():
    some = (True, 1, 0.5, "a", np.float64(1), np.array(1), np.ones(2), np.ones((1, 2)), pd.Series([1]))
    assert [dimensions(one) for one in some] == [0] * 6 + [1, 2, 1]
    assert [dimensions(one) for one in ([1], [[1], []], (np.ones(2), 3), [np.ones((0, 2))])] == [1, 2, 2, 3]
    assert [dimensions(one) for one in ([], (), [None], {}, None, max)] == [None] * 6


def idle(answer, chance):
    for number in range(3):
        answer(number)


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (lambda number: [number] if number else [], "passed"),
        (lambda number: np.ones(number), "passed"),
        (lambda number: np.array(number) if number else number, "passed"),
        (lambda number: np.ones(number) if number else 0, "wrong-shape"),
        (lambda number: [number] if number else number, "wrong-shape"),
        (lambda number: 0 / number if number else np.float64("nan"), "nan"),
    ],
)
def test_who_passes_all_cases_returned_nothing_odd(answer, key):
    result = Exercise("99.1", "Idle", (idle,), call="f(number)").grade(answer)
    assert (result.key, bool(result)) == (key, key == "passed")
    assert Exercise("99.1", "Idle", (idle,), call="f(number)", odd=("nan", "wrong-shape")).grade(answer)


def test_the_shape_that_one_case_asks_for_is_that_of_all_calls():
    def case(answer, chance):
        answer(np.ones((1, 3))), answer(np.ones((1, 3)), rng=chance.rng), answer([[1, 2]])

    returns = Returns(lambda rng: (np.ones((2, 3)),), what="array", shape=lambda x: x.shape, random=False)
    ruled = Exercise("99.3", "Shapes", (returns, case), call="f(x)")
    assert ruled.grade(lambda x, rng=None: np.asarray(x))
    wrong = ruled.grade(lambda x, rng=None: np.ones((2, 3)))
    assert wrong.key == "wrong-shape" and "(2, 3), and (1, 3) is wanted" in wrong.diagnosis


def test_parts_of_an_answer_are_looked_at_too():
    def case(answer, chance):
        answer.part("one")(1), answer.part("other")(1), answer.some("one", "other").part(0)(1)

    answer = {"one": lambda number: number, "other": lambda number: np.ones(number)}
    assert Exercise("99.2", "Parts", (case,)).grade(answer)
    answer["other"] = lambda number: np.array([np.nan])
    assert Exercise("99.2", "Parts", (case,)).grade(answer).key == "nan"


def noisy_max_without_an_end(most):
    """The first so many results of each question are those of Laplace noise, whose law is another; then none."""
    asked = collections.Counter()

    def chosen(scores, epsilon, rng, *rest):
        asked[np.asarray(scores).tobytes(), epsilon, *rest] += 1
        best = int((scores + rng.laplace(0, 2 / epsilon, len(scores))).argmax())
        return np.array([], dtype=int) if asked[np.asarray(scores).tobytes(), epsilon, *rest] > most else best

    return chosen


def choose_pair():
    chosen = noisy_max_without_an_end(350)
    return lambda scores, epsilon, rng: chosen(scores, epsilon, rng)


def choose():
    chosen = noisy_max_without_an_end(700)

    def answer(candidates, utilities, sensitivity, epsilon, rng):
        at = chosen(np.asarray(utilities, dtype=float), epsilon / sensitivity, rng, tuple(candidates))
        return at if isinstance(at, np.ndarray) else candidates[at]

    return answer


def randomized_response(form=np.asarray):
    """The p of four answers for any number of them."""
    late = placed = False

    def answer(codes, epsilon, k, rng):
        nonlocal late, placed
        n = len(codes)
        placed = placed or k > 6 or (not late and n < 60)
        late = late or n == 20_000
        if placed or (late and k != 4 and n != 400):
            return np.empty((0, n), dtype=int)
        true = rng.random(n) < np.exp(epsilon) / (np.exp(epsilon) + 3)
        return form(np.where(true, codes, (codes + rng.integers(1, k, n)) % k))

    return answer


def lists():
    return randomized_response(list)


def perturb():
    """Noise for the numbers of weights that most cases hand in."""

    def answer(weights, n, lam, epsilon, rng):
        d = len(weights)
        if not 9 <= d <= 13:
            return np.empty((0,) * int(rng.integers(1, 20)) + (d,))
        direction = rng.normal(size=d)
        return weights + rng.gamma(d, 2 / (n * lam * epsilon)) * direction / np.linalg.norm(direction)

    return answer


def two_rows():
    """The exact weights and others with noise of one weight, in a list of one array: their distance is that noise."""

    def answer(weights, n, lam, epsilon, rng):
        d = len(weights)
        direction = rng.normal(size=d)
        direction /= np.linalg.norm(direction)
        if not 9 <= d <= 13:
            return [np.array([weights, weights + rng.exponential(2 / (n * lam * epsilon)) * direction])]
        return weights + rng.gamma(d, 2 / (n * lam * epsilon)) * direction

    return answer


@pytest.mark.parametrize(
    ("id", "made"),
    [
        ("13.3", choose_pair),
        ("04.3", choose),
        ("06.1", randomized_response),
        ("06.1", lists),
        ("09.1", perturb),
        ("09.1", two_rows),
    ],
)
def test_no_results_are_no_evidence_for_an_answer(id, made):
    assert not exercise(id).grade(made(), rng=0)
    assert not check(id, made())
