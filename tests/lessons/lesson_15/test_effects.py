"""What noise does to groups: on made-up models whose effect is known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpcourse.lessons import lesson_15 as l15


def test_a_change_is_counted_in_points_with_its_errors():
    """Of 1,000 people 100 are lost by every model; of ten people one is, by some."""
    without = np.ones(1010, dtype=bool)
    right = np.ones((12, 1010), dtype=bool)
    right[:, :100] = False
    right[::2, 1000] = False
    groups = [("many", np.arange(1010) < 1000), ("few", np.arange(1010) >= 1000)]
    found = l15.group_changes(right, without, groups, 0.1)
    assert found.means == pytest.approx([-10.0, -5.0]) and found.tested.tolist() == [1000, 10]
    assert found.errors[0] == 0.0 and found.errors[1] > 0 and found.single[1] > found.errors[1]
    assert found.people[0] == pytest.approx(100 * 1.96 * 0.3 / np.sqrt(1000), rel=0.01)


def test_the_mean_is_known_better_than_the_next_draw():
    """Student's t: for n draws of deviation s, t·s/√n and t·s·√(1 + 1/n)."""
    values = np.array([1.0, 2.0, 4.0, 5.0])
    t, s = stats.t.ppf(0.975, 3), values.std(ddof=1)
    assert l15.error_and_reach(values) == pytest.approx((t * s / 2, t * s * np.sqrt(1.25)))


def test_a_difference_of_changes_is_taken_model_by_model():
    """Every model loses the same share of both groups: the difference is 0, and so is the error of its draws."""
    without, rng = np.ones(400, dtype=bool), np.random.default_rng(15)
    right = np.ones((12, 400), dtype=bool)
    for model in right:
        model[rng.permutation(100)[:20]] = model[100 + rng.permutation(300)[:60]] = False
    few, many = np.arange(400) < 100, np.arange(400) >= 100
    difference, error = l15.beside(right, without, few, many)
    people = [196 * (1 - right[:, of].mean(axis=0)).std(ddof=1) / np.sqrt(of.sum()) for of in (few, many)]
    assert difference == pytest.approx(0, abs=1e-9) and error == pytest.approx(np.hypot(*people))


def test_two_models_disagree_as_often_as_pairs_of_them_do():
    says = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=bool)
    pairs = [(i, j) for i in range(4) for j in range(i)]
    wanted = np.mean([says[i] != says[j] for i, j in pairs], axis=0)
    assert l15.disagree(says) == pytest.approx(wanted)


def test_a_spread_is_the_median_of_those_tested():
    frame = pd.DataFrame({"a": ["x", "x", "x", "x", "y", "y", "z"]})
    training = np.array([True, False, False, False, True, False, True])
    people, spread = l15.spread_by(frame, ["a"], training, np.array([1.0, 2.0, 9.0, 4.0]))
    assert people.tolist() == [1, 1] and spread.tolist() == [2.0, 4.0]  # nobody of z is tested
