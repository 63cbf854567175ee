"""The five prices of lesson 05's explorer against the accountant."""

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
