"""Noise that nobody adds alone: every client its part, a discrete Gaussian, and the sum what the claim is about.

A sum of discrete Gaussians is not a discrete Gaussian, but close to one: Kairouz, Liu & Steinke 2021
(arXiv:2102.06387).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dpcourse.accounting import PrivacyLoss, renyi
from dpcourse.accounting.solve import safe_root
from dpcourse.federated.secure.units import check_unit, condition
from dpcourse.mechanisms.sampling import discrete_gaussian
from dpcourse.privacy import Guarantee, Neighbours, arguments

# Noise in the sum beyond this many of its standard deviations has a probability below 2 exp(−50) a coordinate.
_REACH = 10


def headroom(sigma: float, clients: int) -> int:
    """Steps to keep free so that the sum of all clients' noise stays within them, but for 4e-22 a coordinate.

    A discrete Gaussian is sub-Gaussian with its own σ (arXiv:2004.00010), and so is a sum, with √clients · σ. The rare
    sum that wraps is wrong, but no less private: the noise is in it.
    """
    return math.ceil(_REACH * sigma * math.sqrt(clients))


@dataclass(frozen=True)
class DistributedDiscreteGaussian:
    """The sum of integer vectors, to each coordinate of which every client added a discrete Gaussian of `sigma` steps.

    Neighbours, where the unit is a client: the vector of one client is replaced by zeros. Where it is a record: one
    record less is added up to a client's vector. Who takes part is public (the server must know it), so nothing here
    hides that; and the claim is about what is seen by those who add no noise. With

        τ = 10 Σₖ exp(−2π²σ² k/(k+1)), k = 1, …, clients − 1,

    the release is ½ε²-concentrated DP (ρ-zCDP with ρ = ε²/2) for ε = Δ/(√clients · σ) + τ√dimension (arXiv:2102.06387,
    theorem 1). From σ = 2 steps on, τ is below 1e-16 · clients: the sum is as good as one Gaussian of √clients · σ.

    Parameters
    ----------
    sigma : float
        Each client's σ in steps, ≥ ½ (the theorem's range).
    sensitivity : float
        How far one record can move the sum of the integer vectors: Δ in steps, L2 norm, > 0. `steps_sensitivity` knows
        it for either unit; a record inside a rounded vector can move it farther than a whole vector of the same norm.
    clients : int
        How many clients' noise is in the sum and unknown to the onlooker. A client that drops out takes its noise
        along, and one that colludes with the server knows its own: count neither. A protocol that goes on while
        `threshold` clients stay can promise no more than ``clients=threshold`` beforehand.
    dimension : int
        Coordinates of the vector.
    unit : {"client", "record"}
        What the claim calls a record; the sensitivity must be of the same unit.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> planned = DistributedDiscreteGaussian.calibrate(1.0, 1e-5, sensitivity=1004, clients=20, dimension=64)
    >>> round(planned.sigma), round(planned.total_sigma)
    (908, 4061)
    >>> round(planned.epsilon(1e-5), 3), round(planned.with_clients(30).epsilon(1e-5), 3)
    (1.0, 0.802)
    """

    sigma: float
    sensitivity: float
    clients: int
    dimension: int
    unit: str = "client"

    neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        if arguments.positive("sigma", self.sigma) < 0.5:
            raise ValueError(f"sigma must be ≥ 0.5 steps, where the bound is proven, got {self.sigma!r}")
        arguments.positive("sensitivity", self.sensitivity)
        arguments.integer("clients", self.clients, minimum=1)
        arguments.integer("dimension", self.dimension, minimum=1)
        check_unit(self.unit)

    @classmethod
    def calibrate(
        cls,
        epsilon: float,
        delta: float,
        *,
        sensitivity: float,
        clients: int,
        dimension: int,
        times: int = 1,
        unit: str = "client",
    ) -> DistributedDiscreteGaussian:
        """The smallest `sigma` with which `times` releases together are (epsilon, delta)-DP by the zCDP bound.

        Raises
        ------
        ValueError
            Naming the argument and the value refused.
        """
        arguments.positive("epsilon", epsilon)
        arguments.probability("delta", delta, zero=False, one=False)
        times = arguments.integer("times", times, minimum=1)

        def planned(sigma: float) -> DistributedDiscreteGaussian:
            return cls(sigma, sensitivity, clients, dimension, unit)

        def over(sigma: float) -> float:
            return renyi.epsilon_from_zcdp(times * planned(sigma).zcdp, delta) - epsilon

        low, high = 0.5, 1.0
        if over(low) <= 0:
            return planned(low)
        while over(high) > 0:
            low, high = high, 2 * high
        return planned(safe_root(over, low, high, precision=1e-9 * high))

    def with_clients(self, clients: int) -> DistributedDiscreteGaussian:
        """The same noise with another number of clients in the sum: after a run, those who stayed."""
        return replace(self, clients=clients)

    def share(self, size: int, *, rng=None) -> np.ndarray:
        """One client's part of the noise, int64 of shape (size,)."""
        return discrete_gaussian(self.sigma, size, rng=rng)

    def headroom(self, n_clients: int) -> int:
        """Steps to keep free for the noise of `n_clients`."""
        return headroom(self.sigma, n_clients)

    @property
    def total_sigma(self) -> float:
        """√clients · sigma: the standard deviation of the noise in a coordinate of the sum, in steps."""
        return math.sqrt(self.clients) * self.sigma

    @property
    def inflation(self) -> float:
        """τ: how far the sum may be from one discrete Gaussian."""
        k = np.arange(1, self.clients)
        return float(10 * np.exp(-2 * (math.pi * self.sigma) ** 2 * k / (k + 1)).sum())

    @property
    def zcdp(self) -> float:
        """ρ of one release."""
        return (self.sensitivity / self.total_sigma + self.inflation * math.sqrt(self.dimension)) ** 2 / 2

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """At most ρ·α at each order α > 1."""
        return self.zcdp * np.asarray(orders, dtype=float)

    def epsilon(self, delta: float) -> float:
        """ε of one release at this δ, by the zCDP bound."""
        return renyi.epsilon_from_zcdp(self.zcdp, arguments.probability("delta", delta, zero=False, one=False))

    def guarantee_at(self, delta: float) -> Guarantee:
        """The claim of one release at this δ, with what it rests on."""
        return Guarantee(self.epsilon(delta), delta, self.neighbours, self.condition)

    @property
    def condition(self) -> str:
        """What the claim rests on, and what it calls a record."""
        return condition(self.unit, self.clients)

    @property
    def guarantee(self) -> Guarantee:
        """Not known without a δ: `guarantee_at` tells."""
        raise ValueError("a ρ alone makes no (ε, δ) claim: ask for .guarantee_at(delta)")

    def privacy_loss(self) -> PrivacyLoss:
        """No loss is known that dominates every shift of a sum of discrete Gaussians: account by "zcdp" or "rdp"."""
        raise ValueError('the bound is on Rényi divergences only: use method "zcdp" or "rdp"')
