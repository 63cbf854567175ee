"""Local mechanisms: closed forms, unbiasedness, honest standard errors, the exact likelihood ratio, the projection."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from dpcourse.local import CountEstimate, RandomizedResponse, UnaryEncoding, project_to_simplex
from dpcourse.privacy import Guarantee, Neighbours

EPSILONS = [0.1, 0.5, 1.0, 2.0, 5.0]
TRUTH = np.array([1200, 500, 250, 50])
CODES = np.repeat(np.arange(4), TRUTH)


def mechanisms(epsilon: float, k: int = 4) -> dict:
    return {
        "k-RR": RandomizedResponse(epsilon, k),
        "OUE": UnaryEncoding(epsilon, k),
        "SUE": UnaryEncoding(epsilon, k, optimized=False),
    }


NAMES = list(mechanisms(1.0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [1e-3, *EPSILONS, 10.0])
@pytest.mark.parametrize("k", [2, 4, 100])
def test_the_likelihood_ratio_is_exactly_e_to_the_epsilon(name, epsilon, k):
    mechanism = mechanisms(epsilon, k)[name]
    p, q = mechanism.truth_probability, mechanism.lie_probability
    ratio = p / q if name == "k-RR" else p * (1 - q) / ((1 - p) * q)
    assert ratio == pytest.approx(math.exp(epsilon), rel=1e-12)
    assert mechanism.guarantee == Guarantee(epsilon, 0.0, Neighbours.REPLACE_ONE)


@given(st.floats(1e-6, 30), st.integers(2, 1000))
def test_probabilities_add_up(epsilon, k):
    response = RandomizedResponse(epsilon, k)
    assert response.truth_probability + (k - 1) * response.lie_probability == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "epsilon"), [*(("k-RR", e) for e in EPSILONS), *((n, e) for n in ("OUE", "SUE") for e in (0.1, 1.0, 5.0))]
)
def test_estimates_are_unbiased_and_their_errors_honest(name, epsilon):
    """2,000 repetitions of 2,000 people. Means: 4.5 standard errors, false alarm 7e-6 a category. Claimed errors within
    5% of observed: the observed one has a relative standard error of 1.6%, so 2e-3 a category; the seed is fixed.
    Coverage: exact binomial at 1e-6 around the level."""
    mechanism = mechanisms(epsilon)[name]
    rng = np.random.default_rng(60)
    repeats = 2000
    counts, errors, inside = np.empty((repeats, 4)), np.empty((repeats, 4)), np.zeros(4)
    for i in range(repeats):
        estimate = mechanism.estimate(mechanism.randomize(CODES, rng=rng))
        counts[i], errors[i] = estimate.counts, estimate.standard_errors
        low, high = estimate.interval(0.9)
        inside += (low <= TRUTH) & (TRUTH <= high)
    observed = counts.std(axis=0, ddof=1)
    assert (np.abs(counts.mean(axis=0) - TRUTH) < 4.5 * observed / math.sqrt(repeats)).all()
    claimed = np.sqrt((errors**2).mean(axis=0))
    assert np.abs(claimed / observed - 1).max() < 0.05
    for hits in inside.astype(int):
        # The level of a normal interval for a discrete count is 0.9 up to a few thousandths.
        assert stats.binom.ppf(1e-6, repeats, 0.89) <= hits <= stats.binom.ppf(1 - 1e-6, repeats, 0.91)


@given(st.lists(st.integers(0, 400), min_size=4, max_size=4).filter(lambda c: sum(c) > 0), st.sampled_from(EPSILONS))
def test_randomized_response_counts_add_up_and_variances_do_not_go_below_zero(reported, epsilon):
    reports = np.repeat(np.arange(4), reported)
    estimate = RandomizedResponse(epsilon, 4).estimate(reports)
    assert estimate.counts.sum() == pytest.approx(len(reports))
    assert np.isfinite(estimate.standard_errors).all() and (estimate.standard_errors > 0).all()


def test_reports_have_the_stated_frequencies():
    """Chi-squared with 3 degrees of freedom at 1e-6, for each true answer."""
    response = RandomizedResponse(0.8, 4)
    for code in range(4):
        seen = np.bincount(response.randomize(np.full(100_000, code), rng=code), minlength=4)
        wanted = np.where(np.arange(4) == code, response.truth_probability, response.lie_probability) * 100_000
        assert stats.chisquare(seen, wanted).pvalue > 1e-6


@pytest.mark.parametrize("optimized", [True, False])
def test_bits_have_the_stated_frequencies_and_are_independent(optimized):
    """Chi-squared over the 8 patterns of 3 bits at 1e-6."""
    unary = UnaryEncoding(1.2, 3, optimized=optimized)
    bits = unary.randomize(np.full(200_000, 1), rng=5)
    seen = np.bincount(bits @ np.array([4, 2, 1]), minlength=8)
    p = np.where(np.arange(3) == 1, unary.truth_probability, unary.lie_probability)
    patterns = (np.arange(8)[:, None] >> np.array([2, 1, 0])) & 1
    wanted = np.prod(np.where(patterns == 1, p, 1 - p), axis=1) * 200_000
    assert stats.chisquare(seen, wanted).pvalue > 1e-6


def test_the_same_generator_gives_the_same_reports_and_shapes_are_kept():
    response = RandomizedResponse(1.0, 3)
    codes = np.random.default_rng(0).integers(0, 3, (200, 5))
    first, second = (response.randomize(codes, rng=np.random.default_rng(9)) for _ in range(2))
    assert (first == second).all() and first.shape == codes.shape
    assert response.randomize(np.array([], dtype=int), rng=0).shape == (0,)
    assert response.randomize(np.array([0, 1], dtype=np.uint8), rng=0).dtype == np.int64


@pytest.mark.parametrize("name", NAMES)
def test_privacy_loss_and_renyi_agree_with_sums_over_all_outputs(name):
    mechanism = mechanisms(1.3, 3)[name]
    p, q = mechanism.truth_probability, mechanism.lie_probability
    if name == "k-RR":
        here, there = np.array([p, q, q]), np.array([q, p, q])
    else:
        bits = (np.arange(8)[:, None] >> np.arange(3)) & 1
        masses = [
            np.prod(np.where(bits == 1, set_, 1 - set_), axis=1) for set_ in (np.array([p, q, q]), np.array([q, p, q]))
        ]
        here, there = masses
    orders = np.array([1.001, 1.5, 2.0, 8.0, 64.0, 1000.0])
    # In logarithms: the largest order would overflow.
    expected = [np.logaddexp.reduce(a * np.log(here) - (a - 1) * np.log(there)) / (a - 1) for a in orders]
    assert mechanism.renyi_divergence(orders) == pytest.approx(np.array(expected), rel=1e-9)
    loss = mechanism.privacy_loss()
    for epsilon in (0.0, 0.5, 1.2):
        delta = np.maximum(here - math.exp(epsilon) * there, 0).sum()
        assert loss.delta(epsilon) == pytest.approx(delta, rel=1e-6)
    assert loss.epsilon(0.0) == pytest.approx(1.3, rel=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 1e-3])
def test_a_tiny_epsilon_loses_no_digits(name, epsilon):
    """To first order α/2 times the variance of the loss: ε² times the chance of one of the two telling reports."""
    mechanism, orders = mechanisms(epsilon, 3)[name], np.array([1.02, 1.5, 2.0, 30.0])
    telling = {"k-RR": 2 / 3}.get(name, 1 / 2)
    found = mechanism.renyi_divergence(orders) / epsilon**2
    assert found == pytest.approx(telling * orders / 2, rel=30 * epsilon + 1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2.0, 8.0])
@pytest.mark.parametrize("k", [2, 5, 1000])
def test_zcdp_bounds_renyi_and_nearly_touches_it(name, epsilon, k):
    mechanism = mechanisms(epsilon, k)[name]
    orders = 1 + np.geomspace(1e-4, 1e4, 4000)
    ratio = mechanism.renyi_divergence(orders) / orders
    assert ratio.max() <= mechanism.zcdp * (1 + 1e-9) + 1e-12
    assert mechanism.zcdp <= epsilon**2 / 2
    assert mechanism.zcdp <= ratio.max() * 1.002


def test_the_symmetric_encoding_is_two_coins_and_the_optimized_one_has_the_smaller_error_for_a_rare_answer():
    optimized, symmetric = UnaryEncoding(1.0, 50), UnaryEncoding(1.0, 50, optimized=False)
    assert symmetric.lie_probability == pytest.approx(1 - symmetric.truth_probability)
    rare = np.zeros(10_000, dtype=int)
    errors = [m.estimate(m.randomize(rare, rng=1)).standard_errors[1] for m in (optimized, symmetric)]
    assert errors[0] < errors[1]


def test_projection_is_the_nearest_point_of_the_simplex():
    """Against a general-purpose optimiser (SLSQP)."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        values = rng.normal(size=5) * 10
        found = optimize.minimize(
            lambda x, values=values: ((x - values) ** 2).sum(),
            np.full(5, 2.0),
            bounds=[(0, None)] * 5,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 10},
            method="SLSQP",
            options={"ftol": 1e-12},
        )
        assert project_to_simplex(values, 10.0) == pytest.approx(found.x, abs=1e-4)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(0, 1e6))
def test_projection_is_on_the_simplex_and_stays_there(values, total):
    once = project_to_simplex(np.array(values), total)
    assert (once >= 0).all()
    assert once.sum() == pytest.approx(total, rel=1e-9, abs=1e-6)
    assert project_to_simplex(once, total) == pytest.approx(once, abs=1e-6)


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], 3.0, np.zeros((0, 2))])
def test_only_one_row_of_values_is_projected(values):
    with pytest.raises(ValueError, match="values must be one-dimensional and not empty, got shape"):
        project_to_simplex(np.array(values, dtype=float), 1.0)


def test_projection_never_moves_an_estimate_away_from_the_truth():
    response = RandomizedResponse(0.1, 4)
    rng = np.random.default_rng(8)
    for _ in range(50):
        estimate = response.estimate(response.randomize(CODES, rng=rng))
        assert np.linalg.norm(estimate.projected - TRUTH) <= np.linalg.norm(estimate.counts - TRUTH) + 1e-9


def test_an_estimate_reads_as_a_sentence():
    estimate = CountEstimate(np.array([10.4]), np.array([2.0]), 12, Guarantee(1.0, 0.0, Neighbours.REPLACE_ONE))
    assert "10 ± 2" in str(estimate) and "replacing one record" in str(estimate)
    with pytest.raises(ValueError, match="level"):
        estimate.interval(1.0)


@pytest.mark.parametrize("kind", [RandomizedResponse, UnaryEncoding])
@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 31, "1", None, True])
def test_refuses_a_bad_epsilon(kind, epsilon):
    with pytest.raises((TypeError, ValueError), match="epsilon"):
        kind(epsilon, 4)


@pytest.mark.parametrize("kind", [RandomizedResponse, UnaryEncoding])
@pytest.mark.parametrize("k", [1, 0, -2, 2.0, "4", None])
def test_refuses_a_bad_k(kind, k):
    with pytest.raises((TypeError, ValueError), match="k must"):
        kind(1.0, k)


@pytest.mark.parametrize("name", NAMES)
def test_refuses_codes_and_reports_that_are_none(name):
    mechanism = mechanisms(1.0)[name]
    with pytest.raises(ValueError, match="codes.*4"):
        mechanism.randomize(np.array([0, 4]))
    with pytest.raises(ValueError, match="codes.*-1"):
        mechanism.randomize(np.array([-1]))
    with pytest.raises(TypeError, match="codes"):
        mechanism.randomize(np.array([0.0]))
    with pytest.raises((TypeError, ValueError), match="reports"):
        mechanism.estimate(np.array([[0.5, 1, 0, 0]]))
    with pytest.raises(ValueError, match="orders"):
        mechanism.renyi_divergence(np.array([1.0]))


def test_rounding_never_makes_a_lie_more_likely_than_the_claim_allows():
    """With exact fractions: random() gives multiples of 2^-53, and the drawn probability of the truth is that of being
    below the threshold."""
    from dpcourse.local.response import _ROUNDING

    for epsilon, k in ((1e-12, 2), (1e-12, 2251), (1e-6, 2**31), (0.01, 2**44), (1.0, 2**51), (30.0, 2)):
        threshold = RandomizedResponse(epsilon, k).truth_probability - _ROUNDING
        truth = Fraction(math.ceil(Fraction(threshold) * 2**53), 2**53)
        ratio = float(truth / ((1 - truth) / (k - 1)))
        assert -epsilon * (1 + 1e-6) <= math.log(ratio) <= epsilon * (1 + 1e-12)
    with pytest.raises(ValueError, match=r"k must be at most 2\^51 times epsilon \(1e-12\), got 2252"):
        RandomizedResponse(1e-12, 2252)
