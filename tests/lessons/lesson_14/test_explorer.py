"""The numbers of lesson 14's explorers against the ledger, the accountant and the bound on an attacker."""

import math

import numpy as np
import pytest

from dpcourse.accounting import PrivacyLoss
from dpcourse.attacks import dp_advantage_bound
from dpcourse.budget import PrivacyLedger
from dpcourse.lessons.lesson_14 import numbers as l14
from dpcourse.privacy import BudgetExhausted, Guarantee


@pytest.mark.parametrize(("epsilon", "budget"), [(0.05, 1.0), (0.1, 2.0), (0.3, 1.0), (0.5, 0.25), (0.02, 0.5)])
def test_admitted_numbers_are_exact(epsilon, budget, tmp_path):
    admitted = l14.price_curves(epsilon, budget)[2]
    for method in ("basic", "rdp"):
        count = 0
        with PrivacyLedger(tmp_path / f"{method}.sqlite", Guarantee(budget, 1e-5), method) as ledger:
            with pytest.raises(BudgetExhausted):
                while True:
                    ledger.spend(Guarantee(epsilon), f"{count}", "ana")
                    count += 1
        assert admitted[method] == count
    loss, plan = PrivacyLoss.laplace(epsilon), admitted["pld"]
    assert loss.self_compose(plan).epsilon(1e-5) <= budget < loss.self_compose(plan + 1).epsilon(1e-5)
    assert plan >= max(admitted["basic"], admitted["rdp"])


def test_the_day_is_the_number_of_queries_over_the_rate():
    numbers = l14.quarter(3.0, 0.05, 1.0, "basic")
    assert numbers.queries == {"adding up": 20, "Rényi filter": 27, "plan priced as a whole": 31}
    assert numbers.last_day["adding up"] == pytest.approx(20 * 7 / 3)
    for name, total in numbers.totals.items():
        # Each line meets the budget between the last query it admits and the first it does not.
        at = np.interp(7 * np.array([numbers.queries[name], numbers.queries[name] + 1]) / 3, numbers.days, total)
        assert at[0] <= 1.0 + 0.01 and at[1] > 1.0 - 0.01
    assert math.isinf(l14.quarter(0.5, 0.05, 1.0, "pld").last_day["adding up"])


@pytest.mark.parametrize("advantage", [0.02, 0.24, 0.98])
@pytest.mark.parametrize("n", [100, 1e4, 1e7])
def test_epsilon_allows_exactly_the_advantage(advantage, n):
    numbers = l14.choose(advantage, n, 20)
    assert dp_advantage_bound(numbers.epsilon, numbers.delta) == pytest.approx(advantage)
    assert numbers.delta == pytest.approx(1 / (100 * n))
    # A Laplace variable of scale 20/ε exceeds the error with probability 5%.
    assert math.exp(-numbers.error * n / 100 * numbers.epsilon / 20) == pytest.approx(0.05)
