"""Draws that hang together are found, wherever in a call or between calls; right ones are not, as seldom as is said."""

import numpy as np
import pytest

from dpcourse.checks.links import Draws, alike, balanced, linked, mapped, repeated, shared

FAILURE = 1e-7


def calls(rng, many=40, most=400):
    return [rng.normal(size=int(rng.integers(1, most))) for _ in range(many)]


@pytest.mark.parametrize("seed", range(5))
def test_independent_noise_passes(seed):
    assert shared(calls(np.random.default_rng(seed)), FAILURE) == ""


def test_the_bound_holds_for_rare_events_too():
    """At a failure of 0.05, at most so many of 400 checks of rare ones fail; five times as many would be seen."""
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(400):
        some = [Draws((rng.random(60) < 0.03) - 0.03, np.full(60, 0.03 * 0.97)) for _ in range(5)]
        wrong += bool(linked(some, 0.05)) + repeated(some, 0.05)
    assert wrong <= 60  # 40 on average at most


@pytest.mark.parametrize(
    "change",
    [
        lambda x, k: np.repeat(x[::2], 2)[: len(x)],
        lambda x, k: np.concatenate([x[: len(x) // 2], -x[: len(x) // 2]]),
        lambda x, k: np.concatenate([x[: len(x) // 2], x[: len(x) // 2][::-1]]),
        lambda x, k: np.random.default_rng(k // 2).normal(size=len(x)) * (-1) ** k,
    ],
    ids=["neighbours", "halves", "mirrored", "every second call"],
)
def test_shared_noise_is_found(change):
    some = [change(one, k) for k, one in enumerate(calls(np.random.default_rng(1)))]
    assert shared(some, FAILURE)


def test_of_one_training_it_is_told_which_draws_and_in_which_order():
    x = np.repeat(np.random.default_rng(0).normal(size=(50, 6, 11)), 2, axis=2)
    assert shared([x], FAILURE, "round, fab and number") == (
        "Of the draws of a training, by round, fab and number, those next to each other have the same sign, or "
        "opposite signs, more often than by chance."
    )


@pytest.mark.parametrize("follows", [lambda u: np.abs(2 * u - 1), lambda u: 1 - np.abs(2 * (2 * u % 1) - 1)])
def test_what_follows_by_any_function_is_found_where_no_product_shows_it(follows):
    u = np.random.default_rng(0).random((60, 40))
    both = np.stack([u, follows(u)], axis=-1).reshape(60, -1)
    assert mapped(list(both), FAILURE)
    assert not linked(list(map(Draws.of_places, both)), FAILURE)


def test_of_independent_places_and_kinds_hardly_any_are_found():
    """At a failure of 0.05, twenty of 400 checks fail on average at most; forty with probability 2e-5."""
    rng = np.random.default_rng(1)
    places = [[rng.random(int(rng.integers(0, 60))) for _ in range(20)] for _ in range(400)]
    assert sum(bool(mapped(some, 0.05)) for some in places) < 40
    kinds = [[rng.integers(-1, 3, size=int(rng.integers(0, 60))) for _ in range(5)] for _ in range(400)]
    assert sum(bool(alike(some, 3, 0.05)) for some in kinds) < 40


def stratified(rng, calls, many):
    """One uniform number from each of so many equal parts, in any order."""
    return (np.argsort(rng.random((calls, many)), axis=1) + rng.random((calls, many))) / many


def test_draws_that_add_up_to_the_same_are_found():
    rng = np.random.default_rng(3)
    for draws in (lambda u: Draws.of_places(u), lambda u: Draws((u < 0.1) - 0.1, np.full(len(u), 0.09))):
        assert linked(list(map(draws, stratified(rng, 60, 500))), 1e-7).startswith("in many calls, those of one call")
        assert linked(list(map(draws, rng.random((60, 500)))), 1e-7) == ""


def test_half_of_the_deviation_is_too_little():
    """How many of 2,000 lie, drawn with half of its deviation: in 100 calls."""
    rng = np.random.default_rng(4)
    for width, found in ((1.0, False), (0.5, True)):
        lies = np.rint(2000 * 0.3 + width * np.sqrt(2000 * 0.21) * rng.standard_normal(100)).astype(int)
        calls = [Draws((np.arange(2000) < some) - 0.3, np.full(2000, 0.21)) for some in lies]
        assert balanced(calls, 1e-7) is found


def test_sums_of_right_draws_are_rarely_too_even():
    """At 1% in each of 300 trials, of few draws and of rare ones; more than 12 with probability 1e-5."""
    rng = np.random.default_rng(5)
    for p, many in ((0.5, 100), (0.02, 1300)):
        refused = 0
        for _ in range(300):
            off = rng.binomial(many, p, 60) - many * p
            refused += balanced([Draws(np.array([one]), np.array([many * p * (1 - p)])) for one in off], 0.01)
        assert refused <= 12
