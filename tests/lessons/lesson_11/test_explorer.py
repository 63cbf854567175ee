"""Lesson 11's explorer against the published reference values and the exact ε of the mechanisms."""

import numpy as np
import pytest

from dpcourse.lessons.lesson_11.numbers import DELTA, NAMES, _gaussian_mu, certifiable
from dpcourse.mechanisms import GaussianMechanism


@pytest.mark.parametrize(("runs", "most"), [(10**3, 4.88), (10**4, 7.18), (10**5, 9.49), (10**6, 11.8)])
def test_the_most_that_can_be_certified(runs, most):
    shown = certifiable(1.0, runs=runs)
    assert shown.largest[shown.runs == runs][0] == pytest.approx(most, abs=0.02)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_no_curve_is_above_the_truth_or_falls(epsilon):
    for confidence in (0.95, 0.999):
        shown = certifiable(epsilon, confidence=confidence)
        for curve in shown.curves.values():
            assert (curve <= epsilon + 1e-9).all() and (curve <= shown.largest + 1e-9).all()
            assert (np.diff(curve) >= -0.06 * epsilon).all()  # counts are whole numbers


def test_the_gaussian_has_the_stated_epsilon():
    for epsilon in (0.1, 1.0, 10.0):
        assert GaussianMechanism(epsilon, DELTA).sigma == pytest.approx(1 / _gaussian_mu(epsilon), rel=1e-6)
    assert certifiable(1.0, runs=10**6).curves[NAMES[2]][-1] > 0.85


@pytest.mark.parametrize(("epsilon", "half", "runs"), [(2.0, 1.0, 133), (8.0, 4.0, 422)])
def test_randomized_response_needs_as_many_runs_as_is_known(epsilon, half, runs):
    """The known numbers are for 95% power, so at frequencies as expected half of ε is certified earlier."""
    shown = certifiable(epsilon, runs=runs)
    assert shown.curves[NAMES[0]][shown.runs == runs][0] >= half
