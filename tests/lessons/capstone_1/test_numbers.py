"""Capstone 1's figures: the table of ε, ways to train, fewer shares, pictures; and the notebook's own answers."""

import math

import numpy as np
import pytest

from dpcourse.datasets import load_fabs
from dpcourse.lessons import capstone_1 as c1
from dpcourse.lessons.capstone_1 import numbers
from dpcourse.lessons.capstone_1.__main__ import main
from dpcourse.lessons.capstone_1.rounds import Plan


@pytest.mark.parametrize(
    ("n", "one", "ten"),
    [(500, 5.86, 19.1), (1000, 4.03, 12.7), (2000, 2.70, 8.40), (5000, 1.55, 4.87), (10_000, 1.01, 3.23)],
)
def test_what_the_proposal_costs(n, one, ten):
    assert math.isclose(c1.local_epsilon(n, 64, 5, 1.0, 1), one, rel_tol=0.005)
    assert math.isclose(c1.local_epsilon(n, 64, 5, 1.0, 10), ten, rel_tol=0.005)


def test_the_fabs_own_sizes():
    found = [c1.local_epsilon(n, min(n, 64), 5, 1.0, 10) for n in (900, 200, 60)]
    assert np.allclose(found, (13.5, 32, 54), rtol=0.01)


def test_fewer_shares_by_group_privacy_of_the_same_curve():
    """With all planned shares the claim, with one of four twice the μ: the curve of δ says so."""
    assert math.isclose(c1.epsilon_with(c1.SHARES, 3.0), 3.0, rel_tol=1e-3)
    mu = math.sqrt(c1.ROUNDS) / c1.noise_multiplier(3.0)
    assert math.isclose(numbers.gaussian_delta(c1.epsilon_with(1, 3.0), 2 * mu), c1.DELTA, rel_tol=1e-6)
    epsilons = [c1.epsilon_with(m, 3.0) for m in range(1, 7)]
    assert epsilons == sorted(epsilons, reverse=True)


def test_ways_to_train():
    """Ten worlds, one training each: means of differences deviate by 0.01 at ε = 0.3, by 0.005 at 3."""
    worlds = [load_fabs(heterogeneity=1.0, rng=seed) for seed in range(10)]
    much, little = (c1.accuracies(worlds, epsilon, rng=1) for epsilon in (3.0, 0.3))
    shared, own, alone = "together, noise shared", "together, each its own noise", "each fab alone, no noise"
    assert (
        much[shared].mean() - much[alone].mean() > 0.03
        and much["one pool, no noise"].mean() - much[shared].mean() < 0.01
    )
    assert little[shared].mean() - little[own].mean() > 0.0
    assert much["together, the unit is a fab"].mean() < much[alone].mean() - 0.05
    assert much["each fab alone, private"].mean() < much[alone].mean() - 0.03


@pytest.mark.audit
def test_shared_noise_is_three_points_better_at_a_small_epsilon():
    """Forty worlds: the mean of the difference, about 5 points, deviates by 0.6."""
    worlds = [load_fabs(heterogeneity=1.0, rng=seed) for seed in range(40)]
    found = c1.accuracies(worlds, 0.3, rng=2)
    assert (found["together, noise shared"] - found["together, each its own noise"]).mean() > 0.03


def test_a_broken_or_empty_fab_is_never_silently_wrong(reference):
    """200 fabs, some empty, with readings that are NaN, infinite or huge: one wafer moves the sum by C at most."""
    rng = np.random.default_rng(21)
    for _ in range(200):
        n = int(rng.integers(0, 12))
        X, y, weights = rng.uniform(-1, 1, (n, 20)), rng.integers(0, 2, n), rng.normal(0, 3, 21)
        X[rng.random((n, 20)) < 0.05] = rng.choice([np.nan, np.inf, -np.inf, 1e9])
        row = rng.uniform(-1, 1, 20)
        row[rng.integers(20)] = rng.choice([0.5, np.nan, np.inf, 1e12])
        both = [
            reference["clipped_sum"](weights, *data, 1.0) for data in ((X, y), (np.vstack([X, row]), np.append(y, 1)))
        ]
        assert np.linalg.norm(both[1] - both[0]) <= 1 + 1e-9
        assert np.allclose(both[0], numbers.clipped_sum(weights, X, y), atol=1e-9)


def test_every_pattern_of_two_dropouts(reference):
    """The shares are those of four fabs, whoever is missing; the model stays finite and better than chance."""
    from itertools import combinations

    fabs = load_fabs(heterogeneity=1.0, rng=3)
    for gone in combinations(fabs.clients, 2):
        arrived = lambda vectors, gone=gone: sum(v for name, v in vectors.items() if name not in gone)  # noqa: E731
        weights = reference["train"](dict(fabs.clients), 3.0, c1.DELTA, arrived, np.random.default_rng(0))
        assert np.isfinite(weights).all() and c1.right(weights, fabs.test).mean() > 0.7


def test_pictures_say_what_they_show():
    ways = c1.draw_ways(np.array([0.3, 3.0]), {"a": np.array([0.6, 0.8]), "b": np.array([0.7, 0.9])})
    assert "a: 60% at ε = 0.3, 80% at ε = 3" in ways.alt
    gains = c1.draw_gains({"Taiwan": np.array([-0.01, -0.03]), "China": np.array([0.05, 0.03])})
    assert "Taiwan -2.0, China +4.0" in gains.alt and gains.view["p"][0]["t"].startswith("1 of 2 fabs lose")
    assert gains.png() != c1.draw_gains({"Taiwan": np.array([0.02]), "China": np.array([0.03])}).png()


def test_the_plan_for_processes_is_the_training_of_the_notebook():
    """Noise of the stated law, and weights that differ from those without noise as the notebook's do."""
    plan = Plan()
    assert Plan.from_config(plan.to_config() | {"round": 3}) == plan
    noise = np.array([plan.sent(5, round, np.zeros(21)) for round in range(1, 401)])
    noise -= numbers.clipped_sum(np.zeros(21), *plan.world.clients["China"])
    expected = c1.noise_multiplier(3.0) / 2  # four shares make the whole
    assert abs(noise.std() / expected - 1) < 0.03  # 8,400 numbers: 0.0077 is one deviation, so 1e-4 false alarms
    assert abs(noise).max() < 40 * plan.deviation < plan.bound()
    fabs = list(plan.world.clients.values())
    rounds = iter([(round, place) for round in range(1, 51) for place in range(6)])

    class SameNoise(np.random.Generator):
        def normal(self, centre, deviation, size):
            return np.random.default_rng([plan.seed, *next(rounds)]).normal(centre, deviation, size)

    same = numbers.train(fabs, [plan.deviation] * 6, SameNoise(np.random.PCG64()))
    assert np.allclose(plan.in_one_process(), same, atol=1e-10)
    with pytest.raises(ValueError, match=r"shares must be in 1\.\.6, got 7"):
        Plan(shares=7)


def test_the_program_without_flower(capsys):
    assert main(["--rounds", "5"]) == 0
    assert "after 5 rounds in one process" in capsys.readouterr().out
