"""What is said about outputs that the right Gaussian law does not explain. Seeded; the law's own level is 1e-6."""

import numpy as np

from dpcourse.checks.gaussian import GaussianLaw, compared, noise_ends, not_gaussian

RIGHT = GaussianLaw(np.arange(12.0), 0.5)


def outputs(mean=RIGHT.mean, deviation=0.5, draw="normal"):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(800, 12)) if draw == "normal" else rng.laplace(0, 0.5**0.5, (800, 12))
    return mean + deviation * noise


def test_each_misfit_is_seen():
    assert RIGHT.explains(outputs(), 1e-6)
    assert not RIGHT.explains(outputs(-RIGHT.mean), 1e-6)
    assert not RIGHT.explains(outputs(deviation=0.45), 1e-6)
    assert not RIGHT.explains(outputs(draw="laplace"), 1e-6)
    assert not RIGHT.explains(np.sort(outputs(np.zeros(12)), axis=0) + RIGHT.mean, 1e-6)


def test_only_another_shape_is_called_not_gaussian():
    assert not_gaussian(outputs(draw="laplace"), RIGHT)
    assert not not_gaussian(outputs(deviation=0.46), RIGHT)
    assert not not_gaussian(outputs(RIGHT.mean + 0.03), RIGHT)


def test_a_wrong_direction_is_said_where_the_lengths_agree():
    assert "points elsewhere" in compared(outputs(RIGHT.mean[::-1]), RIGHT)
    assert "The cosine between the two means is 1.00" in compared(outputs(deviation=0.4), RIGHT)


def test_noise_that_ends_is_seen_and_normal_noise_is_not():
    """At a failure of 1e-6, three hundred right samples: a false alarm in all of them has probability 3e-4."""
    rng = np.random.default_rng(4)
    assert not any(noise_ends(rng.normal(size=6000), 1e-6) for _ in range(300))
    of_three = 2 * (rng.random((3, 60_000)).sum(axis=0) - 1.5)
    for ending in (np.clip(rng.normal(size=60_000), -3, 3), of_three):
        assert noise_ends(ending, 1e-8).key == "noise-ends"
    of_four = np.sqrt(3) * (rng.random((4, 60_000)).sum(axis=0) - 2)
    of_four[0] = 5.0  # the largest draw says nothing, the fourth moment does
    assert "too rare" in noise_ends(of_four, 1e-8).seen
