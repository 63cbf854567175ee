"""What no attacker exceeds: the bounds against every test between the two-point mechanisms that reach them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcourse.attacks import bounds

EPSILONS, DELTAS, RATES = st.floats(0, 20), st.floats(0, 0.999), st.floats(0, 1)


def worst_case(epsilon, delta):
    """The pair of output distributions that meets the (ε, δ) condition with equality (Kairouz, Oh, Viswanath)."""
    e = math.exp(epsilon)
    p = np.array([delta, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e), 0.0])
    return p, p[::-1]


@given(EPSILONS, DELTAS)
def test_the_worst_pair_reaches_the_bound_at_each_of_its_corners_and_never_exceeds_it(epsilon, delta):
    p, q = worst_case(epsilon, delta)
    for event in itertools.product((0, 1), repeat=4):
        assert p @ event <= bounds.dp_roc_bound(epsilon, delta, min(float(q @ event), 1.0)) + 1e-12
    for corner in ([1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]):
        assert bounds.dp_roc_bound(epsilon, delta, min(float(q @ corner), 1.0)) == pytest.approx(p @ corner, rel=1e-9)
    accuracy = max((p @ event + 1 - q @ event) / 2 for event in itertools.product((0, 1), repeat=4))
    assert bounds.dp_accuracy_bound(epsilon, delta) == pytest.approx(accuracy)
    assert bounds.dp_advantage_bound(epsilon, delta) == pytest.approx(2 * accuracy - 1, abs=1e-12)


@given(EPSILONS, DELTAS, RATES)
def test_the_bound_is_between_guessing_and_certainty_and_is_the_published_formula(epsilon, delta, fpr):
    value = bounds.dp_roc_bound(epsilon, delta, fpr)
    formula = min(math.exp(epsilon) * fpr + delta, 1 - math.exp(-epsilon) * (1 - delta - fpr), 1.0)
    assert fpr - 1e-12 <= value <= 1 and value == pytest.approx(formula, abs=1e-12)


def test_at_epsilon_one_an_attacker_may_be_right_73_percent_of_the_time():
    assert round(bounds.dp_accuracy_bound(1.0), 2) == 0.73
    assert bounds.dp_accuracy_bound(math.inf) == bounds.dp_accuracy_bound(0.0, 1.0) == 1
    assert bounds.dp_roc_bound(math.inf, 0.0, np.array([0.0, 0.5])).tolist() == [1, 1]
    assert bounds.dp_roc_bound(1000.0, 0.0, 0.0) == 0  # no overflow, and no false alarm means no true one at δ = 0


@given(RATES, st.floats(0, 20))
def test_beliefs_move_by_at_most_the_factor_and_back(prior, epsilon):
    low, high = bounds.posterior_bounds(prior, epsilon)
    assert 0 <= low <= prior + 1e-12 and prior - 1e-12 <= high <= 1
    if 1e-6 < prior < 1 - 1e-6:
        odds = prior / (1 - prior)
        assert high * (1 + odds * math.exp(epsilon)) == pytest.approx(odds * math.exp(epsilon))
        if high < 1 - 1e-6:  # nearer to 1 the float itself has forgotten how near
            assert bounds.posterior_bounds(high, epsilon)[0] == pytest.approx(prior, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 745.0, 746.0, 1e6])
def test_a_certain_belief_stays(epsilon):
    low, high = bounds.posterior_bounds(np.array([0.0, 0.5, 1.0]), epsilon)
    assert (low[[0, 2]] == [0, 1]).all() and (high[[0, 2]] == [0, 1]).all()
    assert 0 <= low[1] <= 0.5 <= high[1] <= 1
    assert bounds.posterior_bounds(1.0, epsilon) == (1, 1)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: bounds.dp_roc_bound(-1, 0, 0.1), "epsilon"),
        (lambda: bounds.dp_roc_bound(1, 2, 0.1), "delta"),
        (lambda: bounds.dp_roc_bound(1, 0, 1.5), "fpr.*1.5"),
        (lambda: bounds.dp_roc_bound(1, 0, math.nan), "fpr"),
        (lambda: bounds.dp_accuracy_bound("1"), "epsilon"),
        (lambda: bounds.posterior_bounds(-0.1, 1), "prior"),
        (lambda: bounds.posterior_bounds(0.5, math.inf), "epsilon"),
    ],
)
def test_bad_arguments_are_refused_by_name(call, named):
    with pytest.raises((TypeError, ValueError), match=named):
        call()
