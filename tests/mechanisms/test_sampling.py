"""The integer samplers draw exactly what they say.

False alarms: each chi-square test here rejects a correct sampler with probability 1e-6; there are about 20 of them.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from dpcourse.mechanisms import sampling
from dpcourse.mechanisms.sampling import discrete_gaussian, discrete_laplace

FALSE_ALARM = 1e-6
SCALES = [Fraction(1, 2), 0.37, 1, 3.3, 50, 1000]


def p_value(draws: np.ndarray, weight, reach: int) -> float:
    """Chi-square against pmf ∝ weight(k) on cells of at least 10 expected draws, the rest in one cell."""
    support = np.arange(-reach, reach + 1)
    pmf = weight(support.astype(float))
    expected = pmf / pmf.sum() * draws.size
    counts = np.bincount(np.clip(draws + reach, 0, 2 * reach), minlength=2 * reach + 1)
    dense = expected >= 10
    observed = np.append(counts[dense], counts[~dense].sum())
    wanted = np.append(expected[dense], expected[~dense].sum())
    keep = wanted > 5
    return float(chi2.sf(((observed - wanted)[keep] ** 2 / wanted[keep]).sum(), keep.sum() - 1))


def laplace_weight(scale):
    return lambda k: np.exp(-np.abs(k) / float(scale))


def gaussian_weight(sigma):
    return lambda k: np.exp(-(k**2) / (2 * float(sigma) ** 2))


@pytest.mark.parametrize("scale", SCALES)
def test_discrete_laplace_has_its_mass_function(scale):
    draws = discrete_laplace(scale, 200_000, rng=11)
    assert p_value(draws, laplace_weight(scale), math.ceil(40 * float(scale)) + 5) > FALSE_ALARM


@pytest.mark.parametrize("sigma", SCALES)
def test_discrete_gaussian_has_its_mass_function(sigma):
    draws = discrete_gaussian(sigma, 200_000, rng=12)
    assert p_value(draws, gaussian_weight(sigma), math.ceil(10 * float(sigma)) + 5) > FALSE_ALARM


@pytest.mark.parametrize(("draw", "weight"), [(discrete_laplace, laplace_weight), (discrete_gaussian, gaussian_weight)])
def test_close_calls_are_settled_exactly(monkeypatch, draw, weight):
    """With the doubt made wide, many comparisons take the slow exact way, and the distribution stays the same."""
    settled = []
    below = sampling._below_exp
    monkeypatch.setattr(sampling, "_DOUBT", 0.05)
    monkeypatch.setattr(sampling, "_below_exp", lambda *args: settled.append(1) or below(*args))
    draws = draw(3.3, 20_000, rng=13)
    assert len(settled) > 1_000
    assert p_value(draws, weight(3.3), 130) > FALSE_ALARM


def test_an_exact_comparison_agrees_with_high_precision():
    """u = ⌊e^−1 · 2^53⌋ / 2^53 agrees with e^−1 in every digit a float has: only more digits can tell."""
    digits = int(Fraction(math.exp(-1)) * 2**53)
    answers = [
        sampling._below_exp(sampling._Uniform(np.random.default_rng(i), digits), Fraction(1)) for i in range(400)
    ]
    # e^-1 = 0.36787944117144232159552…; the share of [digits, digits + 1) / 2^53 that lies below it
    share = float(Fraction("0.367879441171442321595523770161460867445811131") * 2**53 - digits)
    assert abs(np.mean(answers) - share) < 5 * 0.5 / 20  # false alarm below 1e-6


@pytest.mark.parametrize("scale", [2**40, 2**50, 2**55 + 1])
def test_large_scales_have_the_right_deviation(scale):
    """Five standard errors: false alarm 6e-7 each."""
    draws = discrete_laplace(scale, 200_000, rng=14)
    assert abs(np.abs(draws / scale).mean() - 1) < 5 / math.sqrt(draws.size)


def test_shapes_and_types():
    assert discrete_laplace(2, (3, 4), rng=0).shape == (3, 4)
    assert discrete_gaussian(2, (), rng=0).shape == ()
    assert discrete_gaussian(2, 0, rng=0).size == 0
    assert discrete_laplace(2, 5, rng=0).dtype == np.int64
    np.testing.assert_array_equal(discrete_laplace(2, 5, rng=7), discrete_laplace(2, 5, rng=np.random.default_rng(7)))


@pytest.mark.parametrize("draw", [discrete_laplace, discrete_gaussian])
@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "1", None, True, Fraction(-1, 2)])
def test_refuses_a_bad_scale_by_name_and_value(draw, bad):
    with pytest.raises((TypeError, ValueError), match="scale|sigma") as error:
        draw(bad, 3)
    assert repr(bad) in str(error.value)


def test_refuses_scales_its_integers_cannot_carry():
    with pytest.raises(ValueError, match="scale.*2\\^56"):
        discrete_laplace(2**57)
    with pytest.raises(ValueError, match="sigma.*2\\^50"):
        discrete_gaussian(2.0**51)


@pytest.mark.parametrize("sampler", [discrete_laplace, discrete_gaussian])
@pytest.mark.parametrize("tiny", [1e-30, 1e-150, 1e-160, 1e-170, 1e-300, 5e-324, Fraction(1, 10**400)])
def test_noise_of_next_to_no_scale_is_zero(sampler, tiny):
    assert sampler(tiny, (3, 2), rng=0).tolist() == [[0, 0]] * 3
    impossible = sampling._below_exp(sampling._Uniform(np.random.default_rng(0), 0), Fraction(10**300))
    assert not impossible
