"""Noise that is there only where sums are made up: who is found, and how often a right answer is taken for one.

The counts here are of seeded runs; each is outside its interval with probability 1e-6 for another seed.
"""

import numpy as np
import pytest
from scipy import stats

from dpcourse.checks.told import beside_data, known_to_all, quiet_in_earnest, quieter, same_weights

LEVEL, RUNS = 0.05, 1000
LEAST, MOST = stats.binom.interval(1 - 1e-6, RUNS, LEVEL)


def test_as_much_noise_is_taken_for_less_as_often_as_is_said():
    rng = np.random.default_rng(0)
    found = sum(quieter(4 + noise[0], 4 + noise[1:], LEVEL) is not None for noise in rng.normal(0, 3, (RUNS, 3, 10, 3)))
    assert LEAST <= found <= MOST


def test_more_noise_is_not_less():
    noise = np.random.default_rng(0).normal(0, 3, (3, 1000))
    assert quieter(2 * noise[0], noise[1:], 1e-6) is None


@pytest.mark.parametrize("part", [0.0, 0.25, 0.5])
def test_the_part_of_the_variance_is_told(part):
    """To within six standard deviations."""
    noise = np.random.default_rng(0).normal(0, 3, (3, 20_000))
    assert quieter(part**0.5 * noise[0], noise[1:], 1e-6) == pytest.approx(part, abs=6 * 2 * 20_000**-0.5)


def lines(slopes):
    """What four send at weights of three numbers, and its slope."""
    return lambda weights: (slopes @ weights, slopes.sum(axis=0))


ALIKE = np.broadcast_to(np.diag([1.0, 2.0, 3.0]), (4, 3, 3))
UNEQUAL = ALIKE * np.array([0.1, 1.0, 2.0, 5.0])[:, None, None]


def earnest(rng, slopes, size):
    """What four send in five rounds at weights that nobody is told, with noise of this deviation."""
    weights = rng.normal(0, 10, (5, 3))
    return np.array([lines(slopes)(one)[0] for one in weights]) + rng.normal(0, 3 * size, (5, 4, 3))


@pytest.mark.parametrize(("slopes", "least"), [(ALIKE, LEAST), (UNEQUAL, 0)])
def test_beside_data_as_much_noise_is_taken_for_less_no_more_often_than_is_said(slopes, least):
    """As often where all send the same; where they do not, the weights that are found leave more."""
    rng = np.random.default_rng(0)
    found = sum(
        beside_data(earnest(rng, slopes, 1), lines(slopes), LEVEL, rng.normal(0, 3, 60)) is not None
        for _ in range(RUNS)
    )
    assert least <= found <= MOST


@pytest.mark.parametrize("slopes", [ALIKE, UNEQUAL])
def test_no_noise_beside_data_is_seen(slopes):
    rng = np.random.default_rng(0)
    part = beside_data(earnest(rng, slopes, 0), lines(slopes), 1e-6, rng.normal(0, 3, 60))
    assert part is not None and part < 1e-6
    assert "the hospitals' noise has less than 1% of" in quiet_in_earnest(part, "hospitals").seen
    assert "the fabs' noise has at most about 25% of" in quiet_in_earnest(0.25, "fabs").seen
    assert quiet_in_earnest(None, "hospitals") is None


def test_a_large_weight_hides_no_other():
    weights = np.array([0.1, -0.2, 0.3])
    assert same_weights(weights, weights * (1 + 1e-9), 1e-6)
    assert not same_weights(np.append(weights, 1e9), np.append(weights + 1e-3, 1e9), 1e-6)


def test_noise_of_the_same_draws_is_known_to_all():
    one, other = np.random.default_rng(1).normal(size=(2, 50, 6, 21))
    assert known_to_all(one, other) is None
    assert known_to_all(one, one).key == known_to_all(one, one + other).key == "own-generator"
