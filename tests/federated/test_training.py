"""What clients compute: gradients, local steps one by one or stacked, and DP-SGD at home."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit

from dpcourse.accounting import PrivacyAccountant
from dpcourse.datasets import load_fabs, simulate_clients
from dpcourse.federated import LocalTraining, PrivateLocalTraining
from dpcourse.federated.training import accuracy, gradient
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled

FABS = load_fabs(heterogeneity=1.0, rng=12)
DATA = FABS.clients["China"]
WEIGHTS = np.random.default_rng(12).normal(size=21)


def loss(weights):
    X, y = DATA
    signed = (2 * y - 1) * (X @ weights[:-1] + weights[-1])
    return np.log1p(np.exp(-signed)).mean()


def test_the_gradient_is_that_of_the_logistic_loss():
    np.testing.assert_allclose(gradient(WEIGHTS, DATA), approx_fprime(WEIGHTS, loss, 1e-7), atol=1e-5)


def test_no_record_no_gradient():
    empty = np.zeros((0, 20)), np.zeros(0)
    assert not gradient(WEIGHTS, empty).any() and not LocalTraining(3)(WEIGHTS, empty).any()


def test_accuracy_is_the_share_of_right_answers():
    X, y = DATA
    assert accuracy(WEIGHTS, DATA) == ((expit(X @ WEIGHTS[:-1] + WEIGHTS[-1]) > 0.5) == y).mean()


@pytest.mark.parametrize("steps", [1, 4])
def test_stacked_clients_compute_what_each_computes_alone(steps):
    many, rule = simulate_clients(7, records=13, rng=12), LocalTraining(steps, 0.7)
    alone = [rule(WEIGHTS, data) for data in zip(many.X, many.y, strict=True)]
    np.testing.assert_allclose(rule.batched(WEIGHTS, many.X, many.y), alone, atol=1e-13)


def test_training_does_not_change_what_it_is_given():
    before = WEIGHTS.copy()
    LocalTraining(3)(WEIGHTS, DATA)
    PrivateLocalTraining(dataset_size=100, noise_multiplier=1.0)(WEIGHTS, DATA, np.random.default_rng(0))
    assert np.array_equal(WEIGHTS, before)


def test_private_training_with_next_to_no_noise_is_clipped_gradient_descent():
    rule = PrivateLocalTraining(len(DATA.y), noise_multiplier=1e-12, clip_norm=50.0, sampling_rate=1.0, steps=3)
    np.testing.assert_allclose(rule(WEIGHTS, DATA, 0), LocalTraining(3, 1.0)(WEIGHTS, DATA), atol=1e-9)


def test_one_private_step_moves_by_the_clip_and_has_the_noise_it_claims():
    """Deviation within 5 standard errors of zC/(qn): false alarm below 1e-6."""
    huge = np.full((1, 20), 1e6), np.ones(1)
    rule = PrivateLocalTraining(100, noise_multiplier=0.5, clip_norm=2.0, sampling_rate=1.0, steps=1)
    rng = np.random.default_rng(12)
    found = np.array([rule(np.zeros(21), huge, rng) for _ in range(400)])
    assert np.linalg.norm(found.mean(axis=0)) == pytest.approx(2.0 / 100, rel=0.2)
    deviation = found.std(axis=0).mean()
    assert deviation == pytest.approx(0.5 * 2.0 / 100, rel=5 / np.sqrt(2 * 400 * 21))


def test_an_empty_client_that_trains_privately_sends_noise():
    rule = PrivateLocalTraining(100, noise_multiplier=1.0)
    assert rule(np.zeros(21), (np.zeros((0, 20)), np.zeros(0)), 0).any()


def test_its_price_is_that_of_all_steps_of_all_rounds():
    rule = PrivateLocalTraining(400, noise_multiplier=1.0, sampling_rate=0.08, steps=12)
    one = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(1.0), 0.08)
    assert rule.epsilon(rounds=5, delta=1e-5) == PrivacyAccountant().compose(one, times=60).epsilon(1e-5)
    assert rule.epsilon(rounds=0, delta=1e-5) == 0


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"dataset_size": 0}, "dataset_size"),
        ({"noise_multiplier": 0.0}, "noise_multiplier"),
        ({"clip_norm": np.inf}, "clip_norm"),
        ({"sampling_rate": 1.5}, "sampling_rate"),
        ({"steps": 0}, "steps"),
        ({"learning_rate": -1.0}, "learning_rate"),
    ],
)
def test_bad_arguments_are_named(arguments, name):
    with pytest.raises(ValueError, match=name):
        PrivateLocalTraining(**{"dataset_size": 10, "noise_multiplier": 1.0} | arguments)
