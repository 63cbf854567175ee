"""One-run audits: published values, and no claim refuted that holds."""

import numpy as np
import pytest
from scipy.stats import binom

from dpcourse.audit import audit_one_run, epsilon_from_guesses
from dpcourse.local import RandomizedResponse


@pytest.mark.parametrize(
    ("canaries", "guesses", "right", "delta", "epsilon"),
    [
        (100, 100, 100, 0, 3.4930),
        (1000, 100, 95, 1e-5, 2.1652),
        (1000, 1000, 800, 0, 1.2543),
        (5000, 500, 480, 1e-6, 2.7938),
    ],
)
def test_reference_values(canaries, guesses, right, delta, epsilon):
    assert epsilon_from_guesses(canaries, guesses, right, delta) == pytest.approx(epsilon, abs=1e-3)


def test_without_delta_it_is_the_binomial_bound():
    epsilon = epsilon_from_guesses(500, 300, 210, 0.0, 0.9)
    assert binom.sf(209, 300, np.exp(epsilon) / (1 + np.exp(epsilon))) == pytest.approx(0.1, rel=1e-6)


def test_monotone_in_what_was_guessed_and_in_delta():
    values = [epsilon_from_guesses(400, 200, right, 1e-4) for right in range(0, 201, 10)]
    assert values == sorted(values) and values[0] == 0 < values[-1]
    assert epsilon_from_guesses(400, 200, 180, 1e-3) <= epsilon_from_guesses(400, 200, 180, 1e-4)


def canaries(rng, epsilon, m=1000):
    """Each canary's coin is reported through randomized response: the training run is ε-DP, and no less."""
    coins = rng.random(m) < 0.5
    return RandomizedResponse(epsilon, 2).randomize(coins.astype(int), rng=rng) + rng.random(m) / 2, coins


@pytest.mark.parametrize("runs", [60, pytest.param(1000, marks=pytest.mark.audit)])
def test_a_true_claim_is_rarely_refuted(runs):
    """At 95% confidence at most 5% may be: more than 4.8 deviations above that has probability below 1e-6."""
    rng = np.random.default_rng(11)
    refuted = sum(audit_one_run(*canaries(rng, 1.0), delta=0.0) > 1.0 for _ in range(runs))
    assert refuted <= binom.isf(1e-6, runs, 0.05)


@pytest.mark.parametrize("scores", [np.zeros(2000), np.arange(2000) % 5], ids=["all equal", "five values"])
@pytest.mark.parametrize("first", [True, False], ids=["members first", "members last"])
def test_equal_scores_do_not_tell_where_members_are_stored(scores, first):
    """The scores know nothing. False alarms of one execution: 0.1% for each, and the order never changes."""
    members = np.sort(np.random.default_rng(11).random(2000) < 0.5)
    assert audit_one_run(scores, members[::-1] if first else members, delta=1e-5, confidence=0.999) == 0.0


def test_much_of_a_true_epsilon_is_certified():
    rng = np.random.default_rng(12)
    found = [audit_one_run(*canaries(rng, 2.0, 2000), delta=0.0, guesses=2000) for _ in range(5)]
    assert np.mean(found) > 0.85 * 2.0


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0, 0, 0, 0.0), "canaries"), ((5, 6, 3, 0.0), "guesses"), ((5, 3, 4, 0.0), "right"), ((5, 3, 2, 1.0), "delta")],
)
def test_refuses_bad_arguments_by_name_and_value(arguments, name):
    with pytest.raises(ValueError, match=name):
        epsilon_from_guesses(*arguments)
    with pytest.raises(ValueError, match="members"):
        audit_one_run(np.zeros(3), np.zeros(3), delta=0.0)
