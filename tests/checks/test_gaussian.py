"""What is said about outputs that the right Gaussian law does not explain. Seeded; the law's own level is 1e-6."""

import numpy as np

from dpcourse.checks.gaussian import GaussianLaw, compared, not_gaussian

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
