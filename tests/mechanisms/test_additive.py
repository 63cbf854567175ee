"""Laplace, geometric and Gaussian mechanisms: what comes out, what it leaks, and what is refused.

Statistical tests state their false-alarm rate; seeds are arbitrary. Privacy losses are computed from the mass functions
of the integers released, not sampled.
"""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.fft import next_fast_len
from scipy.special import log_ndtr

from dpcourse.accounting import PrivacyAccountant
from dpcourse.mechanisms import GaussianMechanism, GeometricMechanism, LaplaceMechanism
from dpcourse.mechanisms.additive import gaussian as gaussian_module
from dpcourse.mechanisms.additive.gaussian import analytic_noise_multiplier, classic_noise_multiplier, gaussian_delta
from dpcourse.privacy import Guarantee, Neighbours

FALSE_ALARM = 1e-6
REPLACE = Neighbours.REPLACE_ONE

# Balle & Wang 2018, arXiv:1805.06530, at δ = 1e-5.
ANALYTIC = {0.5: 7.031827, 1: 3.730632, 2: 1.993812, 3: 1.390593, 5: 0.891868, 8: 0.600229, 10: 0.499889}


def log_laplace(x, scale):
    """ln P[X = x] of the discrete Laplace, normalised exactly."""
    return -np.abs(x) / scale + math.log(math.tanh(1 / (2 * scale)))


def log_gaussian(sigma, reach):
    """ln P[X = x] of the discrete Gaussian on −reach..reach, from its sum."""
    weights = -(np.arange(-reach, reach + 1.0) ** 2) / (2 * sigma**2)
    return weights - np.logaddexp.reduce(weights)


def delta_of(log_p, log_q, epsilon):
    """The exact δ(ε) of one mass function against another."""
    return float(np.maximum(np.exp(log_p) - np.exp(epsilon + log_q), 0).sum())


def renyi(log_p, log_q, order):
    return float(np.logaddexp.reduce(order * log_p + (1 - order) * log_q) / (order - 1))


# What comes out


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_geometric_release_has_its_mass_function(epsilon, sensitivity):
    """Chi-square at 1e-6."""
    draws = GeometricMechanism(epsilon, sensitivity).release(np.full(100_000, 17), rng=1) - 17
    reach = math.ceil(6 * sensitivity / epsilon) + 2
    support = np.arange(-reach, reach + 1)
    mass = np.exp(log_laplace(support, sensitivity / epsilon))
    mass[[0, -1]] = [stats.dlaplace.cdf(-reach, epsilon / sensitivity)] * 2
    counts = np.bincount(np.clip(draws, -reach, reach) + reach, minlength=support.size)
    dense = mass * draws.size > 8
    observed, expected = np.append(counts[dense], counts[~dense].sum()), np.append(mass[dense], mass[~dense].sum())
    keep = expected > 0
    assert stats.chisquare(observed[keep], draws.size * expected[keep] / expected.sum()).pvalue > FALSE_ALARM


@pytest.mark.parametrize("shape", [(), (100_000,)])
def test_laplace_release_is_laplace(shape):
    """Kolmogorov–Smirnov at 1e-6 against the continuous law, which the grid of 2^-12 scales cannot be told from."""
    mechanism = LaplaceMechanism(0.5, sensitivity=3.0)
    rng = np.random.default_rng(2)
    draws = (
        mechanism.release(np.full(shape, 5.0), rng=rng)
        if shape
        else [mechanism.release(5.0, rng=rng) for _ in range(2000)]
    )
    assert stats.kstest(draws, stats.laplace(5, mechanism.scale).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("shape", [(), (100_000,)])
def test_gaussian_release_is_gaussian(shape):
    """Kolmogorov–Smirnov at 1e-6."""
    mechanism = GaussianMechanism(0.5, 1e-5, sensitivity=3.0)
    rng = np.random.default_rng(3)
    draws = (
        mechanism.release(np.full(shape, 5.0), rng=rng)
        if shape
        else [mechanism.release(5.0, rng=rng) for _ in range(2000)]
    )
    # A vector's sensitivity of 3 is spread over all its coordinates: the same σ.
    assert stats.kstest(draws, stats.norm(5, mechanism.sigma).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    "mechanism", [LaplaceMechanism(0.3, 2.0), GaussianMechanism(0.3, 1e-6, 2.0), GeometricMechanism(0.3, 2)]
)
def test_intervals_cover_as_often_as_they_say(mechanism):
    """Binomial test at 1e-6; whole-number intervals may cover more."""
    value = np.full(40_000, 10)
    released = mechanism.release(value, rng=4)
    assert mechanism.variance == pytest.approx(released.var(), rel=0.1)
    for level in (0.5, 0.9, 0.99):
        low, high = mechanism.confidence_interval(level)
        covered = int(((released - value >= low) & (released - value <= high)).sum())
        which = "less" if isinstance(mechanism, GeometricMechanism) else "two-sided"
        assert stats.binomtest(covered, value.size, level, alternative=which).pvalue > FALSE_ALARM
        assert mechanism.confidence_interval(level, 5)[0] == 5 + low


@settings(max_examples=200, deadline=None)
@given(epsilon=st.floats(1e-3, 50), sensitivity=st.integers(1, 1000), level=st.floats(0, 0.999999))
def test_a_geometric_quantile_is_the_smallest_that_covers(epsilon, sensitivity, level):
    mechanism = GeometricMechanism(epsilon, sensitivity)
    width = mechanism.error_quantile(level)
    decay = math.exp(-epsilon / sensitivity)
    covered = [1 - 2 * decay ** (w + 1) / (1 + decay) for w in (width - 1, width)]
    assert covered[1] >= level - 1e-9 and (width == 0 or covered[0] < level + 1e-9)


# What it leaks


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 7.3])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_exact_privacy_loss_of_the_geometric_mechanism(epsilon, sensitivity):
    """From its own mass function: the loss is at most ε, reaches ε, and δ(·) and Rényi divergence agree."""
    mechanism = GeometricMechanism(epsilon, sensitivity)
    support = np.arange(-4000 * sensitivity, 4001 * sensitivity).astype(float)
    log_p, log_q = (
        log_laplace(support, sensitivity / epsilon),
        log_laplace(support - sensitivity, sensitivity / epsilon),
    )
    assert (log_p - log_q).max() == pytest.approx(epsilon, rel=1e-9)
    loss = mechanism.privacy_loss()
    assert loss.epsilon(0) == pytest.approx(epsilon, rel=1e-12) and loss.epsilon(0) <= epsilon * (1 + 1e-15)
    for smaller in (0.2, 0.7):
        # Beyond the support lies a mass of e^-40 at ε = 0.01.
        assert loss.delta(smaller * epsilon) == pytest.approx(delta_of(log_p, log_q, smaller * epsilon), rel=1e-9)
    orders = [1.5, 2.0, 8.0, 32.0]
    direct = [max(renyi(log_p, log_q, a), renyi(log_q, log_p, a)) for a in orders]
    np.testing.assert_allclose(mechanism.renyi_divergence(orders), direct, rtol=1e-7)


def grid_masses(mechanism, size, reach):
    """Step, and the log masses of the noise in steps, for a vector of `size` coordinates."""
    step, steps, scale = mechanism._grid(size)
    return step, steps, log_laplace(np.arange(-reach, reach + 1.0), scale)


@pytest.mark.parametrize("epsilon", [0.01, 0.7, 1.0, 3.0, 30.0])
@pytest.mark.parametrize("size", [1, 2, 7, 1000, 10**6])
@pytest.mark.parametrize("sensitivity", [1.0, 0.3, 1e-9, 7e5])
def test_the_grid_keeps_the_laplace_claim(epsilon, size, sensitivity):
    """ε of the integers released, in exact fractions: never above the claim, and little noise wasted."""
    mechanism = LaplaceMechanism(epsilon, sensitivity)
    step, steps, scale = mechanism._grid(size)
    assert math.frexp(step)[0] == 0.5, "a power of two, so that dividing by it is exact"
    # Two values that lie a full sensitivity apart in L1, each coordinate rounded: at most this many steps.
    assert steps >= Fraction(sensitivity) / Fraction(step) + size - 1
    assert Fraction(steps) / scale <= Fraction(epsilon)
    assert scale * step <= mechanism.scale * (1 + 2.0**-10)
    assert step <= sensitivity / size / 2**12 and step <= mechanism.scale / 2**12


@settings(max_examples=300, deadline=None)
@given(
    value=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5),
    move=st.lists(st.floats(-1, 1), min_size=5, max_size=5),
    sensitivity=st.floats(1e-3, 1e3),
    epsilon=st.floats(0.01, 10),
)
def test_rounding_never_adds_more_than_the_noise_covers(value, move, sensitivity, epsilon):
    """Two values within the sensitivity of each other, as they fall on the grid."""
    here, move = np.array(value), np.array(move[: len(value)])
    total = np.abs(move).sum()
    there = here + (move * sensitivity / total if total else 0)
    exact = [[Fraction(x) for x in side] for side in (here.tolist(), there.tolist())]
    if sum(abs(x - y) for x, y in zip(*exact, strict=True)) > Fraction(sensitivity):
        return  # float rounding of `there` itself
    mechanism = LaplaceMechanism(epsilon, sensitivity)
    step, steps, _ = mechanism._grid(len(value))
    assert np.abs(np.rint(here / step) - np.rint(there / step)).sum() <= steps
    if sum((x - y) ** 2 for x, y in zip(*exact, strict=True)) <= Fraction(sensitivity) ** 2:
        gaussian = GaussianMechanism(1.0, 1e-5, sensitivity)
        step, sigma = gaussian._grid(len(value))
        moved = np.linalg.norm(np.rint(here / step) - np.rint(there / step))
        assert moved / sigma <= 1 / gaussian.noise_multiplier


@pytest.mark.parametrize("make", [lambda d: LaplaceMechanism(1.0, d), lambda d: GaussianMechanism(1.0, 1e-5, d)])
@pytest.mark.parametrize("kind", [int, np.int64, np.uint64, np.longdouble])
def test_numbers_that_no_float_holds_are_rounded_once(make, kind):
    """Rounded to a float first, these two lie 1,048,578 steps apart, and the noise is made for 1,048,577."""
    sensitivity, value = 16_777_228, 72_057_592_930_631_657
    if np.finfo(np.longdouble).nmant < 63 and kind is np.longdouble:
        pytest.skip("long doubles are doubles here")
    mechanism = make(float(sensitivity))
    step, *_ = mechanism._grid(1)
    here, there = (mechanism.release(kind(v), rng=0) / step for v in (value, value + sensitivity))
    assert there - here <= sensitivity // step + 1
    values = np.array([[value, value + sensitivity], [0, 1]], dtype=kind)
    step, *_ = mechanism._grid(values.size)
    noise = mechanism.release(np.zeros((2, 2)), rng=0) / step
    steps = [[round(Fraction(int(v)) / Fraction(step)) for v in row] for row in values.tolist()]
    assert (mechanism.release(values, rng=0) / step - noise).tolist() == steps


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_laplace_privacy_loss_is_that_of_its_integers(epsilon):
    """The scalar's: δ(ε') and Rényi divergence from closed geometric sums, in 50-digit arithmetic where floats fail."""
    mechanism = LaplaceMechanism(epsilon, 2.0)
    _, steps, scale = mechanism._grid(1)
    loss = mechanism.privacy_loss()
    assert loss.epsilon(0) == pytest.approx(steps / scale, rel=1e-6) and loss.epsilon(0) >= steps / scale
    for share in (0.1, 0.5, 0.9):
        # Continuous Laplace has δ(ε') = 1 − e^((ε' − ε)/2); the grid is finer than 2^-18 of its scale.
        assert loss.delta(share * epsilon) == pytest.approx(-math.expm1((share - 1) * epsilon / 2), rel=1e-5)
    orders = np.array([1.1, 2.0, 20.0])
    a, e = orders, epsilon
    closed = np.log(a / (2 * a - 1) * np.exp((a - 1) * e) + (a - 1) / (2 * a - 1) * np.exp(-a * e)) / (a - 1)
    np.testing.assert_allclose(mechanism.renyi_divergence(orders), closed, rtol=1e-4)


@pytest.mark.parametrize("size", [2, 30])
def test_a_vector_leaks_no_more_than_the_loss_says(size):
    """The coarser grid of vectors: the δ of its integers when one coordinate makes the whole move."""
    mechanism = LaplaceMechanism(0.9, 1.0)
    _, steps, scale = mechanism._grid(size)
    support = np.arange(-22.0 * scale, 22 * scale + steps)  # a mass of e^-22 lies beyond
    log_p, log_q = log_laplace(support, scale), log_laplace(support - steps, scale)
    assert (log_p - log_q).max() <= 0.9 * (1 + 1e-12)
    p, q, loss = np.exp(log_p), np.exp(log_q), mechanism.privacy_loss()
    for smaller in (0.0, 0.3, 0.8):
        exact, claimed = float(np.maximum(p - math.exp(smaller) * q, 0).sum()), loss.delta(smaller)
        assert exact <= claimed * (1 + 1e-6) and exact == pytest.approx(claimed, rel=1e-2)


@settings(max_examples=200, deadline=None)
@given(epsilon=st.floats(1e-9, 50), size=st.sampled_from([1, 2, 3, 30]))
def test_no_output_of_any_size_tells_more_than_the_largest_loss(epsilon, size):
    """The scale in whole steps is rounded up for one number and exact for some vectors: the loss must cover both."""
    mechanism = LaplaceMechanism(epsilon)
    _, steps, scale = mechanism._grid(size)
    largest = mechanism.privacy_loss().epsilon(0.0)
    assert steps / scale <= largest * (1 + 1e-15) and largest == pytest.approx(epsilon, rel=1e-15, abs=0)
    order = 1e9
    assert mechanism.renyi_divergence(np.array([order]))[0] == pytest.approx(epsilon, rel=1e-6, abs=1e-8)


def test_the_loss_of_a_vector_is_not_understated():
    mechanism = LaplaceMechanism(2.0)
    _, steps, scale = mechanism._grid(2)
    assert steps / scale == 2.0 == mechanism.privacy_loss().epsilon(0.0)


@pytest.mark.parametrize("split", [(2, 1), (1, 1, 1)])
def test_spreading_a_move_over_coordinates_is_no_worse(split):
    """Exact convolution of the loss over coordinates against the one-coordinate move of the same length."""
    scale, total = 2.0, sum(split)
    reach = 60
    support = np.arange(-reach, reach + total + 1.0)
    losses, masses = np.zeros(1), np.ones(1)
    for move in split:
        log_p, log_q = log_laplace(support, scale), log_laplace(support - move, scale)
        losses = np.add.outer(losses, log_p - log_q).ravel().round(9)
        masses = np.multiply.outer(masses, np.exp(log_p)).ravel()
        losses, where = np.unique(losses, return_inverse=True)
        masses = np.bincount(where, weights=masses)
    log_p, log_q = log_laplace(support, scale), log_laplace(support - total, scale)
    for epsilon in np.linspace(0, total / scale, 13):
        spread = (masses * -np.expm1(np.minimum(epsilon - losses, 0))).sum()
        assert spread <= delta_of(log_p, log_q, epsilon) + 1e-10


@pytest.mark.parametrize("epsilon", ANALYTIC)
def test_analytic_sigma_is_the_reference_value(epsilon):
    mechanism = GaussianMechanism(epsilon, 1e-5)
    assert mechanism.sigma == pytest.approx(ANALYTIC[epsilon], abs=1e-6)
    assert GaussianMechanism(epsilon, 1e-5, sensitivity=7.0).sigma == pytest.approx(7 * mechanism.sigma)
    assert gaussian_delta(epsilon, mechanism.noise_multiplier) == pytest.approx(1e-5, rel=1e-9)
    assert mechanism.privacy_loss().delta(epsilon) <= 1e-5 * (1 + 1e-9)
    assert mechanism.privacy_loss().epsilon(1e-5) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(("sigma", "epsilon"), [(0.5, 9.997256), (1, 4.377178), (2, 1.993091), (3, 1.271088)])
def test_exact_epsilon_of_a_noise_multiplier(sigma, epsilon):
    mechanism = GaussianMechanism.from_noise_multiplier(sigma, sensitivity=4.0, delta=1e-5)
    assert mechanism.guarantee.epsilon == pytest.approx(epsilon, abs=1e-6)
    assert mechanism.sigma == 4 * sigma and gaussian_delta(1.0, 1.0) == pytest.approx(0.1269367, abs=1e-7)


@settings(max_examples=200, deadline=None)
@given(epsilon=st.floats(1e-4, 60), delta=st.floats(1e-14, 0.5))
def test_analytic_calibration_is_the_inverse_of_delta(epsilon, delta):
    multiplier = analytic_noise_multiplier(epsilon, delta)
    assert gaussian_delta(epsilon, multiplier) <= delta
    assert gaussian_delta(epsilon, multiplier * (1 - 1e-9)) >= delta * (1 - 1e-12)


@pytest.mark.parametrize(
    ("epsilon", "delta", "multiplier"),  # by mpmath with 400 digits
    [
        (1.6e-11, 2.3e-17, 2.52887572601434e11),
        (1.8e-13, 5.7e-20, 2.42094868644346e13),
        (4.5e-15, 1e-22, 1.08156409961216e15),
    ],
)
def test_a_tiny_epsilon_is_calibrated_as_exactly(epsilon, delta, multiplier):
    assert analytic_noise_multiplier(epsilon, delta) == pytest.approx(multiplier, rel=1e-12)


def test_noise_beyond_any_float_is_refused():
    with pytest.raises(ValueError, match="noise that fits a float, got 5e-324 and 5e-324"):
        GaussianMechanism(5e-324, 5e-324)


@pytest.mark.parametrize(
    ("delta", "fails"), [(1e-6, 8.78), (1e-5, 8.42), (1e-4, 7.99), (1e-3, 7.46), (1e-2, 6.77), (0.1, 5.74)]
)
def test_where_the_classic_calibration_fails(delta, fails):
    """Two decimals: below `fails` it holds (with waste), above it does not, and the guarantee says so."""
    for epsilon, holds in ((fails - 0.01, True), (fails + 0.01, False)):
        true = gaussian_delta(epsilon, classic_noise_multiplier(epsilon, delta))
        assert (true <= delta) is holds
        with pytest.warns(UserWarning, match="proven for epsilon < 1"):
            claimed = GaussianMechanism(epsilon, delta, calibration="classic").guarantee
        assert claimed.epsilon == pytest.approx(epsilon) if holds else claimed.epsilon > epsilon
        assert gaussian_delta(claimed.epsilon, classic_noise_multiplier(epsilon, delta)) <= delta * (1 + 1e-9)


def test_the_classic_calibration_is_silent_below_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classic = GaussianMechanism(0.99, 1e-5, calibration="classic")
    assert classic.sigma > GaussianMechanism(0.99, 1e-5).sigma
    with pytest.warns(UserWarning):
        assert GaussianMechanism(1.0, 1e-5, calibration="classic").sigma == pytest.approx(4.845, abs=1e-3)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("move", ["one coordinate", "all coordinates"])
def test_the_grids_discrete_gaussian_keeps_the_claim(epsilon, move, monkeypatch):
    """δ of the integers released, summed exactly on a grid made 2^9 times coarser than the real one, so worse."""
    monkeypatch.setattr(gaussian_module.grid, "SCALAR_BITS", 11)
    monkeypatch.setattr(gaussian_module.grid, "L2_BITS", 11)
    delta = 1e-5
    mechanism = GaussianMechanism(epsilon, delta)
    if move == "one coordinate":
        step, sigma = mechanism._grid(1)
        shift = math.floor(1 / step) + 1  # the farthest two roundings of values one apart can lie
        log_p = log_gaussian(sigma, math.ceil(14 * sigma) + shift)
        log_q = np.concatenate([np.full(shift, -np.inf), log_p[:-shift]])
        assert delta_of(log_p[shift:], log_q[shift:], epsilon) + math.exp(-90) <= delta
    else:
        step, sigma = mechanism._grid(4)
        shift = math.floor(0.5 / step) + 1
        assert 2 * shift <= 1 / step + 2  # four equal moves: L2 length 2·shift
        log_p = log_gaussian(sigma, math.ceil(14 * sigma) + shift)
        # The loss depends on the sum of four independent integers only.
        mass = np.exp(log_p)
        size = next_fast_len(4 * mass.size, real=True)
        total = np.fft.irfft(np.fft.rfft(mass, size) ** 4, size)[: 4 * mass.size - 3]
        sums = np.arange(total.size) - 4 * (mass.size // 2)
        loss = (4 * shift**2 - 2 * shift * sums) / (2 * sigma**2)
        exact = (np.maximum(total, 0) * -np.expm1(np.minimum(epsilon - loss, 0))).sum()
        assert exact <= delta * (1 + 1e-6)


@pytest.mark.parametrize("size", [1, 2, 1000, 10**6])
@pytest.mark.parametrize("multiplier", [0.05, 1.0, 40.0])
def test_the_gaussian_grid_is_fine_and_pays_for_rounding(size, multiplier):
    mechanism = GaussianMechanism.from_noise_multiplier(multiplier, sensitivity=0.3)
    step, sigma = mechanism._grid(size)
    assert math.frexp(step)[0] == 0.5 and sigma >= 2**16
    assert sigma >= multiplier * (0.3 / step + math.sqrt(size))
    assert sigma * step <= mechanism.sigma * (1 + 2.0**-14)
    assert mechanism.zcdp >= (0.3 / step + math.sqrt(size)) ** 2 / (2 * sigma**2)


SIZES = st.sampled_from([1, 2, 3, 1000, 10**6])


@settings(max_examples=300, deadline=None)
@given(size=SIZES, epsilon=st.floats(-12, 6).map(lambda power: 10**power), sensitivity=st.floats(1e-3, 1e3))
@example(size=1, epsilon=1e-12, sensitivity=1.0)
@example(size=10**6, epsilon=1e-8, sensitivity=1.0)
@example(size=1, epsilon=1 + 2.0**-30, sensitivity=1.0)
def test_laplace_noise_is_wider_than_nominal_by_no_more_than_is_said(size, epsilon, sensitivity):
    mechanism = LaplaceMechanism(epsilon, sensitivity)
    try:
        step, _, scale = mechanism._grid(size)
    except ValueError:  # too many steps
        return
    fine, coarse = 2.0 ** (-19 if size == 1 else -11), 2.0**-46 * (1 + size / epsilon)
    assert 0 <= scale * Fraction(step) * Fraction(epsilon) / Fraction(sensitivity) - 1 <= max(fine, coarse)
    assert coarse <= fine or epsilon < (2.0**-26 if size == 1 else size * 2.0**-34)


@settings(max_examples=300, deadline=None)
@given(size=SIZES, multiplier=st.floats(-3, 13).map(lambda power: 10**power), sensitivity=st.floats(1e-3, 1e3))
@example(size=1, multiplier=2.0**45, sensitivity=1.0)
def test_gaussian_noise_is_wider_than_nominal_by_no_more_than_is_said(size, multiplier, sensitivity):
    mechanism = GaussianMechanism.from_noise_multiplier(multiplier, sensitivity)
    try:
        step, sigma = mechanism._grid(size)
    except ValueError:  # too many steps
        return
    fine, coarse = 2.0 ** (-19 if size == 1 else -15), 2.0**-45 * math.sqrt(size) * multiplier
    assert -1e-15 <= sigma * step / mechanism.sigma - 1 <= max(fine, coarse)
    assert coarse <= fine or multiplier > (2.0**26 if size == 1 else 2.0**30 / math.sqrt(size)) * (1 - 1e-12)


@pytest.mark.parametrize("sigma", [0.6, 2.0, 9.0])
def test_zcdp_of_the_discrete_gaussian(sigma):
    """ρα = αΔ²/2σ² bounds the Rényi divergence of two discrete Gaussians, with equality at whole αΔ."""
    log_p = log_gaussian(sigma, 400)
    log_q = np.roll(log_p, 3)
    inside = slice(10, -10)
    for order in (1.5, 2.0, 6.0):
        mechanism = GaussianMechanism.from_noise_multiplier(sigma, sensitivity=3.0)
        scaled = GaussianMechanism.from_noise_multiplier(sigma / 3, sensitivity=3.0)
        divergence = renyi(log_p[inside], log_q[inside], order)
        claimed = float(scaled.renyi_divergence(order))
        assert divergence <= claimed * (1 + 1e-9)
        assert order == 1.5 and sigma == 0.6 or divergence == pytest.approx(claimed, rel=1e-6)
        assert scaled.zcdp == pytest.approx(9 * mechanism.zcdp)


@pytest.mark.parametrize("mechanism", [LaplaceMechanism(1e200), GeometricMechanism(1e200)])
def test_a_huge_epsilon_has_no_finite_rho(mechanism):
    assert mechanism.zcdp == math.inf == PrivacyAccountant().compose(mechanism).epsilon(1e-5, "zcdp")


def test_noise_multiplier_without_delta_makes_no_claim():
    mechanism = GaussianMechanism.from_noise_multiplier(2.0)
    assert mechanism.privacy_loss().epsilon(1e-5) == pytest.approx(1.993091, abs=1e-6)
    with pytest.raises(ValueError, match="delta"):
        _ = mechanism.guarantee


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (LaplaceMechanism(0.5), Guarantee(0.5)),
        (GeometricMechanism(0.5, 2, REPLACE), Guarantee(0.5, 0.0, REPLACE)),
        (GaussianMechanism(0.5, 1e-6, 2.0, REPLACE), Guarantee(0.5, 1e-6, REPLACE)),
    ],
)
def test_each_carries_its_claim(mechanism, claim):
    assert mechanism.guarantee == claim and mechanism.neighbours is claim.neighbours
    assert mechanism.privacy_loss().epsilon(claim.delta) <= claim.epsilon * (1 + 1e-9)
    orders = np.array([1.5, 2.0, 10.0])
    assert (mechanism.renyi_divergence(orders) <= mechanism.zcdp * orders * (1 + 1e-9)).all()
    # Rényi → (ε, δ) can only be looser than the exact loss.
    delta = claim.delta or 1e-6
    by_renyi = min(
        mechanism.renyi_divergence(np.linspace(1.01, 80, 500)) + math.log(1 / delta) / (np.linspace(1.01, 80, 500) - 1)
    )
    assert mechanism.privacy_loss().epsilon(delta) <= by_renyi


# The grid


@pytest.mark.parametrize("make", [lambda: LaplaceMechanism(0.5), lambda: GaussianMechanism(0.5, 1e-5)])
def test_attainable_outputs_do_not_depend_on_the_value(make):
    """0 and 1, and 300 random pairs: outputs are whole multiples of one step, every one of them attainable from both.

    The noise has every integer in its support (`test_sampling` shows its distribution), so what must be shown is that a
    release is value-independent up to a whole shift: the step is public, and same noise on two values differs by whole
    steps exactly, in floats.
    """
    mechanism = make()
    step = mechanism._grid(1)[0]
    pairs = [(0.0, 1.0), *np.random.default_rng(6).uniform(-1000, 1000, (300, 2))]
    for seed, pair in enumerate(pairs):
        outputs = [mechanism.release(float(value), rng=seed) for value in pair]
        steps = [Fraction(output) / Fraction(step) for output in outputs]
        assert all(one.denominator == 1 for one in steps)
        expected = [round(Fraction(float(value)) / Fraction(step)) for value in pair]
        assert steps[0] - steps[1] == expected[0] - expected[1]


def test_float_laplace_is_told_apart_by_its_low_bits_and_ours_is_not():
    """Mironov's event: |y| < 1/4 and y is no multiple of 2^-53. From 1, floats near 0 come in steps of 2^-53 only.

    10^6 draws each. Ours: the event never happens from either side, as its step is far coarser.
    """
    rng = np.random.default_rng(7)

    def event(y):
        return int(((np.abs(y) < 0.25) & (y * 2.0**53 != np.rint(y * 2.0**53))).sum())

    naive = [event(value + rng.laplace(size=1_000_000)) for value in (0.0, 1.0)]
    assert naive[0] > 50_000 and naive[1] == 0
    mechanism = LaplaceMechanism(1.0)
    ours = [event(mechanism.release(np.full(1_000_000, value), rng=rng)) for value in (0.0, 1.0)]
    assert ours == [0, 0]


def test_the_low_bits_of_our_releases_are_alike_from_both_sides():
    """The step number modulo 64, chi-square of two samples: false alarm 1e-6 each."""
    for make in (LaplaceMechanism(1.0), GaussianMechanism(1.0, 1e-5)):
        size = 200_000
        step = make._grid(size)[0]
        low = [
            np.bincount((make.release(np.full(size, value), rng=seed) / step).astype(np.int64) % 64, minlength=64)
            for value, seed in ((0.0, 8), (1.0, 9))
        ]
        assert stats.chi2_contingency(low).pvalue > FALSE_ALARM


def test_values_beyond_the_grid_are_refused():
    for value in (1e12, -1e12, 1e308):
        with pytest.raises(ValueError, match="value.*2\\^52"):
            LaplaceMechanism(1.0).release(value)
    with pytest.raises(ValueError, match="value"):
        GeometricMechanism(1.0).release(2**63 - 1)


@pytest.mark.parametrize("make", [LaplaceMechanism, GeometricMechanism, GaussianMechanism])
def test_that_a_refusal_tells_of_the_value_is_said(make):
    assert "refusal is itself an output that depends on the data" in " ".join(make.release.__doc__.split())


@settings(max_examples=200, deadline=None)
@given(
    epsilon=st.floats(1e-6, 1e6),
    sensitivity=st.floats(1e-200, 1e200),
    size=st.sampled_from([1, 3, 1000]),
    sign=st.sampled_from([-1, 1]),
)
def test_values_within_the_stated_bound_are_never_refused(epsilon, sensitivity, size, sign):
    laplace = LaplaceMechanism(epsilon, sensitivity)
    gaussian = GaussianMechanism.from_noise_multiplier(1 / epsilon, sensitivity)
    for mechanism, spread, scale in (
        (laplace, sensitivity / size, laplace.scale),
        (gaussian, sensitivity / math.sqrt(size), gaussian.sigma),
    ):
        largest = sign * 2.0**31 * min(spread, scale)
        assert np.isfinite(mechanism.release(np.full(size, largest), rng=0)).all()


@settings(max_examples=200, deadline=None)
@given(epsilon=st.floats(1e-11, 1e6), sensitivity=st.floats(1e-200, 1e200), size=st.sampled_from([1, 3, 1000]))
def test_every_legal_laplace_releases(epsilon, sensitivity, size):
    mechanism = LaplaceMechanism(epsilon, sensitivity)
    try:
        released = mechanism.release(np.zeros(size), rng=0)
    except ValueError as error:  # only a public reason, by name
        assert "epsilon is too small" in str(error)
        assert epsilon < 1e-8
        return
    assert np.isfinite(released).all() and released.shape == (size,)


# Shapes, seeds, refusals


@pytest.mark.parametrize("mechanism", [LaplaceMechanism(1.0), GaussianMechanism(1.0, 1e-5)])
def test_shapes_in_shapes_out(mechanism):
    assert isinstance(mechanism.release(3, rng=0), float)
    assert mechanism.release(np.zeros((2, 3)), rng=0).shape == (2, 3)
    assert mechanism.release([], rng=0).shape == (0,)
    assert mechanism.release(1.0, rng=5) == mechanism.release(1.0, rng=np.random.default_rng(5))
    assert mechanism.release(1.0, rng=5) != mechanism.release(1.0, rng=6)


def test_geometric_takes_and_gives_integers():
    mechanism = GeometricMechanism(1.0)
    assert type(mechanism.release(np.int32(7), rng=0)) is int
    assert mechanism.release(np.arange(6).reshape(2, 3), rng=0).dtype == np.int64
    for bad in (1.0, np.zeros(3), "1", None, True):
        with pytest.raises(TypeError, match="value"):
            mechanism.release(bad)


MAKERS = {
    "laplace": lambda **k: LaplaceMechanism(**({"epsilon": 1.0} | k)),
    "geometric": lambda **k: GeometricMechanism(**({"epsilon": 1.0} | k)),
    "gaussian": lambda **k: GaussianMechanism(**({"epsilon": 1.0, "delta": 1e-5} | k)),
}
REFUSED = [
    *itertools.product(MAKERS, ["epsilon"], [0, -1, math.nan, math.inf, "1", None, True]),
    *itertools.product(["gaussian"], ["delta"], [-1, 0, 1, math.nan, "1", None]),
    *itertools.product(MAKERS, ["sensitivity"], [0, -1, math.nan, math.inf, "1", None, True]),
    *itertools.product(MAKERS, ["neighbours"], ["add-remove", None, 1]),
    ("gaussian", "calibration", "exact"),
    ("geometric", "sensitivity", 1.5),
    ("laplace", "epsilon", 1e-13),
]


@pytest.mark.parametrize(("maker", "name", "bad"), REFUSED, ids=repr)
def test_bad_arguments_are_refused_by_name_and_value(maker, name, bad):
    with pytest.raises((TypeError, ValueError), match=name) as error:
        MAKERS[maker](**{name: bad})
    assert repr(bad) in str(error.value)


@pytest.mark.parametrize("bad", [math.nan, math.inf, [1.0, math.nan], "1", None, True, 1j, [[1.0], ["x"]]])
@pytest.mark.parametrize("mechanism", [LaplaceMechanism(1.0), GaussianMechanism(1.0, 1e-5)])
def test_values_that_are_no_finite_numbers_are_refused(mechanism, bad):
    with pytest.raises((TypeError, ValueError), match="value"):
        mechanism.release(bad)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: GaussianMechanism(1e-15, 1e-18), "epsilon and delta"),
        (lambda: GaussianMechanism.from_noise_multiplier(2.0**50), "noise_multiplier"),
        (lambda: GaussianMechanism.from_noise_multiplier(2.0**47).release(np.zeros(1000)), "noise_multiplier.*1000"),
        (lambda: GeometricMechanism(1.0, 10**300), "sensitivity / epsilon"),
    ],
)
def test_noise_beyond_the_sampler_is_refused_by_name(make, named):
    with pytest.raises(ValueError, match=f"^{named}"):
        make()


@pytest.mark.parametrize("epsilon", [1e19, 1e300])
def test_with_a_huge_epsilon_integers_come_back_unchanged(epsilon):
    mechanism = GeometricMechanism(epsilon, 3)
    assert mechanism.release(np.array([1, -7]), rng=0).tolist() == [1, -7]
    assert mechanism.variance == 0 == mechanism.error_quantile(0.99)


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, "1", None])
def test_a_bad_noise_multiplier_is_refused(bad):
    with pytest.raises((TypeError, ValueError), match="noise_multiplier"):
        GaussianMechanism.from_noise_multiplier(bad)


@pytest.mark.parametrize("mechanism", [LaplaceMechanism(1.0), GeometricMechanism(1.0), GaussianMechanism(1.0, 1e-5)])
@pytest.mark.parametrize("level", [1.0, -0.1, math.nan, "x"])
def test_a_bad_level_is_refused(mechanism, level):
    with pytest.raises((TypeError, ValueError), match="level"):
        mechanism.error_quantile(level)


@pytest.mark.parametrize("orders", [[1.0, 2.0], [0.5], [-1.0]])
def test_orders_must_exceed_one(orders):
    for mechanism in (LaplaceMechanism(1.0), GeometricMechanism(1.0)):
        with pytest.raises(ValueError, match="orders"):
            mechanism.renyi_divergence(orders)


def test_mechanisms_are_values():
    assert LaplaceMechanism(1.0) == LaplaceMechanism(1) and hash(LaplaceMechanism(1.0)) == hash(LaplaceMechanism(1.0))
    with pytest.raises(AttributeError):
        LaplaceMechanism(1.0).epsilon = 5
    assert "epsilon=1.0" in repr(GaussianMechanism(1.0, 1e-5))


def test_delta_in_logarithms_agrees_with_the_plain_formula():
    for epsilon, sigma in itertools.product([0.0, 0.5, 3.0], [0.4, 1.0, 5.0]):
        plain = stats.norm.cdf(0.5 / sigma - epsilon * sigma) - math.exp(
            epsilon + log_ndtr(-0.5 / sigma - epsilon * sigma)
        )
        assert gaussian_delta(epsilon, sigma) == pytest.approx(plain, rel=1e-9, abs=1e-16)


def test_gaussians_with_different_noise_are_told_apart():
    a, b = (GaussianMechanism.from_noise_multiplier(multiplier, 2.0) for multiplier in (0.1, 50.0))
    assert a != b and a == GaussianMechanism.from_noise_multiplier(0.1, 2.0)
    made = "GaussianMechanism.from_noise_multiplier(noise_multiplier=0.1, sensitivity=2.0, delta=None"
    assert repr(a).startswith(made)
    assert repr(GaussianMechanism(1.0, 1e-5)).startswith("GaussianMechanism(epsilon=1.0, delta=1e-05, sensitivity=1.0")
