"""Numbers of lesson 13."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting.renyi import epsilon_from_zcdp
from dpcourse.datasets import load_adult
from dpcourse.synthetic import NoisyCounts

DELTA = 1e-6
TABLES = {
    "education": ("education",),
    "native-country": ("native-country",),
    "education × occupation": ("education", "occupation"),
    "education × occupation × income": ("education", "occupation", "income-per-year"),
    "age × hours × income": ("age", "hours-per-week", "income-per-year"),
    "occupation × native-country": ("occupation", "native-country"),
}


@dataclass(frozen=True)
class NoisyTable:
    """A table of counts beside its noisy release.

    ``exact`` and ``noisy`` have one entry a cell (people), largest exact count first; ``error`` is the total variation
    distance of the two after negative counts are cut and both are scaled to shares; ``tables`` share the budget.
    """

    columns: str
    exact: np.ndarray
    noisy: np.ndarray
    sigma: float
    error: float
    epsilon: float
    delta: float
    tables: int

    @property
    def drowned(self) -> int:
        """How many cells have fewer people than the noise has standard deviation."""
        return int((self.exact < self.sigma).sum())


@functools.cache
def _exact(columns: tuple[str, ...]) -> np.ndarray:
    """The counts of the twin in the bins of the schema, largest first."""
    adult = load_adult("twin")
    codes = [adult.schema[name].codes(adult.frame[name]) for name in columns]
    shape = tuple(adult.schema[name].size for name in columns)
    flat = np.bincount(np.ravel_multi_index(codes, shape), minlength=math.prod(shape))
    return np.sort(flat)[::-1]


@functools.lru_cache(maxsize=256)
def zcdp_worth(epsilon: float, delta: float) -> float:
    """The ρ whose zCDP is worth (ε, δ), to a part in a million.

    Examples
    --------
    >>> rho = zcdp_worth(1.0, 1e-6)
    >>> round(rho, 4), round(epsilon_from_zcdp(rho, 1e-6), 4)
    (0.0244, 1.0)
    """
    low, high = 0.0, epsilon + 1.0
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if epsilon_from_zcdp(middle, delta) <= epsilon else (low, middle)
    return low


def noisy_table(columns: tuple[str, ...], epsilon: float, tables: int = 1) -> NoisyTable:
    """A table of the twin, released as one of `tables` that share (ε, δ = 1e-6) equally; add-remove neighbours.

    Examples
    --------
    >>> noisy_table(("education",), 1.0).exact.size
    16
    >>> noisy_table(("education",), 1.0, tables=4).sigma / noisy_table(("education",), 1.0).sigma
    2.0
    """
    sigma = math.sqrt(tables / (2 * zcdp_worth(epsilon, DELTA)))
    exact = _exact(columns)
    noisy = NoisyCounts(sigma).release(exact, rng=13)
    kept = np.maximum(noisy, 0)
    shares = kept / kept.sum() if kept.any() else np.full(exact.size, 1 / exact.size)
    error = float(np.abs(shares - exact / exact.sum()).sum() / 2)
    return NoisyTable(" × ".join(columns), exact, noisy, sigma, error, epsilon, DELTA, tables)
