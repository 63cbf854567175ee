"""The claim of a mechanism that runs on a random sample: privacy amplification by subsampling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.accounting import Mechanism, PrivacyLoss, amplify_by_sampling, renyi
from dpcourse.accounting.interface import has_privacy_loss
from dpcourse.privacy import Guarantee, Neighbours, arguments


@dataclass(frozen=True)
class PoissonSubsampled:
    """What `mechanism` promises when every record joins its input with probability `sampling_rate`, independently.

    A claim, not a release: whoever samples (DP-SGD does) runs the mechanism itself, and which records joined must stay
    secret. Proven for adding or removing one record only (Balle, Barthe, Gaboardi 2018, arXiv:1807.01647): shuffled or
    fixed-size batches are not covered.

    Parameters
    ----------
    mechanism : mechanism
        Its `neighbours` must be add-remove.
    sampling_rate : float
        q in (0, 1].

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> from dpcourse.mechanisms import GaussianMechanism
    >>> step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(1.5), sampling_rate=0.04)
    >>> round(step.privacy_loss().self_compose(2250).epsilon(1e-5), 2)
    6.77
    """

    mechanism: Mechanism
    sampling_rate: float

    def __post_init__(self) -> None:
        if not has_privacy_loss(self.mechanism):
            raise TypeError(f"mechanism must be a mechanism, got {self.mechanism!r}")
        arguments.member("mechanism.neighbours", getattr(self.mechanism, "neighbours", None), Neighbours)
        rate = arguments.probability("sampling_rate", self.sampling_rate, zero=False)
        object.__setattr__(self, "sampling_rate", rate)
        if self.mechanism.neighbours is not Neighbours.ADD_REMOVE:
            raise ValueError(f"mechanism must be under add-remove neighbours, got {self.mechanism!r}")

    @property
    def neighbours(self) -> Neighbours:
        """Add-remove: the amplification is proven under no other relation here."""
        return Neighbours.ADD_REMOVE

    @property
    def condition(self) -> str:
        """What must be true for the claim of the mechanism inside to hold."""
        return getattr(self.mechanism, "condition", "")

    @property
    def guarantee(self) -> Guarantee:
        """(ln(1 + q(e^ε − 1)), qδ) for a mechanism that is (ε, δ)-DP."""
        return amplify_by_sampling(self.mechanism.guarantee, self.sampling_rate)

    def privacy_loss(self) -> PrivacyLoss:
        """The amplified loss, tighter under composition than the amplified (ε, δ)."""
        return self.mechanism.privacy_loss().poisson_subsampled(self.sampling_rate)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """Rényi divergence at each order α > 1, the worse of both directions."""
        return renyi.of_loss(self.privacy_loss(), np.asarray(orders, dtype=float))

    @property
    def zcdp(self) -> float:
        """None of use: raises `ValueError`."""
        raise ValueError(f"a subsampled mechanism has no useful zCDP bound, got {self!r}")
