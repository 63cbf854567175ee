"""The comparison of columns: dropped, randomized and true on data where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from dpcourse.local.comparison import METRICS, compare_columns, fit_and_score


def people(rng, n=6000):
    """Income depends on one clear column and strongly on the answer."""
    clear, codes = rng.random((n, 2)), rng.integers(0, 4, n)
    logit = 3 * (clear[:, 0] - 0.5) + 2.0 * (codes // 2) + 1.0 * (codes % 2) - 1.5
    return clear, codes, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)


def two_columns(codes):
    return np.column_stack([codes // 2, codes % 2])


@pytest.fixture(scope="module")
def found():
    clear, codes, y = people(np.random.default_rng(0))
    return compare_columns(clear, codes, y, as_columns=two_columns, k=4, epsilons=(0.01, 20.0), splits=4, rng=1)


def test_shapes(found):
    assert found.true.shape == found.dropped.shape == (4, len(METRICS))
    assert found.randomized.shape == (2, 4, len(METRICS)) and found.epsilons == (0.01, 20.0)


def test_the_truth_at_large_epsilon_and_nothing_at_small(found):
    """The columns are worth 5 points and more; one split's accuracy has a standard error of 1 point."""
    assert found.drop(found.dropped)[0][0] > 0.03
    assert np.allclose(found.randomized[1], found.true)
    assert np.abs(found.randomized[0].mean(axis=0) - found.dropped.mean(axis=0)).max() < 0.02


def test_drops_are_signed_and_paired(found):
    mean, error = found.drop(found.true)
    assert (mean == 0).all() and (error == 0).all()
    mean, _ = found.drop(found.true + 0.1)
    assert np.allclose(mean, -0.1)
    assert found.drop(found.randomized)[0].shape == (2, len(METRICS))


def test_gains_are_paired_with_the_dropped_columns(found):
    """A column that says nothing gains nothing on any split; the true columns gain what dropping them loses."""
    assert (np.array(found.gain(found.dropped)) == 0).all()
    assert np.allclose(found.gain(found.true), found.drop(found.dropped))
    assert np.allclose(found.gain(found.dropped + 0.1), np.array([[0.1], [0.0]]))


def test_the_same_generator_gives_the_same_scores():
    clear, codes, y = people(np.random.default_rng(2), 500)
    runs = [
        compare_columns(clear, codes, y, as_columns=two_columns, k=4, epsilons=(1.0,), splits=2, rng=3)
        for _ in range(2)
    ]
    assert (runs[0].randomized == runs[1].randomized).all()


@pytest.mark.parametrize("splits", [1, 0, -1, 2.5])
def test_a_comparison_takes_two_splits_as_its_errors_do(splits):
    clear, codes, y = people(np.random.default_rng(2), 100)
    with pytest.raises((TypeError, ValueError), match="splits must be") as error:
        compare_columns(clear, codes, y, as_columns=two_columns, k=4, epsilons=(1.0,), splits=splits)
    assert repr(splits) in str(error.value)


def test_scores_are_those_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(4)
    clear, _, y = people(rng, 1000)
    model = LogisticRegression().fit(clear[:700], y[:700])
    ours = fit_and_score(clear[:700], y[:700], clear[700:], y[700:])
    assert ours[0] == pytest.approx(model.score(clear[700:], y[700:]), abs=0.01)
    assert ours[3] == pytest.approx(2 / (1 / ours[1] + 1 / ours[2]))
