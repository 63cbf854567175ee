"""The suppliers: declared laws, whole lots, and the same quarter from the same generator."""

import numpy as np
import pytest

from dpcourse.datasets import simulate_suppliers
from dpcourse.datasets.suppliers import LARGEST_RATE, LOT_SIZE, MOST_PARTS


def test_laws_over_many_quarters():
    """Means over 500 quarters of 15: rates 0.96%, deviation 0.58% between suppliers, 763 lots; five standard errors."""
    quarters = [simulate_suppliers(rng=one) for one in np.random.default_rng(0).spawn(500)]
    rates = np.array([quarter.rates for quarter in quarters])
    assert abs(rates.mean() - 0.008 * np.exp(0.18)) < 5 * 0.0062 / np.sqrt(rates.size) and rates.max() <= LARGEST_RATE
    assert abs(rates.std(axis=1, ddof=1).mean() - 0.0058) < 5 * 0.0025 / np.sqrt(500)
    lots = np.array([[len(some) for some in quarter.lots.values()] for quarter in quarters])
    assert abs(lots.sum(axis=1).mean() - 763) < 5 * 160 / np.sqrt(500)
    assert lots.min() >= 3_000 // LOT_SIZE and lots.max() <= MOST_PARTS // LOT_SIZE


def test_defects_are_binomial_given_the_rate():
    quarter = simulate_suppliers(400, rng=1)
    z = [
        (some.sum() - len(some) * LOT_SIZE * rate) / np.sqrt(len(some) * LOT_SIZE * rate * (1 - rate))
        for some, rate in zip(quarter.lots.values(), quarter.rates, strict=True)
    ]
    assert abs(np.mean(z)) < 5 / 20 and abs(np.var(z) - 1) < 5 * np.sqrt(2 / 400)


def test_the_same_generator_gives_the_same_quarter():
    one, two = (simulate_suppliers(rng=3).pooled() for _ in range(2))
    assert np.array_equal(one, two) and not np.array_equal(one, simulate_suppliers(rng=4).pooled()[: len(one)])


@pytest.mark.parametrize(("suppliers", "error"), [(0, ValueError), (1.5, TypeError), (True, TypeError)])
def test_how_many_must_be_a_whole_number(suppliers, error):
    with pytest.raises(error, match="suppliers must be"):
        simulate_suppliers(suppliers)
