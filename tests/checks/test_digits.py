"""Digits below the noise: the exact count in them is seen; noise in floats, and rounding of any kind, are let be."""

import numpy as np
import pytest

from dpcourse.checks.digits import digits_tell
from dpcourse.checks.rehearsal import rehearse

RIGHT = {
    "floats": lambda noisy: noisy,
    "large": lambda noisy: noisy + 1e6,
    "single": lambda noisy: noisy.astype(np.float32).astype(float),
    "three": lambda noisy: noisy.round(3),
    "whole": np.rint,
    "quarters": lambda noisy: np.rint(4 * noisy) / 4,
    "steps of their own": lambda noisy: 0.0371 * np.rint(noisy / 0.0371),
    "fine steps of their own": lambda noisy: 1.7e-5 * np.rint(noisy / 1.7e-5),
    "cut at 0": lambda noisy: np.maximum(noisy - 203, 0),
}
WRONG = {
    "behind three": lambda noisy: noisy.round(3) + 203e-9,
    "behind whole": lambda noisy: np.rint(noisy) + 203e-6,
    "in the middle": lambda noisy: noisy.round(3) + 203e-7 + (noisy - noisy.round(6)),
    "exact behind the point": lambda noisy: np.rint(noisy) + 0.203,
}


def noisy(seed, scale=1.0):
    return 203 + np.random.default_rng(seed).laplace(0, scale, (200, 3))


@pytest.mark.parametrize("made", RIGHT)
def test_honest_digits_are_let_be(made):
    """At 1e-9 a dataset."""
    for seed in range(40):
        assert digits_tell(RIGHT[made](noisy(seed, 10 ** (seed % 3))), 10 ** (seed % 3)) is None, seed


@pytest.mark.parametrize("made", WRONG)
def test_the_exact_count_in_the_digits_is_seen(made):
    for seed in range(10):
        assert digits_tell(WRONG[made](noisy(seed)), 1.0).key == "digits-tell", seed


def test_a_few_odd_numbers_are_let_be():
    assert digits_tell(np.array([1.0, 3.0, 1.0, 5.0] * 6)[:, None], 1.0) is None


def test_noise_that_is_far_too_small_has_digits_of_its_own():
    """Which law it should have is another question: here a ten-billionth where 1 is wanted."""
    assert all(digits_tell(noisy(seed, 1e-10), 1.0) is None for seed in range(40))


def test_a_release_is_looked_at():
    def count(flags, epsilon, rng):
        return round(float(flags.sum() + rng.laplace(0, 1 / epsilon)), 3) + float(flags.sum()) * 1e-9

    assert rehearse("00.2", count, times=3, rng=1).keys == {"digits-tell": 3}
