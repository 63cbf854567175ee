"""Discrete Laplace noise that nobody adds alone: a pure ε for the sum, from shares of negative binomial numbers.

A discrete Laplace number is the difference of two geometric ones, and a geometric number is the sum of t independent
negative binomial ones of 1/t each. So t clients, each adding the difference of two such numbers, add discrete Laplace
noise together (Harrison & Manurangsi 2025, doi:10.4230/LIPIcs.FORC.2025.12, study sums of other numbers of shares).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.special import gammaln, logsumexp

from dpcourse.accounting import PrivacyLoss, renyi
from dpcourse.federated.secure.units import check_unit, condition
from dpcourse.mechanisms import GeometricMechanism
from dpcourse.mechanisms.sampling import LARGEST_SHARED_SCALE, laplace_share
from dpcourse.privacy import Guarantee, Neighbours, arguments


@dataclass(frozen=True)
class DistributedDiscreteLaplace:
    """The sum of integer vectors, to each coordinate of which every client added a share of discrete Laplace noise.

    `threshold` shares together are discrete Laplace noise of scale Δ/ε: the sum is ε-DP. With more shares there is more
    noise, independent of the rest, and the claim stays ε. With m < threshold shares it is weaker, and known exactly for
    one coordinate: ln(P(0)/P(Δ)), where P is the distribution of m shares. (P is log-convex on either side of 0, as the
    masses of a negative binomial number of less than 1 are moments of a positive measure. So no other output tells more
    than 0 does.) Where Δ may be spread over several coordinates, that costs more, and is what is claimed.

    Neighbours are those of `DistributedDiscreteGaussian`: one client's vector replaced by zeros, or one record less in
    it. The sampler draws exactly this distribution (`mechanisms.sampling.laplace_share`), with Δ/ε rounded up to a
    multiple of 2^-36.

    Parameters
    ----------
    epsilon : float
        ε with `threshold` shares in the sum.
    sensitivity : int
        How far one record can move the sum of the integer vectors: Δ in steps, L1 norm, ≥ 1, and at most 2^16 ε.
        `steps_sensitivity` with ``norm=1`` knows it where vectors are rounded.
    threshold : int
        How many shares make the whole noise, ≥ 1: no more than are sure to be in the sum and unknown to the onlooker.
    clients : int or None
        How many are. A client that drops out takes its share along, and one that colludes with the server knows its
        own: count neither. None means `threshold`.
    dimension : int
        Coordinates over which one record may spread its Δ.
    unit : {"client", "record"}
        What the claim calls a record; the sensitivity must be of the same unit.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    Fifteen suppliers, ε = 0.5 for one lot. One drops out, or seven do:

    >>> noise = DistributedDiscreteLaplace(epsilon=0.5, sensitivity=1, threshold=15, unit="record")
    >>> [round(noise.with_clients(m).guarantee.epsilon, 3) for m in (20, 15, 14, 8)]
    [0.5, 0.5, 0.556, 1.073]
    """

    epsilon: float
    sensitivity: int
    threshold: int
    clients: int | None = None
    dimension: int = 1
    unit: str = "client"

    neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        arguments.positive("epsilon", self.epsilon)
        arguments.integer("sensitivity", self.sensitivity, minimum=1)
        if Fraction(self.sensitivity) / Fraction(self.epsilon) > LARGEST_SHARED_SCALE:
            raise ValueError(f"sensitivity must be at most 2^16 times epsilon={self.epsilon!r}, got {self.sensitivity}")
        arguments.integer("threshold", self.threshold, minimum=1)
        if self.clients is not None:
            arguments.integer("clients", self.clients, minimum=1)
        arguments.integer("dimension", self.dimension, minimum=1)
        check_unit(self.unit)

    def with_clients(self, clients: int) -> DistributedDiscreteLaplace:
        """The same shares with another number of them in the sum: after a run, those who stayed."""
        return replace(self, clients=clients)

    @property
    def scale(self) -> float:
        """Δ/ε in steps: the scale of `threshold` shares together."""
        return float(self._scale)

    @property
    def variance(self) -> float:
        """Of the noise of the shares in the sum, in each coordinate, in steps²."""
        whole = 2 * math.exp(-1 / self.scale) / math.expm1(-1 / self.scale) ** 2
        return whole * self._shares / self.threshold

    @property
    def guarantee(self) -> Guarantee:
        """What the sum promises with this number of shares in it: a pure ε, with what it rests on."""
        return Guarantee(self._spent, 0.0, self.neighbours, condition(self.unit, self._shares))

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of `threshold` shares, which more of them only blur; with fewer, of any mechanism of that ε."""
        return PrivacyLoss.pure(self._spent) if self._short else self._whole.privacy_loss()

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """At most this at each order α > 1."""
        return renyi.pure(self._spent, orders) if self._short else self._whole.renyi_divergence(orders)

    @property
    def zcdp(self) -> float:
        """ρ = ε²/2, as for any ε-DP mechanism."""
        return self._spent * self._spent / 2

    def share(self, size: int, *, rng=None) -> np.ndarray:
        """One client's part of the noise, int64 of shape (size,)."""
        return laplace_share(self._scale, self.threshold, size, rng=rng)

    def headroom(self, n_clients: int) -> int:
        """Steps to keep free so that the noise of `n_clients` stays within them, but for 4e-22 a coordinate.

        Chernoff's bound at half the rate of the tail: P[noise > h] ≤ e^(−h/(2 scale)) E[e^(noise/(2 scale))].
        """
        decay, half = math.exp(-1 / self.scale), math.exp(-0.5 / self.scale)
        moment = 2 * math.log1p(-decay) - math.log1p(-half) - math.log1p(-decay * half)
        return math.ceil(2 * self.scale * (50 + n_clients / self.threshold * moment))

    @property
    def _shares(self) -> int:
        return self.threshold if self.clients is None else self.clients

    @property
    def _short(self) -> bool:
        return self._shares < self.threshold

    @property
    def _whole(self) -> GeometricMechanism:
        return GeometricMechanism(self.epsilon, self.sensitivity)

    @property
    def _scale(self) -> Fraction:
        exact = Fraction(self.sensitivity) / Fraction(self.epsilon)
        return Fraction(math.ceil(exact * 2**36), 2**36)

    @property
    def _spent(self) -> float:
        """ε with the shares in the sum. The loss of a shift is concave in it, so Δ spread evenly is the worst."""
        if not self._short:
            return self.epsilon
        each, more = divmod(self.sensitivity, self.dimension)
        spent = more * self._largest_loss(each + 1)
        return spent + (self.dimension - more) * self._largest_loss(each) if each else spent

    def _largest_loss(self, shift: int) -> float:
        """ln(P(0)/P(shift)) of m shares, rounded up by more than floats get it wrong.

        P(k) = Σ N(j) N(j + k) over j ≥ 0, with N(j) ∝ Γ(j + r)/j! e^(−j/scale) and r = m/threshold < 1. What is left
        out of the sums is e^−50 of them.
        """
        r = self._shares / self.threshold

        def log_mass(j: np.ndarray) -> np.ndarray:
            return gammaln(j + r) - gammaln(j + 1) - j / self.scale

        j = np.arange(math.ceil(25 * self.scale) + 64, dtype=float)
        here = log_mass(j)
        loss = float(logsumexp(2 * here) - logsumexp(here + log_mass(j + shift)))
        return loss * (1 + 1e-9) + 1e-7
