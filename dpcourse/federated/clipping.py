"""Bound what a client can do: clip its whole update, at a fixed norm or at one that follows the clients' own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcourse.privacy import arguments

_SMALLEST, _LARGEST = 1e-12, 1e12  # an adaptive clip norm stays between, whatever the noise does


def norms_of(updates: np.ndarray) -> np.ndarray:
    """‖u‖₂ of each row of shape (m, d), without overflow on the way (∞ where the norm itself is beyond a float)."""
    largest = np.abs(updates).max(axis=1, initial=0.0)
    unit = updates / np.where(largest > 0, largest, 1.0)[:, None]
    with np.errstate(over="ignore"):
        return largest * np.linalg.norm(unit, axis=1)


def clip_updates(updates: np.ndarray, clip_norm: float) -> np.ndarray:
    """Each row of shape (m, d) shortened to norm `clip_norm` at most, its direction kept; zeros stay zeros.

    Examples
    --------
    >>> clip_updates(np.array([[3.0, 4.0], [0.0, 0.0], [0.3, 0.4], [3e200, 4e200]]), 1.0)
    array([[0.6, 0.8],
           [0. , 0. ],
           [0.3, 0.4],
           [0.6, 0.8]])
    """
    if math.isinf(clip_norm):
        return updates
    largest = np.abs(updates).max(axis=1, initial=0.0)
    unit = updates / np.where(largest > 0, largest, 1.0)[:, None]
    length = np.maximum(np.linalg.norm(unit, axis=1), 1e-300)
    return unit * np.minimum(largest, clip_norm / length)[:, None]


@dataclass(frozen=True)
class AdaptiveClip:
    """A clip norm that follows a quantile of the clients' norms (Andrew et al. 2021, arXiv:1905.03871).

    In each round every client also says one bit: was my update within the clip norm S? A noisy count of these bits
    estimates the share b that was, and S moves to S · exp(−η (b − γ)).

    The bits cost budget. With bits counted as ±½, one client moves the count by ½, and the pair (sum of updates, count)
    is one Gaussian release whose noise multiplier z obeys 1/z² = 1/u² + 1/(2σ)². The server is given z, which is
    what the accountant composes, and gives the updates the larger u that is left (`update_noise_multiplier`).

    Parameters
    ----------
    initial : float
        The first S, > 0.
    quantile : float
        γ in (0, 1): the share of updates that should come through whole.
    learning_rate : float
        η > 0; the paper's 0.2 moves S by a fifth a round at most.
    count_noise : float
        σ, the deviation of the noise on the count of clients, ≥ 0. The paper advises a twentieth of the clients
        expected in a round.

    Examples
    --------
    >>> clip = AdaptiveClip(count_noise=5.0)
    >>> round(clip.update_noise_multiplier(1.0), 4)
    1.005
    >>> clip.next_norm(1.0, 0.9) < 1.0 < clip.next_norm(1.0, 0.1)
    True
    """

    initial: float = 0.1
    quantile: float = 0.5
    learning_rate: float = 0.2
    count_noise: float = 5.0

    def __post_init__(self) -> None:
        arguments.positive("initial", self.initial)
        arguments.probability("quantile", self.quantile, zero=False, one=False)
        arguments.positive("learning_rate", self.learning_rate)
        arguments.nonnegative("count_noise", self.count_noise)

    def update_noise_multiplier(self, noise_multiplier: float) -> float:
        """u, so that updates and bits together cost what one Gaussian with `noise_multiplier`, 0 or ≥ 1e-150, does."""
        noise_multiplier = arguments.noise("noise_multiplier", noise_multiplier, zero=True)
        if noise_multiplier == 0:
            return 0.0
        if 2 * self.count_noise <= noise_multiplier:
            raise ValueError(
                f"count_noise must be > noise_multiplier/2 = {noise_multiplier / 2:g}: the bits alone would cost more "
                f"than the whole round may, got {self.count_noise!r}"
            )
        return 1 / math.sqrt(noise_multiplier**-2 - (2 * self.count_noise) ** -2)

    def next_norm(self, clip_norm: float, noisy_share: float) -> float:
        """S · exp(−η (b − γ)): post-processing of a noisy share b, which may lie outside [0, 1]."""
        step = math.exp(min(max(-self.learning_rate * (noisy_share - self.quantile), -1.0), 1.0))
        return min(max(clip_norm * step, _SMALLEST), _LARGEST)
