"""Slices and sums of normal noise: what is smaller is found along each axis, and right noise is seldom refused."""

import numpy as np
import pytest

from dpcourse.checks.slices import uneven, unlike_sums

NAMES = ("round", "fab", "number")


@pytest.mark.parametrize(("axis", "where"), [(0, "round 50 of 50"), (1, "fab 6 of 6"), (2, "number 21 of 21")])
def test_a_quiet_slice_is_found_at_any_deviation(axis, where):
    noise = 7 * np.random.default_rng(1).normal(size=(50, 6, 21))
    assert uneven(noise, NAMES, 1e-8) == ""
    np.moveaxis(noise, axis, 0)[-1] *= 0.5
    assert uneven(noise, NAMES, 1e-8).startswith(where)


def test_rounds_that_take_turns_are_uneven():
    noise = np.random.default_rng(2).normal(size=(50, 6, 21)) * np.resize([1.2, 0.8], 50)[:, None, None]
    assert uneven(noise, NAMES, 1e-8).startswith("by round, the variance is between")


@pytest.mark.parametrize("axes", [(0,), (2,), (0, 1), (0, 1, 2)])
def test_noise_that_adds_up_to_nothing_is_found(axes):
    noise = np.random.default_rng(3).normal(size=(50, 6, 21))
    assert unlike_sums(noise, NAMES, 1e-8) == ""
    assert unlike_sums(noise - noise.mean(axis=axes, keepdims=True), NAMES, 1e-8)


def test_right_noise_is_seldom_refused():
    """At 1% in each of 300 trials: more than 12 are refused with probability 1e-5."""
    rng = np.random.default_rng(4)
    for look in (uneven, unlike_sums):
        assert sum(bool(look(rng.normal(size=(40, 5, 30)), NAMES, 0.01)) for _ in range(300)) <= 12
