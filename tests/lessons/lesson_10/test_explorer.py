"""Lesson 10's explorer: the stored curves keep their claims, and the limits drawn are those of the noise."""

import numpy as np
import pytest

from dpcourse.accounting import calibrate_noise_multiplier
from dpcourse.attacks import dp_roc_bound
from dpcourse.lessons.lesson_10 import numbers as l10
from dpcourse.lessons.lesson_10.numbers import GRID


@pytest.mark.parametrize("epsilon", GRID.EPSILONS)
def test_each_measured_curve_lies_under_its_limits(epsilon):
    for attack in GRID.ATTACKS:
        data = l10.measured_roc(epsilon, attack)
        curve = data.curves[0]
        assert data.epsilon == epsilon
        assert (curve.low <= curve.tpr).all() and (curve.tpr <= curve.high).all()
        assert (curve.low <= dp_roc_bound(epsilon, GRID.DELTA, curve.fpr)).all()
        assert (data.exact <= data.allowed + 1e-9).all()
        assert (curve.low <= np.interp(curve.fpr, data.rates, data.exact) + 1e-3).all()


def test_the_noise_is_that_of_the_claim():
    for epsilon, noise in zip(GRID.EPSILONS, GRID.NOISE, strict=True):
        wanted = calibrate_noise_multiplier(epsilon, GRID.DELTA, 1.0, GRID.STEPS)
        assert noise == pytest.approx(wanted, rel=1e-3)
