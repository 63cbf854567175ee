"""Rényi curves against integrals, sums and dp-accounting."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpcourse.accounting import PrivacyLoss, renyi

ORDERS = np.array([1.1, 1.5, 2.0, 2.5, 5.0, 20.5, 50.0])
DEFAULT = np.array(renyi.DEFAULT_ORDERS)


def divergence(p: np.ndarray, q: np.ndarray, orders: np.ndarray) -> np.ndarray:
    with np.errstate(under="ignore"):
        return np.array([math.log(np.sum(p * (p / q) ** (a - 1))) / (a - 1) for a in orders])


def test_reference_values():
    """Within 1e-4 at α ≥ 2.5. dp-accounting's 6.7058e-4 at α=1.5 is the sum of absolute values of the series."""
    ours = 50 * renyi.subsampled_gaussian(2.5, 0.01, [2.5, 5, 50, 100])
    np.testing.assert_allclose(ours, [1.08549e-3, 2.18076e-3, 0.0238460, 167.416], rtol=1e-4)


def test_where_the_reference_at_order_one_and_a_half_comes_from():
    """Three ways to the exact 6.5007e-4, and the looser bound that dp-accounting 0.6.0 quotes."""
    sigma, rate, alpha = 2.5, 0.01, 1.5

    def excess(x: float) -> float:
        # E[(1 + u)^α − 1 − αu] with E[u] = 0 loses no digits.
        u = rate * math.expm1((2 * x - 1) / (2 * sigma**2))
        density = math.exp(-(x**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
        return density * ((1 + u) ** alpha - 1 - alpha * u)

    by_integral = 50 * math.log1p(quad(excess, -30, 40, epsabs=1e-13, limit=500)[0]) / (alpha - 1)
    assert by_integral == pytest.approx(6.50071e-4, rel=1e-5)
    # For a small rate the curve is α/2·q²(e^(1/σ²) − 1).
    assert by_integral == pytest.approx(50 * alpha / 2 * rate**2 * math.expm1(1 / sigma**2), rel=2e-3)
    assert 50 * renyi.subsampled_gaussian(sigma, rate, [alpha])[0] == pytest.approx(by_integral, rel=1e-6)
    looser = 50 * renyi.subsampled_gaussian(sigma, rate, [1.5, 2.5], exact=False)
    np.testing.assert_allclose(looser, [6.7058e-4, 1.08549e-3], rtol=1e-5)


@pytest.mark.parametrize(("sigma", "rate"), [(0.3, 0.1), (1.0, 0.01), (5.0, 0.3), (20.0, 0.9)])
def test_fractional_orders_lie_between_integers(sigma, rate):
    """(α − 1)·D_α is convex in α; and the integral meets the binomial sum at the integers."""
    orders = np.arange(2, 12, 0.25)
    moments = (orders - 1) * renyi.subsampled_gaussian(sigma, rate, orders)
    assert (np.diff(moments, 2) >= -1e-12 * moments[2:]).all()
    for alpha in (2, 3, 7):
        assert renyi._moment(1 / sigma, rate, alpha) == pytest.approx(
            renyi._integer_moment(1 / sigma, rate, alpha), rel=1e-9, abs=1e-14
        )


def subsampled_moment(sigma: float, rate: float, alpha: int) -> Fraction:
    """Σ_{k≥2} C(α, k) (1 − q)^(α−k) q^k (e^((k² − k)/2σ²) − 1), in rational numbers but for the last factor."""
    q = Fraction(rate)
    terms = (
        math.comb(alpha, k) * (1 - q) ** (alpha - k) * q**k * Fraction(math.expm1((k * k - k) / (2 * sigma**2)))
        for k in range(2, alpha + 1)
    )
    return sum(terms, Fraction(0))


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 1e-8), (2.0, 1e-6), (5.0, 1e-12), (1.5, 0.04)])
def test_a_tiny_rate_loses_no_digits(sigma, rate):
    """Where the moment is 1 + 1e-16: at integers the exact sum, in between α/2·q²(e^(1/σ²) − 1) for a tiny rate."""
    for alpha in (2, 3, 10, 30):
        exact = math.log1p(subsampled_moment(sigma, rate, alpha)) / (alpha - 1)
        assert renyi.subsampled_gaussian(sigma, rate, [alpha])[0] == pytest.approx(exact, rel=1e-12, abs=0)
    if rate < 1e-3:
        between = np.array([1.0001, 1.02, 1.5, 2.5])
        small = between / 2 * rate**2 * math.expm1(1 / sigma**2)
        np.testing.assert_allclose(renyi.subsampled_gaussian(sigma, rate, between), small, rtol=1e-5)
        assert (renyi.subsampled_gaussian(sigma, rate, between, exact=False) >= small * (1 - 1e-5)).all()
        discrete = PrivacyLoss.discrete_gaussian(40, 40 * sigma).poisson_subsampled(rate)
        np.testing.assert_allclose(renyi.of_loss(discrete, between), small, rtol=1e-5)


def test_many_runs_at_a_tiny_rate_cost_what_they_cost():
    """10^16 runs at q = 10^−8: the exact curve at integer orders allows 6.524, orders in between 6.473."""
    orders, times, rate, delta = range(2, 30), 10**16, 1e-8, 1e-5
    curve = [times * math.log1p(subsampled_moment(1.0, rate, alpha)) / (alpha - 1) for alpha in orders]
    exact = renyi.epsilon_from_rdp(np.array(orders, dtype=float), np.array(curve), delta)
    found = renyi.epsilon_from_rdp(DEFAULT, times * renyi.subsampled_gaussian(1.0, rate, DEFAULT), delta)
    assert exact == pytest.approx(6.524, abs=1e-3) and found == pytest.approx(6.473, abs=1e-3)


def test_tiny_losses_lose_no_digits():
    """α/2 times the variance of the loss: ε² for both, .8573·q² for Laplace noise sampled at rate q."""
    orders = np.array([1.02, 1.5, 2.0, 30.0])
    for tiny in (1e-6, 1e-9, 1e-12):
        np.testing.assert_allclose(renyi.pure(tiny, orders), orders / 2 * tiny**2, rtol=1e-4)
        np.testing.assert_allclose(renyi.laplace(tiny, orders), orders / 2 * tiny**2, rtol=1e-4)
        sampled = renyi.of_loss(PrivacyLoss.laplace(1.0).poisson_subsampled(tiny), orders) / tiny**2
        np.testing.assert_allclose(sampled, 0.85730 * orders / 2, rtol=3e-4)


def discrete_laplace_divergence(steps: int, scale: Fraction, order: float) -> float:
    """ln of the sum over all integers by its three geometric series, in 80 decimals."""
    with localcontext(prec=80, Emax=10**9, Emin=-(10**9)):
        rate, alpha = Decimal(scale.denominator) / scale.numerator, Decimal(order)
        decay = (-rate).exp()
        outside = (((alpha - 1) * steps * rate).exp() + (-alpha * steps * rate).exp()) / (1 + decay)
        inside = ((1 - 2 * alpha) * rate).exp()
        between = (inside - inside**steps) / (1 - inside) * ((alpha - 1) * steps * rate).exp()
        return float((outside + (1 - decay) / (1 + decay) * between).ln() / (alpha - 1))


@pytest.mark.parametrize(
    ("steps", "scale"),
    [
        (1, Fraction(10**9)),
        (1, Fraction(10)),
        (1, Fraction(1, 3)),
        (1, Fraction(1, 400)),
        (3, Fraction(4)),
        (7, Fraction(10**5)),
        (2**20 + 1, Fraction(2**20) * 10**8),
        (2**20 + 1, Fraction(2**20, 3)),
    ],
)
def test_discrete_laplace_loses_no_digits(steps, scale):
    orders = np.array([1.02, 1.1, 2.0, 7.5, 64.0, 16384.0])
    exact = [discrete_laplace_divergence(steps, scale, order) for order in orders]
    found = renyi.discrete_laplace(steps, scale, orders)
    np.testing.assert_allclose(found, exact, rtol=2e-13)
    if float(scale) == scale:
        loss = PrivacyLoss.discrete_laplace(steps, float(scale))
        np.testing.assert_array_equal(renyi.of_loss(loss, orders), found)


def test_absolute_series_is_that_of_dp_accounting_and_never_below_the_exact_curve():
    from dp_accounting.rdp import rdp_privacy_accountant as theirs

    for sigma, rate in ((1.0, 0.01), (5.0, 0.3), (0.7, 0.002)):
        exact = renyi.subsampled_gaussian(sigma, rate, ORDERS)
        looser = renyi.subsampled_gaussian(sigma, rate, ORDERS, exact=False)
        assert (looser >= exact * (1 - 1e-9)).all()
        np.testing.assert_allclose(
            looser, theirs._compute_rdp_poisson_subsampled_gaussian(rate, sigma, ORDERS.tolist()), rtol=1e-5
        )


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "delta", "epsilon"),
    [
        (1.5, 0.04, 2250, 1e-5, 7.329),
        (1.3, 150 / 60_000, 6000, 1e-5, 0.7242234),
        (1.0, 0.001, 30_000, 1e-7, 1.4154988),
        (1.1, 256 / 60_000, 14_040, 1e-5, 2.594363),
    ],
)
def test_reference_epsilons(sigma, rate, steps, delta, epsilon):
    curve = steps * renyi.subsampled_gaussian(sigma, rate, DEFAULT)
    assert renyi.epsilon_from_rdp(DEFAULT, curve, delta) == pytest.approx(epsilon, rel=1e-3)


def test_laplace_and_randomized_response():
    x = np.linspace(-60, 60, 1_200_001)
    p, q = np.exp(-np.abs(x)), np.exp(-np.abs(x - 0.8))
    orders = np.array([1.5, 2.0, 7.0])
    np.testing.assert_allclose(renyi.laplace(0.8, orders), divergence(p / p.sum(), q / q.sum(), orders), rtol=1e-6)
    p = np.array([1.0, math.exp(-0.8)]) / (1 + math.exp(-0.8))
    np.testing.assert_allclose(renyi.pure(0.8, ORDERS), divergence(p, p[::-1], ORDERS), rtol=1e-12)
    assert (renyi.pure(0.8, ORDERS) >= renyi.laplace(0.8, ORDERS)).all()
    assert (renyi.pure(math.inf, ORDERS) == math.inf).all() and (renyi.pure(0.0, ORDERS) == 0).all()


def test_curve_of_a_loss():
    for loss, expected in (
        (PrivacyLoss.gaussian(2.0).self_compose(3), 3 * renyi.gaussian(2.0, ORDERS)),
        (PrivacyLoss.laplace(0.5), renyi.laplace(0.5, ORDERS)),
        (PrivacyLoss.pure(0.5), renyi.pure(0.5, ORDERS)),
        (PrivacyLoss.gaussian(2.0).poisson_subsampled(0.1), renyi.subsampled_gaussian(2.0, 0.1, ORDERS)),
        (PrivacyLoss.discrete_gaussian(3, 6.0), renyi.gaussian(2.0, ORDERS)),
        (PrivacyLoss.discrete_gaussian(30, 60.0).poisson_subsampled(0.1), renyi.subsampled_gaussian(2.0, 0.1, ORDERS)),
    ):
        np.testing.assert_allclose(renyi.of_loss(loss, ORDERS), expected, rtol=1e-6)
    x = np.arange(-300, 300)
    p, q = np.exp(-np.abs(x) / 4), np.exp(-np.abs(x - 3) / 4)
    by_sum = divergence(p / p.sum(), q / q.sum(), ORDERS)
    np.testing.assert_allclose(renyi.of_loss(PrivacyLoss.discrete_laplace(3, 4), ORDERS), by_sum, rtol=1e-9)


@pytest.mark.parametrize("rate", [0.01, 0.5])
def test_curve_of_subsampled_laplace_in_both_directions(rate):
    x = np.linspace(-45, 46, 910_001)
    q = np.exp(-np.abs(x))
    p = (1 - rate) * q + rate * np.exp(-np.abs(x - 1))
    p, q = p / p.sum(), q / q.sum()
    expected = np.maximum(divergence(p, q, ORDERS), divergence(q, p, ORDERS))
    found = renyi.of_loss(PrivacyLoss.laplace(1.0).poisson_subsampled(rate), ORDERS)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_a_sample_of_a_sample_is_a_sample():
    """Without a closed form the curve of an unbounded loss would be ∞."""
    nested = PrivacyLoss.gaussian(1.0).poisson_subsampled(0.5).poisson_subsampled(0.25)
    assert nested == PrivacyLoss.gaussian(1.0).poisson_subsampled(0.125)
    np.testing.assert_array_equal(renyi.of_loss(nested, ORDERS), renyi.subsampled_gaussian(1.0, 0.125, ORDERS))
    rarest = PrivacyLoss.pure(1.0).poisson_subsampled(1e-200).poisson_subsampled(1e-200)
    assert rarest.delta(0.0) >= 0 and rarest.parts[0][0].rate == 1e-200


def test_group_of_two_is_exact_for_gaussians_and_valid_for_laplace():
    found = renyi.group_of_two(lambda orders: renyi.gaussian(2.0, orders), ORDERS)
    np.testing.assert_allclose(found, renyi.gaussian(1.0, ORDERS), rtol=1e-12)
    for ratio in (0.1, 1.0, 4.0):
        bound = renyi.group_of_two(lambda orders, r=ratio: renyi.laplace(r, orders), ORDERS)
        assert (bound >= renyi.laplace(2 * ratio, ORDERS)).all()


@given(rho=st.floats(1e-6, 100), delta=st.floats(1e-12, 0.1))
def test_zcdp_conversions(rho, delta):
    sharp = renyi.epsilon_from_zcdp(rho, delta)
    assert 0 <= sharp <= renyi.epsilon_from_zcdp(rho, delta, loose=True)
    if sharp > 0:  # Gaussian noise of that ρ really needs less
        assert PrivacyLoss.gaussian(1 / math.sqrt(2 * rho)).epsilon(delta) <= sharp * (1 + 1e-9)


def test_conversion_edges():
    curve = renyi.gaussian(1.0, DEFAULT)
    assert renyi.epsilon_from_rdp(DEFAULT, curve, 0.0) == math.inf
    assert renyi.epsilon_from_rdp(DEFAULT, 0 * curve, 0.0) == 0.0
    assert renyi.epsilon_from_rdp(DEFAULT, renyi.gaussian(1e4, DEFAULT), 0.1) == 0.0
    epsilon = renyi.epsilon_from_rdp(DEFAULT, curve, 1e-5)
    assert renyi.delta_from_rdp(DEFAULT, curve, epsilon) == pytest.approx(1e-5, rel=1e-9)
    for tiny in (5e-324, 1e-320, 1e-250):
        assert renyi.epsilon_from_zcdp(tiny, 1e-5) == 0.0  # the total variation is below √ρ
        assert renyi.delta_from_zcdp(tiny, 1e-3) == 0.0
    assert renyi.delta_from_zcdp(1.0, 1e308) == 0.0
    assert renyi.epsilon_from_zcdp(1.0, 5e-324) == pytest.approx(1 + 2 * math.sqrt(-math.log(5e-324)), rel=0.05)
    assert renyi.epsilon_from_zcdp(0.0, 1e-5) == 0.0 and renyi.epsilon_from_zcdp(1.0, 0.0) == math.inf


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: renyi.gaussian(1.0, [1.0, 2.0]), r"orders must be > 1, got \[1.0, 2.0\]"),
        (lambda: renyi.gaussian(0.0, [2.0]), "noise_multiplier must be > 0 and finite, got 0.0"),
        (lambda: renyi.laplace(-1.0, [2.0]), "ratio must be > 0 and finite, got -1.0"),
        (lambda: renyi.discrete_laplace(0, 1.0, [2.0]), "sensitivity must be ≥ 1, got 0"),
        (lambda: renyi.discrete_laplace(1, 0.0, [2.0]), "scale must be > 0 and finite, got 0.0"),
        (lambda: renyi.pure(-1.0, [2.0]), "epsilon must be ≥ 0, got -1.0"),
        (lambda: renyi.subsampled_gaussian(1.0, 2.0, [2.0]), r"sampling_rate must be in \[0, 1\], got 2.0"),
        (lambda: renyi.epsilon_from_rdp([2.0, 3.0], [1.0], 0.1), "curve must hold one divergence"),
        (lambda: renyi.epsilon_from_rdp([2.0], [1.0], 2.0), r"delta must be in \[0, 1\], got 2.0"),
        (lambda: renyi.delta_from_rdp([2.0], [1.0], -1.0), "epsilon must be ≥ 0 and finite, got -1.0"),
        (lambda: renyi.epsilon_from_zcdp(-1.0, 0.1), "rho must be ≥ 0, got -1.0"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@settings(max_examples=30, deadline=None)
@given(epsilon=st.floats(1e-3, 40), order=st.floats(1.001, 300))
def test_bounded_range_is_the_worst_of_all_intervals(epsilon, order):
    """Against the power's mean for the losses t and t − ε, on a fine grid of t."""
    t = epsilon * np.linspace(0, 1, 20_002)[1:-1]
    q = np.exp(-t) * np.expm1(t - epsilon) / np.expm1(-epsilon)
    rest = np.expm1(-t) / np.expm1(-epsilon)
    moments = np.logaddexp(np.log(q) + order * t, np.log(rest) + order * (t - epsilon))
    claimed = renyi.bounded_range(epsilon, [order])[0]
    assert moments.max() / (order - 1) <= claimed * (1 + 1e-9) + 1e-12 / (order - 1)
    assert claimed <= max(moments.max() / (order - 1), 0) * (1 + 1e-3) + 1e-10 / (order - 1)
    assert claimed <= min(order * epsilon**2 / 8, epsilon) * (1 + 1e-12)


@given(rho=st.floats(1e-6, 50), epsilon=st.floats(1e-3, 100))
def test_zcdp_conversions_are_inverse(rho, epsilon):
    delta = renyi.delta_from_zcdp(rho, epsilon)
    if 1e-300 < delta < 0.5:  # both are at the best of some orders: where ε is small, δ hardly depends on it
        assert renyi.epsilon_from_zcdp(rho, delta) == pytest.approx(epsilon, rel=1e-4, abs=1e-5)


def test_how_much_looser_the_absolute_series_is():
    for noise, rate, ratio in ((2.5, 0.01, 1.0315), (10.0, 0.3, 19.17)):
        exact, loose = (renyi.subsampled_gaussian(noise, rate, [1.5], exact=e)[0] for e in (True, False))
        assert loose / exact == pytest.approx(ratio, rel=1e-3)
    assert renyi.subsampled_gaussian(10.0, 0.3, [3.0]) == renyi.subsampled_gaussian(10.0, 0.3, [3.0], exact=False)
