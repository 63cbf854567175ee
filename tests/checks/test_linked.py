"""Whether numbers of releases hang together. Right ones are refused with probability 1e-8 at most."""

import numpy as np
import pytest

from dpcourse.checks.linked import linked, shared
from dpcourse.checks.noise_laws import geometric, laplace
from dpcourse.checks.placing import Question, _places

EPSILONS = np.geomspace(0.01, 20, 80)


def asked(rng, noise, d=12, spoilt=lambda noise: noise, turned=False):
    """Each dataset is asked about twice; the counts are the same."""
    found = []
    for epsilon in EPSILONS:
        for before in (0, 1):
            errors = spoilt(noise(rng, 1 / epsilon, d))
            errors = -found[-1].errors if turned and before else errors
            found.append(Question(100, before, float(epsilon), 500 + errors, errors, 1 / epsilon))
    return found


def continuous(rng, scale, d):
    return rng.laplace(0, scale, d)


def whole(rng, scale, d):
    up, down = rng.geometric(-np.expm1(-1 / scale), size=(2, d))
    return (up - down).astype(float)


def in_pairs(noise):
    return np.repeat(noise[::2], 2)


def upside_down_in_halves(noise):
    return np.concatenate([noise[:6], -noise[:6]])


@pytest.mark.parametrize(("noise", "law"), [(continuous, laplace), (whole, geometric)])
@pytest.mark.parametrize(
    ("how", "key"),
    [
        ({}, None),
        ({"d": 1}, None),
        ({"spoilt": in_pairs}, "linked-noise"),
        ({"spoilt": upside_down_in_halves}, "linked-noise"),
        ({"d": 1, "turned": True}, "linked-noise"),
    ],
)
def test_numbers_that_hang_together_are_seen(noise, law, how, key):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        questions = asked(rng, noise, **how)
        seen = linked(questions, _places(questions, law, rng))
        assert (seen and seen.key) == key


def test_what_is_cut_or_rounded_may_be_equal():
    errors = np.random.default_rng(1).laplace(size=5000)
    for results in (np.maximum(errors, 0), errors.round(2), errors.astype(np.float32).astype(float)):
        assert not shared(results, results)
    assert shared(np.tile(errors, 2), np.tile(errors, 2))
