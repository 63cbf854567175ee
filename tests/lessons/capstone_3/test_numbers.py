"""Capstone 3's figures: closed forms, simulations, and the notebook's own answers under 200 random mixes."""

import math

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from dpcourse.accounting import PrivacyAccountant, amplify_by_shuffling
from dpcourse.checks.answers import Answer
from dpcourse.datasets import simulate_telemetry
from dpcourse.lessons import capstone_3 as c3
from dpcourse.lessons.capstone_3.caps import best_cap, cap_sum
from dpcourse.lessons.capstone_3.exercises.sums import EXACT, LOUD, LOUD_DELTA, MIXES, counted, few, summed
from dpcourse.lessons.capstone_3.exercises.vectors import half_sphere
from dpcourse.lessons.capstone_3.numbers import descent, start
from dpcourse.mechanisms import GaussianMechanism


def test_epsilons():
    """Against the accountant, and the figures published elsewhere: 3.62, 6.87, 14.4; z = 79 over 60 rounds."""
    for rounds, epsilon in zip((10, 30, 100), c3.proposal_epsilons((10, 30, 100)), strict=True):
        spent = PrivacyAccountant().compose(GaussianMechanism(1.0, 1e-5), times=rounds)
        assert math.isclose(epsilon, spent.epsilon(1e-5), rel_tol=1e-4)
    assert np.allclose(c3.proposal_epsilons((10, 30, 100)), (3.62, 6.87, 14.4), rtol=0.003)
    assert round(c3.deviation(1.0, 1e-8, moved=2 * math.sqrt(60))) == 79
    assert round(c3.deviation(1.0, 1e-8, moved=math.sqrt(60)), 1) == 39.5
    two = PrivacyAccountant().compose(GaussianMechanism(1.0, 1e-8), times=2)
    assert math.isclose(c3.left_epsilon(400, 800, 1.0, 1e-8), two.epsilon(1e-8), rel_tol=1e-4)
    nine = PrivacyAccountant().compose(GaussianMechanism(1.0, 1e-8), times=9)
    assert math.isclose(c3.left_epsilon(800, 800, 1.0, 1e-8, devices=3), nine.epsilon(1e-8), rel_tol=1e-4)


@pytest.mark.parametrize("n", [10_000, 100_000, 1_000_000])
def test_shuffled_reports_keep_the_claim(n):
    own = c3.shuffled_epsilon(n, 1.0, 1e-8)
    assert amplify_by_shuffling(own, n, 1e-8).epsilon <= 1 < amplify_by_shuffling(own + 0.02, n, 1e-8).epsilon
    assert c3.shuffled_epsilon(5, 1.0, 1e-8) == 1.0  # too few to amplify


def test_auc_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    failed = rng.random(500) < 0.1
    for scores in (rng.normal(size=500) + failed, rng.integers(4, size=500) + failed, np.zeros(500)):
        assert math.isclose(c3.auc(scores, failed), roc_auc_score(failed, scores))


def test_the_fit_is_that_of_scikit_learn():
    world = simulate_telemetry(60_000, tested=20_000, rng=1)
    model = LogisticRegression(C=1e3, fit_intercept=False, max_iter=2000, tol=1e-8).fit(world.rows, world.failed)
    theirs = c3.auc(world.tested_rows @ model.coef_[0], world.tested_failed)
    assert abs(c3.fitted(world) - theirs) < 1e-4


def test_the_gradient_is_that_of_the_loss():
    world, rng = simulate_telemetry(2000, tested=10, rng=2), np.random.default_rng(0)
    weights, step = start() + rng.normal(size=21), 1e-4 * rng.normal(size=21)
    x, y = world.rows.astype(float), world.failed

    def loss(w):
        return (np.logaddexp(0, x @ w) - y * (x @ w)).sum()

    slope = (loss(weights + step) - loss(weights - step)) / 2
    assert math.isclose(c3.exact_gradient(world, weights) @ step, slope, rel_tol=1e-3)
    devices, updates = c3.Fleet(world, absent=0.0, rng=0)(weights)
    total, many = counted((devices, np.nan_to_num(updates)), 2000)
    assert many == 2000 and np.abs(total - c3.exact_gradient(world, weights)).max() < 20  # twenty broken sensors


def test_a_fleet_has_strangers_repeats_and_broken_sensors():
    fleet = c3.Fleet(simulate_telemetry(5000, tested=10, rng=2), absent=0.2, rng=1)
    devices, updates = fleet(np.zeros(21))
    inside = devices[devices < 5000]
    assert fleet.rounds == 1 and len(devices) == len(updates)
    assert (devices >= 5000).sum() == 5 and len(inside) - len(np.unique(inside)) == 20
    assert 0.75 < len(np.unique(inside)) / 5000 < 0.85 and np.isnan(updates).any()
    again, _ = fleet(np.zeros(21))
    assert not np.array_equal(np.sort(devices), np.sort(again))  # others are missing


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0, 9.0])
def test_a_cap_keeps_epsilon_and_has_the_right_mean(epsilon):
    """The ratio of densities in closed form, the mean of u·v by quadrature; never longer than the half sphere's."""
    d, cap = 21, best_cap(epsilon, 21)
    law = stats.beta((d - 1) / 2, (d - 1) / 2)
    share = law.sf((1 + cap.above) / 2)
    inside, outside = cap.chance / share, (1 - cap.chance) / (1 - share)
    assert math.isclose(inside / outside, math.exp(epsilon), rel_tol=1e-9)
    mean = integrate.quad(lambda c: c * law.pdf((1 + c) / 2) / 2 * inside, cap.above, 1)[0]
    mean += integrate.quad(lambda c: c * law.pdf((1 + c) / 2) / 2 * outside, -1, cap.above)[0]
    assert math.isclose(cap.length * mean, 1, rel_tol=1e-6)
    assert cap.length <= half_sphere(d) / math.tanh(epsilon / 2) + 1e-9


def test_the_sum_of_caps_is_right_on_average():
    """20,000 reports of one vector: each number of the mean deviates by 0.003 or less; 6 of these."""
    vector = np.zeros(21, np.float32)
    vector[[3, 7]] = 0.3, -0.4
    mean = cap_sum(np.tile(vector, (20_000, 1)), 6.0, rng=0) / 20_000
    assert np.abs(mean - vector).max() < 6 * best_cap(6.0, 21).length / math.sqrt(20_000) / 2


def test_the_randomizer_of_the_notebook(reference):
    """B is 1 over the mean cosine of a half sphere, by quadrature."""
    for d in (2, 3, 21, 300):
        law = stats.beta((d - 1) / 2, (d - 1) / 2)
        mean = integrate.quad(lambda c, law=law: c * law.pdf((1 + c) / 2), 0, 1)[0]
        assert math.isclose(half_sphere(d), 1 / mean, rel_tol=1e-6)
    report = reference["l2_randomizer"](np.zeros((5, 21)), 1.0, np.random.default_rng(0))
    assert np.allclose(np.linalg.norm(report, axis=1), 12.2814, atol=1e-3)


def test_one_bit_errors_against_the_published_figures(reference):
    """ε = 1: 0.96 to 1.082 over √n; ε = 5 at 1e5: 0.0016 at most. From 400 runs, which deviate by 4%."""
    rng = np.random.default_rng(3)
    for x, wanted in ((0.0, 0.960), (0.5, 1.082), (1.0, 0.960)):
        found = [reference["privatize_mean"](np.full(2500, x), 1.0, rng)[1] - x for _ in range(400)]
        assert np.isclose(np.std(found) * 50, wanted, rtol=0.15) and abs(np.mean(found)) < 6 * wanted / 50 / 20


@pytest.mark.parametrize("kind", MIXES)
def test_two_hundred_mixes(reference, kind):
    answer = Answer(reference["secure_dp_sum"], own_work=False)
    rng = np.random.default_rng(sum(map(ord, kind)))
    for _ in range(200):
        messages, n, threshold = few(rng, kind)
        found = summed(answer, messages, n, LOUD, LOUD_DELTA, 1, threshold, rng)
        right, many = counted(messages, n)
        assert many >= threshold and np.abs(found - right).max() < EXACT
        fewer = np.isin(messages[0], np.unique(messages[0][(messages[0] >= 0) & (messages[0] < n)])[: threshold - 1])
        messages = tuple(part[fewer] for part in messages)
        assert summed(answer, messages, n, 1.0, 1e-6, 3, threshold, rng) is None


def reached_at_full_size(reference, seed):
    world = simulate_telemetry(100_000, tested=100_000, rng=seed)
    rng = np.random.default_rng(seed)
    release = reference["train"](c3.Fleet(world, rng=rng), 100_000, 1.0, 1e-8, 80_000, rng)
    return c3.auc(world.tested_rows @ release["weights"], world.tested_failed) / c3.fitted(world)


def test_a_hundred_thousand_devices(reference):
    """0.98 of the AUC without noise; a world deviates by 0.005."""
    assert reached_at_full_size(reference, 20) >= 0.96


@pytest.mark.audit
def test_a_hundred_thousand_devices_in_twenty_worlds(reference):
    assert np.mean([reached_at_full_size(reference, seed) for seed in range(20)]) >= 0.96


def test_who_is_trusted_decides():
    """In one world of 200,000: a secure sum beats one report; without noise the descent nearly reaches the fit."""
    world = simulate_telemetry(200_000, tested=50_000, rng=4)
    assert c3.aggregated(world, 1.0, rng=0) > c3.shuffled(world, 1.0, rng=0) > c3.proposal(world, rng=0)
    exact = c3.auc(world.tested_rows @ descent(world, 0.0).astype(np.float32), world.tested_failed)
    assert c3.fitted(world) - exact < 0.015
    assert c3.lied(world, 1.0, rng=0) > c3.lied(world, 1e5, rng=0) + 0.2


def test_the_pictures_follow_their_numbers():
    devices = np.array([10_000, 1_000_000])
    kinds = ("no noise", "sums", "shuffled", "local")
    reached = {name: np.array([[0.6, 0.8], [0.62, 0.84]]) - 0.01 * place for place, name in enumerate(kinds)}
    picture = c3.draw_ways(devices, reached, "ε = 1")
    assert "10,000 to 1 million, means of 2 worlds, ε = 1: no noise from 0.61 to 0.82; sums" in picture.alt
    less = c3.draw_ways(devices, {name: values - 0.1 for name, values in reached.items()}, "ε = 1")
    assert "no noise from 0.51 to 0.72" in less.alt and less.png() != picture.png()
    sums = c3.draw_sums(np.array([1, 1000]), np.array([[0.55, 0.78]]), 0.84, 1_000_000)
    assert "0.55 at 1, 0.78 at 1,000; 0.84 without noise" in sums.alt
