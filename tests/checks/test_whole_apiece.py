"""Discrete Laplace noise of many calls: an exact entry and noise that is dealt out are found, right noise is not."""

import math

import numpy as np
import pytest

from dpcourse.checks.whole_apiece import amiss

EPSILON = 0.3


def drawn(rng, calls=60, bins=21):
    return np.subtract(*rng.geometric(-math.expm1(-EPSILON), (2, calls, bins)))


def exact(noise, rng):
    noise[:, 4] = 0


def dealt_out(noise, rng):
    noise[:, 10:20] = -rng.permuted(noise[:, :10], axis=1)


def one_of_each_size(noise, rng):
    parts = np.quantile(noise, (np.arange(noise.shape[1]) + 0.5) / noise.shape[1], method="nearest")
    noise[:] = rng.permuted(np.broadcast_to(parts, noise.shape), axis=1)


@pytest.mark.parametrize(
    ("change", "key"), [(exact, "not-everywhere"), (dealt_out, "linked-noise"), (one_of_each_size, "linked-noise")]
)
def test_wrong_noise_is_found(change, key):
    rng = np.random.default_rng(1)
    noise = drawn(rng)
    change(noise, rng)
    found = amiss(list(noise), [EPSILON] * len(noise), 1e-7, rng)
    assert found is not None and found.key == key


def test_right_noise_is_seldom_refused():
    """At 1% in each of 200 trials: more than 10 are refused with probability 1e-5."""
    rng = np.random.default_rng(2)
    refused = sum(amiss(list(drawn(rng)), [EPSILON] * 60, 0.01, rng) is not None for _ in range(200))
    assert refused <= 10
