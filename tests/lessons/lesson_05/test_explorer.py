"""The prices of lesson 05 against the accountant."""

import math

import numpy as np
import pytest

from dpcourse.accounting import PrivacyAccountant, composition, renyi
from dpcourse.lessons.lesson_05 import numbers as l05
from dpcourse.mechanisms import LaplaceMechanism
from dpcourse.privacy import Guarantee


@pytest.mark.parametrize(
    ("epsilon", "k", "delta"), [(0.1, 100, 1e-5), (0.01, 3000, 1e-9), (1.5, 7, 1e-3), (0.3, 1, 1e-7)]
)
@pytest.mark.parametrize("noise", l05.NOISES.values())
def test_prices_are_those_of_the_accountant(epsilon, k, delta, noise):
    source = LaplaceMechanism(epsilon) if noise == "Laplace noise" else Guarantee(epsilon)
    accountant = PrivacyAccountant().compose(source, times=k)
    here = l05.five_prices(epsilon, k, delta, noise).here
    assert here["basic"] == pytest.approx(accountant.epsilon(delta, "basic"))
    assert here["advanced"] == pytest.approx(composition.advanced([Guarantee(epsilon)] * k, delta).epsilon)
    assert here["zCDP"] == pytest.approx(renyi.epsilon_from_zcdp(k * epsilon**2 / 2, delta))
    # The mechanism's own noise is on a grid and a share of 1e-6 wider than nominal.
    assert here["Rényi"] == pytest.approx(accountant.epsilon(delta, "rdp"), rel=1e-4)
    assert here["loss distribution"] == pytest.approx(accountant.epsilon(delta, "pld"), rel=2e-3)


def test_the_loss_distribution_is_never_above_the_others():
    for epsilon in (0.01, 0.1, 1.0):
        curves = l05.five_prices(epsilon, 100, 1e-5).curves
        lowest = np.min([curve for name, curve in curves.items() if name != "loss distribution"], axis=0)
        assert (curves["loss distribution"] <= lowest * (1 + 1e-3)).all()  # its answers are upper bounds to 1e-3


def test_advanced_composition_pays_from_where_it_is_said_to():
    rows = [row for row in zip(*l05.where_advanced_pays(1e-5), strict=True) if row[1] < 1e5]
    assert len(rows) > 150
    for epsilon, first, tighter in rows:
        for k in (math.floor(first), math.floor(first) + 1):
            textbook = composition.advanced([Guarantee(epsilon)] * k, 1e-5).epsilon
            assert (textbook < k * epsilon) == (k > first)
        # Its mean is the one of the coin: chance of the truth times ε₀, less the rest times ε₀.
        mean = epsilon * math.tanh(epsilon / 2)
        for k in (math.floor(tighter), math.floor(tighter) + 1):
            total = epsilon * math.sqrt(2 * k * math.log(1e5)) + k * mean
            assert (total < k * epsilon) == (k > tighter)
    never = [epsilon for epsilon, first, _ in zip(*l05.where_advanced_pays(1e-5), strict=True) if first == math.inf]
    assert min(never) >= math.log(2)
