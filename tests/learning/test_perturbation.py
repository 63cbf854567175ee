"""Output and objective perturbation: the bounds they stand on, measured by retraining."""

import itertools
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


def saturated(n, angle):
    """Neighbours that come near the bound: n − 1 records say the same, one misfits at a right angle to them, almost.

    The others push the solution so far out along `u` that they are flat there; the replaced record's gradient is at
    full length before and after, and points in nearly opposite directions.
    """
    rows = np.zeros((n, 2))
    rows[:, 0] = 1.0
    other = rows.copy()
    rows[0], other[0] = (-math.cos(angle), math.sin(angle)), (-math.cos(angle), -math.sin(angle))
    return rows, other, np.ones(n)


@pytest.mark.parametrize(("regularization", "share"), [(1e-1, 0.5), (1e-3, 0.75), (1e-4, 0.8), (1e-5, 0.85)])
def test_the_bound_is_nearly_reached(regularization, share):
    """No better constant holds: some pair moves by this share of 2/(nλ), and none by more."""
    n, moved = max(20_000, round(1 / regularization)), []
    for angle in np.radians([50, 60, 65, 70, 75]):
        rows, other, signs = saturated(n, angle)
        moved.append(np.linalg.norm(minimise(rows, signs, regularization) - minimise(other, signs, regularization)))
    bound = 2 / (n * regularization)
    assert share * bound <= max(moved) <= bound + 2 * TOLERANCE / regularization


@pytest.mark.parametrize("regularization", [0.001, 0.1, 1.0])
def test_one_replaced_record_moves_the_minimiser_less_than_the_bound(regularization):
    """200 neighbours of ordinary data: a record along the solution against its exact opposite.

    Ordinary data curve the objective, so they stay below the bound: by a factor of 2 at most where λ is larger than
    that curvature, which the next line states, and by more where it is smaller.
    """
    rng = np.random.default_rng(9)
    moved = []
    for _ in range(200):
        rows, signs = data(rng, n=100)
        start = minimise(rows, signs, regularization)
        other, flipped = rows.copy(), signs.copy()
        direction = start / np.linalg.norm(start)
        rows[0], signs[0] = direction, 1.0
        other[0], flipped[0] = direction, -1.0
        difference = minimise(rows, signs, regularization) - minimise(other, flipped, regularization)
        moved.append(np.linalg.norm(difference))
    bound = 2 / (100 * regularization)
    assert max(moved) <= bound + 2 * TOLERANCE / regularization
    assert max(moved) >= bound / {1.0: 2.5, 0.1: 4, 0.001: 200}[regularization]


def test_objective_perturbation_maps_solutions_to_noise_that_moves_by_two():
    """Its proof: the noise that makes w the minimiser, b = −n∇J(w), moves by at most 2 between neighbours, and the
    Jacobian of that map by a factor (1 + c/(nλ))² at most. 200 neighbours, at the minimiser of either."""
    rng = np.random.default_rng(10)
    n, regularization = 40, 0.02
    moved, stretched = [], []
    for _ in range(200):
        rows, signs = data(rng, n=n)
        other, flipped = rows.copy(), signs.copy()
        other[0], flipped[0] = -rows[0] if rng.random() < 0.5 else rng.normal(size=5), signs[0]
        other[0] /= max(1.0, np.linalg.norm(other[0]))
        w = minimise(rows, signs, regularization, rng.normal(size=5) / n)
        noise, log_jacobian = [], []
        for a, s in ((rows, signs), (other, flipped)):
            miss = 1 / (1 + np.exp(s * (a @ w)))
            noise.append(a.T @ (s * miss) - n * regularization * w)
            log_jacobian.append(np.linalg.slogdet((a.T * (miss * (1 - miss))) @ a + n * regularization * np.eye(5))[1])
        moved.append(np.linalg.norm(noise[0] - noise[1]))
        stretched.append(abs(log_jacobian[0] - log_jacobian[1]))
    assert max(moved) <= 2
    assert max(stretched) <= 2 * math.log1p(CURVATURE / (n * regularization))
    assert max(moved) >= 2 / 2.5 and max(stretched) >= 2 * math.log1p(CURVATURE / (n * regularization)) / 20


def test_the_minimiser_is_a_minimiser():
    rng = np.random.default_rng(3)
    rows, signs = data(rng)
    for regularization in (1e-6, 1e-3, 1.0):
        w = minimise(rows, signs, regularization)
        gradient = -(rows.T @ (signs / (1 + np.exp(signs * (rows @ w))))) / len(rows) + regularization * w
        assert np.linalg.norm(gradient) <= TOLERANCE


def test_the_minimiser_is_found_or_nothing_is_returned(monkeypatch):
    """Separable, degenerate and pushed hard by a linear term, down to λ = 1e-8."""
    rng = np.random.default_rng(7)
    for regularization in (1e-8, 1e-5, 1e-1):
        for n, d, push in itertools.product((2, 300), (2, 30), (0.0, 1.0, 1e6)):
            rows = unit_rows(rng.normal(size=(n, d)) * rng.choice([1e-3, 1.0, 1e6], size=(n, 1)), 2.0)
            signs = np.where(rows[:, 0] > 0, 1.0, -1.0)
            linear = push * rng.normal(size=d + 1) / n
            w = minimise(rows, signs, regularization, linear)
            miss = 1 / (1 + np.exp(np.minimum(signs * (rows @ w), 700)))
            gradient = -(rows.T @ (signs * miss)) / n + regularization * w + linear
            assert np.linalg.norm(gradient) <= 2 * TOLERANCE * max(1, np.linalg.norm(linear))
    monkeypatch.setattr("dpcourse.learning.perturbation.TOLERANCE", 0.0)
    with pytest.raises(RuntimeError, match="nothing was released"):
        minimise(rows, signs, 0.1, linear)


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
        assert model.epsilon_noise_ >= epsilon / 2 * (1 - 1e-12)
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


@pytest.mark.parametrize("learner", [OutputPerturbationLogisticRegression, ObjectivePerturbationLogisticRegression])
@pytest.mark.parametrize("epsilon", [1e-310, 1e-101])
def test_noise_that_no_float_holds_is_refused_before_it_is_drawn(learner, epsilon):
    with pytest.raises(ValueError, match=rf"^epsilon must ask for noise .* got {epsilon!r} with regularization 0\.01$"):
        learner(epsilon=epsilon).fit(np.eye(4), [0, 1, 0, 1])
    assert np.isfinite(learner(epsilon=1e-90, random_state=1).fit(np.eye(4), [0, 1, 0, 1]).coef_).all()


def test_a_regularization_that_asks_for_such_noise_is_refused():
    with pytest.raises(ValueError, match=r"^epsilon must ask for noise .* got 1\.0 with regularization 1e-320$"):
        OutputPerturbationLogisticRegression(regularization=1e-320).fit(np.eye(4), [0, 1, 0, 1])


def test_a_public_size_must_be_true_and_weights_are_refused():
    with pytest.raises(ValueError, match="dataset_size.*7"):
        OutputPerturbationLogisticRegression(dataset_size=7).fit(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="sample_weight is refused"):
        OutputPerturbationLogisticRegression().fit(np.eye(4), [0, 1, 0, 1], sample_weight=[1, 1, 1, 1])
