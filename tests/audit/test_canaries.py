"""Canaries in a training run: it is DP-SGD that is run, and what they certify stays below what is stated."""

import numpy as np
import pytest
from scipy import stats

from dpcourse.accounting import calibrate_noise_multiplier
from dpcourse.audit import audit_one_run, train_with_canaries
from dpcourse.audit.canaries import STRENGTH, _canary_gradients
from dpcourse.learning.gradients import Examples, clipped_gradient_sum

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = (X[:, 0] > 0).astype(int)


def test_canary_gradients_are_those_of_examples_with_a_column_of_their_own():
    own, intercept = np.array([0.3, -0.2, 1.5, 0.0]), 0.4
    labels = np.array([0, 1, 1, 0])
    rows = STRENGTH * np.eye(4)
    along, intercepts = _canary_gradients(own, intercept, labels, 1.0)
    whole = clipped_gradient_sum(np.append(own, intercept)[None, :], Examples.of(rows, labels[:, None]), 1.0)
    np.testing.assert_allclose(whole[0], np.append(along, intercepts.sum()), rtol=1e-12)
    assert (np.hypot(along, intercepts) <= 1 + 1e-12).all()


def test_the_claim_is_that_of_the_run():
    sigma = calibrate_noise_multiplier(2.0, 1e-5, 1.0, 20)
    run = train_with_canaries(X, Y, canaries=100, noise_multiplier=sigma, rng=1)
    assert run.guarantee.epsilon == pytest.approx(2.0, rel=1e-3) and run.guarantee.delta == 1e-5
    sampled = train_with_canaries(X, Y, canaries=100, noise_multiplier=sigma, sampling_rate=0.2, rng=1)
    assert sampled.guarantee.epsilon < run.guarantee.epsilon


@pytest.mark.parametrize("epsilon", [2.0, 4.0, 8.0])
def test_one_run_certifies_something_and_not_too_much(epsilon):
    """More than the true ε with probability 5% at most, each; the seed is fixed."""
    sigma = calibrate_noise_multiplier(epsilon, 1e-5, 1.0, 20)
    run = train_with_canaries(X, Y, canaries=2000, noise_multiplier=sigma, rng=2)
    assert 0 < audit_one_run(run.scores, run.members, delta=1e-5) <= epsilon


@pytest.mark.audit
def test_a_true_claim_is_refuted_in_one_run_of_twenty_at_most():
    """300 runs at 95% confidence; binomial bound at 1e-6."""
    rngs = np.random.default_rng(3).spawn(300)
    runs = [train_with_canaries(X, Y, canaries=1000, noise_multiplier=9.0, rng=rng) for rng in rngs]
    refuted = sum(audit_one_run(r.scores, r.members, delta=1e-5) > r.guarantee.epsilon for r in runs)
    assert refuted <= stats.binom.isf(1e-6, 300, 0.05)


def test_too_little_noise_is_refuted():
    """The noise is a quarter of what the claim asks for."""
    sigma = calibrate_noise_multiplier(1.0, 1e-5, 1.0, 20)
    run = train_with_canaries(X, Y, canaries=2000, noise_multiplier=sigma / 8, rng=4)
    assert audit_one_run(run.scores, run.members, delta=1e-5) > 1.0
