"""Privacy-loss distributions against closed forms, exact sums, and dp-accounting."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from dpcourse.accounting import PrivacyLoss
from dpcourse.accounting.pld import integers, pairs, refine
from dpcourse.accounting.pld.grid import GridTooLarge, connect_the_dots
from dpcourse.accounting.pld.replacing import replacing_one
from dpcourse.privacy import Guarantee

SUBSAMPLED = PrivacyLoss.gaussian(1.5).poisson_subsampled(0.04)


# Reference values , published or from dp-accounting


@pytest.mark.parametrize(("sigma", "epsilon"), [(0.5, 9.997256), (1, 4.377178), (2, 1.993091), (3, 1.271088)])
def test_one_gaussian_is_exact(sigma, epsilon):
    assert PrivacyLoss.gaussian(sigma).epsilon(1e-5) == pytest.approx(epsilon, abs=6e-7)


def test_gaussian_delta():
    assert PrivacyLoss.gaussian(1.0).delta(1.0) == pytest.approx(0.1269367, abs=5e-8)


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "epsilon"),
    [(1.5, 0.04, 2250, 6.769), (1.3, 150 / 60_000, 6000, 0.640111), (1.1, 256 / 60_000, 14_040, 2.379644)],
)
def test_subsampled_gaussians(sigma, rate, steps, epsilon):
    ours = PrivacyLoss.gaussian(sigma).poisson_subsampled(rate).self_compose(steps).epsilon(1e-5)
    assert epsilon * (1 - 1e-4) <= ours <= epsilon * (1 + 1e-3)


def test_hundred_laplace_releases():
    assert PrivacyLoss.laplace(0.1).self_compose(100).epsilon(1e-5) == pytest.approx(4.22035, rel=1e-3)


def test_laplace_releases_add_up_without_delta():
    mixed = PrivacyLoss.laplace(1.0).self_compose(3).compose(PrivacyLoss.laplace(0.5).self_compose(2))
    assert mixed.epsilon(0.0) == 4.0
    assert mixed.epsilon(1e-12) == pytest.approx(4.0, abs=1e-9)
    assert mixed.delta(4.0) == 0.0


# Closed forms


@given(ratio=st.floats(0.01, 20), share=st.floats(0, 1.2))
def test_laplace_hockey_stick(ratio, share):
    epsilon = ratio * share
    expected = max(-math.expm1((epsilon - ratio) / 2), 0.0)
    assert PrivacyLoss.laplace(ratio).delta(epsilon) == pytest.approx(expected, abs=1e-14)


def binomial_delta(epsilon0: float, times: int, epsilon: np.ndarray) -> np.ndarray:
    """δ(ε) of `times` randomized responses: the loss is ε₀ times (truths − lies)."""
    truths = np.arange(times + 1)
    p, q = (binom.pmf(truths, times, 1 / (1 + math.exp(sign * epsilon0))) for sign in (-1, 1))
    return np.maximum(p - np.exp(np.asarray(epsilon)[..., None]) * q, 0.0).sum(axis=-1)


@pytest.mark.parametrize(("epsilon0", "times"), [(0.1, 100), (1.0, 7), (2.5, 30), (0.01, 2000)])
def test_randomized_response_composes_as_a_binomial(epsilon0, times):
    loss = PrivacyLoss.pure(epsilon0).self_compose(times)
    epsilons = epsilon0 * times * np.array([0.0, 0.07, 0.21, 0.5, 0.8, 1.0])
    expected = binomial_delta(epsilon0, times, epsilons)
    np.testing.assert_allclose(loss.delta(epsilons), expected, rtol=1e-9, atol=3e-14)
    for delta in (1e-3, 1e-6, 1e-9):
        found = loss.epsilon(delta)
        assert found == 0 or binomial_delta(epsilon0, times, found) == pytest.approx(delta, rel=1e-8)


def test_gaussians_compose_exactly():
    sixteen = PrivacyLoss.gaussian(4.0).self_compose(16)
    assert sixteen == PrivacyLoss.gaussian(1.0)
    assert PrivacyLoss.gaussian(5 / 3).compose(PrivacyLoss.gaussian(5 / 4)).epsilon(1e-5) == pytest.approx(
        PrivacyLoss.gaussian(1.0).epsilon(1e-5), rel=1e-12
    )


@pytest.mark.parametrize(
    ("mu", "epsilon", "delta"),  # the closed form by mpmath with 400 digits
    [
        (3e-15, 1e-14, 3.36233656904945e-19),
        (1e-9, 2e-9, 8.49070262532034e-12),
        (1e-12, 0.0, 3.98942280401433e-13),
        (1e-3, 3e-3, 3.8272793724739e-7),
        (0.1, 0.5, 6.85658245583874e-9),
        (0.9, 5.0, 2.34165170511669e-8),
    ],
)
def test_a_small_shift_loses_no_digits(mu, epsilon, delta):
    """Where both terms of the closed form agree in most digits. The tiny: μ(φ(m) − mΦ(−m)) at m = ε/μ."""
    assert PrivacyLoss.gaussian(1 / mu).delta(epsilon) == pytest.approx(delta, rel=1e-12, abs=0)
    if epsilon:
        assert PrivacyLoss.gaussian(1 / mu).epsilon(delta) == pytest.approx(epsilon, rel=1e-12, abs=0)
    m = epsilon / mu
    if mu < 1e-8:
        first_order = mu * (math.exp(-m * m / 2) / math.sqrt(2 * math.pi) - m * ndtr(-m))
        assert delta == pytest.approx(first_order, rel=1e-7, abs=0)


@pytest.mark.parametrize(
    ("loss", "epsilon", "delta"),
    [
        (PrivacyLoss.laplace(1.0), 1 - 2.0**-46, 2.0**-47),
        (PrivacyLoss.discrete_laplace(1, 1e12), 0.0, 5e-13),
        (PrivacyLoss.discrete_laplace(1, 1e12), 4e-13, 3e-13),
        (PrivacyLoss.discrete_laplace(4, 4e12), 0.0, 5e-13),
        (PrivacyLoss.pure(1e-17), 0.0, 5e-18),
        (PrivacyLoss.pure(1e-17), 8e-18, 1e-18),
        (PrivacyLoss.from_masses([0.5 + 2.0**-40, 0.5 - 2.0**-40], [0.5, 0.5]), 0.0, 2.0**-40),
        (PrivacyLoss.gaussian(1e6).poisson_subsampled(1e-6), 0.0, 1e-12 / math.sqrt(2 * math.pi)),
        (PrivacyLoss.pure(1e-12).poisson_subsampled(1e-6), 4e-19, 3e-19),
    ],
)
def test_a_small_delta_loses_no_digits(loss, epsilon, delta):
    """Each to first order: δ is half of what ε lacks of the largest loss, or a rate times the δ of the base."""
    assert loss.delta(epsilon) == pytest.approx(delta, rel=1e-11, abs=0)
    if epsilon:
        assert loss.epsilon(delta) == pytest.approx(epsilon, rel=1e-11, abs=0)


@given(shift=st.integers(1, 9), scale=st.floats(0.05, 100), share=st.floats(0, 1.2))
def test_discrete_laplace_hockey_stick(shift, scale, share):
    """Against the sum over the outputs 0..shift, of which the first and the last stand for all beyond them."""
    epsilon = share * shift / scale
    p = math.tanh(1 / (2 * scale)) * np.exp(-np.arange(shift + 1.0) / scale)
    p[[0, -1]] = np.exp(np.array([0.0, -shift / scale])) / (1 + math.exp(-1 / scale))
    q = p[::-1]
    expected = np.maximum(p - math.exp(epsilon) * q, 0.0).sum()
    found = PrivacyLoss.discrete_laplace(shift, scale).delta(epsilon)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_both_forms_of_the_gaussian_meet():
    epsilons = np.array([0.0, 0.4, 2.0, 8.0, math.inf])
    below, above = (PrivacyLoss.gaussian(sigma).delta(epsilons) for sigma in (1.0, 1 - 1e-15))
    np.testing.assert_allclose(below, above, rtol=1e-12)


@pytest.mark.parametrize("times", [2, 50, 20_000])
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-30])
def test_the_grid_agrees_with_the_closed_form_for_gaussians(times, delta):
    """The Gaussian path through the grid is never taken by the class, which adds μ²; here it is."""
    mu = 2 / math.sqrt(times)
    exact = PrivacyLoss.gaussian(0.5).epsilon(delta)
    found = refine.epsilon(((pairs.Gaussian(mu), times),), False, delta)
    assert exact * (1 - 1e-9) <= found <= exact * (1 + 3e-3)
    epsilons = np.array([0.0, 0.5 * exact, exact])
    values = refine.delta(((pairs.Gaussian(mu), times),), False, epsilons)
    expected = PrivacyLoss.gaussian(0.5).delta(epsilons)
    assert (values >= expected * (1 - 1e-9)).all()
    assert (values <= expected * (1 + 0.01 * np.maximum(1, -math.log(delta) / 2))).all()


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "delta", "epsilon"),  # the last by dp-accounting 0.6.0 on grids of 1e-5, 2e-6 and 5e-6
    [
        (5.0, 1e-3, 10**6, 1e-6, 0.8437107),
        (2.0, 1e-4, 10**6, 1e-9, 0.2785280),
        (1.0, 1e-4, 10**5, 1e-6, 0.1569117),
    ],
)
def test_many_runs_of_a_tiny_deviation_each_are_seen_on_a_fine_grid(sigma, rate, steps, delta, epsilon):
    found = PrivacyLoss.gaussian(sigma).poisson_subsampled(rate).self_compose(steps).epsilon(delta)
    assert epsilon * (1 - 1e-4) <= found <= epsilon * (1 + 3e-3)


@pytest.mark.parametrize(
    ("loss", "times", "delta", "mu"),
    [
        (PrivacyLoss.pure(1e-7), 10**10, 1e-6, 0.01),
        (PrivacyLoss.laplace(1e-5), 9 * 10**8, 1e-6, 0.3 * math.sqrt(1 - 1e-5 / 3)),
        (PrivacyLoss.gaussian(1.0).poisson_subsampled(1e-6), 10**8, 1e-9, 0.01 * math.sqrt(math.expm1(1))),
    ],
)
def test_so_many_runs_that_roundings_add_up(loss, times, delta, mu):
    """So many losses that small add up to a normal one, and `mu` is the root of all their variances."""
    found, limit = loss.self_compose(times).epsilon(delta), PrivacyLoss.gaussian(1 / mu).epsilon(delta)
    assert limit * (1 - 1e-7) <= found <= limit * (1 + 2e-3)


def test_a_direction_with_a_single_loss_costs_that_loss():
    """Noise of σ=.01 hides nothing: all outputs of a run without the record say so, with a loss of −ln(1 − q)."""
    loss = PrivacyLoss.gaussian(0.01).poisson_subsampled(0.1).self_compose(200)
    single = -200 * math.log1p(-0.1)
    assert single - 1.001e-5 <= refine.epsilon(loss.parts, True, 1e-5) <= single + 1e-9
    # The other way K ~ Bin(200, q) samples hold it, each with a loss of 5000 + ln q: P[S > 200252] is 1e-5.
    assert 200252 <= loss.epsilon(1e-5) <= 200252 * (1 + 3e-3)


def test_what_fits_no_grid_is_refused_in_words():
    with pytest.raises(ValueError, match="the composition of 3 runs fits no grid"):
        refine._refined(((pairs.Laplace(1.0), 3),), 1.0, _too_large, lambda answer: answer)


def _too_large(spacing: float, count: int) -> float:
    raise GridTooLarge


def test_discrete_laplace_masses():
    """Tails against sums over the outputs themselves."""
    shift, scale = 3, 2.5
    x = np.arange(-400, 401)
    p, q = np.exp(-np.abs(x) / scale), np.exp(-np.abs(x - shift) / scale)
    by_hand = PrivacyLoss.from_masses(p / p.sum(), q / q.sum())
    loss = PrivacyLoss.discrete_laplace(shift, scale)
    epsilons = np.linspace(0, 1.3, 27)
    np.testing.assert_allclose(loss.delta(epsilons), by_hand.delta(epsilons), atol=1e-13)
    assert loss.epsilon(0.0) == 3 / 2.5
    assert PrivacyLoss.discrete_laplace(3, Fraction(5, 2)) == loss


def test_fine_discrete_laplace_is_laplace():
    fine = PrivacyLoss.discrete_laplace(2**40, 2.0**40 * 10)
    assert fine.epsilon(0.0) == 0.1
    epsilons = np.linspace(0, 0.1, 11)
    np.testing.assert_allclose(fine.delta(epsilons), PrivacyLoss.laplace(0.1).delta(epsilons), atol=1e-11)
    assert fine.self_compose(100).epsilon(1e-5) == pytest.approx(4.22035, rel=1e-3)


@pytest.mark.parametrize(("shift", "sigma"), [(1, 0.8), (3, 2.0), (64, 100.0), (200, 800.0)])
def test_discrete_gaussian_masses(shift, sigma):
    x = np.arange(-math.ceil(39 * sigma) - shift, math.ceil(39 * sigma) + 2 * shift)
    p, q = np.exp(-((x / sigma) ** 2) / 2), np.exp(-(((x - shift) / sigma) ** 2) / 2)
    p, q = p / p.sum(), q / q.sum()
    loss = PrivacyLoss.discrete_gaussian(shift, sigma)
    for epsilon in (0.0, 0.3, 1.0, 2.7):
        assert loss.delta(epsilon) == pytest.approx(np.maximum(p - math.exp(epsilon) * q, 0).sum(), rel=1e-9, abs=1e-16)


def test_discrete_gaussian_beyond_the_sums(monkeypatch):
    """The Euler–Maclaurin tails that replace sums above σ=2^10, at a σ where both can be had."""
    sigma = 1024.5
    x = np.arange(-41 * 1024, 41 * 1024.0)
    masses = np.exp(-((x / sigma) ** 2) / 2)
    sums = np.cumsum(masses) / masses.sum()
    at = np.searchsorted(x, np.round(sigma * np.linspace(-37, 1, 200)))
    np.testing.assert_allclose(integers._gaussian_sum(sigma, x[at]), sums[at], rtol=1e-8)


def test_fine_discrete_gaussian_is_gaussian():
    fine, smooth = PrivacyLoss.discrete_gaussian(2**20, 2.0**20), PrivacyLoss.gaussian(1.0)
    epsilons = np.linspace(0, 6, 13)
    np.testing.assert_allclose(fine.delta(epsilons), smooth.delta(epsilons), rtol=1e-4)


@pytest.mark.parametrize("rate", [1e-4, 0.3])
def test_subsampling_against_the_mixture_itself(rate):
    """δ in both directions of (1−q)N(0,1) + qN(1,1) against N(0,1), by summing densities."""
    x = np.linspace(-14, 15, 2_000_001)
    q = np.exp(-(x**2) / 2)
    p = (1 - rate) * q + rate * np.exp(-((x - 1) ** 2) / 2)
    p, q = p / p.sum(), q / q.sum()
    loss = PrivacyLoss.gaussian(1.0).poisson_subsampled(rate)
    for epsilon in (0.0, 0.01, 0.2, 1.0):
        both = [np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p))]
        assert loss.delta(epsilon) == pytest.approx(max(both), rel=1e-5, abs=1e-14)


def test_subsampling_at_the_ends():
    loss = PrivacyLoss.laplace(1.0)
    assert loss.poisson_subsampled(1.0) is loss
    assert loss.poisson_subsampled(0.0) == PrivacyLoss.identity()
    epsilon = loss.poisson_subsampled(0.25).epsilon(0.0)
    assert epsilon == pytest.approx(math.log1p(0.25 * math.expm1(1.0)), rel=1e-12)


def test_connect_the_dots_keeps_both_masses():
    for pair in (pairs.Gaussian(0.7), pairs.Subsampled(pairs.Gaussian(1.0), 0.01), pairs.Laplace(1.3)):
        for add in (False, True):
            atoms = connect_the_dots(pair, add, np.linspace(-2, 2, 41))
            mass = np.exp(atoms.log_mass)
            assert mass.sum() + atoms.infinite == pytest.approx(1.0, abs=1e-12)
            assert (mass * np.exp(-atoms.loss)).sum() <= 1 + 1e-9


def test_delta_close_to_the_largest_loss_is_as_exact_as_epsilon():
    """Both losses of two Laplace releases are 1 with probability 1/4: δ(2 − η) = η/4 + O(η²)."""
    found = PrivacyLoss.laplace(1.0).self_compose(2).delta(2 - 4e-6)
    assert 1e-6 * (1 - 1e-5) <= found <= 2e-3 / 4


# What must hold for every loss

parts = st.sampled_from(
    [
        PrivacyLoss.gaussian(3.0),
        PrivacyLoss.laplace(0.3),
        PrivacyLoss.pure(0.2),
        PrivacyLoss.discrete_laplace(1, 4),
        PrivacyLoss.discrete_gaussian(8, 40),
        PrivacyLoss.gaussian(1.0).poisson_subsampled(0.02),
        PrivacyLoss.laplace(1.0).poisson_subsampled(0.1),
        PrivacyLoss.from_guarantee(Guarantee(0.1, 1e-8)),
        PrivacyLoss.from_masses([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]),
        PrivacyLoss.from_masses([0.6, 0.4, 0.0], [0.5, 0.4999, 0.0001]),
    ]
)


@settings(max_examples=12, deadline=None)
@given(first=parts, second=parts, times=st.integers(1, 60))
def test_properties(first, second, times):
    loss = first.self_compose(times).compose(second)
    deltas = [1e-2, 1e-4, 1e-6]
    epsilons = [loss.epsilon(delta) for delta in deltas]
    assert epsilons[0] <= epsilons[1] * (1 + 1e-3) and epsilons[1] <= epsilons[2] * (1 + 1e-3)
    assert all(first.epsilon(d) <= e * (1 + 1e-3) + 1e-12 for d, e in zip(deltas, epsilons, strict=True))
    curve = loss.delta(np.linspace(0, 3, 7))
    assert (np.diff(curve) <= 1e-3 * curve[:-1]).all() and (curve >= 0).all() and (curve <= 1).all()
    for delta, epsilon in zip(deltas, epsilons, strict=True):
        if epsilon == math.inf:  # more than delta at an infinite loss
            assert loss.delta(50.0) > delta
            continue
        assert loss.delta(epsilon) <= delta * (1 + 0.003 * max(1.0, -math.log(delta)))
        rates = np.array([0.0, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1.0])
        power = loss.true_positive_rate(rates)
        assert (np.diff(power) >= -1e-9).all() and (power >= rates).all() and power[-1] == 1
        bound = np.minimum(np.exp(epsilon) * rates + delta, 1 - np.exp(-epsilon) * (1 - delta - rates))
        assert (power <= bound + 2e-3).all()


def test_a_bend_between_two_very_different_tails():
    """A bounded loss and a rare huge one: the tilt is where the mean bends, and Newton alone hops across it."""
    rare_and_huge = PrivacyLoss.gaussian(1.0).poisson_subsampled(0.02).self_compose(58)
    loss = rare_and_huge.compose(PrivacyLoss.from_masses([0.6, 0.4, 0.0], [0.5, 0.4999, 0.0001]))
    for delta in (1e-2, 1e-4):
        assert loss.delta(loss.epsilon(delta)) == pytest.approx(delta, rel=0.02)


def test_delta_of_an_array_is_that_of_its_numbers():
    loss = SUBSAMPLED.self_compose(500)
    epsilons = np.array([[3.0, 0.1], [12.0, 0.0]])
    together = loss.delta(epsilons)
    assert together.shape == (2, 2)
    for value, epsilon in zip(together.ravel(), epsilons.ravel(), strict=True):
        assert value == pytest.approx(loss.delta(float(epsilon)), rel=0.02)


def test_identity():
    nothing = PrivacyLoss.identity()
    assert nothing.epsilon(0.0) == 0.0 and nothing.delta(0.0) == 0.0 and nothing.true_positive_rate(0.3) == 0.3
    assert nothing == PrivacyLoss.gaussian(1.0).self_compose(0) == PrivacyLoss.gaussian(math.inf)
    assert SUBSAMPLED.compose(nothing) == SUBSAMPLED


def test_a_bare_claim_gives_back_its_numbers():
    loss = PrivacyLoss.from_guarantee(Guarantee(0.7, 1e-6))
    assert loss.epsilon(1e-6) == pytest.approx(0.7, rel=1e-9)
    assert loss.epsilon(0.99e-6) == math.inf and loss.epsilon(0.0) == math.inf
    assert loss.delta(5.0) == pytest.approx(1e-6)
    twice = loss.self_compose(2)
    assert twice.delta(1.4) == pytest.approx(1 - (1 - 1e-6) ** 2, rel=1e-6)
    assert twice.epsilon(1e-6) == math.inf
    assert loss.compose(PrivacyLoss.pure(0.3)).epsilon(1e-6) == pytest.approx(1.0, rel=1e-3)
    assert PrivacyLoss.from_guarantee(Guarantee(math.inf)).compose(PrivacyLoss.pure(1.0)).epsilon(0.5) == math.inf


@settings(max_examples=100, deadline=None)
@given(
    masses=st.integers(2, 5)
    .flatmap(lambda n: st.tuples(*[st.lists(st.sampled_from([0, 1, 2, 5, 40]), min_size=n, max_size=n)] * 2))
    .filter(lambda both: sum(both[0]) and sum(both[1])),
    epsilon=st.floats(0, 4),
)
def test_one_lopsided_pair_is_as_bad_as_its_worse_direction(masses, epsilon):
    """One run and two, P against Q and Q against P: always the larger of the two sums over outputs."""
    p, q = (np.array(one) / sum(one) for one in masses)
    for times, a, b in ((1, p, q), (2, np.outer(p, p).ravel(), np.outer(q, q).ravel())):
        exact = max(np.maximum(x - math.exp(epsilon) * y, 0).sum() for x, y in ((a, b), (b, a)))
        for pair in ((p, q), (q, p)):
            loss = PrivacyLoss.from_masses(*pair).self_compose(times)
            assert loss.delta(epsilon) == pytest.approx(exact, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("epsilon0", [0.01, 0.05, 0.1, 0.2, 0.5, 2.0])
def test_a_delta_beside_the_largest_loss_of_randomized_responses(epsilon0):
    """Where δ is near the mass of the top atom, the atoms below it decide: no ε is below the binomial's exact one."""
    for times in (2, 5, 7, 11, 16, 19, 23):
        lies = np.arange(times + 1)
        p, q = (
            binom.pmf(lies, times, 1 / (1 + math.exp(epsilon0))),
            binom.pmf(times - lies, times, 1 / (1 + math.exp(epsilon0))),
        )
        loss = PrivacyLoss.pure(epsilon0).self_compose(times)
        for delta in (0.1, 0.01, 1e-3, 1e-5, 1e-7):
            epsilon = loss.epsilon(delta)
            assert np.maximum(p - math.exp(epsilon) * q, 0).sum() <= delta * (1 + 1e-6)
            assert epsilon == 0 or np.maximum(p - math.exp(epsilon * 0.995) * q, 0).sum() > delta * (1 - 1e-6)


def test_masses_that_lack_a_little_count_it_as_an_infinite_loss():
    whole = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    loss = PrivacyLoss.from_masses(*whole)
    assert loss.parts[0][0].p == (0.2, 0.3, 0.5) and loss.parts[0][0].q == (0.5, 0.3, 0.2)
    short = whole[0] - [0.0, 5e-10, 0.0]
    for pair in ((short, whole[1]), (whole[0], short[::-1])):
        incomplete = PrivacyLoss.from_masses(*pair)
        assert incomplete.epsilon(1e-10) == math.inf
        assert incomplete.delta(2.0) == pytest.approx(5e-10, rel=1e-6, abs=0)
    surplus = PrivacyLoss.from_masses(whole[0], whole[1] * (1 + 5e-10))
    assert surplus.epsilon(0.0) == pytest.approx(loss.epsilon(0.0), rel=1e-15)


def test_losses_of_thousands():
    """Noise far too small: the draws of the loss itself say how often it exceeds ε, whatever e^ε would be."""
    sigma, rate, steps, runs = 0.01, 0.01, 5, 100_000
    rng = np.random.default_rng(5)
    x = sigma * rng.normal(size=(runs, steps)) + (rng.random((runs, steps)) < rate)
    drawn = np.logaddexp(math.log1p(-rate), math.log(rate) + (2 * x - 1) / (2 * sigma**2)).sum(axis=1)
    delta = 0.5 * (1 - (1 - rate) ** steps)
    epsilon = PrivacyLoss.gaussian(sigma).poisson_subsampled(rate).self_compose(steps).epsilon(delta)
    assert np.mean(drawn > epsilon) == pytest.approx(delta, abs=5 * math.sqrt(delta / runs))  # false alarm 6e-7


def test_one_lopsided_pair_has_one_epsilon_in_both_orders():
    pair = [0.0, 0.5, 0.5], [0.001, 0.4995, 0.4995]  # the first output says "the second", for certain
    for a, b in (pair, pair[::-1]):
        assert PrivacyLoss.from_masses(a, b).epsilon(1e-6) == math.inf


def test_the_worse_direction_is_taken_once_at_the_end():
    loss = SUBSAMPLED.self_compose(100)
    one_way = [refine.epsilon(loss.parts, add, 1e-5) for add in (False, True)]
    assert one_way[0] != one_way[1]
    assert loss.epsilon(1e-5) == max(one_way)


# The attacker's power


@given(mu=st.floats(0.05, 6), fpr=st.floats(1e-9, 1 - 1e-9))
def test_power_against_a_gaussian(mu, fpr):
    power = PrivacyLoss.gaussian(1 / mu).true_positive_rate(fpr)
    assert power == pytest.approx(ndtr(ndtri(fpr) + mu), rel=1e-9)


def test_power_against_randomized_responses():
    """Neyman–Pearson on the binomial, with randomization at the threshold."""
    times, epsilon0 = 12, 0.4
    truths = np.arange(times, -1, -1)
    p, q = (np.append(0, np.cumsum(binom.pmf(truths, times, 1 / (1 + math.exp(s * epsilon0))))) for s in (-1, 1))
    rates = np.linspace(0, 1, 101)
    found = PrivacyLoss.pure(epsilon0).self_compose(times).true_positive_rate(rates)
    np.testing.assert_allclose(found, np.interp(rates, q, p), atol=1e-12)


def test_power_on_the_grid_agrees_with_the_closed_form():
    rates = np.array([1e-8, 1e-5, 1e-3, 0.05, 0.5, 0.99])
    for mu in (0.5, 3.0, 12.0):
        found = refine.true_positive_rate(((pairs.Gaussian(mu / 8), 64),), False, rates)
        exact = ndtr(ndtri(rates) + mu)
        assert (found >= exact * (1 - 1e-9)).all()
        np.testing.assert_allclose(found, exact, rtol=2e-3)


# Replacing a record


@pytest.mark.parametrize(
    ("pair", "twice"),
    [
        (pairs.Gaussian(1.0), pairs.Gaussian(2.0)),
        (pairs.Gaussian(0.1), pairs.Gaussian(0.2)),
        (pairs.Laplace(0.7), pairs.Laplace(1.4)),
        (integers.DiscreteLaplace(3, 2.0), integers.DiscreteLaplace(6, 2.0)),
    ],
)
def test_two_records_of_a_shift_are_twice_the_shift(pair, twice):
    """`twice` against the numerical f∘g, reached by way of a sampling rate of almost 1."""
    composed = replacing_one(pairs.Subsampled(pair, 1 - 1e-12))
    for delta in (1e-2, 1e-5, 1e-9):
        found, expected = (PrivacyLoss(((p, 1),)).epsilon(delta) for p in (composed, twice))
        assert expected * (1 - 1e-8) <= found <= expected * (1 + 1e-4)


def test_running_twice_does_not_bound_two_records():
    """Why the curve is composed with itself, and not the mechanism."""
    for loss in (PrivacyLoss.gaussian(1.0), PrivacyLoss.laplace(1.0)):
        assert loss.self_compose(2).delta(1.5) < 0.95 * loss.replacing_one().delta(1.5)


@settings(max_examples=40, deadline=None)
@given(epsilon=st.floats(0.01, 3), delta=st.floats(1e-12, 1e-3))
def test_two_records_of_a_bare_claim(epsilon, delta):
    loss = PrivacyLoss.from_guarantee(Guarantee(epsilon, delta)).replacing_one()
    total = (1 + math.exp(epsilon)) * delta
    assert loss.epsilon(total * (1 + 1e-9)) <= 2 * epsilon * (1 + 1e-6)
    assert loss.delta(2 * epsilon) == pytest.approx(total, rel=1e-6)
    assert PrivacyLoss.pure(epsilon).replacing_one().epsilon(0.0) == pytest.approx(2 * epsilon, rel=1e-9)


def test_two_records_of_a_subsampled_gaussian_dominate_replacing_one():
    """Replacing a record of a Poisson-subsampled sum, by summing densities: shifts of +1 and −1 at rate q."""
    rate = 0.05
    x = np.linspace(-13, 13, 400_001)
    p, q = ((1 - rate) * np.exp(-(x**2) / 2) + rate * np.exp(-((x - s) ** 2) / 2) for s in (1, -1))
    p, q = p / p.sum(), q / q.sum()
    bound = PrivacyLoss.gaussian(1.0).poisson_subsampled(rate).replacing_one()
    for epsilon in (0.0, 0.02, 0.1, 0.5, 1.0):
        assert np.maximum(p - math.exp(epsilon) * q, 0).sum() <= bound.delta(epsilon)


# dp-accounting


def compare_with_dp_accounting(count: int, seed: int) -> None:
    from dp_accounting.pld import privacy_loss_distribution as theirs

    rng = np.random.default_rng(seed)
    while count:
        low, high = np.log([[0.5, 1e-4, 1, 1e-9], [20, 1, 20_001, 1e-3]])
        sigma, rate, steps, delta = np.exp(rng.uniform(low, high)).tolist()
        ours = PrivacyLoss.gaussian(sigma).poisson_subsampled(rate).self_compose(int(steps)).epsilon(delta)
        if not 0.01 <= ours <= 50:
            continue
        count -= 1
        # Its error grows with the number of steps, and its time as the grid becomes finer.
        fine = min(1e-4, ours / 5000) if steps > 200 else min(3e-4, ours / 1500)
        # A grid of h adds h²/6 to the variance of one run: next to nothing at a fiftieth of its deviation.
        fine = min(fine, rate * math.sqrt(math.expm1(min(1 / sigma**2, 1.0))) / 50)
        one = theirs.from_gaussian_mechanism(
            sigma, sampling_prob=rate, value_discretization_interval=fine, use_connect_dots=True
        )
        reference = one.self_compose(int(steps)).get_epsilon_for_delta(delta)
        assert reference * (1 - 1e-4) <= ours <= reference * 1.01, (sigma, rate, steps, delta)


def test_random_subsampled_gaussians_agree_with_dp_accounting():
    """Deterministic given the seed: within 1% above, 1e-4 below."""
    compare_with_dp_accounting(8, seed=1)


@pytest.mark.audit
def test_two_hundred_random_subsampled_gaussians_agree_with_dp_accounting():
    compare_with_dp_accounting(200, seed=2)


def test_mixed_losses_agree_with_dp_accounting():
    from dp_accounting.pld import privacy_loss_distribution as theirs

    ours = (
        PrivacyLoss.laplace(0.2)
        .self_compose(20)
        .compose(PrivacyLoss.gaussian(4.0).self_compose(3))
        .compose(PrivacyLoss.gaussian(1.2).poisson_subsampled(0.05).self_compose(40))
    )
    grid = {"value_discretization_interval": 4e-4}
    reference = (
        theirs.from_laplace_mechanism(5.0, **grid)
        .self_compose(20)
        .compose(theirs.from_gaussian_mechanism(4.0, **grid).self_compose(3))
        .compose(theirs.from_gaussian_mechanism(1.2, sampling_prob=0.05, **grid).self_compose(40))
    )
    for delta in (1e-3, 1e-6, 1e-9):
        expected = reference.get_epsilon_for_delta(delta)
        assert expected * (1 - 1e-4) <= ours.epsilon(delta) <= expected * 1.002


# Refusals


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: PrivacyLoss.gaussian(0.0), ValueError, "noise_multiplier must be > 0, got 0.0"),
        (lambda: PrivacyLoss.gaussian("1"), TypeError, "noise_multiplier must be a real number, got '1'"),
        (lambda: PrivacyLoss.laplace(math.nan), ValueError, "ratio must be > 0 and finite, got nan"),
        (lambda: PrivacyLoss.pure(-1.0), ValueError, "epsilon must be ≥ 0, got -1.0"),
        (lambda: PrivacyLoss.discrete_laplace(1.5, 2), TypeError, "sensitivity must be an integer, got 1.5"),
        (lambda: PrivacyLoss.discrete_laplace(0, 2), ValueError, "sensitivity must be ≥ 1, got 0"),
        (lambda: PrivacyLoss.discrete_gaussian(1, 0), ValueError, "sigma must be > 0 and finite, got 0"),
        (lambda: PrivacyLoss.from_masses([0.5, 0.6], [0.5, 0.5]), ValueError, "p must be a 1-D array of masses"),
        (lambda: PrivacyLoss.from_masses([0.5, 0.5], [1.0]), ValueError, "same length, got 2 and 1"),
        (lambda: PrivacyLoss.from_guarantee(1.0), TypeError, "guarantee must be a Guarantee, got 1.0"),
        (lambda: SUBSAMPLED.epsilon(1.5), ValueError, r"delta must be in \[0, 1\], got 1.5"),
        (lambda: SUBSAMPLED.delta(-0.5), ValueError, r"epsilon must be in \[0, inf\], got -0.5"),
        (lambda: SUBSAMPLED.delta("a"), TypeError, "epsilon must be a real number, got 'a'"),
        (lambda: SUBSAMPLED.true_positive_rate([0.5, 2.0]), ValueError, r"fpr must be in \[0, 1\]"),
        (lambda: SUBSAMPLED.true_positive_rate(math.nan), ValueError, "fpr must be in"),
        (lambda: SUBSAMPLED.compose(3), TypeError, "other must be a PrivacyLoss, got 3"),
        (lambda: SUBSAMPLED.self_compose(-1), ValueError, "times must be ≥ 0, got -1"),
        (lambda: SUBSAMPLED.self_compose(2**53 + 1), ValueError, f"times must be ≤ {2**53}, got {2**53 + 1}"),
        (lambda: SUBSAMPLED.self_compose(2**30).self_compose(2**24), ValueError, f"at most {2**53} times, got {2**54}"),
        (lambda: SUBSAMPLED.epsilon(1e-305), ValueError, "delta must be 0 or at least 1e-290, got 1e-305"),
        (lambda: SUBSAMPLED.poisson_subsampled(1.1), ValueError, r"rate must be in \[0, 1\], got 1.1"),
        (lambda: SUBSAMPLED.self_compose(2).poisson_subsampled(0.1), ValueError, "only the loss of one run"),
    ],
)
def test_bad_arguments_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_extreme_losses_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gaussians, responses = map(PrivacyLoss.gaussian, (0.01, 1e6)), map(PrivacyLoss.pure, (600.0, 1e-9))
        for loss in (*gaussians, *responses):
            for other in (PrivacyLoss.identity(), PrivacyLoss.pure(0.1), SUBSAMPLED):
                total = loss.compose(other)
                epsilon = total.epsilon(1e-6)
                assert 0 <= epsilon < math.inf
                assert total.delta(epsilon * 1.002) <= 1.01e-6
                assert 0 <= total.true_positive_rate(0.01) <= 1


def test_huge_losses_are_finite():
    """Almost no noise: Φ(−a) − e^ε Φ(−a − μ) = δ at a = ε/μ − μ/2, and the second term is nearly φ(a)/(a + μ)."""
    for mu in (1e5, 1e7):
        epsilon = PrivacyLoss.gaussian(1 / mu).epsilon(1e-5)
        a = epsilon / mu - mu / 2
        density = math.exp(-a * a / 2) / math.sqrt(2 * math.pi)
        assert ndtr(-a) - density / (a + mu) == pytest.approx(1e-5, rel=1e-6)
    assert PrivacyLoss.gaussian(1e-5).epsilon(1e-5) == pytest.approx(5.0004265e9, rel=1e-7)
