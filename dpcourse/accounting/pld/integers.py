"""Dominating pairs of integer noise: the discrete Laplace and the discrete Gaussian, each against itself shifted."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from dpcourse.accounting.pld.pairs import Tails, between


@dataclass(frozen=True)
class DiscreteLaplace:
    """P[x] ∝ exp(−|x|/scale) on the integers against the same around `shift`.

    The loss is (shift − 2x)/scale for x in 0..shift and constant outside, so its largest value is exactly shift/scale.
    """

    shift: int
    scale: float
    symmetric: ClassVar[bool] = True
    atomic: ClassVar[bool] = True
    lattice: ClassVar[bool] = True

    @property
    def step(self) -> float:
        return (2 if self.shift % 2 == 0 else 1) / self.scale

    @property
    def bounds(self) -> tuple[float, float]:
        return -self.shift / self.scale, self.shift / self.scale

    def upper(self, loss: np.ndarray) -> Tails:
        p, q, below, above = self._inner(loss)
        return between(below, above, 1 - p, q)

    def lower(self, loss: np.ndarray) -> Tails:
        p, q, below, above = self._inner(loss)
        return between(above, below, p, 1 - q)

    def _inner(self, loss: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        low, high = self.bounds
        # L > l exactly for the outputs x < (shift − l·scale)/2, that is x ≤ last.
        last = np.ceil((self.shift - np.clip(loss, low, high) * self.scale) / 2) - 1
        last = np.clip(last, 0, self.shift - 1)
        weight = 1 / (1 + math.exp(-1 / self.scale))
        p = weight * np.exp(-(last + 1) / self.scale)
        q = weight * np.exp((last - self.shift) / self.scale)
        return p, q, loss < low, loss >= high

    def edges(self, count: int, tail: float) -> np.ndarray:
        low, high = self.bounds
        if self.shift > 4 * count:
            return np.linspace(low, high, count)
        return (2 * np.arange(self.shift + 1.0) - self.shift) / self.scale

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """P[x < m] − e^ε Q[x < m] with the m ≥ 1 of all outputs x whose loss passes ε; ε ≥ 0.

        That is w·(1 − e^(−m/scale) + e^(−1/scale)·(1 − e^(ε − (shift − m)/scale))), where w·(1 + e^(−1/scale)) = 1.
        For m = 1 the two exponentials of 1/scale cancel.
        """
        high = self.bounds[1]
        inside = np.minimum(epsilon, high)
        m = np.clip(np.ceil((self.shift - inside * self.scale) / 2), 1, self.shift)
        decay = math.exp(-1 / self.scale)
        many = -np.expm1(-m / self.scale) - decay * np.expm1(np.minimum(inside - (self.shift - m) / self.scale, 1.0))
        return np.maximum(np.where(m > 1, many, -np.expm1(inside - high)) / (1 + decay), 0.0)

    def at_twice_the_distance(self) -> DiscreteLaplace:
        return DiscreteLaplace(2 * self.shift, self.scale)


@dataclass(frozen=True)
class DiscreteGaussian:
    """P[x] ∝ exp(−x²/2σ²) on the integers against the same around `shift` (arXiv:2004.00010).

    The loss is shift·(shift − 2x)/2σ². Up to σ = 2^10 the tails are sums of the masses. Beyond, the Euler–Maclaurin
    formula around the midpoint replaces the sum: Σ_{x ≤ m} f(x) = ∫_{−∞}^{m+½} f − f′(m+½)/24 + R, where R is below
    1e-8 of the tail out to 37σ (tested against the sums).
    """

    shift: int
    sigma: float
    symmetric: ClassVar[bool] = True
    atomic: ClassVar[bool] = True
    lattice: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    @property
    def step(self) -> float:
        return self.shift * (2 if self.shift % 2 == 0 else 1) / (2 * self.sigma**2)

    def upper(self, loss: np.ndarray) -> Tails:
        last = self._last(loss)
        return _gaussian_sum(self.sigma, last), _gaussian_sum(self.sigma, last - self.shift)

    def lower(self, loss: np.ndarray) -> Tails:
        first = self._last(loss) + 1  # by symmetry P[x ≥ m] = P[x ≤ −m]
        return _gaussian_sum(self.sigma, -first), _gaussian_sum(self.sigma, self.shift - first)

    def _last(self, loss: np.ndarray) -> np.ndarray:
        return np.ceil(self.shift / 2 - loss * self.sigma**2 / self.shift) - 1

    def edges(self, count: int, tail: float) -> np.ndarray:
        reach = math.ceil(-self.sigma * ndtri(tail)) + 1
        if 2 * reach + self.shift > 4 * count:
            outputs = np.linspace(self.shift + reach, -reach, count)
        else:
            outputs = np.arange(self.shift + reach, -reach - 1, -1.0)
        return self.shift * (self.shift - 2 * outputs) / (2 * self.sigma**2)

    def at_twice_the_distance(self) -> DiscreteGaussian:
        return DiscreteGaussian(2 * self.shift, self.sigma)


def _gaussian_sum(sigma: float, last: np.ndarray) -> np.ndarray:
    """P[X ≤ last] for the discrete Gaussian around 0, accurate relative to its own size in the lower tail."""
    if sigma > 2**10:
        middle = np.clip((last + 0.5) / sigma, -1e3, 1e3)
        slope = -middle * np.exp(-(middle**2) / 2) / (math.sqrt(2 * math.pi) * sigma**2)
        return ndtr(middle) - slope / 24
    sums = _gaussian_sums(sigma)
    reach = sums.size // 2 - 1
    return sums[np.clip(last, -reach - 1, reach).astype(np.int64) + reach + 1]


@functools.lru_cache(maxsize=16)
def _gaussian_sums(sigma: float) -> np.ndarray:
    """P[X ≤ m] for m = −reach−1 .. reach. Beyond 39σ the masses are below the smallest float."""
    reach = math.ceil(39 * sigma) + 1
    masses = np.exp(-((np.arange(-reach, reach + 1.0) / sigma) ** 2) / 2)
    sums = np.append(0.0, np.cumsum(masses))
    return sums / sums[-1]
