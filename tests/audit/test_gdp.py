"""Audits under a Gaussian hypothesis: sharp where it holds, said to be conditional, and with their sign."""

import numpy as np
import pytest
from scipy import stats

from dpcourse.audit import audit_gdp, gdp_mu
from dpcourse.mechanisms import GaussianMechanism


class Normal:
    def __init__(self, sigma):
        self.sigma = sigma

    def batch(self, value, runs, rng):
        return np.round(value + rng.normal(scale=self.sigma, size=runs), 6)

    def __call__(self, value, rng):
        return self.batch(value, 1, rng)[0]


def test_mu_of_gaussian_noise_is_found_and_gives_epsilon():
    """Above the truth with probability 0.1% at most; the seed is fixed."""
    found = audit_gdp(Normal(2.0), 0.0, 1.0, runs=40_000, rng=1)
    assert 0.9 * 0.5 < found.mu_lower <= 0.5 < found.mu + 0.1
    exact = GaussianMechanism.from_noise_multiplier(2.0, delta=1e-5).epsilon
    assert 0.85 * exact < found.epsilon_lower(1e-5) <= exact
    assert str(found).startswith("IF ") and "cannot tell" in str(found)


def test_the_sign_is_kept():
    assert gdp_mu(np.array(10), np.array(40), 100) < 0 and gdp_mu(np.array(10), np.array(40), 100, 0.01) < 0
    found = audit_gdp(Normal(1.0), 0.0, 0.0, runs=400, rng=2)
    assert found.mu_lower < 0 and found.epsilon_lower(1e-5) == 0.0 and "nothing" in str(found)


@pytest.mark.parametrize("audits", [40, pytest.param(1000, marks=pytest.mark.audit)])
def test_identical_distributions_are_rarely_accused(audits):
    """At 90% at most one in ten; binomial bound at 1e-6."""
    rngs = np.random.default_rng(3).spawn(audits)
    alarms = sum(audit_gdp(Normal(1.0), 0.0, 0.0, runs=400, confidence=0.9, rng=r).mu_lower > 0 for r in rngs)
    assert alarms <= stats.binom.isf(1e-6, audits, 0.1)


def test_rates_of_zero_and_one_are_bounded():
    low = gdp_mu(np.array([100, 0]), np.array([0, 0]), 100, 0.01)
    assert np.isfinite(low[0]) and low[0] > 3 and low[1] == -np.inf


def test_refuses_bad_arguments_by_name():
    for name, value in (("runs", 3), ("confidence", 1.0)):
        with pytest.raises(ValueError, match=name):
            audit_gdp(Normal(1.0), 0.0, 1.0, **{name: value})
    with pytest.raises(TypeError, match="mechanism"):
        audit_gdp(3, 0.0, 1.0)
    with pytest.raises(ValueError, match="delta"):
        audit_gdp(Normal(1.0), 0.0, 1.0, runs=100, rng=0).epsilon_lower(0.0)
