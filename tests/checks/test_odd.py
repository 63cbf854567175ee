"""Results of another form in some calls, where a case counts, adds up or places: no pass, whatever it made of them.

The answers that are refused here are wrong ones that return nothing where they would show.
"""

import collections

import numpy as np
import pandas as pd
import pytest

from dpcourse.checks import Exercise, check
from dpcourse.checks.odd import dimensions, holds_nan
from dpcourse.checks.registry import exercise


@pytest.mark.parametrize(
    "result",
    [
        float("nan"),
        np.float32("nan"),
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
    "result", [None, 1, 0.5, "nan", np.inf, [1, None], np.array(["nan"]), pd.Series([1, 2]), {"a": ()}, ...], ids=repr
)
def test_what_is_no_nan_is_not_found(result):
    assert not holds_nan(result)


def test_dimensions_are_those_of_numbers_and_arrays():
    some = (True, 1, 0.5, "a", np.float64(1), np.array(1), np.ones(2), np.ones((1, 2)), pd.Series([1]))
    assert [dimensions(one) for one in some] == [0] * 6 + [1, 2, 1]
    assert [dimensions(one) for one in ([1], (), {}, None, max)] == [None] * 5


def idle(answer, chance):
    for number in range(3):
        answer(number)


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (lambda number: [number] if number else number, "passed"),
        (lambda number: np.ones(number), "passed"),
        (lambda number: np.array(number) if number else number, "passed"),
        (lambda number: np.ones(number) if number else 0, "wrong-shape"),
        (lambda number: 0 / number if number else np.float64("nan"), "nan"),
    ],
)
def test_who_passes_all_cases_returned_nothing_odd(answer, key):
    result = Exercise("99.1", "Idle", (idle,), call="f(number)").grade(answer)
    assert (result.key, bool(result)) == (key, key == "passed")
    assert Exercise("99.1", "Idle", (idle,), call="f(number)", any_form=True).grade(answer)


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


def randomized_response():
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
        return np.where(true, codes, (codes + rng.integers(1, k, n)) % k)

    return answer


def perturb():
    """Noise for the numbers of weights that most cases hand in."""

    def answer(weights, n, lam, epsilon, rng):
        d = len(weights)
        if not 9 <= d <= 13:
            return np.empty((0,) * int(rng.integers(1, 20)) + (d,))
        direction = rng.normal(size=d)
        return weights + rng.gamma(d, 2 / (n * lam * epsilon)) * direction / np.linalg.norm(direction)

    return answer


@pytest.mark.parametrize(
    ("id", "made"), [("13.3", choose_pair), ("04.3", choose), ("06.1", randomized_response), ("09.1", perturb)]
)
def test_no_results_are_no_evidence_for_an_answer(id, made):
    assert not exercise(id).grade(made(), rng=0)
    assert not check(id, made())
