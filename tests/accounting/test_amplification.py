"""Amplification by sampling and by shuffling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from dpcourse.accounting import PrivacyLoss, amplify_by_sampling, amplify_by_shuffling
from dpcourse.privacy import Guarantee, Neighbours


@given(epsilon=st.floats(0.01, 60), delta=st.floats(0, 1e-3), rate=st.floats(1e-4, 1))
def test_sampling_agrees_with_the_subsampled_loss(epsilon, delta, rate):
    """The formula is attained by the worst (ε, δ) mechanism."""
    amplified = amplify_by_sampling(Guarantee(epsilon, delta), rate)
    assert amplified.epsilon <= epsilon * (1 + 1e-12) and amplified.delta == rate * delta
    assert math.exp(amplified.epsilon) == pytest.approx(1 + rate * math.expm1(epsilon), rel=1e-9)
    loss = PrivacyLoss.from_guarantee(Guarantee(epsilon, delta)).poisson_subsampled(rate)
    assert loss.delta(amplified.epsilon * (1 + 1e-9)) <= amplified.delta * (1 + 1e-6) + 1e-15
    if epsilon < 10:
        assert loss.delta(0.99 * amplified.epsilon) > amplified.delta


def test_sampling_at_the_ends():
    claim = Guarantee(0.5, 1e-6, Neighbours.REPLACE_ONE)
    whole = amplify_by_sampling(claim, 1.0)
    assert whole.epsilon == pytest.approx(0.5) and whole.delta == 1e-6 and whole.neighbours is Neighbours.REPLACE_ONE
    assert amplify_by_sampling(claim, 0.0) == Guarantee(0.0, 0.0, Neighbours.REPLACE_ONE)
    assert amplify_by_sampling(Guarantee(math.inf), 0.5).epsilon == math.inf
    assert amplify_by_sampling(Guarantee(1000.0), 0.5).epsilon == pytest.approx(1000 + math.log(0.5))


def test_sampling_never_turns_an_approximate_claim_into_a_pure_one():
    tiny = amplify_by_sampling(Guarantee(1.0, 1e-200), 1e-200)
    assert 0 < tiny.delta < 1e-320 and tiny.epsilon == pytest.approx(1e-200 * math.expm1(1))
    assert amplify_by_sampling(Guarantee(1e-200), 1e-200).epsilon > 0
    assert amplify_by_sampling(Guarantee(31.0), 1e-200).epsilon == pytest.approx(
        1e-200 * math.expm1(31), rel=1e-12, abs=0
    )
    assert amplify_by_sampling(Guarantee(800.0), 5e-324).epsilon == pytest.approx(800 + math.log(5e-324), rel=1e-12)


def clones(epsilon0: float, n: int) -> PrivacyLoss:
    """The pair of the clones' reduction itself (arXiv:2012.12803), all outcomes summed up.

    Each of the n − 1 others is a clone with probability e^−ε₀, of either kind with equal chance: C ~ Bin(n − 1, e^−ε₀),
    A ~ Bin(C, ½). The pair is (A + Δ, C − A + 1 − Δ) against (A + 1 − Δ, C − A + Δ) with Δ ~ Bernoulli(e^ε₀/(e^ε₀ +
    1)).
    """
    joint = np.zeros((n + 1, n + 1))  # [number of clones plus one, of the first kind]
    truth = 1 / (1 + math.exp(-epsilon0))
    other = np.zeros_like(joint)
    for c, weight in enumerate(binom.pmf(np.arange(n), n - 1, math.exp(-epsilon0))):
        first = weight * binom.pmf(np.arange(c + 1), c, 0.5)
        joint[c + 1, 1 : c + 2] += truth * first
        joint[c + 1, : c + 1] += (1 - truth) * first
        other[c + 1, 1 : c + 2] += (1 - truth) * first
        other[c + 1, : c + 1] += truth * first
    p, q = joint.ravel() / joint.sum(), other.ravel() / other.sum()
    # Nine outcomes in ten are next to impossible. They are counted as if they gave everything away: ε is no smaller.
    rare = np.maximum(p, q) < 1e-18
    return PrivacyLoss.from_masses(np.append(p[~rare], p[rare].sum()), np.append(q[~rare], 0.0))


@pytest.mark.parametrize(("epsilon0", "n"), [(0.2, 250), (0.5, 400), (0.7, 500)])
def test_shuffling_formula_bounds_the_clones(epsilon0, n):
    delta = 1e-4
    claim = amplify_by_shuffling(epsilon0, n, delta)
    exact = clones(epsilon0, n)
    assert exact.epsilon(delta) <= claim.epsilon
    # The clones bound the mechanism, the formula bounds the clones; n randomized responses, k of them 1, are the
    # mechanism.
    p, k = 1 / (1 + math.exp(-epsilon0)), n // 2
    rest = np.convolve(binom.pmf(np.arange(k), k - 1, p), binom.pmf(np.arange(n - k + 1), n - k, 1 - p))
    ones, zeros = np.convolve(rest, [1 - p, p]), np.convolve(rest, [p, 1 - p])
    shuffled = PrivacyLoss.from_masses(ones / ones.sum(), zeros / zeros.sum())
    assert shuffled.epsilon(delta) <= exact.epsilon(delta) * 1.001


def test_shuffling_condition():
    """Where the theorem does not apply the local claim stands."""
    n, delta = 1000, 1e-6
    edge = math.log(n / (16 * math.log(2 / delta)))
    assert amplify_by_shuffling(edge * 1.001, n, delta).epsilon == edge * 1.001
    assert amplify_by_shuffling(1.0, 10, delta).epsilon == 1.0
    large = amplify_by_shuffling(1.0, 10**6, delta)
    assert large.epsilon < 0.03 and large.neighbours is Neighbours.REPLACE_ONE and large.delta == delta
    halved = amplify_by_shuffling(1.0, 4 * 10**6, delta).epsilon / large.epsilon
    assert halved == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: amplify_by_sampling(Guarantee(1.0), 1.5), ValueError, r"sampling_rate must be in \[0, 1\], got 1.5"),
        (lambda: amplify_by_sampling(1.0, 0.5), TypeError, "guarantee must be a Guarantee, got 1.0"),
        (lambda: amplify_by_shuffling(0.0, 100, 1e-5), ValueError, "epsilon_local must be > 0 and finite, got 0.0"),
        (lambda: amplify_by_shuffling(1.0, 0, 1e-5), ValueError, "n must be ≥ 1, got 0"),
        (lambda: amplify_by_shuffling(1.0, 10**400, 0.5), ValueError, "n must fit a float, got a number beyond"),
        (lambda: amplify_by_shuffling(1.0, 10.0, 1e-5), TypeError, "n must be an integer, got 10.0"),
        (lambda: amplify_by_shuffling(1.0, 100, 0.0), ValueError, r"delta must be in \(0, 1\), got 0.0"),
    ],
)
def test_bad_arguments_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
