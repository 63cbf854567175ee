"""Gaussian noise: (ε, δ) for an L2 sensitivity, calibrated exactly."""

from __future__ import annotations

import functools
import math
import warnings
from dataclasses import dataclass, field
from typing import overload

import numpy as np
from scipy.special import ndtri

from dpcourse.accounting import PrivacyLoss
from dpcourse.accounting.pld import pairs
from dpcourse.accounting.solve import safe_root
from dpcourse.mechanisms.additive import grid
from dpcourse.mechanisms.sampling import LARGEST_SIGMA, discrete_gaussian
from dpcourse.privacy import Guarantee, Neighbours, arguments

# The grid's Gaussian differs from the continuous one by about 1/σ² (σ in steps, ≥ 2^16): this much more noise covers
# it.
_GRID_MARGIN = 1 + 2.0**-24


def gaussian_delta(epsilon: float, noise_multiplier: float) -> float:
    """The exact δ(ε) of Gaussian noise: Φ(1/2s − εs) − e^ε Φ(−1/2s − εs) for s = σ/Δ.

    Balle & Wang 2018, arXiv:1805.06530, theorem 8.

    Examples
    --------
    >>> round(gaussian_delta(1.0, 1.0), 7)
    0.1269367
    """
    return float(pairs.Gaussian(1 / noise_multiplier).delta(np.asarray(epsilon)))


@functools.lru_cache(maxsize=1024)
def analytic_noise_multiplier(epsilon: float, delta: float) -> float:
    """The smallest σ/Δ for which Gaussian noise is (ε, δ)-DP: the root of `gaussian_delta`, from above.

    Examples
    --------
    >>> round(analytic_noise_multiplier(1.0, 1e-5), 6)
    3.730632
    """
    low, high = 1e-12, 1.0
    while gaussian_delta(epsilon, high) > delta:
        low, high = high, 2 * high
        if math.isinf(high):
            raise ValueError(f"epsilon and delta must ask for noise that fits a float, got {epsilon!r} and {delta!r}")
    if gaussian_delta(epsilon, low) <= delta:
        return low
    return safe_root(lambda noise: gaussian_delta(epsilon, noise) - delta, low, high, precision=1e-14 * high)


def classic_noise_multiplier(epsilon: float, delta: float) -> float:
    """√(2 ln(1.25/δ))/ε, proven for ε < 1 (Dwork & Roth 2014, doi:10.1561/0400000042, theorem A.1)."""
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


@dataclass(frozen=True)
class GaussianMechanism:
    """value + N(0, σ²) noise in every coordinate: (ε, δ)-DP.

    The noise is an exact discrete Gaussian on a fine grid (see `grid`). To pay for rounding, it is wider than nominal:
    by a share of at most 2^-19 (2^-15 for vectors), or of 2^-45 √d σ/Δ₂ in d coordinates where that is more, which
    takes a σ/Δ₂ above 2^26 (2^30/√d). `sigma`, `variance`, `error_quantile` and `confidence_interval` are those of the
    nominal noise.

    Parameters
    ----------
    epsilon : float
        ε in (0, ∞).
    delta : float
        δ in (0, 1): no Gaussian noise is δ = 0.
    sensitivity : float
        L2 sensitivity Δ₂ of the whole value under `neighbours`, in its units, > 0.
    neighbours : Neighbours
        The relation the sensitivity was computed for.
    calibration : {"analytic", "classic"}
        "analytic" is exact (Balle & Wang 2018). "classic" is √(2 ln(1.25/δ))/ε: proven for ε < 1, wasteful there, and
        false for large ε; from ε = 1 on it warns, and `guarantee` states the larger ε where the noise falls short.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> gaussian = GaussianMechanism(epsilon=1.0, delta=1e-5)
    >>> round(gaussian.sigma, 4)
    3.7306
    >>> print(gaussian.guarantee)
    (ε=1, δ=1e-05)-DP, adding or removing one record
    """

    epsilon: float | None
    delta: float | None
    sensitivity: float = 1.0
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    calibration: str = "analytic"
    noise_multiplier: float = field(init=False)

    def __post_init__(self) -> None:
        epsilon = arguments.positive("epsilon", self.epsilon)
        delta = arguments.probability("delta", self.delta, zero=False, one=False)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        if self.calibration == "analytic":
            multiplier = analytic_noise_multiplier(epsilon, delta)
        elif self.calibration == "classic":
            multiplier = classic_noise_multiplier(epsilon, delta)
            if epsilon >= 1:
                warnings.warn(
                    f"the classic calibration is proven for epsilon < 1 only, got {self.epsilon!r}",
                    UserWarning,
                    stacklevel=3,
                )
        else:
            raise ValueError(f"calibration must be 'analytic' or 'classic', got {self.calibration!r}")
        self._finish(multiplier)

    @classmethod
    def from_noise_multiplier(
        cls,
        noise_multiplier: float,
        sensitivity: float = 1.0,
        delta: float | None = None,
        neighbours: Neighbours = Neighbours.ADD_REMOVE,
    ) -> GaussianMechanism:
        """The mechanism with σ = noise_multiplier · Δ₂ and its exact ε at `delta` (without one, `guarantee` raises).

        The noise multiplier must be ≥ 1e-150.
        """
        mechanism = object.__new__(cls)
        multiplier = arguments.noise("noise_multiplier", noise_multiplier)
        epsilon = None
        if delta is not None:
            delta = arguments.probability("delta", delta, zero=False, one=False)
            epsilon = PrivacyLoss.gaussian(multiplier).epsilon(delta)
        values = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "neighbours": neighbours}
        for name, value in (values | {"calibration": "noise multiplier"}).items():
            object.__setattr__(mechanism, name, value)
        mechanism._finish(multiplier)
        return mechanism

    def _finish(self, noise_multiplier: float) -> None:
        object.__setattr__(self, "sensitivity", arguments.positive("sensitivity", self.sensitivity))
        arguments.member("neighbours", self.neighbours, Neighbours)
        if noise_multiplier < arguments.SMALLEST_NOISE:  # of the classic calibration
            raise ValueError(f"epsilon must ask for noise of ≥ 1e-150 sensitivities, got {self.epsilon!r}")
        object.__setattr__(self, "noise_multiplier", noise_multiplier)
        self._grid(1)

    def __repr__(self) -> str:
        """As it was made, so that two mechanisms with different noise never look alike."""
        made, given = "GaussianMechanism", ["epsilon", "delta", "sensitivity", "neighbours", "calibration"]
        if self.calibration == "noise multiplier":
            made, given = f"{made}.from_noise_multiplier", ["noise_multiplier", "sensitivity", "delta", "neighbours"]
        return f"{made}({', '.join(f'{name}={getattr(self, name)!r}' for name in given)})"

    @property
    def guarantee(self) -> Guarantee:
        """(ε, δ)-DP; a noise multiplier without a δ raises `ValueError`."""
        if self.epsilon is None or self.delta is None:
            raise ValueError("a noise multiplier alone makes no (ε, δ) claim: give delta, or use .privacy_loss()")
        epsilon = self.epsilon
        if self.calibration == "classic" and gaussian_delta(epsilon, self.noise_multiplier) > self.delta:
            epsilon = PrivacyLoss.gaussian(self.noise_multiplier).epsilon(self.delta)
        return Guarantee(epsilon, self.delta, self.neighbours)

    @property
    def sigma(self) -> float:
        """The nominal standard deviation of the noise, in the units of the value."""
        return self.noise_multiplier * self.sensitivity

    @property
    def variance(self) -> float:
        """Variance σ² of the nominal noise in each coordinate."""
        return self.sigma**2

    def error_quantile(self, level: float) -> float:
        """The w with ``P[|noise| ≤ w] = level``, for one coordinate of the nominal noise; `level` in [0, 1)."""
        return self.sigma * float(ndtri((1 + arguments.probability("level", level, one=False)) / 2))

    def confidence_interval(self, level: float = 0.95, value: float = 0.0) -> tuple[float, float]:
        """Around a released `value`, the interval that holds the true one with probability `level`."""
        width = self.error_quantile(level)
        return value - width, value + width

    @overload
    def release(self, value: float, *, rng=None) -> float: ...

    @overload
    def release(self, value: np.ndarray, *, rng=None) -> np.ndarray: ...

    def release(self, value: float | np.ndarray, *, rng=None) -> float | np.ndarray:
        """`value` (finite, scalar or array) with noise: a float for a scalar, else an array of the same shape.

        Raises
        ------
        TypeError, ValueError
            If `value` is not made of finite numbers, or reaches 2^52 steps of the grid: more than 2^31 times the
            smaller of `sensitivity` / √size and `sigma`. Such a refusal is itself an output that depends on the
            data, and no noise covers it. So bound every coordinate beforehand, by public bounds that cannot reach it.
        """
        array = arguments.finite_array("value", value, private=True)
        step, sigma = self._grid(max(array.size, 1))
        return grid.release_on_grid(np.asarray(value), step, discrete_gaussian(sigma, array.size, rng=rng))

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of Gaussian noise with this noise multiplier."""
        return PrivacyLoss.gaussian(self.noise_multiplier)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """α/(2 (σ/Δ)²) at each order α."""
        return np.asarray(orders, dtype=float) * self.zcdp

    @property
    def zcdp(self) -> float:
        """ρ = 1/(2 (σ/Δ)²), exact for the discrete Gaussian too (arXiv:2004.00010)."""
        return 0.5 / self.noise_multiplier**2

    def _grid(self, size: int) -> tuple[float, float]:
        """Step, and σ in steps for a value of `size` coordinates."""
        bits = grid.SCALAR_BITS if size == 1 else grid.L2_BITS
        step = grid.granularity(self.sensitivity / math.sqrt(size), self.sigma, bits)
        sensitivity = self.sensitivity / step + math.sqrt(
            size
        )  # rounding moves every coordinate by at most one step more
        sigma = self.noise_multiplier * sensitivity * _GRID_MARGIN
        if sigma > LARGEST_SIGMA:
            made = "noise_multiplier" if self.calibration == "noise multiplier" else "epsilon and delta"
            raise ValueError(
                f"{made} must ask for less noise in a value of {size} coordinates than σ = "
                f"{self.noise_multiplier:.3g} sensitivities"
            )
        return step, sigma
