"""Noisy count tables: their cost, their noise, and a cell for every record."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcourse.datasets import ADULT_SCHEMA
from dpcourse.privacy import Neighbours
from dpcourse.synthetic.marginals import Axis, NoisyCounts, count


@given(st.floats(0.5, 1000))
def test_the_cost_is_that_of_a_gaussian_with_sensitivity_one(sigma):
    noise = NoisyCounts(sigma)
    assert noise.zcdp == pytest.approx(1 / (2 * sigma**2))
    assert noise.renyi_divergence(np.array([2.0, 10.0])) == pytest.approx([1 / sigma**2, 5 / sigma**2])


def test_the_privacy_loss_is_below_the_zcdp_bound():
    noise = NoisyCounts(5.0)
    rho = noise.zcdp
    assert 0 < noise.privacy_loss().epsilon(1e-6) <= rho + 2 * math.sqrt(rho * math.log(1e6))


def test_the_noise_has_the_spread_it_says():
    """Mean and variance of 20,000 cells within 4.5 standard errors: false alarms below 2e-5 together."""
    noise = NoisyCounts(7.0).release(np.full(20_000, 10), rng=0) - 10
    assert noise.dtype == np.int64
    assert abs(noise.mean()) < 4.5 * 7 / math.sqrt(20_000)
    assert abs(noise.var() / 49 - 1) < 4.5 * math.sqrt(2 / 20_000)


@pytest.mark.parametrize("sigma", [0, -1, math.nan, math.inf, "1", None, True])
def test_a_bad_sigma_is_refused_by_name(sigma):
    with pytest.raises((TypeError, ValueError), match="sigma must be"):
        NoisyCounts(sigma)


@pytest.mark.parametrize("counts", [[2.7, 99.99], [2.0, 99.0], [True, False], ["3"], 1.5, np.array([3], dtype=object)])
def test_counts_that_are_no_integers_are_refused(counts):
    with pytest.raises(TypeError, match="counts must be integers, got an array of"):
        NoisyCounts(0.01).release(counts)


def test_counts_beyond_the_integers_are_refused_and_none_are_fine():
    for counts in ([2**63], np.array([2**64 - 1], dtype=np.uint64), [-(2**63)]):
        with pytest.raises(ValueError, match="counts must be at most 2\\^62 in size"):
            NoisyCounts(0.01).release(counts)
    assert NoisyCounts(0.01).release([2**62, -(2**62)], rng=0).tolist() == [2**62, -(2**62)]
    assert NoisyCounts(0.01).release([]).shape == (0,)


def test_the_claim_is_about_adding_or_removing():
    with pytest.raises(ValueError, match="neighbours must be add-remove"):
        NoisyCounts(1.0, Neighbours.REPLACE_ONE)


@pytest.mark.parametrize("name", ADULT_SCHEMA.names)
def test_cells_lie_in_bins_and_values_in_cells(name):
    axis = Axis(ADULT_SCHEMA[name])
    assert axis.bin_of_cell.shape == (axis.cells,)
    assert sorted(set(axis.bin_of_cell.tolist())) == list(range(axis.bins))
    cells = np.repeat(np.arange(axis.cells), 20)
    values = axis.draw(cells, np.random.default_rng(0))
    assert np.array_equal(axis.cell_codes(pd.Series(values)), cells)
    assert np.array_equal(axis.bin_of_cell[cells], ADULT_SCHEMA[name].codes(values))


def test_single_values_are_counted_where_there_are_few():
    fine = {name for name in ADULT_SCHEMA.bounds if Axis(ADULT_SCHEMA[name]).fine}
    assert fine == {"age", "hours-per-week", "education-num"}


def test_counting():
    assert count([np.array([0, 1, 1]), np.array([2, 0, 0])], (2, 3)).tolist() == [[0, 0, 1], [2, 0, 0]]
    assert count([np.array([], dtype=int), np.array([], dtype=int)], (2, 2)).tolist() == [[0, 0], [0, 0]]
