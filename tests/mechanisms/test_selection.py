"""Selection mechanisms: their output distributions, exact losses on the worst neighbours, and how they stop.

Statistical tests state their false-alarm rate; seeds are arbitrary. Losses of the exponential mechanism are closed
forms; those of noisy max and of the sparse vector are integrals over the noise that is shared, done numerically.
"""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from dpcourse.accounting import PrivacyLoss
from dpcourse.mechanisms import AboveThreshold, ExponentialMechanism, NoisyMax
from dpcourse.privacy import BudgetExhausted, Guarantee, Neighbours

FALSE_ALARM = 1e-6
REPLACE = Neighbours.REPLACE_ONE

scores = st.lists(st.floats(-20, 20), min_size=2, max_size=6)


def laplace_cdf(x):
    return 1 - math.exp(-x) / 2 if x > 0 else math.exp(x) / 2


def noisy_max_probability(values, winner, scale):
    """P[winner] for Laplace noise of this scale: one integral over the winner's noise."""
    others = [value for place, value in enumerate(values) if place != winner]

    def density(x):
        return math.exp(-abs(x)) / 2 * math.prod(laplace_cdf(x + (values[winner] - other) / scale) for other in others)

    kinks = sorted({0.0, *((other - values[winner]) / scale for other in others)})
    edges = [-60.0, *[kink for kink in kinks if -60 < kink < 60], 60.0]
    return sum(quad(density, *pair, epsabs=1e-13)[0] for pair in itertools.pairwise(edges))


def pattern_probability(values, pattern, mechanism):
    """P[this pattern of answers] of AboveThreshold: given the noisy threshold the answers are independent."""

    def density(x):
        bar = mechanism.threshold + x * mechanism.threshold_scale
        above = [laplace_cdf((value - bar) / mechanism.query_scale) for value in values]
        return math.exp(-abs(x)) / 2 * math.prod(p if hit else 1 - p for p, hit in zip(above, pattern, strict=True))

    kinks = {0.0, *((value - mechanism.threshold) / mechanism.threshold_scale for value in values)}
    edges = [-50.0, *sorted(kink for kink in kinks if -50 < kink < 50), 50.0]
    return sum(quad(density, *pair, epsabs=1e-14)[0] for pair in itertools.pairwise(edges))


# Exponential mechanism


@pytest.mark.parametrize("monotonic", [False, True])
def test_exponential_select_has_its_probabilities(monotonic):
    """Chi-square at 1e-6, and the probabilities against the definition."""
    mechanism = ExponentialMechanism(1.5, sensitivity=2.0, monotonic=monotonic)
    # Gaps, in scales, at which Laplace noise in the place of Gumbel's would show.
    utilities = np.array([0.0, 1.5, 5.5]) * (2.0 * (1 if monotonic else 2) / 1.5)
    weights = np.exp(1.5 * utilities / (2.0 * (1 if monotonic else 2)))
    np.testing.assert_allclose(mechanism.probabilities(utilities), weights / weights.sum(), rtol=1e-12)
    rng = np.random.default_rng(1)
    counts = np.bincount([mechanism.select(range(3), utilities, rng=rng) for _ in range(10_000)], minlength=3)
    assert stats.chisquare(counts, 10_000 * weights / weights.sum()).pvalue > FALSE_ALARM


@settings(max_examples=200, deadline=None)
@given(utilities=scores, moves=st.lists(st.floats(-1, 1), min_size=6, max_size=6), epsilon=st.floats(0.01, 10))
def test_exponential_loss_is_at_most_epsilon(utilities, moves, epsilon):
    here = np.array(utilities)
    there = here + moves[: here.size]
    mechanism = ExponentialMechanism(epsilon)
    ratio = np.log(mechanism.probabilities(here)) - np.log(mechanism.probabilities(there))
    assert np.abs(ratio).max() <= epsilon * (1 + 1e-9) + 1e-9
    assert np.ptp(ratio) <= epsilon * (1 + 1e-9) + 1e-9, "bounded range, on which ε²/8 rests"
    monotonic = ExponentialMechanism(epsilon, monotonic=True)
    raised = here + np.abs(moves[: here.size])
    ratio = np.log(monotonic.probabilities(here)) - np.log(monotonic.probabilities(raised))
    assert np.abs(ratio).max() <= epsilon * (1 + 1e-9) + 1e-9


def test_exponential_claim_is_reached_in_the_limit():
    """The winner loses, all others gain (from a tie): the loss tends to ε as there are more candidates."""
    mechanism = ExponentialMechanism(1.0)
    losses = []
    for count in (2, 20, 20_000):
        here, there = np.ones(count), np.full(count, 2.0)
        here[0], there[0] = 1.0, 0.0
        losses.append(math.log(mechanism.probabilities(here)[0] / mechanism.probabilities(there)[0]))
    assert losses[0] < losses[1] < losses[2] <= 1 and losses[2] > 0.999


@pytest.mark.parametrize(
    "utilities", [[1e6, -1e6], [-1e6, -1e6], [1e6, 1e6, -1e6], [1e300, -1e300], [1e308, -1e308, 0]]
)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 1e3])
def test_extreme_utilities_neither_overflow_nor_fail(utilities, epsilon):
    for kind in (ExponentialMechanism, NoisyMax):
        mechanism = kind(epsilon)
        chosen = {mechanism.select(range(len(utilities)), utilities, rng=seed) for seed in range(50)}
        top = {place for place, utility in enumerate(utilities) if utility == max(utilities)}
        assert chosen == top
    probabilities = ExponentialMechanism(epsilon).probabilities(utilities)
    assert probabilities.sum() == pytest.approx(1) and np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities[sorted(top)], 1 / len(top))


@settings(max_examples=100, deadline=None)
@given(utilities=scores, shift=st.floats(-1e6, 1e6))
def test_only_differences_of_utilities_matter(utilities, shift):
    mechanism = ExponentialMechanism(2.0)
    here = mechanism.probabilities(utilities)
    np.testing.assert_allclose(mechanism.probabilities(np.array(utilities) + shift), here, rtol=1e-6, atol=1e-9)


@settings(max_examples=50, deadline=None)
@given(epsilon=st.floats(0.05, 8), order=st.floats(1.01, 60), gap=st.floats(0, 1))
def test_selection_renyi_curves_bound_the_exact_divergence(epsilon, order, gap):
    """Two candidates whose utilities move by the whole sensitivity in opposite directions."""
    mechanism = ExponentialMechanism(epsilon)
    log_p = np.log(mechanism.probabilities([0.0, gap]))
    log_q = np.log(mechanism.probabilities([1.0, gap - 1]))
    exact = np.logaddexp.reduce(order * log_p + (1 - order) * log_q) / (order - 1)
    for one in (mechanism, NoisyMax(epsilon), AboveThreshold(epsilon, 0.0)):
        claimed = float(one.renyi_divergence(np.array([order]))[0])
        assert claimed <= epsilon * (1 + 1e-12) and claimed <= one.zcdp * order * (1 + 1e-12)
        assert exact <= claimed * (1 + 1e-9) + 1e-12
        assert one.privacy_loss().epsilon(0) == pytest.approx(epsilon)


BEYOND = [  # two scores 2 apart that floats cannot tell apart or hold, and the neighbour on which they are equal
    ([2**53 + 1, 2**53 + 3], [2**53 + 2, 2**53 + 2]),
    ([2**63 + 1, 2**63 + 3], [2**63 + 2, 2**63 + 2]),
    ([-(2**53) - 3, -(2**53) - 1], [-(2**53) - 2, -(2**53) - 2]),
    (np.array([2**64 - 3, 2**64 - 1], np.uint64), np.array([2**64 - 2] * 2, np.uint64)),
    ([2**53 + 1, 2**53 + 3, 0.5], [2**53 + 2, 2**53 + 2, 1.5]),
    ([2**63 + 1, 2**63 + 3, -1], [2**63 + 2, 2**63 + 2, -2]),
]


@pytest.mark.parametrize(("here", "there"), BEYOND)
def test_integers_beyond_the_floats_are_subtracted_before_they_are_rounded(here, there):
    """Rounding first made 2 a 4: a loss of 3.3 where 2 is claimed."""
    mechanism = ExponentialMechanism(2.0)
    p, q = mechanism.probabilities(here)[:2], mechanism.probabilities(there)[:2]
    np.testing.assert_allclose(p, mechanism.probabilities([0, 2]), rtol=1e-12)
    assert q.tolist() == [0.5, 0.5] and np.abs(np.log(p / q)).max() <= 2
    small = [0, 2, -1e6][: len(here)]
    for kind in (ExponentialMechanism, NoisyMax):
        chosen = [[kind(2.0).select(range(len(s)), s, rng=seed) for seed in range(100)] for s in (here, small)]
        assert chosen[0] == chosen[1]


def test_differences_beyond_the_floats_and_of_mixed_lists():
    assert ExponentialMechanism(1.0).probabilities([1e308, -1e308, 2**60]).tolist() == [1, 0, 0]
    extremes = np.array([-(2**63), 2**63 - 1])
    assert ExponentialMechanism(1.0).probabilities(extremes).tolist() == [0, 1]
    if np.finfo(np.longdouble).nmant > 60:
        wide = np.array([2**53 + 1, 2**53 + 3]).astype(np.longdouble)
        np.testing.assert_allclose(ExponentialMechanism(2.0).probabilities(wide)[1], 1 / (1 + math.exp(-2)))


# Noisy max


@pytest.mark.parametrize("monotonic", [False, True])
def test_noisy_max_has_its_distribution(monotonic):
    """Chi-square at 1e-6 against the integral."""
    mechanism = NoisyMax(1.5, sensitivity=1.0, monotonic=monotonic)
    scale = (1 if monotonic else 2) / 1.5
    values = [0.0, scale, 5 * scale]  # where Gumbel noise in the place of Laplace's would show
    expected = [noisy_max_probability(values, place, scale) for place in range(3)]
    assert sum(expected) == pytest.approx(1, abs=1e-9)
    rng = np.random.default_rng(2)
    counts = np.bincount([mechanism.select(range(3), values, rng=rng) for _ in range(10_000)], minlength=3)
    assert stats.chisquare(counts, 10_000 * np.array(expected)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_exact_loss_of_noisy_max_on_bad_neighbours(epsilon):
    """The winner moves down and all others up: at most ε, and not far below; with monotonic scores, half the noise."""
    scale = 2 / epsilon
    losses = []
    for gap, others in itertools.product([-4.0, 0.0, 8.0], [1, 3]):
        here = noisy_max_probability([gap + 1] + [0.0] * others, 0, scale)
        there = noisy_max_probability([gap] + [1.0] * others, 0, scale)
        losses += [math.log(here / there), math.log((1 - there) / (1 - here))]
    assert 0.8 * epsilon < max(losses) <= epsilon * (1 + 1e-6)
    scale = 1 / epsilon
    raised = [
        math.log(noisy_max_probability([g + 1, 0.0, 0.0], 0, scale) / noisy_max_probability([g, 0.0, 0.0], 0, scale))
        for g in (-4.0, 0.0)
    ]
    lowered = [
        math.log(noisy_max_probability([g, 0.0, 0.0], 0, scale) / noisy_max_probability([g, 1.0, 1.0], 0, scale))
        for g in (-4.0, 0.0)
    ]
    assert 0.8 * epsilon < max(raised + lowered) <= epsilon * (1 + 1e-6)


def test_select_returns_the_candidate_itself():
    for mechanism in (ExponentialMechanism(50.0), NoisyMax(50.0)):
        thing = object()
        assert mechanism.select([thing, "b"], [1e3, 0], rng=0) is thing
        assert not hasattr(mechanism, "release")


# Sparse vector


@pytest.mark.parametrize("max_hits", [1, 3])
def test_above_threshold_has_its_distribution(max_hits):
    """All patterns of four queries, chi-square at 1e-6 against the integral."""
    mechanism = AboveThreshold(3.0, threshold=1.0, max_hits=max_hits)
    values = np.array([0.0, 2.0, 1.0, 3.0])
    patterns = [p for n in range(1, 5) for p in itertools.product([False, True], repeat=n)]
    ends = [p for p in patterns if (sum(p) == max_hits and p[-1]) or (len(p) == 4 and sum(p) < max_hits)]
    expected = np.array([pattern_probability(values[: len(p)], p, mechanism) for p in ends])
    assert expected.sum() == pytest.approx(1, abs=1e-7)
    rng = np.random.default_rng(3)
    runs = 6_000
    drawn = [tuple(mechanism.answer(values, rng=rng).tolist()) for _ in range(runs)]
    counts = np.array([drawn.count(p) for p in ends])
    assert counts.sum() == runs
    assert stats.chisquare(counts, runs * expected / expected.sum()).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("max_hits", "length"), [(1, 3), (2, 4)])
def test_exact_loss_of_above_threshold_on_bad_neighbours(max_hits, length):
    """Every pattern, queries moving up and down by the sensitivity in every combination: at most ε."""
    mechanism = AboveThreshold(2.0, threshold=0.0, max_hits=max_hits)
    patterns = [
        p
        for n in range(1, length + 1)
        for p in itertools.product([False, True], repeat=n)
        if (sum(p) == max_hits and p[-1]) or (n == length and sum(p) < max_hits)
    ]
    worst = 0.0
    for pattern in patterns:
        for moves in [
            [1.0] * length,
            [1.0 if hit else -1.0 for hit in pattern],
            [-1.0 if hit else 1.0 for hit in pattern],
        ]:
            here = [-0.5 * move for move in moves[: len(pattern)]]
            there = [0.5 * move for move in moves[: len(pattern)]]
            ratio = pattern_probability(here, pattern, mechanism) / pattern_probability(there, pattern, mechanism)
            worst = max(worst, abs(math.log(ratio)))
    assert 0.4 * 2.0 < worst <= 2.0 * (1 + 1e-6)


@pytest.mark.parametrize("max_hits", [1, 5, 50])
def test_the_split_of_the_budget(max_hits):
    mechanism = AboveThreshold(0.7, 0.0, sensitivity=3.0, max_hits=max_hits)
    first, second = 3.0 / mechanism.threshold_scale, 2 * max_hits * 3.0 / mechanism.query_scale
    assert first + second == pytest.approx(0.7)
    assert second / first == pytest.approx((2 * max_hits) ** (2 / 3))


@settings(max_examples=100, deadline=None)
@given(values=st.lists(st.floats(-5, 5), max_size=30), max_hits=st.integers(1, 4), seed=st.integers(0, 1000))
def test_a_run_stops_at_its_last_hit(values, max_hits, seed):
    answers = AboveThreshold(5.0, 0.0, max_hits=max_hits).answer(values, rng=seed)
    assert answers.dtype == bool and answers.size <= len(values)
    assert answers.sum() <= max_hits
    assert answers.size == len(values) or (answers.sum() == max_hits and answers[-1])


def test_a_session_answers_until_its_hits_are_used_and_then_refuses():
    mechanism = AboveThreshold(10.0, threshold=0.0, max_hits=2)
    session = mechanism.session(np.random.default_rng(4))
    assert [session.ask(value) for value in (-1e4, 1e4, -1e4, 1e4)] == [False, True, False, True]
    for _ in range(3):
        with pytest.raises(BudgetExhausted, match="2 hits"):
            session.ask(-1e4)
    other = mechanism.session(4)
    assert other.ask(1e4), "a new session is a new run with its own budget"
    assert session.hits == 2 and other.hits == 1


@pytest.mark.parametrize("threshold", [2.0**53, -(2.0**53), 2.0**63])
def test_integers_beyond_the_floats_are_compared_with_the_threshold_as_they_are(threshold):
    """As the same numbers nearer to 0 are, whatever the noise; rounded first, 1 counted as 0 and 3 as 4."""
    far, near = AboveThreshold(2.0, threshold, max_hits=9), AboveThreshold(2.0, 0.0, max_hits=9)
    moves = [3, 1, -3, -1] * 2
    queries = [int(threshold) + move for move in moves]
    for seed in range(200):
        assert far.answer(queries, rng=seed).tolist() == near.answer(moves, rng=seed).tolist()
        one, other = far.session(seed), near.session(seed)
        assert [one.ask(query) for query in queries] == [other.ask(move) for move in moves]


def test_sessions_and_whole_runs_agree_in_distribution():
    """Length of the run until the first hit: chi-square of two samples at 1e-6."""
    mechanism = AboveThreshold(1.0, threshold=2.0)
    rng = np.random.default_rng(5)
    values = np.zeros(8)

    def by_session():
        session = mechanism.session(rng)
        return next((place for place, value in enumerate(values) if session.ask(value)), 8)

    def by_run():
        answers = mechanism.answer(values, rng=rng)
        return answers.size - 1 if answers.any() else 8

    table = [np.bincount([draw() for _ in range(2000)], minlength=9) for draw in (by_session, by_run)]
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARM


# Claims and refusals

MAKERS = {
    "exponential": lambda **k: ExponentialMechanism(**({"epsilon": 1.0} | k)),
    "noisy max": lambda **k: NoisyMax(**({"epsilon": 1.0} | k)),
    "above threshold": lambda **k: AboveThreshold(**({"epsilon": 1.0, "threshold": 0.0} | k)),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_each_carries_its_claim(maker):
    assert MAKERS[maker]().guarantee == Guarantee(1.0)
    assert MAKERS[maker](neighbours=REPLACE).guarantee == Guarantee(1.0, 0.0, REPLACE)
    assert MAKERS[maker](epsilon=0.5).privacy_loss().epsilon(0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("maker", "name", "bad"),
    [
        *itertools.product(MAKERS, ["epsilon"], [0, -1, math.nan, math.inf, "1", None, True]),
        *itertools.product(MAKERS, ["sensitivity"], [0, -1, math.nan, math.inf, "1", None]),
        *itertools.product(MAKERS, ["neighbours"], ["add-remove", None]),
        *itertools.product(["exponential", "noisy max"], ["monotonic"], [1, "yes", None]),
        *itertools.product(["above threshold"], ["threshold"], [math.nan, math.inf, "1", None]),
        *itertools.product(["above threshold"], ["max_hits"], [0, -1, 1.0, "1", None, True]),
    ],
    ids=repr,
)
def test_bad_arguments_are_refused_by_name_and_value(maker, name, bad):
    with pytest.raises((TypeError, ValueError), match=name) as error:
        MAKERS[maker](**{name: bad})
    assert repr(bad) in str(error.value)


def test_monotonic_scores_need_add_remove():
    for kind in (ExponentialMechanism, NoisyMax):
        with pytest.raises(ValueError, match="monotonic"):
            kind(1.0, monotonic=True, neighbours=REPLACE)


@pytest.mark.parametrize("bad", [[], [1.0, math.nan], [math.inf, 1.0], ["a", "b"], [[1.0, 2.0]], [1.0]])
def test_bad_scores_are_refused(bad):
    with pytest.raises((TypeError, ValueError), match="utilities"):
        ExponentialMechanism(1.0).select(["a", "b"], bad)
    with pytest.raises((TypeError, ValueError), match="scores"):
        NoisyMax(1.0).select(["a", "b"], bad)


def test_bad_queries_are_refused():
    for bad in ([math.nan], ["x"], [[1.0]]):
        with pytest.raises((TypeError, ValueError), match="queries"):
            AboveThreshold(1.0, 0.0).answer(bad)
    with pytest.raises((TypeError, ValueError), match="value"):
        AboveThreshold(1.0, 0.0).session(0).ask(math.nan)
    assert AboveThreshold(1.0, 0.0).answer([]).size == 0
    assert AboveThreshold(1.0, 0.0).answer(iter([1.0, 2.0]), rng=0).size <= 2


@pytest.mark.parametrize("make", [ExponentialMechanism, NoisyMax, lambda e, s: AboveThreshold(e, 0.0, s)])
@pytest.mark.parametrize(("epsilon", "sensitivity"), [(1e300, 1e-300), (1e-300, 1e300)])
def test_a_scale_that_is_no_float_is_refused(make, epsilon, sensitivity):
    with pytest.raises(ValueError, match=re.escape(f"got {sensitivity!r} / {epsilon!r}")):
        make(epsilon, sensitivity)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_huge_epsilon_has_no_finite_rho(maker):
    assert MAKERS[maker](epsilon=1e200).zcdp == math.inf
    assert MAKERS[maker](epsilon=1e200).renyi_divergence(np.array([2.0])) <= 1e200 * (1 + 1e-12)


def test_the_smallest_scale_still_chooses():
    assert ExponentialMechanism(1e308).probabilities([0.0, 1.0, 3.0]).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(("rivals", "ahead"), [(10, 1.125), (100, 3.25)])
def test_noisy_max_has_no_bounded_range(rivals, ahead):
    """Ten and more equal rivals: the loss has a range above ε, so the dominating pair of the exponential is not its."""
    before, after = (noisy_max_probability([ahead - move, *[0.0] * rivals], 0, 1.0) for move in (1.0, 0.0))
    loss = math.log(after / before), math.log((1 - after) / (1 - before))
    assert loss[0] - loss[1] > 1.1 and max(map(abs, loss)) <= 1


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 3.0, 40.0])
def test_the_pair_of_a_choice_dominates_two_candidates(epsilon):
    """No gap between two candidates passes δ(a), and some gap reaches it; no attack gains power."""
    mechanism, loss = ExponentialMechanism(epsilon), ExponentialMechanism(epsilon).privacy_loss()
    levels = epsilon * np.linspace(0, 1, 9)
    worst = np.zeros(9)
    for log_odds in np.linspace(-epsilon - 30, 30, 4001):
        gap = 2 * log_odds / epsilon
        p, q = mechanism.probabilities([gap + 2, 0.0]), mechanism.probabilities([gap, 0.0])
        worst = np.maximum(worst, np.maximum(p - np.exp(levels[:, None]) * q, 0.0).sum(axis=1))
    claimed = loss.delta(levels)
    assert (worst <= claimed * (1 + 1e-6) + 1e-15).all()
    np.testing.assert_allclose(worst, claimed, rtol=1e-3, atol=1e-15)
    rates = np.array([1e-6, 0.01, 0.3])
    assert (loss.true_positive_rate(rates) <= PrivacyLoss.pure(epsilon).true_positive_rate(rates) + 1e-12).all()
