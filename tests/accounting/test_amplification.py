"""Amplification by sampling and by shuffling."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc
from scipy.stats import binom

from dpcourse.accounting import PrivacyLoss, amplify_by_sampling, amplify_by_shuffling, shuffling
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
    conditional = Guarantee(0.5, 1e-6, Neighbours.REPLACE_ONE, "the counts are public")
    for rate in (0.0, 0.5, 1.0):
        assert amplify_by_sampling(conditional, rate).condition == "the counts are public"
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
def test_shuffling_is_the_clones_summed_up(epsilon0, n):
    """The numerical bound is the pair's own ε, from above; the formula is above both; the mechanism below."""
    delta = 1e-4
    claim, exact = amplify_by_shuffling(epsilon0, n, delta).epsilon, clones(epsilon0, n).epsilon(delta)
    assert exact * (1 - 1e-9) <= claim <= exact * (1 + 1e-5)
    assert claim <= amplify_by_shuffling(epsilon0, n, delta, method="closed form").epsilon


def shuffled_response(epsilon0: float, n: int, k: int, others: tuple[int, int]) -> PrivacyLoss:
    """k-ary randomized response, shuffled: one person says 0 or 1; of the others so many say 0, so many 1, the rest 2.

    What the counts of 0 and 1 show is all there is for k = 2; for k = 3 the third count is the rest.
    """
    truth, lie = math.exp(epsilon0) / (math.exp(epsilon0) + k - 1), 1 / (math.exp(epsilon0) + k - 1)

    def added(table: np.ndarray, chances: tuple[float, float]) -> np.ndarray:
        """The joint law of both counts with one more report that is 0 or 1 with these chances."""
        more = max(1 - sum(chances), 0.0) * table
        more[1:] += chances[0] * table[:-1]
        more[:, 1:] += chances[1] * table[:, :-1]
        return more

    table = np.zeros((n + 1, n + 1))
    table[0, 0] = 1.0
    for chances, people in zip(((truth, lie), (lie, truth), (lie, lie)), (*others, n - 1 - sum(others)), strict=True):
        for _ in range(people):
            table = added(table, chances)
    p, q = added(table, (truth, lie)), added(table, (lie, truth))
    return PrivacyLoss.from_masses(p.ravel() / p.sum(), q.ravel() / q.sum())


@pytest.mark.parametrize("epsilon0", [0.1, 1.0, 3.0, 6.0])
@pytest.mark.parametrize(("n", "k"), [(1, 2), (2, 3), (20, 2), (20, 3), (20, 10), (200, 2), (200, 3), (200, 10)])
def test_shuffling_is_never_below_randomized_response(epsilon0, n, k):
    """Every output enumerated, for crowds of one opinion and of two, at three δ."""
    rest = n - 1
    crowds = [(rest, 0), (rest // 2, rest - rest // 2)] + ([(0, 0), (rest // 3, rest // 3)] if k > 2 else [])
    for crowd in crowds:
        exact = shuffled_response(epsilon0, n, k, crowd)
        for delta in (1e-2, 1e-6, 1e-10):
            claim = amplify_by_shuffling(epsilon0, n, delta).epsilon
            assert exact.epsilon(delta) <= claim * (1 + 1e-12) + 1e-12, (crowd, delta)


def test_shuffling_reference_values():
    """ε at ε₀ = 1, δ = 1e-6; and the ε₀ that 45,222 people may use for ε = 1."""
    assert amplify_by_shuffling(1.0, 1000, 1e-6).epsilon == pytest.approx(0.1824, rel=1e-3)
    assert amplify_by_shuffling(1.0, 100, 1e-6).epsilon == pytest.approx(0.6437, rel=1e-3)
    assert amplify_by_shuffling(6.275, 45_222, 1e-6).epsilon < 1 < amplify_by_shuffling(6.286, 45_222, 1e-6).epsilon


@given(epsilon0=st.floats(1e-3, 600), n=st.integers(1, 10**12), delta=st.floats(1e-12, 0.5))
@settings(max_examples=25, deadline=None)
def test_shuffling_anything(epsilon0, n, delta):
    claim = amplify_by_shuffling(epsilon0, n, delta)
    assert 0 <= claim.epsilon <= min(epsilon0, amplify_by_shuffling(epsilon0, n, delta, "closed form").epsilon)
    assert claim.neighbours is Neighbours.REPLACE_ONE and claim.delta == delta
    assert amplify_by_shuffling(epsilon0, 2 * n, delta).epsilon <= claim.epsilon * (1 + 1e-3)


def test_rounding_goes_to_the_safe_side():
    """The sum is at least the exact one, in rational arithmetic; SciPy's beta function is as exact as is granted."""
    n, share, epsilon0 = 40, Fraction(1, 4), math.log(4)
    clones_, mass, outside = shuffling._clones(n - 1, 0.25, 1e-15)
    exact = [math.comb(n - 1, int(c)) * share ** int(c) * (1 - share) ** (n - 1 - int(c)) for c in clones_]
    np.testing.assert_allclose(mass, np.array(exact, dtype=float), rtol=1e-12)
    assert 1 - sum(exact) <= outside
    for ratio in (Fraction(6, 5), Fraction(2), Fraction(3)):  # e^ε
        truth = Fraction(0)
        for c, weight in zip(map(int, clones_), exact, strict=True):
            both = [Fraction(math.comb(c, a), 2**c) for a in range(c + 1)]
            first, second = [*both, Fraction(0)], [Fraction(0), *both]
            truth += weight * sum(
                max((4 * b + a) / 5 - ratio * (4 * a + b) / 5, 0) for a, b in zip(first, second, strict=True)
            )
        found = mass @ shuffling._delta_among(clones_, epsilon0, math.log(ratio), 1 + 1e-12)
        assert float(truth) <= found <= float(truth) * (1 + 1e-7)
    total = 2000
    tails = list(itertools.accumulate(math.comb(total, k) for k in range(total, 1000, -1)))
    at = np.arange(total, 1000, -1)
    exact = [math.log(tail) - total * math.log(2) for tail in tails]
    keep = np.array(exact) > -600
    np.testing.assert_allclose(
        np.log(betainc(at[keep], total - at[keep] + 1, 0.5)), np.array(exact)[keep], atol=1e-10, rtol=0
    )


@pytest.mark.parametrize("delta", [1e-320, 1e-300, 1e-295, 1e-250])
def test_shuffling_at_a_tiny_delta_proves_the_local_claim_or_more(delta):
    many, few = amplify_by_shuffling(1.0, 10**5, delta), amplify_by_shuffling(1.0, 100, delta)
    assert few.epsilon == 1.0 and many.delta == delta
    assert many.epsilon == 1.0 if delta < 1e-300 else many.epsilon < 0.9


def test_shuffling_condition():
    """Where the theorem's formula does not apply the local claim stands."""
    n, delta = 1000, 1e-6
    edge = math.log(n / (16 * math.log(2 / delta)))
    assert amplify_by_shuffling(edge * 1.001, n, delta, method="closed form").epsilon == edge * 1.001
    assert amplify_by_shuffling(1.0, 10, delta, method="closed form").epsilon == 1.0
    assert 0.9 < amplify_by_shuffling(1.0, 10, delta).epsilon < 1.0
    for method in ("numerical", "closed form"):
        large = amplify_by_shuffling(1.0, 10**6, delta, method)
        assert large.epsilon < 0.03
        halved = amplify_by_shuffling(1.0, 4 * 10**6, delta, method).epsilon / large.epsilon
        assert halved == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: amplify_by_sampling(Guarantee(1.0), 1.5), ValueError, r"sampling_rate must be in \[0, 1\], got 1.5"),
        (lambda: amplify_by_sampling(1.0, 0.5), TypeError, "guarantee must be a Guarantee, got 1.0"),
        (lambda: amplify_by_shuffling(0.0, 100, 1e-5), ValueError, "epsilon_local must be > 0 and finite, got 0.0"),
        (lambda: amplify_by_shuffling(1.0, 0, 1e-5), ValueError, "n must be ≥ 1, got 0"),
        (lambda: amplify_by_shuffling(1.0, 10**400, 0.5), ValueError, "n must fit a float, got a number beyond"),
        (lambda: amplify_by_shuffling(1.0, 10.0, 1e-5), TypeError, "n must be an integer, got 10.0"),
        (lambda: amplify_by_shuffling(1.0, 9, 0.1, "sharp"), ValueError, "method must be 'numerical' or 'closed form'"),
        (lambda: amplify_by_shuffling(1.0, 100, 0.0), ValueError, r"delta must be in \(0, 1\), got 0.0"),
    ],
)
def test_bad_arguments_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
