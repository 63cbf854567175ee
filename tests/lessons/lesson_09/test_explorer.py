"""Lesson 09's explorer: its ε is the accountant's, its probability is that of the noise."""

import math

import numpy as np
import pytest

from dpcourse.accounting import PrivacyAccountant
from dpcourse.lessons.lesson_09 import numbers as l09
from dpcourse.mechanisms import GaussianMechanism


@pytest.mark.parametrize(("sigma", "answers"), [(150.0, 400), (10.0, 1), (40.0, 100), (3.0, 50)])
def test_the_price_is_that_of_the_accountant(sigma, answers):
    noise = GaussianMechanism.from_noise_multiplier(sigma / math.sqrt(2), sensitivity=math.sqrt(2))
    exact = PrivacyAccountant().compose(noise, times=answers).epsilon(1e-5)
    assert float(l09.vote_epsilon(sigma, answers)) == pytest.approx(exact, rel=0.02)


def test_the_chance_is_that_of_the_noise():
    """200,000 draws: within 5 standard errors, false alarm below 1e-6."""
    here = l09.vote(teachers=100, share=0.6, sigma=25.0, answers=1)
    noisy = np.array(here.counts) + np.random.default_rng(9).normal(scale=25.0, size=(200_000, 2))
    assert (noisy[:, 0] > noisy[:, 1]).mean() == pytest.approx(here.chance, abs=5 * 0.5 / math.sqrt(200_000))


def test_more_teachers_cost_nothing_and_help():
    few, many = (l09.vote(teachers, 0.8, 50.0, 100) for teachers in (100, 200))
    assert few.epsilon == many.epsilon and few.chance < many.chance
