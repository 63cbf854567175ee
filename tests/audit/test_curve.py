"""Counts on a curve: only where the statistic is normal, close to what is expected, and worth its while."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from dpcourse.audit.certify import EpsilonScore
from dpcourse.audit.curve import normal_shares
from dpcourse.audit.events import Counts, choose_and_split, choose_event
from dpcourse.audit.families import values_below
from dpcourse.audit.outputs import Outputs
from dpcourse.mechanisms import GaussianMechanism

RUNS = 25_000
CUTS = norm.ppf([1e-3, 0.02, 0.3, 0.5, 0.7, 0.98, 0.999])


def curve(values, cuts=CUTS):
    values = np.stack([values, values])
    return normal_shares(values, cuts, (values[:, None] <= cuts[:, None]).sum(axis=2))


def draws(seed=0, runs=RUNS):
    return np.random.default_rng(seed).normal(size=runs)


def test_expects_what_the_normal_law_says():
    """Five standard errors of a share, from those of the mean and the deviation, 1/√n and 1/√2n: 6e-7 a cut."""
    error = norm.pdf(CUTS) * np.sqrt((1 + CUTS**2 / 2) / RUNS)
    assert (np.abs(curve(draws()) - norm.cdf(CUTS)) <= 5 * error).all()


def test_is_rarely_missed_where_values_are_normal():
    """Four standard errors: one refusal in a hundred samples or fewer, so more than six of 80 in less than 1e-4."""
    assert sum(curve(draws(seed)) is None for seed in range(80)) <= 6


def heavy(seed):
    return np.random.default_rng(seed).laplace(size=(4, RUNS)).sum(axis=0)


def bounded(seed):
    return np.random.default_rng(seed).uniform(size=(5, RUNS)).sum(axis=0)


def skewed(seed):
    return np.random.default_rng(seed).gamma(100, size=RUNS)


def with_a_rare_jump(seed):
    values = draws(seed)
    values[:50] += 8
    return values


def in_two_humps(seed):
    return draws(seed) + 1.5 * (np.arange(RUNS) % 2)


def with_an_atom(seed):
    values = draws(seed)
    values[:1500] = 0.0
    return values


@pytest.mark.parametrize("law", [heavy, bounded, skewed, with_a_rare_jump, in_two_humps, with_an_atom])
def test_is_refused_where_values_are_not_normal(law):
    for seed in range(4):
        values = law(seed)
        assert curve(values, np.quantile(values, norm.cdf(CUTS))) is None


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_is_refused_with_what_has_no_deviation_and_with_few_runs(bad):
    values = draws()
    assert curve(values) is not None
    assert curve(values[:19_999]) is None
    values[7] = bad
    assert curve(values) is None
    assert curve(np.ones(RUNS)) is None


@pytest.mark.parametrize(("ratio", "one"), [(1.005, True), (1.05, False)])
def test_two_deviations_that_are_alike_are_taken_for_one(ratio, one):
    """Standard error of the ratio: .0063. The same draws on both sides, so only `ratio` is between them."""
    values = np.stack([draws(), ratio * draws()])
    shares = normal_shares(values, CUTS, (values[:, None] <= CUTS[:, None]).sum(axis=2))
    scores = norm.ppf(shares)
    assert np.allclose(np.diff(scores[0]), np.diff(scores[1]), rtol=1e-9) is one


class Gap:
    """Judges by frequencies, and keeps what it was told."""

    def __init__(self):
        self.tried, self.counts = [], []

    def one(self, hits, false_hits, runs, events):
        self.tried.append(np.unique(events))
        return (hits - false_hits) / runs

    def two(self, counts, events):
        self.tried.append(events)
        self.counts.append(counts)
        return 0.0


def test_on_a_curve_nothing_is_paid_for_choosing_the_best():
    rng = np.random.default_rng(1)
    score = Gap()
    sides = rng.normal(size=2 * RUNS), rng.normal(0.2, size=2 * RUNS)
    choose_event(Outputs.collect(*sides), first=RUNS, score=score, families=[values_below])
    assert set(np.concatenate([np.atleast_1d(events) for events in score.tried]).tolist()) == {1}
    score = Gap()
    sides = rng.laplace(size=2 * RUNS), rng.laplace(0.2, size=2 * RUNS)
    choose_event(Outputs.collect(*sides), first=RUNS, score=score, families=[values_below])
    assert min(np.concatenate([np.atleast_1d(events) for events in score.tried])) > 100


def test_two_tails_are_counted_together():
    """Below a on `data`, above b on its neighbour, a < b: both tails' expected hits, in the order of `Counts`."""
    counts = Counts.of_two(np.array([20.4, 5.0]), np.array([3.0, 30.6]), 100)
    assert counts == Counts(51, 8, 200, (20, 31), (5, 3)) and counts.exclude
    assert not Counts(20, 10, 200, (5, 5), (5, 5)).exclude


def test_the_best_threshold_is_the_best_of_the_curve():
    """Mean gap between two normal laws half a deviation apart is largest in the middle, .25: found within .05."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        sides = rng.normal(size=2 * RUNS), rng.normal(0.5, size=2 * RUNS)
        choice = choose_event(Outputs.collect(*sides), first=RUNS, score=Gap(), families=[values_below])
        assert float(choice.text.split()[-1]) == pytest.approx(0.25, abs=0.05)


def test_a_fifth_of_the_runs_chooses_where_it_shows_a_curve_and_half_elsewhere():
    rng = np.random.default_rng(2)
    for law, runs, first in (("normal", 100_000, 20_000), ("normal", 99_999, 49_999), ("laplace", 100_000, 50_000)):
        sides = getattr(rng, law)([[0.0], [0.3]], size=(2, runs)).round(6)  # low bits tell more than tails
        assert choose_and_split(Outputs.collect(*sides), Gap())[1] == first


def test_what_the_others_are_does_not_move_the_split():
    """Neither the event nor who chooses it depends on runs that will certify."""
    rng = np.random.default_rng(3)
    chosen = []
    fifth = rng.normal([[0.0], [0.3]], size=(2, 20_000))
    for others in (rng.normal(size=(2, 80_000)), rng.laplace(50, size=(2, 80_000))):
        outputs = Outputs.collect(*np.concatenate([fifth, others], axis=1))
        choice, first = choose_and_split(outputs, Gap())
        chosen.append((choice.text, first))
    assert chosen[0] == chosen[1] and chosen[0][1] == 20_000


def test_a_leak_off_the_curve_is_looked_for_in_half_of_the_runs():
    """Normal noise, and an atom in 0.2% of the runs on one dataset: 40 of 20,000, where none is expected."""
    sigma = GaussianMechanism(1.0, 1e-5).sigma
    for seed in range(3):
        rng = np.random.default_rng(seed)
        sides = rng.normal([[0.0], [1.0]], sigma, size=(2, 100_000)).round(4)
        assert choose_and_split(Outputs.collect(*sides), EpsilonScore(1e-5, 1e-3))[1] == 20_000
        sides[1, rng.random(100_000) < 0.002] = 0.5
        assert choose_and_split(Outputs.collect(*sides), EpsilonScore(1e-5, 1e-3))[1] == 50_000
