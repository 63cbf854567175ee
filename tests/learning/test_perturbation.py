"""Output and objective perturbation: the bounds they stand on, measured by retraining."""

import math

import numpy as np
import pytest
from scipy.stats import kstest

from dpcourse.learning import ObjectivePerturbationLogisticRegression, OutputPerturbationLogisticRegression
from dpcourse.learning.perturbation import CURVATURE, TOLERANCE, minimise, spherical_noise, unit_rows
from dpcourse.privacy import Neighbours


def data(rng, n=200, d=4):
    rows = unit_rows(rng.normal(size=(n, d)) * 2, 2.0)
    return rows, rng.choice([-1.0, 1.0], n)


@pytest.mark.parametrize("regularization", [0.01, 0.1, 1.0])
def test_one_replaced_record_moves_the_minimiser_less_than_the_bound(regularization):
    """200 neighbours: a random record is replaced by the worst we know, one that pulls against the solution."""
    rng = np.random.default_rng(9)
    moved = []
    for _ in range(200):
        rows, signs = data(rng, n=100)
        start = minimise(rows, signs, regularization)
        other, flipped = rows.copy(), signs.copy()
        # The record that fits worst at the solution, against its exact opposite.
        direction = start / np.linalg.norm(start)
        rows[0], signs[0] = direction, 1.0
        other[0], flipped[0] = direction, -1.0
        difference = minimise(rows, signs, regularization) - minimise(other, flipped, regularization)
        moved.append(np.linalg.norm(difference))
    bound = 2 / (100 * regularization)
    assert max(moved) <= bound + 2 * TOLERANCE / regularization
    # The bound takes the loss for as steep as it can be and as flat; with λ ≥ its curvature it is tight within a few.
    assert max(moved) >= bound / (2.5 if regularization == 1.0 else 40)


def test_the_minimiser_is_a_minimiser():
    rng = np.random.default_rng(3)
    rows, signs = data(rng)
    for regularization in (1e-6, 1e-3, 1.0):
        w = minimise(rows, signs, regularization)
        gradient = -(rows.T @ (signs / (1 + np.exp(signs * (rows @ w))))) / len(rows) + regularization * w
        assert np.linalg.norm(gradient) <= TOLERANCE


def test_the_noise_has_its_density():
    """The length is Gamma(d, 1/rate), one coordinate of the direction is symmetric. False alarm 2e-6 together."""
    rng = np.random.default_rng(4)
    draws = np.array([spherical_noise(rng, 3, 2.0) for _ in range(20_000)])
    lengths = np.linalg.norm(draws, axis=1)
    assert kstest(lengths, "gamma", args=(3, 0, 0.5)).pvalue > 1e-6
    assert kstest(draws[:, 0] / lengths, "uniform", args=(-1, 2)).pvalue > 1e-6  # Archimedes: uniform in 3-D


def test_rows_are_clipped_one_by_one_and_survive_extremes():
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [1e300, -1e300], [1e-300, 0.0]]), 2.0)
    assert np.isfinite(rows).all() and (np.linalg.norm(rows, axis=1) <= 1 + 1e-12).all()
    np.testing.assert_allclose(rows[1], [0, 0, 0.5])


def test_objective_perturbation_meets_its_conditions():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(500, 3)), rng.integers(2, size=500)
    for epsilon, regularization in [(1.0, 0.01), (0.1, 1e-5), (5.0, 1e-9)]:
        model = ObjectivePerturbationLogisticRegression(
            epsilon=epsilon, regularization=regularization, classes=(0, 1), random_state=1
        ).fit(X, y)
        assert model.epsilon_noise_ > 0 and model.regularization_ >= regularization
        spent = model.epsilon_noise_ + 2 * math.log1p(CURVATURE / (500 * model.regularization_))
        assert spent <= epsilon * (1 + 1e-12)
        assert model.guarantee_.epsilon == epsilon and model.guarantee_.neighbours is Neighbours.REPLACE_ONE
        assert "minimiser is exact" in str(model.guarantee_)


@pytest.mark.parametrize("learner", [OutputPerturbationLogisticRegression, ObjectivePerturbationLogisticRegression])
def test_little_noise_finds_the_regularised_solution(learner):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2000, 2))
    y = (X[:, 0] > 0).astype(int)
    model = learner(epsilon=1e6, regularization=0.01, data_norm=5.0, classes=(0, 1), random_state=1).fit(X, y)
    wanted = minimise(unit_rows(X, 5.0), 2.0 * y - 1, 0.01) / 5.0
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), wanted, atol=1e-3)
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize("learner", [OutputPerturbationLogisticRegression, ObjectivePerturbationLogisticRegression])
@pytest.mark.parametrize(
    ("name", "value"), [("epsilon", 0), ("epsilon", "1"), ("regularization", 0), ("data_norm", -1)]
)
def test_refuses_bad_arguments_by_name_and_value(learner, name, value):
    with pytest.raises((TypeError, ValueError), match=name) as error:
        learner(**{name: value}).fit(np.eye(4), [0, 1, 0, 1])
    assert repr(value) in str(error.value)


def test_a_public_size_must_be_true_and_weights_are_refused():
    with pytest.raises(ValueError, match="dataset_size.*7"):
        OutputPerturbationLogisticRegression(dataset_size=7).fit(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="sample_weight is refused"):
        OutputPerturbationLogisticRegression().fit(np.eye(4), [0, 1, 0, 1], sample_weight=[1, 1, 1, 1])
