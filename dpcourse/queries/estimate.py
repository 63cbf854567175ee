"""A private answer with its noise and its price."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.privacy import Guarantee


@dataclass(frozen=True, eq=False)
class Estimate:
    """What a private query publishes. All of it is safe to show.

    Attributes
    ----------
    value : int, float, ndarray or DataFrame
        The answer, noise included. A count may be negative: rounding it up to zero is the reader's choice, and biased.
    standard_error : float
        Standard deviation of the noise, in the units of `value`; for tables, of each cell. It knows nothing of the bias
        of clipping, nor of how the people were sampled. NaN where no honest figure exists without looking at the data.
    guarantee : Guarantee

    Examples
    --------
    >>> print(Estimate(1003, 1.4, Guarantee(1.0)))
    1,003 (standard error of the noise 1.4); (ε=1, δ=0)-DP, adding or removing one record
    """

    value: Any
    standard_error: float
    guarantee: Guarantee

    def __str__(self) -> str:
        if math.isnan(self.standard_error):
            error = "standard error of the noise not known"
        else:
            error = f"standard error of the noise {self.standard_error:.3g}"
        if np.ndim(self.value):
            return f"{self.value}\n({error}, each); {self.guarantee}"
        whole = isinstance(self.value, int) or abs(self.value) >= 1e5
        shown = f"{self.value:,.0f}" if whole else f"{self.value:,.6g}"
        return f"{shown} ({error}); {self.guarantee}"
