"""Places of many errors of one dataset: uniform ones pass as often as is said, and the wrong ones show."""

import numpy as np
import pytest

from dpcourse.checks.base import Chance
from dpcourse.checks.entries import uneven
from dpcourse.checks.noise_laws import geometric, laplace, normal
from dpcourse.checks.placing import Question, crowded, quiet


def asked(errors, scale=1.0):
    return [Question(100, place, 1.0, 50 + one, one, scale) for place, one in enumerate(errors)]


def found(errors, laws=(laplace,), wider=False):
    return crowded(asked(errors), laws, Chance(np.random.default_rng(3), 1e-7), wider)


@pytest.mark.parametrize("n", [1, 20, 400])
def test_uniform_places_are_refused_as_rarely_as_is_said(n):
    """Of 600 at 5% each, 60 or more are refused with probability 1e-6 at most."""
    rng = np.random.default_rng(n)
    assert sum(any(uneven(rng.random(n), 0.05)) for _ in range(600)) < 60


NOISE = {
    "half of it": lambda rng: rng.laplace(0, 0.5, (400, 1)),
    "twice of it": lambda rng: rng.laplace(0, 2, (400, 1)),
    "on one side": lambda rng: np.abs(rng.laplace(0, 1, (400, 1))),
    "each number on a side of its own": lambda rng: np.abs(rng.laplace(0, 1, (60, 40))) * rng.choice([-1, 1], 40),
    "never on the upper quarter": lambda rng: (lambda x: np.where(x > 0.7, -x, x))(rng.laplace(0, 1, (400, 1))),
    "none now and then": lambda rng: rng.laplace(0, 1, (400, 1)) * (rng.random((400, 1)) > 0.1),
}


@pytest.mark.in_turn
@pytest.mark.thorough
@pytest.mark.parametrize("noise", NOISE)
def test_wrong_noise_shows(noise):
    rng = np.random.default_rng(1)
    assert all(found(NOISE[noise](rng)).key == "not-everywhere" for _ in range(20))


def test_any_of_several_laws_is_right():
    rng = np.random.default_rng(2)
    for errors in (rng.laplace(0, 1, (400, 1)), rng.normal(0, 1, (400, 1))):
        assert found(errors, (laplace, normal)) is None
    assert found(rng.uniform(-1, 1, (400, 1)), (laplace, normal))


def test_wider_noise_is_right_where_it_may_be():
    rng = np.random.default_rng(4)
    assert found(rng.laplace(0, 3, (400, 1)), wider=True) is None
    assert found(rng.laplace(0, 0.4, (400, 1)), wider=True)
    assert found(np.abs(rng.laplace(0, 3, (400, 1))), wider=True).seen.endswith("one side of the truth.")


@pytest.mark.parametrize("whole", [False, True])
def test_an_entry_with_little_noise_is_found(whole):
    """Laplace noise, or noise of whole numbers, in 24 entries; the last one has 0.6 of it, or 0.5."""
    rng = np.random.default_rng(6)
    if whole:
        errors = np.subtract(*rng.geometric(-np.expm1(-0.2), (2, 600, 24))).astype(float)
        less = np.subtract(*rng.geometric(-np.expm1(-0.4), (2, 600))).astype(float)
    else:
        errors, less = rng.laplace(scale=5, size=(600, 24)), rng.laplace(scale=3, size=600)
    assert quiet(asked(errors, 5.0), (laplace, geometric), rng) is None
    errors[:, -1] = less
    assert "index -1" in quiet(asked(errors, 5.0), (laplace, geometric), rng).seen
