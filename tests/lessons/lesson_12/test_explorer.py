"""Lesson 12's explorers: the sum survives, refusals come where they should, the grid's prices are the accountant's."""

import itertools

import pytest

from dpcourse.federated.accounting import subsampled_gaussian_epsilon
from dpcourse.lessons.lesson_12 import numbers as l12
from dpcourse.lessons.lesson_12.numbers import GRID


@pytest.mark.parametrize("threshold", [2, 4, 6])
def test_the_sum_survives_exactly_while_the_threshold_is_met(threshold):
    for dropped in itertools.islice(itertools.product((False, True), repeat=6), 0, 64, 5):
        here = l12.masked_sum(*dropped, threshold=threshold)
        if 6 - sum(dropped) < threshold:
            assert here.total is None
        else:
            assert here.total == pytest.approx(here.left, abs=6 / 2**16)


def test_what_arrives_does_not_add_up_by_itself():
    here = l12.masked_sum(False, False, False, True, False, False)
    assert abs(here.uncorrected * 2**32 - here.left * 2**16) > 2**20


def test_the_grid_holds_the_accountants_prices_rounded_up():
    for z, q, rounds in ((0, 0, 0), (3, 2, 4), (-1, -1, -1)):
        noise, rate, count = GRID.NOISE[1:][z], GRID.RATES[q], GRID.ROUNDS[rounds]
        exact = subsampled_gaussian_epsilon(noise, rate, count, GRID.DELTA)
        assert exact <= GRID.EPSILON[z][q][rounds] * (1 + 5e-3)
        assert GRID.EPSILON[z][q][rounds] == pytest.approx(exact, rel=0.01)


def test_more_noise_costs_less_and_helps_less():
    low, high = (l12.tradeoff(z, 0.03, 20) for z in (GRID.NOISE[1], GRID.NOISE[-1]))
    assert (low.epsilon > high.epsilon).all() and low.accuracy[-1] > high.accuracy[-1]
