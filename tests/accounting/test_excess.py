"""The excess of a power against 80 decimals."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from dpcourse.accounting.excess import divergence, log_excess


@pytest.mark.parametrize("log_ratio", [-3.0, -0.2, -1e-3, -1e-9, -1e-14, 1e-14, 1e-9, 1e-3, 0.2, 3.0])
def test_no_digit_is_lost_however_close_the_ratio_is_to_one(log_ratio):
    for alpha in (1.02, 1.5, 2.0, 20.0, 1000.0):
        with localcontext(prec=80):
            x, a = Decimal(log_ratio), Decimal(alpha)
            exact = ((a * x).exp() - 1 - a * (x.exp() - 1)).ln()
        # An absolute error of a logarithm is a relative one of the number.
        assert float(Decimal(float(log_excess(np.array(log_ratio), alpha))) - exact) == pytest.approx(0, abs=2e-13)


def test_a_mean_of_one_and_next_to_nothing_is_not_one():
    assert divergence(np.log([1e-20, 1.0]), np.array([1.5, 3.0])) == pytest.approx([2e-20, np.log(2) / 2], rel=1e-13)
