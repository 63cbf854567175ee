"""Calibration: the inverse of accounting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcourse.accounting import (
    PrivacyLoss,
    calibrate,
    calibrate_noise_multiplier,
    renyi,
    solve,
)


@pytest.mark.parametrize(
    ("epsilon", "sigma"),
    [(0.5, 7.031827), (1, 3.730632), (2, 1.993812), (3, 1.390593), (5, 0.891868), (8, 0.600229), (10, 0.499889)],
)
def test_analytic_gaussian(epsilon, sigma):
    assert calibrate_noise_multiplier(epsilon, 1e-5) == pytest.approx(sigma, abs=6e-7)


@pytest.mark.parametrize(("method", "rounded_up"), [("rdp", 1.416), ("pld", 1.346)])
def test_ninety_epochs(method, rounded_up):
    found = calibrate_noise_multiplier(8.0, 1e-5, sampling_rate=0.04, steps=2250, method=method)
    assert math.ceil(1000 * found) / 1000 == rounded_up


@settings(max_examples=12, deadline=None)
@given(
    epsilon=st.floats(0.05, 30),
    delta=st.floats(1e-9, 1e-2),
    rate=st.sampled_from([1.0, 0.2, 0.01]),
    steps=st.integers(1, 500),
)
def test_the_claim_holds_and_little_less_noise_breaks_it(epsilon, delta, rate, steps):
    noise = calibrate_noise_multiplier(epsilon, delta, rate, steps)
    loss = [PrivacyLoss.gaussian(x).poisson_subsampled(rate).self_compose(steps) for x in (noise, 0.99 * noise)]
    assert loss[0].epsilon(delta) <= epsilon * (1 + 1e-12)
    assert loss[1].epsilon(delta) > epsilon


def test_more_exact_methods_need_less_noise():
    need = [calibrate_noise_multiplier(1.0, 1e-6, steps=10, method=method) for method in ("pld", "rdp", "zcdp")]
    assert need[0] < need[1] and need[0] < need[2] <= need[1] * (1 + 1e-3)
    noise = calibrate_noise_multiplier(2.0, 1e-6, 0.1, 30, method="rdp")
    orders = np.array(renyi.DEFAULT_ORDERS)
    curve = 30 * renyi.subsampled_gaussian(noise, 0.1, orders)
    assert 2.0 * (1 - 1e-5) <= renyi.epsilon_from_rdp(orders, curve, 1e-6) <= 2.0


def test_few_evaluations():
    """The price is asked for about a dozen times."""
    asked = []
    price = calibrate._price(1e-5, 0.04, 2250, "pld")

    def counted(noise: float) -> float:
        asked.append(noise)
        return price(noise)

    assert solve.smallest(counted, 8.0, 1e-6)[0] == pytest.approx(1.346, abs=1e-3)
    assert len(asked) <= 20


def test_an_infinite_price_is_bisected():
    """Below 0.3 the method proves nothing: the answer is still the smallest noise for which it proves something."""
    found = solve.smallest(lambda noise: 1 / noise if noise >= 0.3 else math.inf, 100.0, 1e-6)[0]
    assert 0.3 <= found <= 0.3 * (1 + 1e-6)


def test_a_root_is_on_the_side_that_keeps_the_promise():
    """For jumps, kinks, flat stretches and infinities: excess(x) ≤ 0, and just below it is positive."""
    functions = [
        lambda x: 2.0 - x * x,
        lambda x: 1.0 if x < 1.2345 else -1.0,
        lambda x: math.inf if x < 0.7 else 0.9 - x,
        lambda x: max(0.5 - x, 0.0),
        lambda x: 1e-200 * (1.1 - x) ** 3,
    ]
    for excess in functions:
        found = solve.safe_root(excess, 0.0, 3.0, 1e-9)
        assert excess(found) <= 0 < excess(found - 1e-8)
    noise, paid = solve.smallest(lambda noise: 5 / noise / noise, 1e-300)
    assert paid == 5 / noise / noise <= 1e-300 and noise == pytest.approx(math.sqrt(5e300), rel=1e-6)
    with pytest.raises(ValueError, match="no noise that fits a float has a price of 1.0 or less"):
        solve.smallest(lambda noise: 2.0, 1.0)
    with pytest.raises(ValueError, match="any noise at all has a price of 3.0 or less"):
        solve.smallest(lambda noise: 2.0, 3.0)


def test_the_calibration_knows_what_its_noise_costs():
    noise, paid = calibrate.calibrated(2.0, 1e-5, 0.05, 100)
    assert noise == calibrate_noise_multiplier(2.0, 1e-5, 0.05, 100)
    assert paid == PrivacyLoss.gaussian(noise).poisson_subsampled(0.05).self_compose(100).epsilon(1e-5) <= 2.0


@pytest.mark.parametrize(("delta", "rate", "steps"), [(0.1, 0.01, 5), (0.5, 0.01, 1), (0.01, 0.01, 1)])
def test_where_any_noise_will_do_none_is_the_smallest(delta, rate, steps):
    with pytest.raises(ValueError, match=f"the probability that a record is in any sample.*got {delta}"):
        calibrate_noise_multiplier(1.0, delta, rate, steps)
    assert calibrate_noise_multiplier(1.0, delta, rate, steps, method="rdp") > 0


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((0.0, 1e-5), ValueError, "epsilon must be > 0 and finite, got 0.0"),
        ((1.0, 0.0), ValueError, r"delta must be in \(0, 1\), got 0.0"),
        ((1.0, 1e-305, 0.1, 5), ValueError, "delta must be at least 1e-290, got 1e-305"),
        ((1.0, 1e-5, 0.0), ValueError, r"sampling_rate must be in \(0, 1\], got 0.0"),
        ((1.0, 1e-5, 0.5, 0), ValueError, "steps must be ≥ 1, got 0"),
        ((1.0, 1e-5, 0.5, 10**400), ValueError, "steps must fit a float, got a number beyond"),
        ((1.0, 1e-5, 0.5, 2**53 + 1), ValueError, f"steps must be ≤ {2**53}, got {2**53 + 1}"),
        ((1.0, 1e-5, 0.5, 2.0), TypeError, "steps must be an integer, got 2.0"),
        ((1.0, 1e-5, 0.5, 2, "gdp"), ValueError, "method must be 'pld', 'rdp' or 'zcdp', got 'gdp'"),
        ((1.0, 1e-5, 0.5, 2, "zcdp"), ValueError, "sampling_rate must be 1 with method 'zcdp', got 0.5"),
    ],
)
def test_bad_arguments_are_named(arguments, error, words):
    with pytest.raises(error, match=words):
        calibrate_noise_multiplier(*arguments)
