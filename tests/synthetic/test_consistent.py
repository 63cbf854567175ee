"""Post-processing: projections, margins that agree, and probabilities from any table of noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from dpcourse.synthetic import consistent

NOISE = st.floats(-50, 100, allow_subnormal=False)


@given(arrays(float, (3, 5), elements=NOISE), arrays(float, 3, elements=st.floats(0, 200, allow_subnormal=False)))
def test_projected_rows_are_non_negative_and_have_their_total(values, totals):
    projected = consistent.onto_simplex(values, totals)
    assert (projected >= 0).all()
    assert projected.sum(axis=1) == pytest.approx(totals, abs=1e-9)


def test_the_projection_is_the_nearest_point():
    values = np.array([[5.0, -3.0, 1.0, 0.5]])
    projected = consistent.onto_simplex(values, np.array([4.0]))
    by_solver = minimize(
        lambda x: ((x - values[0]) ** 2).sum(),
        np.ones(4),
        bounds=[(0, None)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 4},
    ).x
    assert projected[0] == pytest.approx(by_solver, abs=1e-5)


def test_a_row_already_there_stays():
    row = np.array([[1.0, 0.0, 3.0]])
    assert consistent.onto_simplex(row, np.array([4.0])) == pytest.approx(row)


def test_averages_weigh_by_precision():
    mean, variance = consistent.average([(np.array([0.0]), np.array([1.0])), (np.array([6.0]), np.array([2.0]))])
    assert mean == pytest.approx([2.0]) and variance == pytest.approx([2 / 3])


@settings(max_examples=30, deadline=None)
@given(arrays(float, (2, 3, 4), elements=NOISE), st.integers(0, 2**32))
def test_fitted_tables_have_the_margins_asked_for(noise, seed):
    exact = np.random.default_rng(seed).gamma(0.5, 50, (2, 3, 4)) + 0.1
    fitted = consistent.fit_table(exact + noise, exact.sum(axis=2), exact.sum(axis=1))
    assert (fitted >= 0).all()
    assert fitted.sum(axis=2) == pytest.approx(exact.sum(axis=2), rel=1e-3, abs=1e-2)
    assert fitted.sum(axis=1) == pytest.approx(exact.sum(axis=1), rel=1e-3, abs=1e-2)


def test_a_table_without_noise_is_kept():
    exact = np.arange(24.0).reshape(2, 3, 4)
    assert consistent.fit_table(exact, exact.sum(axis=2), exact.sum(axis=1)) == pytest.approx(exact, abs=1e-3)


def test_margins_of_nobody():
    fitted = consistent.fit_table(np.full((1, 2, 2), -3.0), np.zeros((1, 2)), np.zeros((1, 2)))
    assert np.array_equal(fitted, np.zeros((1, 2, 2)))
    assert consistent.conditional(fitted) == pytest.approx(0.5)
