"""Two events certified together: the level is kept exactly, and the bound is sharper than two rates apart."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpcourse.audit import certified_epsilon
from dpcourse.audit.two_events import epsilon_from_two_events

RUNS, ERROR = 10, 0.1


def decided(right: float, wrong: float) -> np.ndarray:
    """P[n runs are decided, r of them rightly], shape (RUNS + 1, RUNS + 1)."""
    share = right / (right + wrong)
    at = np.arange(RUNS + 1)
    return stats.binom.pmf(at, RUNS, right + wrong)[:, None] * stats.binom.pmf(at, at[:, None], share)


def level(here: tuple[float, float], there: tuple[float, float], epsilon: float, delta: float) -> float:
    """P[a claim of ε is refuted], exactly, for these probabilities of a right and a wrong guess on either side."""
    first, second = decided(*here), decided(*there)
    total = 0.0
    for n, m in itertools.product(range(RUNS + 1), repeat=2):
        masses = np.convolve(first[n, : n + 1], second[m, : m + 1])  # of the number of right guesses
        for hits in range(n + m, 1, -1):  # fewer right guesses never refute more
            right = (min(hits, n), hits - min(hits, n))
            if epsilon_from_two_events(right, (n - right[0], m - right[1]), RUNS, delta, ERROR) <= epsilon + 1e-6:
                break
            total += masses[hits]
    return total


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 2.0])
@pytest.mark.parametrize(("b", "b_there"), [(0.02, 0.02), (0.25, 0.05), (0.1, 0.1)])
def test_a_true_pure_claim_is_refuted_no_oftener_than_said(epsilon, b, b_there):
    """At the boundary of the claim: a = e^ε·b′ and a′ = e^ε·b, as far as probabilities allow."""
    a, a_there = (min(math.exp(epsilon) * x, 1 - y) for x, y in ((b_there, b), (b, b_there)))
    assert level((a, b), (a_there, b_there), epsilon, 0.0) <= ERROR


@pytest.mark.parametrize("delta", [0.02, 0.1])
@pytest.mark.parametrize(
    ("b", "b_there", "decided_there"), [(0.1, 0.1, 1), (0.2, 0.05, 1), (0.1, 0.1, 0), (0.02, 0.2, 1)]
)
def test_a_true_approximate_claim_is_refuted_no_oftener_than_said(delta, b, b_there, decided_there):
    """Every run is given away with probability δ, on one side perhaps undecided then, and is a pure one otherwise."""
    a, a_there = (min(math.exp(1.0) * x, 1 - y) for x, y in ((b_there, b), (b, b_there)))
    here = (1 - delta) * a + delta, (1 - delta) * b
    there = (1 - delta) * a_there + decided_there * delta, (1 - delta) * b_there
    assert level(here, there, 1.0, delta) <= ERROR


def test_it_is_one_binomial_where_both_sides_are_decided_equally_often():
    epsilon = epsilon_from_two_events((300, 280), (100, 120), 1000, 0.0, 0.01)
    assert stats.binom.sf(579, 800, math.exp(epsilon) / (1 + math.exp(epsilon))) == pytest.approx(0.01, rel=1e-6)


def test_it_is_sharper_than_bounding_two_rates():
    together = epsilon_from_two_events((400, 400), (150, 150), 10_000, 0.0, 0.05)
    apart = float(certified_epsilon(np.array(800), np.array(300), 20_000, 0.0, 0.025)[0])
    assert math.log(400 / 150) > together > apart > 0


def test_more_delta_or_more_confidence_never_certifies_more():
    def bound(delta=0.0, error=0.05):
        return epsilon_from_two_events((400, 380), (100, 90), 1000, delta, error)

    values = [bound(delta) for delta in (0.0, 1e-6, 1e-3, 0.01, 0.1, 0.5)]
    assert values == sorted(values, reverse=True) and values[-1] == 0.0
    assert bound(error=0.01) < bound() < bound(error=0.2)


def test_nothing_is_certified_from_nothing_or_from_one_side():
    assert epsilon_from_two_events((0, 0), (0, 0), 10, 0.0, 0.05) == 0.0
    assert epsilon_from_two_events((1, 0), (0, 0), 10, 0.0, 0.4) == 0.0
    assert epsilon_from_two_events((500, 0), (1, 0), 1000, 0.0, 0.05) == 0.0
    assert epsilon_from_two_events((1000, 1000), (0, 0), 1000, 0.0, 0.05) > 6


def test_refuses_impossible_counts_by_name():
    with pytest.raises(ValueError, match="right and wrong"):
        epsilon_from_two_events((6, 0), (5, 0), 10, 0.0, 0.05)
    with pytest.raises(ValueError, match="right and wrong"):
        epsilon_from_two_events((-1, 0), (5, 0), 10, 0.0, 0.05)
    for name, value in (("error", 0.0), ("delta", 1.0), ("runs", 0)):
        arguments = {"runs": 10, "delta": 0.0, "error": 0.05} | {name: value}
        with pytest.raises(ValueError, match=name):
            epsilon_from_two_events((1, 1), (1, 1), **arguments)
