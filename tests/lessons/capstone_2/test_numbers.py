"""Capstone 2's figures: closed forms, simulations, and the notebook's own answers under 200 random mixes."""

import math

import numpy as np
import pytest

from dpcourse.lessons import capstone_2 as c2
from dpcourse.lessons.capstone_2.exercises.world import LOUD, MIXES, mixed, released
from dpcourse.lessons.capstone_2.numbers import RATE_BINS


def test_the_proposal():
    """Against closed forms. The mean of 1,000 Laplace errors deviates by 3% of itself: five deviations."""
    error = {row.release: row.error for row in c2.proposal(1000, rng=0)}
    assert math.isclose(error["mean rate, ε = 0.5, rates capped at 5%"], 100 * 0.05 / 15 / 0.5, rel_tol=0.16)
    assert math.isclose(error["mean rate, ε = 0.5, rates capped at 100%"], 100 / 15 / 0.5, rel_tol=0.16)
    assert math.isclose(error["mean rate, ε = 2, rates capped at 5%"], 100 * 0.05 / 15 / 2, rel_tol=0.16)
    assert 2.3 < error["top quartile of the yields, ε = 0.5"] < 2.8
    assert 0.09 < error["top quartile of the yields, ε = 2"] < 0.15
    assert math.isclose(error["histogram of 15 in 5 bins, ε = 1"], 10, rel_tol=0.08) and len(RATE_BINS) == 6


def test_naming_under_brute_force():
    """Of all ε-DP mechanisms on three suppliers, each good or bad, the best names the bad one as often as the bound.

    The best mechanism is the value of a linear program. It must not exceed the bound, nor be below what randomized
    response reaches.
    """
    from itertools import product

    from scipy.optimize import linprog

    for epsilon in (0.5, 2.0):
        worlds = list(product((0, 1), repeat=3))
        place = {world: 3 * i for i, world in enumerate(worlds)}
        rows = []
        for one, two in product(worlds, worlds):
            if sum(a != b for a, b in zip(one, two, strict=True)) == 1:
                for named in range(3):
                    row = np.zeros(24)
                    row[place[one] + named], row[place[two] + named] = 1, -math.exp(epsilon)
                    rows.append(row)
        value = np.zeros(24)
        for bad in range(3):
            value[place[tuple(int(i == bad) for i in range(3))] + bad] = -1 / 3
        sums = np.kron(np.eye(8), np.ones(3))
        best = -linprog(value, np.array(rows), np.zeros(len(rows)), sums, np.ones(8)).fun
        assert c2.naming_reached(epsilon, 3) - 1e-9 <= best <= c2.naming_bound(epsilon, 3) + 1e-9


def test_the_worst_four():
    assert [round(c2.worst_four(0.5, s), 2) for s in (1, 11)] == [0.46, 0.29]
    assert round(c2.worst_four_bound(0.5), 3) == 0.375 and c2.worst_four_costs(0.5) == 2.75


def test_what_lots_give():
    """Errors against those published: a mean of 1,000 errors deviates by 0.001 points, a 95% quantile by 0.004."""
    half, two = (c2.lot_errors(epsilon, 1000, rng=5) for epsilon in (0.5, 2.0))
    assert abs(half.rate.mean() - 0.024) < 0.006 and abs(np.quantile(half.rate, 0.95) - 0.067) < 0.02
    assert np.mean(half.quartile == 0) > 0.93 and half.quartile.max() <= 1
    assert abs(half.variation.mean() - 0.027) < 0.004
    assert abs(two.rate.mean() - 0.009) < 0.004 and np.mean(two.quartile == 0) > 0.97
    assert abs(np.quantile(c2.gaussian_errors(8.06, 1000, rng=5).rate, 0.95) - 0.166) < 0.04
    assert abs(c2.own_rate_error(0.5, rng=5) - 0.26) < 0.03


def test_fewer_shares():
    assert [round(c2.stayers_epsilon(0.5, 15, m), 3) for m in (15, 14, 8)] == [0.5, 0.556, 1.073]
    assert [c2.stayers_epsilon(0.5, 10, m) for m in (10, 15)] == [0.5, 0.5]


def test_uniform_numbers():
    """χ² over 16 classes of 64,000 numbers; false alarm 1e-9."""
    from scipy import stats

    drawn = c2.uniform(2**32, 64_000)
    for bits in (drawn >> 28, drawn & 15, c2.uniform(16, 64_000)):
        assert stats.chisquare(np.bincount(bits, minlength=16)).pvalue > 1e-9
    for modulus in (1, 3, 2**33):
        with pytest.raises(ValueError, match="modulus"):
            c2.uniform(modulus, 1)


@pytest.mark.parametrize("kind", MIXES)
def test_two_hundred_random_mixes(reference, kind):
    """At a huge ε nothing but the right counts may come out of the notebook's own benchmark."""
    rng = np.random.default_rng(21)
    for _ in range(200):
        messages, right, quarter = mixed(rng, kind)
        given = released(reference["benchmark"], messages, quarter, LOUD, rng)
        assert np.array_equal(given["noisy"], right)


def test_every_number_of_stayers(reference):
    """Every count of dropouts up to the threshold is served, every one beyond refused and not charged."""
    rng, names = np.random.default_rng(0), tuple(f"supplier {number + 1:02}" for number in range(15))
    for stayed in range(16):
        asked: list[tuple] = []

        def desk(*query, asked=asked):
            return asked.append(query) or True

        here = rng.permutation(names)[:stayed].tolist()
        messages = [(name, "q", np.array([1.0])) for name in here]
        given = reference["benchmark"](messages, names, "q", LOUD, desk, c2.uniform, rng)
        assert (given is not None) == bool(asked) == (stayed >= c2.SHARES)
        assert given is None or given["noisy"].tolist() == [0, stayed] + 19 * [0]


def test_a_lie():
    counts = np.bincount([0] * 50 + [5] * 50, minlength=21)
    assert math.isclose(c2.lie(counts, 20, 100), 100 * ((250 + 2000) / 200 - 2.5) / 500)


def test_pictures_say_what_they_show():
    counts, noisy = np.arange(21), np.arange(21) + 1
    one, other = c2.draw_release(counts, noisy, 3, 0.5), c2.draw_release(counts, noisy + 2, 4, 0.5)
    assert "off by 1 at most" in one.alt and "off by 3 at most" in other.alt and one.png() != other.png()
    units = c2.draw_units(np.array([0.5, 2.0]), np.array([0.03, 0.01]), 0.58)
    assert "0.67 points at ε = 0.5" in units.alt and "Suppliers differ by 0.58 points" in units.alt
