"""Replay: what the data move when the noise is frozen, and what that cannot tell."""

import numpy as np
import pytest

from dpcourse.audit import replay
from dpcourse.mechanisms import GaussianMechanism, LaplaceMechanism

PEOPLE = np.array([3.0, 10.0])


def test_ours_move_by_their_sensitivity_and_use_the_same_noise():
    for mechanism, norm in ((LaplaceMechanism(1.0, 10.0), "L1"), (GaussianMechanism(1.0, 1e-5, 10.0), "L2")):
        found = replay(
            lambda x, rng, m=mechanism: m.release(x.sum(), rng=rng),
            PEOPLE,
            PEOPLE[:1],
            sensitivity=10.0,
            norm=norm,
            rng=1,
        )
        assert not found.exceeded and found.same_draws and not found.noise_depends_on_data
        assert found.moved == pytest.approx(10.0, rel=1e-6) and "no more than declared" in str(found)


def test_a_sensitivity_too_small_by_a_thousandth_is_seen():
    found = replay(lambda x, rng: x.sum() + rng.laplace(scale=9.99), PEOPLE, PEOPLE[:1], sensitivity=9.99, rng=1)
    assert found.exceeded and found.moved == pytest.approx(10.0) and "MORE" in str(found)


@pytest.mark.parametrize(("norm", "moved"), [("L1", 7.0), ("L2", 5.0), ("L∞", 4.0)])
def test_norms(norm, moved):
    found = replay(lambda x, rng: x * np.array([3.0, -4.0]) + rng.normal(), 0.0, 1.0, sensitivity=5.0, norm=norm, rng=1)
    assert found.moved == pytest.approx(moved) and found.exceeded == (moved > 5)


def test_noise_that_depends_on_the_data_is_seen():
    scaled = replay(lambda x, rng: rng.laplace(scale=1 / len(x)), PEOPLE, PEOPLE[:1], sensitivity=5.0, rng=1)
    assert scaled.noise_depends_on_data and scaled.same_draws and "depends on the noise" in str(scaled)

    def draws_more(x, rng):
        return rng.normal(size=len(x)).sum()

    found = replay(draws_more, PEOPLE, PEOPLE[:1], sensitivity=5.0, rng=1)
    assert not found.same_draws and found.noise_depends_on_data and "different amounts of randomness" in str(found)


def test_the_size_of_the_noise_is_not_seen():
    for scale in (0.0, 1e-9, 1e9):
        assert not replay(
            lambda x, rng, s=scale: len(x) + rng.laplace(scale=s), PEOPLE, PEOPLE[:1], sensitivity=1 + 1e-6, rng=1
        ).exceeded  # noqa: E501


def test_failures_shapes_and_nan_on_one_side_only_are_infinitely_far():
    def fails(x, rng):
        if len(x) < 2:
            raise ValueError("too few")
        return 0.0

    for mechanism in (fails, lambda x, rng: np.zeros(len(x)), lambda x, rng: np.nan if len(x) < 2 else 0.0):
        assert replay(mechanism, PEOPLE, PEOPLE[:1], sensitivity=1.0, rng=1).moved == np.inf
        assert replay(mechanism, PEOPLE[:1], PEOPLE[:1], sensitivity=1.0, rng=1).moved == 0.0
    assert replay(lambda x, rng: np.inf, PEOPLE, PEOPLE[:1], sensitivity=1.0, rng=1).moved == 0.0


def test_leaving_is_an_output():
    def leaves(x, rng):
        if len(x) < 2:
            raise SystemExit(1)
        return 0.0

    assert replay(leaves, PEOPLE, PEOPLE[:1], sensitivity=1.0, rng=1).moved == np.inf
    assert replay(leaves, PEOPLE[:1], PEOPLE[:1], sensitivity=1.0, rng=1).moved == 0.0


@pytest.mark.parametrize("output", [10**5000, [1, [2, 3]], np.timedelta64(1, "s")], ids=["long", "ragged", "duration"])
def test_refuses_what_is_no_number(output):
    with pytest.raises(TypeError, match="mechanism must return numbers"):
        replay(lambda x, rng: output, 0, 1, sensitivity=1.0, rng=0)


def test_refuses_bad_arguments_by_name():
    good = {"sensitivity": 1.0, "rng": 0}
    for name, value in (("sensitivity", 0.0), ("norm", "L3"), ("seeds", 0)):
        with pytest.raises(ValueError, match=name):
            replay(lambda x, rng: 0.0, 0, 1, **(good | {name: value}))
    with pytest.raises(TypeError, match="mechanism"):
        replay(lambda x, rng: "a", 0, 1, **good)
    with pytest.raises(TypeError, match="mechanism"):
        replay(3, 0, 1, **good)
