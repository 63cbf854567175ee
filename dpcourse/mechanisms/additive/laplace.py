"""Laplace noise for real numbers and its integer twin, the geometric mechanism: pure ε for an L1 sensitivity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import overload

import numpy as np

from dpcourse.accounting import PrivacyLoss, renyi
from dpcourse.mechanisms.additive import grid
from dpcourse.mechanisms.sampling import discrete_laplace
from dpcourse.privacy import Guarantee, Neighbours, arguments

_SMALLEST_EPSILON = 1e-12


@dataclass(frozen=True)
class LaplaceMechanism:
    """value + Laplace(Δ₁/ε) noise in every coordinate: ε-DP.

    Dwork, McSherry, Nissim, Smith 2006, doi:10.1007/11681878_14.

    The noise is an exact discrete Laplace on a fine grid (see `grid`), so the claim holds for the number released,
    given uniform random bits. To pay for rounding, the scale is wider than nominal: by a share of at most 2^-19 (2^-11
    for vectors), or of 2^-46 (1 + d/ε) in d coordinates where that is more, which takes an ε below 2^-26 (d · 2^-34).
    `scale`, `variance`, `error_quantile` and `confidence_interval` are those of the nominal noise.

    Parameters
    ----------
    epsilon : float
        ε in [1e-12, ∞).
    sensitivity : float
        L1 sensitivity Δ₁ of the whole value under `neighbours`, in its units, > 0.
    neighbours : Neighbours
        The relation the sensitivity was computed for.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> laplace = LaplaceMechanism(epsilon=0.5, sensitivity=1.0)
    >>> laplace.scale, laplace.variance
    (2.0, 8.0)
    >>> print(laplace.guarantee)
    (ε=0.5, δ=0)-DP, adding or removing one record
    >>> released = laplace.release(np.array([10.0, 20.0]), rng=0)
    >>> released.shape
    (2,)
    """

    epsilon: float
    sensitivity: float = 1.0
    neighbours: Neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _epsilon(self.epsilon))
        object.__setattr__(self, "sensitivity", arguments.positive("sensitivity", self.sensitivity))
        arguments.member("neighbours", self.neighbours, Neighbours)
        self._grid(1)

    @property
    def guarantee(self) -> Guarantee:
        """ε-DP, with δ = 0."""
        return Guarantee(self.epsilon, 0.0, self.neighbours)

    @property
    def scale(self) -> float:
        """The nominal scale b = Δ₁/ε, in the units of the value."""
        return self.sensitivity / self.epsilon

    @property
    def variance(self) -> float:
        """Variance 2b² of the nominal noise in each coordinate."""
        return 2 * self.scale**2

    def error_quantile(self, level: float) -> float:
        """The w with ``P[|noise| ≤ w] = level``, for one coordinate of the nominal noise; `level` in [0, 1)."""
        return -self.scale * math.log1p(-arguments.probability("level", level, one=False))

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
            smaller of `sensitivity` / size and `scale`. Such a refusal is itself an output that depends on the
            data, and no noise covers it. So bound every coordinate beforehand, by public bounds that cannot reach it.
        """
        array = arguments.finite_array("value", value, private=True)
        step, _, scale = self._grid(max(array.size, 1))
        return grid.release_on_grid(np.asarray(value), step, discrete_laplace(scale, array.size, rng=rng))

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of the discrete noise on the worst neighbours: one coordinate moves by Δ₁.

        No other move is worse: one split over coordinates is a chain of smaller moves, and for log-concave noise the
        group-privacy bound of that chain is the trade-off of the whole move (Dong, Roth, Su 2022, arXiv:1905.02383).
        On the grid of one number, at the nominal ratio of Δ₁ to scale: so the largest loss is ε, as it is for vectors
        on whose grid the scale need not be rounded up.
        """
        _, sensitivity, _ = self._grid(1)
        return PrivacyLoss.discrete_laplace(sensitivity, Fraction(sensitivity) / Fraction(self.epsilon))

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """Rényi divergence at each order α > 1 between the outputs on worst-case neighbours."""
        _, sensitivity, _ = self._grid(1)
        return renyi.discrete_laplace(sensitivity, Fraction(sensitivity) / Fraction(self.epsilon), orders)

    @property
    def zcdp(self) -> float:
        """ρ = ε²/2, as for any ε-DP mechanism (Bun & Steinke 2016, arXiv:1605.02065)."""
        return self.epsilon * self.epsilon / 2

    def _grid(self, size: int) -> tuple[float, int, int]:
        """Step, sensitivity in steps, scale in steps for a value of `size` coordinates."""
        bits = grid.SCALAR_BITS if size == 1 else grid.L1_BITS
        step = grid.granularity(self.sensitivity / size, self.scale, bits)
        steps = int(self.sensitivity // step) + size  # rounding moves every coordinate by at most one step more
        scale = math.ceil(Fraction(steps) / Fraction(self.epsilon))
        if scale >= 2**55:
            raise ValueError(f"epsilon is too small for a value of {size} coordinates, got {self.epsilon!r}")
        return step, steps, scale


@dataclass(frozen=True)
class GeometricMechanism:
    """integer + two-sided geometric noise, P[X = x] ∝ e^(−|x| ε/Δ): ε-DP for integers.

    Ghosh, Roughgarden, Sundararajan 2009, arXiv:0811.2841.

    Integers in, integers out, nothing rounded and nothing lost.

    Parameters
    ----------
    epsilon : float
        ε in [1e-12, ∞).
    sensitivity : int
        L1 sensitivity of the whole value under `neighbours`, ≥ 1.
    neighbours : Neighbours
        The relation the sensitivity was computed for.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> noisy = GeometricMechanism(epsilon=1.0).release(1000, rng=0)
    >>> isinstance(noisy, int)
    True
    """

    epsilon: float
    sensitivity: int = 1
    neighbours: Neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _epsilon(self.epsilon))
        object.__setattr__(self, "sensitivity", arguments.integer("sensitivity", self.sensitivity, minimum=1))
        if Fraction(self.sensitivity) / Fraction(self.epsilon) >= 2**50:
            raise ValueError(f"sensitivity / epsilon must be below 2^50, got {self.sensitivity!r} / {self.epsilon!r}")
        arguments.member("neighbours", self.neighbours, Neighbours)

    @property
    def guarantee(self) -> Guarantee:
        """ε-DP, with δ = 0."""
        return Guarantee(self.epsilon, 0.0, self.neighbours)

    @property
    def scale(self) -> float:
        """Δ/ε, in units of one."""
        return self.sensitivity / self.epsilon

    @property
    def variance(self) -> float:
        """Variance 2a/(1 − a)² with a = e^(−ε/Δ), in each coordinate."""
        decay = math.exp(-1 / self.scale)
        return 2 * decay / math.expm1(-1 / self.scale) ** 2

    def error_quantile(self, level: float) -> int:
        """The smallest whole w with ``P[|noise| ≤ w] ≥ level``, for one coordinate; `level` in [0, 1)."""
        level = arguments.probability("level", level, one=False)
        # P[|X| > w] = 2 a^(w+1) / (1 + a)
        tail = (1 - level) * (1 + math.exp(-1 / self.scale)) / 2
        return max(math.ceil(-self.scale * math.log(tail) - 1 - 1e-9), 0)

    def confidence_interval(self, level: float = 0.95, value: int = 0) -> tuple[int, int]:
        """Around a released `value`, the whole numbers that hold the true one with probability at least `level`."""
        width = self.error_quantile(level)
        return value - width, value + width

    @overload
    def release(self, value: int, *, rng=None) -> int: ...

    @overload
    def release(self, value: np.ndarray, *, rng=None) -> np.ndarray: ...

    def release(self, value: int | np.ndarray, *, rng=None) -> int | np.ndarray:
        """`value` (an integer or an integer array) with noise: an int for a scalar, else int64 of the same shape.

        Raises
        ------
        TypeError, ValueError
            If `value` is not made of integers, or one is above 2^62 in size. Such a refusal is itself an output that
            depends on the data, and no noise covers it: bound the value beforehand, by public bounds below that.
        """
        array = np.asarray(value)
        if array.dtype.kind not in "iu":
            raise TypeError(f"value must be an integer or an array of integers, got {arguments.kind_of(array)}")
        if array.size and max(abs(int(array.min())), abs(int(array.max()))) > 2**62:
            raise ValueError(f"value must be at most 2^62 in size, got {arguments.kind_of(array)}")
        noisy = array.astype(np.int64) + discrete_laplace(self._scale(), array.shape, rng=rng)
        return noisy if array.ndim else int(noisy)

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of the worst neighbours, which differ by Δ in one coordinate."""
        return PrivacyLoss.discrete_laplace(self.sensitivity, self._scale())

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """Rényi divergence at each order α > 1 between the outputs on worst-case neighbours."""
        return renyi.discrete_laplace(self.sensitivity, self._scale(), orders)

    @property
    def zcdp(self) -> float:
        """ρ = ε²/2, as for any ε-DP mechanism (Bun & Steinke 2016, arXiv:1605.02065)."""
        return self.epsilon * self.epsilon / 2

    def _scale(self) -> Fraction:
        """Δ/ε as a fraction the sampler takes: exact where it fits, else rounded up by less than 2^-40 of itself."""
        exact = Fraction(self.sensitivity) / Fraction(self.epsilon)
        if exact.numerator < 2**55:
            return exact
        denominator = 2 ** max(50 - math.ceil(exact).bit_length(), 0)
        return Fraction(math.ceil(exact * denominator), denominator)


def _epsilon(value: float) -> float:
    epsilon = arguments.positive("epsilon", value)
    if epsilon < _SMALLEST_EPSILON:
        raise ValueError(f"epsilon must be ≥ {_SMALLEST_EPSILON}, got {value!r}")
    return epsilon
