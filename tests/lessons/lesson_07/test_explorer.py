"""Lesson 07's explorer against the protocols themselves: the crossover, and the errors of the package's estimates."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcourse.lessons.lesson_07.numbers import protocols
from dpcourse.local import RandomizedResponse, UnaryEncoding


@given(epsilon=st.floats(0.1, 5), k=st.integers(2, 500))
def test_randomized_response_beats_oue_exactly_below_3_e_epsilon_plus_2(epsilon, k):
    here = protocols(epsilon, k).here
    bound = 3 * math.exp(epsilon) + 2
    if abs(k - bound) > 1e-6 * bound:
        assert (here["k-RR"] < here["OUE"]) == (k < bound)
    assert here["OUE"] <= here["SUE"] * (1 + 1e-12)


@pytest.mark.parametrize("k", [2, 7, 60])
def test_errors_are_those_of_the_closed_forms(k):
    e, h = math.exp(1.3), math.exp(0.65)
    wanted = {"k-RR": (e + k - 2) / (e - 1) ** 2, "SUE": h / (h - 1) ** 2, "OUE": 4 * e / (e - 1) ** 2}
    assert protocols(1.3, k).here == pytest.approx({name: math.sqrt(value) for name, value in wanted.items()})


def test_an_absent_answers_standard_error_in_the_package_is_the_one_drawn():
    """Over 40 draws of 20,000 people; the mean standard error is known to about 1%, the tolerance is 5%."""
    rng, codes = np.random.default_rng(7), np.zeros(20_000, dtype=int)
    here = protocols(1.0, 8).here
    for name, protocol in (("k-RR", RandomizedResponse(1.0, 8)), ("OUE", UnaryEncoding(1.0, 8))):
        errors = [protocol.estimate(protocol.randomize(codes, rng=rng)).standard_errors[5] for _ in range(40)]
        assert np.mean(errors) / math.sqrt(20_000) == pytest.approx(here[name], rel=0.05)
