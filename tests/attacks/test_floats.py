"""The floating-point attack: always right on NumPy's Laplace noise where it decides, and at chance on the grid.

Seeds are fixed. Certainty on the naive sampler is a theorem given the C library's logarithm, so a single wrong guess
fails. "At chance" is an exact binomial test at false-alarm rate 1e-6.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpcourse.attacks import dp_accuracy_bound, finest_bit, guess_from_bits, numpy_laplace_reaches
from dpcourse.mechanisms import LaplaceMechanism

TRIALS = [20_000, pytest.param(100_000, marks=pytest.mark.audit)]


def all_at_once(truth, mechanism, rng):
    """As one vector: the same noise on a finer grid."""
    return mechanism.release(truth.astype(float), rng=rng)


def one_by_one(truth, mechanism, rng):
    return np.array([mechanism.release(float(value), rng=rng) for value in truth])


@pytest.mark.parametrize("scale", [0.01, 1.0, 20.0, 1000.0, 3.7])
@pytest.mark.parametrize("value", [0.0, 1.0, 37.0, -0.3, 7508.0])
def test_every_release_is_within_reach_of_its_own_value(value, scale):
    release = value + np.random.default_rng(14).laplace(scale=scale, size=4000)
    assert numpy_laplace_reaches(release, value, scale).all()


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("epsilon", [0.001, 0.05, 1.0])
def test_one_naive_release_tells_which_of_two_datasets(trials, epsilon):
    rng = np.random.default_rng(14)
    truth = rng.integers(2, size=trials)
    guess = guess_from_bits(truth + rng.laplace(scale=1 / epsilon, size=trials), (0.0, 1.0), 1 / epsilon)
    decided = guess >= 0
    right = int((guess == truth)[decided].sum())
    assert right == decided.sum() and decided.mean() > 0.75
    # Clopper–Pearson at 99.9%: above 99%, where the claim allows `dp_accuracy_bound` at most.
    assert stats.beta.ppf(0.001, right, 1) > 0.99 > dp_accuracy_bound(epsilon)
    assert min(np.mean(guess == 0), np.mean(guess == 1)) > 0.3


@pytest.mark.parametrize(
    ("release", "trials", "finest"),
    [
        (all_at_once, 100_000, -29),
        (one_by_one, 500, -20),
        pytest.param(one_by_one, 100_000, -20, marks=pytest.mark.audit),
    ],
)
def test_the_grid_leaves_the_attack_at_chance(release, trials, finest):
    """At ε = 0.001 even the size of the answer tells nothing: nobody exceeds 50.03%."""
    rng = np.random.default_rng(15)
    truth = rng.integers(2, size=trials)
    releases = release(truth, LaplaceMechanism(0.001), rng)
    guess = guess_from_bits(releases, (0.0, 1.0), 1000.0)
    decided = guess >= 0
    right = int((guess == truth)[decided].sum())
    assert decided.sum() > 0.1 * trials
    low, high = stats.binomtest(right, int(decided.sum())).proportion_ci(1 - 1e-6)
    assert low < 0.5 < high
    assert finest_bit(releases).min() >= finest  # whole steps of a public size, whatever the data


def test_finest_bit_is_the_lowest_one_set():
    rng = np.random.default_rng(3)
    odd, exponent = 2 * rng.integers(2**40, size=500) + 1, rng.integers(-900, 900, size=500)
    numbers = np.ldexp(odd.astype(float), exponent) * rng.choice([-1, 1], size=500)
    np.testing.assert_array_equal(finest_bit(numbers), exponent)
    assert finest_bit(np.array([5e-324, 0.0])).tolist() == [-1074, 1024]


def test_large_counts_hide_in_their_own_rounding():
    """Near 7,508 floats lie 2^-40 apart, far coarser than noise of scale 1: hardly any release decides."""
    rng = np.random.default_rng(4)
    guess = guess_from_bits(7508 + rng.laplace(size=20_000), (7508.0, 7509.0), 1.0)
    assert np.mean(guess >= 0) < 0.001


def test_refuses_what_it_cannot_use():
    for arguments, named in [
        ((np.array([1.0]), 0.0, 0.0), "scale"),
        ((np.array([1.0]), math.nan, 1.0), "value"),
        ((np.array([math.inf]), 0.0, 1.0), "releases"),
    ]:
        with pytest.raises(ValueError, match=named):
            numpy_laplace_reaches(*arguments)
    with pytest.raises(ValueError, match="values"):
        guess_from_bits(np.array([1.0]), (1.0, 2.0, 3.0), 1.0)
